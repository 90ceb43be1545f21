"""Versions of the packages that could change the content of a pool."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from antemill.engine.errors import ExecutionError


@cache
def numba_version() -> str:
    """The version of numba in this process, without importing it."""
    return version("numba")


def require_same(versions: Mapping[str, tuple[object, object]]) -> None:
    """Raise ExecutionError unless the values of the command and of its worker are equal in all pairs."""
    for name, (wanted, here) in versions.items():
        if wanted != here:
            raise ExecutionError(
                f"a worker has another {name} ({here}) than the command that started it ({wanted}): "
                "install the same antemill and the same packages on every machine."
            )
