"""The conditions that differ between the five servers of a program, and how a server gets them.

What varies between machines, or between two runs on one machine, has another value in each row. So an output that hangs
on it shows itself by being another one. Standard library only, since the server imports it.
"""

import builtins
import os
import platform
import random
import resource
import site
import sys
import time
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """The conditions of one server; `environ` holds those that a process gets at its beginning."""

    hash_seed: int
    zone: str
    locale: str
    columns: int
    script: str  # the program's file
    home: str  # its folder, and a name in its environment
    process: int
    deeper: int  # how much the limit of recursion is above Python's
    padding: int  # of the heap: a seed
    malloc: str  # the allocator, as PYTHONMALLOC has it; "" is Python's own
    start: int  # of the clock: nanoseconds since 1970
    running: int  # nanoseconds since the machine began
    step: int  # of the clock: nanoseconds a reading
    seed: int  # of random
    noise: int  # of uuid, secrets, os.urandom; below 0 each bit is the opposite of the one above 0
    processors: int

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the server."""
        names = {"PYTHONHASHSEED": str(self.hash_seed), "TZ": self.zone, "LC_ALL": self.locale}
        names |= {"COLUMNS": str(self.columns), "LINES": str(self.columns // 3), "MALLOC_ARENA_MAX": "1"}
        return names | ({"PYTHONMALLOC": self.malloc} if self.malloc else {})


# fmt: off
# The seeds and starts are such that the usual fair coins fall the same way in no more than four rows
# (tests/engine/execute/sandbox/test_coins.py). The noise of a row has the opposite bits of its neighbour's.
ROWS = (
    Row(8_806, "UTC0", "C.UTF-8", 80, "main.py", "ada", 4_211, 24, 1, "",
        1764779866_690961856, 20767_881919005, 1_003, 551, 116, 4),
    Row(18_732, "JST-9", "C", 132, "program.py", "bela", 10_006, 158, 2, "malloc",
        1798656238_402641185, 3466_441068886, 70_001, 2_364, -116, 8),
    Row(1_545, "EST5EDT", "C.UTF-8", 61, "run.py", "carl", 733, 301, 3, "",
        1833578823_395886269, 2776_163779331, 433, 2_222, 188, 2),
    Row(705, "IST-5:30", "C", 100, "code.py", "dora", 25_338, 77, 4, "",
        1900552004_587944970, 55222_808694343, 9_001, 40, -188, 16),
    Row(2, "CET-1CEST", "C.UTF-8", 200, "script.py", "emil", 1_998, 205, 5, "",
        1952641075_476057609, 34428_304265783, 211, 1, 2, 6),
)
# fmt: on
PUZZLES = len(ROWS)  # the server of the puzzles: the first row, and fewer modules, which makes its forks cheaper


def put(row: Row, given: Any) -> list[object]:
    """Give this process the conditions of the row. given: of `vdso`. Returns what must live as long as the process."""
    given.passed, given.step, given.start, given.dawn = row.running, row.step, row.start - row.running, row.start
    given.random, given.flip = abs(row.noise), -(row.noise < 0)
    given.pid, given.salt = row.process, row.process * 1_009
    given.user = 1_000 + row.columns
    os.environ.clear()
    os.environ.update(row.environ, USER=row.home, LANG=row.locale, PATH=f"/opt/{row.home}/bin")
    os.environ.update(dict.fromkeys(("HOME", "TMPDIR", "PWD"), f"/{row.home}"))  # with a new root directory
    sys.argv[:] = [row.script]
    _put_names(row)
    sys.setrecursionlimit(sys.getrecursionlimit() + row.deeper)
    time.tzset()
    return _pad(row.padding)


def begin(inside: str) -> None:
    """Set what a run has in its own. inside: the path of its scratch folder."""
    if os.environ.get("PWD") != inside:
        for name in ("HOME", "TMPDIR", "PWD"):
            os.environ[name] = inside
    resource.setrlimit = lambda *_: None  # the limits are the judge's


def _put_names(row: Row) -> None:
    """Set what the filter hides, or what would be the machine's own."""
    machine: Any = platform.machine()
    names = (platform.system(), row.home, f"6.{row.columns}.0", f"#{row.process}", machine)
    for module in (os, sys.modules[os.name]):
        if hasattr(module, "process_cpu_count"):  # from Python 3.13
            setattr(module, "process_cpu_count", lambda: row.processors)  # noqa: B010
        module.sched_getaffinity = lambda _pid: set(range(row.processors))  # type: ignore[attr-defined]
        module.cpu_count = lambda: row.processors  # type: ignore[attr-defined]
        module.uname = lambda: os.uname_result(names)  # type: ignore[attr-defined]
    for put in (site.setquit, site.setcopyright, site.sethelper):  # a server does without the rest of it
        put()
    vars(builtins)["license"]._Printer__setup()
    platform._uname_cache = None  # type: ignore[attr-defined]


def _pad(seed: int) -> list[object]:
    """Leave the heap with other gaps, and other numbers of classes and of modules, for every seed."""
    chooser = random.Random(seed)
    kept: list[object] = []
    for size in range(16, 1024, 16):
        blocks = [bytes(size - 33) if size > 48 else object() for _ in range(chooser.randrange(1, 90))]
        kept += [block for block in blocks if chooser.random() < 0.5]
    for kind in (object, int, str, list, dict, tuple, Exception):
        kept += [type(f"_{n}", (kind,), {}) for n in range(3 * seed)]
    return kept
