"""The folder for files that can be regenerated, such as compiled kernels, and the locks of such files."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

COMPILING: Final = (
    "antemill: compiling kernels, which takes a processor up to two minutes, once for each version; `antemill warm` "
    "compiles all of them beforehand."
)
LONGEST_WAIT = 600.0  # seconds to wait for a file that another process makes: many times the work on the largest file
_PAUSE: Final = 0.02
PATIENCE = 5.0  # seconds in total that a process waits for processes of lower priority
_said = False
_waited = 0.0  # of `PATIENCE`


def compiling() -> None:
    """Say once on stderr that a kernel is about to be compiled. Workers, and `ANTEMILL_COMPILE=1`, are silent."""
    global _said
    from multiprocessing import parent_process

    if not (_said or os.environ.get("ANTEMILL_COMPILE") == "1" or parent_process()):
        _said = True
        if sys.stderr is not None:  # otherwise `print` would write to stdout
            with suppress(OSError, ValueError):  # stderr is closed
                print(COMPILING, file=sys.stderr, flush=True)


def preferred_root() -> Path:
    """The folder that `ANTEMILL_CACHE` names, or else the platform's usual one; it may not exist.

    Raises RuntimeError if there is no home directory.
    """
    if named := os.environ.get("ANTEMILL_CACHE"):
        return Path(named).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/antemill"
    return (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "antemill").absolute()


def trusted(folder: Path) -> bool:
    """Whether code in a folder may be run: the folder belongs to this user or root, and not every user can write to it.

    Its group may have write access, as in some homes and shared caches. Raises OSError if the folder cannot be read.
    """
    found = folder.stat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid in (0, os.getuid()) and not found.st_mode & stat.S_IWOTH


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make `folder`, and hold its lock against other processes and threads in this block."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # closing does not unlock: a forked process may hold a copy


def hold(path: Path) -> BinaryIO | None:
    """The lock file of a file that this process is about to make, locked; None if it should not wait for its holder.

    A process that ends releases its locks, so this one waits while the holder works: for at most `LONGEST_WAIT`, and
    not at all while the holder is stopped (if /proc says so). If the holder's priority is lower than this process's, it
    waits for `PATIENCE` in total, because on a busy machine the holder may get no time. Raises OSError if the file
    cannot be locked.
    """
    global _waited
    began = time.monotonic()
    with ExitStack() as unless_held:
        lock = unless_held.enter_context(path.open("ab"))
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder, niceness = _holder(path)
                polite = niceness > os.nice(0)
                if _is_stopped(holder) or time.monotonic() - began > LONGEST_WAIT or (polite and _waited > PATIENCE):
                    return None
                time.sleep(_PAUSE)
                _waited += _PAUSE * polite
            else:
                lock.truncate(0)
                lock.write(b"%d %d" % (os.getpid(), os.nice(0)))
                lock.flush()
                unless_held.pop_all()
                return lock


def _holder(path: Path) -> tuple[int, int]:
    """The id and the niceness of the process that holds a lock; 0 and -20 until it has written them."""
    with suppress(OSError, ValueError):
        process, niceness = map(int, path.read_bytes().split())
        return process, niceness
    return 0, -20


def _is_stopped(process: int) -> bool:
    """Whether a signal has stopped a process. On a shared disk, the id may belong to a process of another machine."""
    with suppress(OSError):
        return process > 0 and Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] in b"Tt"
    return False
