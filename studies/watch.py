"""Run a command and watch it: the memory of its processes over time, and a kill on the way if one is asked for."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

EVERY = 0.5  # seconds between two looks


class Sample(Struct, frozen=True):
    """One look: seconds since the start, and what is finished.

    all_mb: resident memory of all processes together; what they share counts in each of them. own_mb: the same with
    what is shared divided by those who share it (Linux; elsewhere as all_mb). largest_mb: of the largest process.
    """

    seconds: float
    all_mb: float
    own_mb: float
    largest_mb: float
    done: int


class Watched(Struct, frozen=True):
    """A command that has ended. killed: by us, with its whole group; otherwise it has ended with 0."""

    command: tuple[str, ...]
    seconds: float
    out: str
    samples: tuple[Sample, ...]
    killed: bool


def watch(
    command: Sequence[str],
    progress: Callable[[], int] = lambda: 0,
    kill_at: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Watched:
    """Run a command in a process group of its own; kill the group (SIGKILL) once `progress()` has reached `kill_at`.

    Raises SystemExit if the command fails.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=cwd, start_new_session=True
    )
    samples: list[Sample] = []
    killed = False
    while not killed:
        sizes = resident(process.pid)
        own = sum(min(proportional(pid), size) for pid, size in sizes.items())
        done = progress()
        seconds = time.perf_counter() - start
        samples.append(Sample(seconds, sum(sizes.values()) / 1e6, own / 1e6, max(sizes.values()) / 1e6, done))
        if kill_at is not None and done >= kill_at and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            killed = True
        try:
            process.wait(0 if killed else EVERY)
            break
        except subprocess.TimeoutExpired:
            continue
    out, err = process.communicate()
    if not killed and process.returncode != 0:
        raise SystemExit(f"`{' '.join(command)}` ended with {process.returncode}: {err.strip()}")
    return Watched(tuple(command), time.perf_counter() - start, out, tuple(samples), killed)


def resident(root: int) -> dict[int, int]:
    """Bytes of resident memory of a process and of all below it, by process; 0 for one that is gone."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=True).stdout
    rows = [(int(pid), int(parent), int(size)) for pid, parent, size in map(str.split, listed.splitlines())]
    family, grown = {root}, True
    while grown:
        found = {pid for pid, parent, _ in rows if parent in family} - family
        family |= found
        grown = bool(found)
    return {root: 0} | {pid: size * 1024 for pid, _, size in rows if pid in family}


def proportional(pid: int) -> float:
    """Bytes of a process's memory, with what it shares divided by those who share it; 0 of one that has ended since it
    was listed, and infinite on a system that does not say it."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0 if Path("/proc/self/smaps_rollup").exists() else math.inf
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
