"""The machine's memory: its size, its free part, and a process's peak."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

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
