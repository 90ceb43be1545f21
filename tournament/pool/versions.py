"""Which packages a pool is made with, as far as they could change what is computed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from antemill.engine.errors import ExecutionError


@cache
def numba_version() -> str:
    """The version of numba in this process, which is not loaded for it."""
    return version("numba")


def require_same(versions: Mapping[str, tuple[object, object]]) -> None:
    """Raise ExecutionError unless all pairs, of what a command wants and of what its worker has, are equal."""
    for name, (wanted, here) in versions.items():
        if wanted != here:
            raise ExecutionError(
                f"a worker has another {name} ({here}) than the command that started it ({wanted}): "
                "install the same antemill and the same packages on every machine."
            )
