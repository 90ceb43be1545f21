"""The folder for files that can be regenerated, such as compiled kernels."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

COMPILING: Final = (
    "antemill: compiling kernels, which takes a processor up to two minutes, once for each version; `antemill warm` "
    "compiles all of them beforehand."
)
_said = False


def compiling() -> None:
    """Say once on stderr that a kernel is about to be compiled. Workers are silent, and so is `ANTEMILL_COMPILE=1`."""
    global _said
    from multiprocessing import parent_process

    if not (_said or os.environ.get("ANTEMILL_COMPILE") == "1" or parent_process()):
        _said = True
        if sys.stderr is not None:  # else `print` would take stdout
            with suppress(OSError, ValueError):  # stderr is closed
                print(COMPILING, file=sys.stderr, flush=True)


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
