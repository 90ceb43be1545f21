"""Reduces Arrow's use of memory. Import this module before Arrow, whose allocator is chosen at import.

Arrow's own allocator keeps freed memory, a hundred megabytes after writing a file; the system's allocator returns it.
When Arrow makes its first array it also loads pandas, if it is installed, which takes 40 MB and half a second.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType

os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def without_pandas() -> None:
    """Let Arrow search for pandas without finding it, in a process that makes no pandas tables.

    Arrow's own conversions to and from pandas tables work in such a process; `pa.array` does not know pandas objects.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    with absent("pandas"):
        pa.array([0])


@contextmanager
def absent(package: str) -> Iterator[None]:
    """In this block, an import does not find the package unless it is already loaded."""
    nothing = _Nothing(package)
    sys.meta_path.insert(0, nothing)
    try:
        yield
    finally:
        sys.meta_path.remove(nothing)


class _Nothing(MetaPathFinder):
    """An importer that reports the package as missing."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> None:
        if name == self._package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
