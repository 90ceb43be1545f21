"""Rewrites the assertions of all test modules, and keeps them where pytest finds them.

    python -m tests.rewritten

Otherwise each of the processes that begin to run tests at once does it for itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

from _pytest.assertion import AssertionState, rewrite

from tests.imports import ROOT

NONE = cast(Any, None)  # no configuration: the one of this project changes nothing in what is rewritten


def kept(path: Path) -> Path:
    """Where pytest, of this version and for this Python, looks for a rewritten module."""
    return rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"


def rewrite_all(folder: Path) -> int:
    """Rewrite every module below a folder that is not kept as it is now; returns how many those are."""
    made = 0
    for path in (*folder.rglob("test_*.py"), *folder.rglob("conftest.py")):
        if rewrite._read_pyc(path, kept(path)) is None:
            rewrite.try_makedirs(kept(path).parent)
            source_hash, code = rewrite._rewrite_test(path, NONE)
            rewrite._write_pyc(cast(AssertionState, NONE), code, source_hash, kept(path))
            made += 1
    return made


if __name__ == "__main__":
    sys.stdout.write(f"{rewrite_all(ROOT / 'tests')} modules of tests are rewritten\n")
