"""Judged code learns neither the time nor an unseeded number, by Python or below it (S3, T6)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import CheckLimits, PuzzleCheck, Sandbox
from antemill.engine.execute.sandbox.inside.world import freezing
from antemill.engine.execute.sandbox.native import vdso
from tests.engine.execute.sandbox.backends import HERE, NATIVE, one_worker, verdicts

ROOT = Path(__file__).resolve().parents[4]
TOLD = {  # what: an expression, and what it says on native (None: an error)
    "clock_gettime": ("time.clock_gettime(time.CLOCK_REALTIME)", "1700000000.0000"),
    "clock_gettime_ns": ("time.clock_gettime_ns(time.CLOCK_MONOTONIC)", ""),
    "clock_getres": ("time.clock_getres(time.CLOCK_REALTIME)", "1e-09"),
    "clock info": ("time.get_clock_info('time').implementation", "none"),
    "times": ("os.times().elapsed", "0.0"),
    "times of posix": ("sys.modules['posix'].times().user", "0.0"),
    "a generator of the C module": ("__import__('_random').Random().random()", "0.8444218515250481"),
    "its base": ("(r := __import__('_random').Random.__base__(), r.random() == r.__class__().random())[1]", "True"),
    "sqlite's clock": (
        "sqlite3.connect(':memory:').execute(\"select datetime('now')\").fetchall()[0][0]",
        "2023-11-14 22:13:20",
    ),
    "sqlite's chance": ("sqlite3.connect(':memory:').execute('select random()').fetchall()", "[("),
    "uuid1": ("str(uuid.uuid1())[:18] + str(uuid.getnode())", "04afc0"),
    "uuid4": ("uuid.uuid4()", ""),
    "system chance": ("os.urandom(4) + os.getrandom(4) + sys.modules['posix'].urandom(4)", "b'"),
    "waiting": (
        "threading.Lock().acquire(timeout=0.001), (l := threading.Lock()).acquire(), l.acquire(timeout=3)",
        "(",
    ),
    "a profiler": ("__import__('_lsprof').Profiler()", None),
    "usage": ("__import__('resource').getrusage(0)", None),
    "a status": ("os.fstat(0)", None),
    "a name for a file": ("next(__import__('tempfile')._RandomNameSequence())", ""),
    "hashes of texts": ("hash('a')", "4644417185603328019"),
}
# Not there at all, or the end of the instance: an error in any case, and always the same.
TRAPS = ("sqlite's clock", "sqlite's chance", "waiting", "its base")


def puzzle(expression: str) -> PuzzleCheck:
    code = "import os, random, sys, threading, time, uuid\ntry:\n    import sqlite3\nexcept ImportError:\n    pass\n"
    return PuzzleCheck(f"{code}def mystery(x):\n    raise ValueError({expression})", "1", CheckLimits(seconds=2))


@pytest.mark.parametrize("name", HERE)
def test_every_check_is_told_the_same(name: str) -> None:
    """Two workers of their own, each asked twice."""
    said: dict[str, set[str]] = {what: set() for what in TOLD}
    for _ in range(2):
        with one_worker(name) as sandbox:
            for _ in range(2):
                checks = [puzzle(expression) for expression, _ in TOLD.values()]
                for what, verdict in zip(TOLD, verdicts(sandbox, *checks), strict=True):
                    said[what].add(verdict.detail)
    assert {what: found for what, found in said.items() if len(found) > 1} == {}
    for what, (_, wanted) in TOLD.items():
        (detail,) = said[what]
        if name == "native":
            assert ("ValueError: " in detail) == (wanted is not None), (what, detail)
        if wanted is not None and what not in TRAPS and not (name == "wasm" and what == "hashes of texts"):
            assert detail.removeprefix("the puzzle fails: ValueError: ").startswith(wanted), (what, detail)


def test_the_two_backends_tell_the_same_time(sandbox: Sandbox) -> None:
    (verdict,) = verdicts(
        sandbox, puzzle("time.time(), time.clock_gettime(0), time.localtime()[:5], uuid.uuid1().time")
    )
    assert "1700000000.0000" in verdict.detail
    assert "(2023, 11, 14, 22, 13)" in verdict.detail


# Runs in a process of its own: the clocks of the C library, once the vDSO is frozen.
_FROZEN = """
import ctypes, json, sys, time
sys.path.insert(0, sys.argv[1])
from antemill.engine.execute.sandbox.native.confine import MACHINES
from antemill.engine.execute.sandbox.native.vdso import Vdso
import platform
libc = ctypes.CDLL(None)
class Pair(ctypes.Structure):
    _fields_ = [("first", ctypes.c_long), ("second", ctypes.c_long)]
def read():
    found = []
    for clock in range(12):
        pair = Pair(-1, -1)
        found.append([libc.clock_gettime(clock, ctypes.byref(pair)), pair.first, pair.second])
    pair = Pair(-1, -1)
    found.append([libc.gettimeofday(ctypes.byref(pair), None), pair.first, pair.second])
    stored = ctypes.c_long(-1)
    libc.time.restype = ctypes.c_long
    found.append([libc.time(ctypes.byref(stored)) - stored.value, stored.value, libc.time(None)])
    return found
before = read()
Vdso(MACHINES[platform.machine()][0]).freeze()
print(json.dumps([before, read(), [name for name in open("/proc/self/maps").read().split() if "vvar" in name]]))
"""


@pytest.mark.skipif(not NATIVE, reason="the vDSO is Linux's")
def test_below_python_the_clocks_stand() -> None:
    command = [sys.executable, "-c", _FROZEN, str(ROOT)]
    before, after, left = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    calendar = [vdso.NOW, 0]
    assert before[0][1] > vdso.NOW, "it told the time before"
    for clock in (0, 5, 11):
        assert after[clock] == [0, *calendar]
    for clock in (1, 2, 3, 4, 6, 7):
        assert after[clock] == [0, 0, 0]
    assert after[12] == [0, *calendar]
    assert after[13] == [0, vdso.NOW, vdso.NOW]
    assert left == []


def test_both_start_at_the_same_moment() -> None:
    assert vdso.NOW * 10**9 == freezing.START
