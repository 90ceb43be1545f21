"""The version of the package, which is written down in its metadata alone."""

from importlib.metadata import version

__version__ = version("antemill")
