"""The version of the package, read from its metadata."""

from importlib.metadata import version

__version__ = version("antemill")
