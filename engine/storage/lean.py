"""Reduces Arrow's use of memory. Import this module before Arrow, whose allocator is chosen at import.

Arrow's own allocator keeps freed memory, a hundred megabytes after writing a file; the system's allocator returns it.
When Arrow makes its first array it also loads pandas, if that is installed: 54 MB, and a quarter of a second of the
processor.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import ModuleType

os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def without_pandas() -> None:
    """Let Arrow search for pandas without finding it, in a process that makes no pandas tables.

    Arrow's own conversions to and from pandas tables work in such a process; `pa.array` does not know pandas objects.
    """
    if "pandas" not in sys.modules:
        import pyarrow as pa

        sys.meta_path.insert(0, _Hidden)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(_Hidden)


class _Hidden:
    """An importer that reports pandas as missing."""

    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None) -> None:
        """Raise ModuleNotFoundError for pandas."""
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
