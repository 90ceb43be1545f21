"""Which packages a pool is made with, as far as they could change what is computed."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version


@cache
def numba_version() -> str:
    """The version of numba in this process, which is not loaded for it."""
    return version("numba")
