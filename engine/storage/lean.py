"""Arrow, taking no more memory than it needs. To be imported before Arrow is: it looks once how it is to allocate.

Arrow's own allocator keeps what it was given once, a hundred megabytes after a file was written; the system's takes it
back. And when Arrow makes its first array it looks for pandas, and loads it where it is installed: 40 MB, and half a
second.
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
    """Let Arrow look for pandas now, and not find it: for a process of ours, which makes no tables of pandas.

    Arrow's own conversions to and from tables of pandas still work there; `pa.array` knows no objects of pandas.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    with absent("pandas"):
        pa.array([0])


@contextmanager
def absent(package: str) -> Iterator[None]:
    """Within this block a package that is not loaded yet is not found."""
    nothing = _Nothing(package)
    sys.meta_path.insert(0, nothing)
    try:
        yield
    finally:
        sys.meta_path.remove(nothing)


class _Nothing(MetaPathFinder):
    """Finds that there is no such package."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> None:
        if name == self._package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
