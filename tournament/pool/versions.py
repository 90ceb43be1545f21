"""Versions of the packages that could change the content of a pool or the bytes of its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from antemill.engine.errors import ExecutionError

_PACKAGES = ("numba", "llvmlite", "numpy", "pyarrow")


@cache
def packages() -> dict[str, str]:
    """The versions in this process by package, without importing any."""
    return {name: version(name) for name in _PACKAGES}


def require_same(versions: Mapping[str, tuple[object, object]]) -> None:
    """Raise ExecutionError unless the values of the command and of its worker are equal in all pairs."""
    for name, (wanted, here) in versions.items():
        if wanted != here:
            raise ExecutionError(
                f"a worker has another {name} ({here}) than the command that started it ({wanted}): "
                "install the same antemill and the same packages on every machine."
            )
