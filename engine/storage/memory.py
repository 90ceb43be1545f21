"""The machine's memory: its size, its free part, a process's peak, and the return of freed memory to the system."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TRIM, _MAP = -1, -3  # glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD
_SMALL, _LARGE = 128 << 10, 32 << 20  # bytes: glibc's initial value, and the largest to which glibc raises it by itself

_LIMITS_OF_CONTAINERS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_USED_BY_CONTAINERS = ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes")


def physical_memory() -> int:
    """Bytes of memory of this machine, or the limit of the container in which this process runs."""
    found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in _LIMITS_OF_CONTAINERS:
        with suppress(OSError, ValueError):  # no such file, or its content is "max"
            found = min(found, int(Path(path).read_text(encoding="ascii")))
    return found


def free_memory() -> int:
    """Bytes of memory available to this process; `physical_memory` if the system does not say."""
    found = physical_memory()
    with suppress(OSError, ValueError, StopIteration):  # Linux only
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = min(found, 1024 * int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]))
    for most, used in zip(_LIMITS_OF_CONTAINERS, _USED_BY_CONTAINERS, strict=True):
        with suppress(OSError, ValueError):
            found = min(
                found, int(Path(most).read_text(encoding="ascii")) - int(Path(used).read_text(encoding="ascii"))
            )
    return max(0, found)


def peak_memory() -> int:
    """The most bytes of memory that this process has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def returning_freed_memory() -> Iterator[None]:
    """In this block, each large allocation has its own mapping, which returns to the system when it is freed.

    Otherwise glibc serves them from its heap, which is faster but keeps the memory. Other C libraries do not change.
    """
    library = ctypes.CDLL(None)
    if not (hasattr(library, "mallopt") and hasattr(library, "malloc_trim")):
        yield
        return
    _set(library, _SMALL)
    try:
        yield
    finally:
        _set(library, _LARGE)
        library.malloc_trim(0)


def _set(library: ctypes.CDLL, threshold: int) -> None:
    library.mallopt(_MAP, threshold)
    library.mallopt(_TRIM, threshold)
