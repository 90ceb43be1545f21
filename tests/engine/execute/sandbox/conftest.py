"""The fixture of all tests here."""

from tests.engine.execute.sandbox.backends import sandbox

__all__ = ["sandbox"]
