"""The fixture of all tests here."""

from tests.sandbox.backends import sandbox

__all__ = ["sandbox"]
