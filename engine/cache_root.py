"""The folder for files that can be regenerated, such as compiled kernels."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_when_compiling: list[Callable[[], None]] = []


def before_compiling(call: Callable[[], None]) -> None:
    """Register a call to be made once, before the first kernel is compiled, so that a program can show a notice."""
    _when_compiling.append(call)


def compiling() -> None:
    """Make the registered calls: a kernel is about to be compiled."""
    while _when_compiling:
        _when_compiling.pop()()


def preferred_root() -> Path:
    """The folder that `ANTEMILL_CACHE` names, or else the usual one of the platform; it may not exist.

    Raises RuntimeError if there is no home directory.
    """
    if named := os.environ.get("ANTEMILL_CACHE"):
        return Path(named).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/antemill"
    return (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "antemill").absolute()


def trusted(folder: Path) -> bool:
    """Whether code in a folder may be run: the folder belongs to this user or root, and not every user may write to it.

    Its group may write to it, as in some homes and shared caches. Raises OSError if the folder can not be read.
    """
    found = folder.stat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid in (0, os.getuid()) and not found.st_mode & stat.S_IWOTH


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make `folder` and hold its lock file against other processes and threads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # closing does not unlock: a forked process may hold a copy
