"""The conditions that differ between the five servers of a program, and how a server gets them.

What varies between machines, or between two runs on one machine, has another value in each row. So an output that hangs
on it shows itself by being another one. Standard library only, since the server imports it.
"""

import _sitebuiltins
import builtins
import contextlib
import functools
import os
import platform
import random
import resource
import sys
import threading
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

_DAY = 86_400


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
    start: float  # of the clock: seconds since 1970
    step: int  # of the clock: nanoseconds a reading
    seed: int  # of random, uuid, secrets, os.urandom
    processors: int

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the server."""
        names = {"PYTHONHASHSEED": str(self.hash_seed), "TZ": self.zone, "LC_ALL": self.locale}
        names |= {"COLUMNS": str(self.columns), "LINES": str(self.columns // 3), "MALLOC_ARENA_MAX": "1"}
        return names | ({"PYTHONMALLOC": self.malloc} if self.malloc else {})


# fmt: off
ROWS = (
    Row(11, "UTC0", "C.UTF-8", 80, "main.py", "ada", 4_211, 24, 1, "", 1_767_348_000.25, 1_003, 101, 4),
    Row(23, "JST-9", "C", 132, "program.py", "bela", 10_007, 158, 2, "malloc", 1_798_761_599.875, 70_001, 202, 8),
    Row(37, "EST5EDT", "C.UTF-8", 61, "run.py", "carl", 733, 301, 3, "", 1_834_488_133.5, 433, 303, 2),
    Row(59, "IST-5:30", "C", 100, "code.py", "dora", 25_339, 77, 4, "", 1_900_000_911.0625, 9_001, 404, 16),
    Row(71, "CET-1CEST", "C.UTF-8", 200, "script.py", "emil", 1_999, 512, 5, "", 1_951_217_407.125, 211, 505, 6),
)
# fmt: on


def put(row: Row, given: Any) -> list[object]:
    """Give this process the conditions of the row. given: of `vdso`. Returns what must live as long as the process."""
    given[1], given[2] = row.step, int(row.start * 1e9)
    _put_clock(given)
    _put_randomness(row.seed)
    _put_names(row)
    sys.setrecursionlimit(sys.getrecursionlimit() + row.deeper)
    time.tzset()
    return _pad(row.padding)


def begin(row: Row, inside: str) -> None:
    """Set what a run has in its own: its folder. inside: the path of its scratch folder."""
    os.environ.clear()
    os.environ.update(row.environ)
    os.environ.update(
        HOME=inside, TMPDIR=inside, PWD=inside, USER=row.home, LANG=row.locale, PATH=f"/opt/{row.home}/bin"
    )
    sys.argv[:] = [row.script]
    resource.setrlimit = lambda *_: None  # the limits are the judge's


_MONOTONIC = 7  # the number of a clock that shows the time given, unlike CLOCK_MONOTONIC


def _put_clock(given: Any) -> None:
    """Python's functions show the given time, and what waits moves it on: as much as it waits, and really."""
    module: Any = time
    read, read_ns, sleep = time.clock_gettime, time.clock_gettime_ns, time.sleep
    module.monotonic = module.perf_counter = functools.partial(read, _MONOTONIC)
    module.monotonic_ns = module.perf_counter_ns = functools.partial(read_ns, _MONOTONIC)
    module.clock_gettime = lambda number, /: read(_MONOTONIC if number == time.CLOCK_MONOTONIC else number)
    module.clock_gettime_ns = lambda number, /: read_ns(_MONOTONIC if number == time.CLOCK_MONOTONIC else number)
    timeit.default_timer = module.perf_counter

    def waited(wait: Callable[..., Any], seconds: float, *arguments: Any) -> Any:
        """Call `wait`; if it has waited in vain, `seconds` have passed."""
        end = given[0] + int(seconds * 1e9)
        if not (found := wait(*arguments)):
            given[0] = max(given[0], end)
        return found

    module.sleep = functools.wraps(sleep)(lambda seconds, /: waited(sleep, max(0.0, float(seconds)), seconds))
    condition: Any = threading.Condition
    wait_for_notice = condition.wait

    def wait(self: Any, timeout: float | None = None) -> bool:
        return bool(
            wait_for_notice(self) if timeout is None else waited(wait_for_notice, max(0.0, timeout), self, timeout)
        )

    condition.wait = wait
    thread: Any = threading.Thread
    join = thread.join

    def joined(self: Any, timeout: float | None = None) -> None:
        if timeout is None:
            join(self)
        else:
            waited(lambda: join(self, timeout) or not self.is_alive(), max(0.0, timeout))

    thread.join = joined
    _put_event_loop(waited)


def _put_event_loop(waited: Callable[..., Any]) -> None:
    """Let the loops of asyncio wait for time and for calls of other threads: there is nothing else to wait for."""
    import asyncio.base_events
    import asyncio.unix_events

    unix: Any = asyncio.unix_events
    system = unix._UnixSelectorEventLoop

    class Loop(asyncio.base_events.BaseEventLoop):
        def __init__(self) -> None:
            super().__init__()
            self._called = threading.Lock()
            self._called.acquire()
            self._selector = SimpleNamespace(select=self._select)

        def _select(self, timeout: float | None = None) -> list[Any]:
            if timeout is None:
                self._called.acquire()
            elif timeout > 0:
                waited(self._called.acquire, timeout, True, timeout)
            return []

        def _process_events(self, event_list: Any) -> None:
            """There are no events."""

        def _write_to_self(self) -> None:
            with contextlib.suppress(RuntimeError):  # it is called already
                self._called.release()

    Loop.__name__ = Loop.__qualname__ = system.__name__
    Loop.__module__ = system.__module__
    unix._UnixSelectorEventLoop = unix.SelectorEventLoop = Loop
    for name in ("_UnixDefaultEventLoopPolicy", "_DefaultEventLoopPolicy"):  # until and from Python 3.14
        if hasattr(unix, name):
            getattr(unix, name)._loop_factory = Loop
    asyncio.SelectorEventLoop = Loop  # type: ignore[assignment]
    if sys.version_info >= (3, 13):
        unix.EventLoop = asyncio.EventLoop = Loop  # type: ignore[misc]
    runners: Any = asyncio.runners
    runners.signal = SimpleNamespace(**vars(runners.signal))
    runners.signal.getsignal = lambda _: None  # whatever it is, it is not to be replaced


def _put_randomness(seed: int) -> None:
    """Let all randomness come from one generator with this seed."""
    generator = random.Random(seed)
    original = random.Random.seed

    def urandom(size: int, /) -> bytes:
        return generator.randbytes(size)

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, generator.getrandbits(256) if a is None else a, version)

    random.Random.seed = seeded  # type: ignore[method-assign]
    random.seed = random._inst.seed
    random._urandom = urandom  # type: ignore[attr-defined]
    for module in (os, sys.modules[os.name]):
        module.urandom = urandom  # type: ignore[attr-defined]
        module.getrandom = lambda size, _flags=0: generator.randbytes(size)  # type: ignore[attr-defined]


def _put_names(row: Row) -> None:
    """Set what the filter hides, or what would be the machine's own."""
    machine: Any = platform.machine()
    names = (platform.system(), row.home, f"6.{row.columns}.0", f"#{row.process}", machine)
    for module in (os, sys.modules[os.name]):
        module.getpid = lambda: row.process  # type: ignore[attr-defined]
        module.getppid = lambda: row.process - 1  # type: ignore[attr-defined]
        if hasattr(module, "process_cpu_count"):  # from Python 3.13
            setattr(module, "process_cpu_count", lambda: row.processors)  # noqa: B010
        module.sched_getaffinity = lambda _pid: set(range(row.processors))  # type: ignore[attr-defined]
        module.cpu_count = lambda: row.processors  # type: ignore[attr-defined]
        module.uname = lambda: os.uname_result(names)  # type: ignore[attr-defined]
        for name in ("stat", "lstat", "fstat"):
            setattr(module, name, _dated(getattr(module, name), row.start))
    for name in ("exit", "quit"):  # of `site`, which a server does without
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
    builtins.help = _sitebuiltins._Helper()
    platform._uname_cache = None  # type: ignore[attr-defined]


def _dated(call: Callable[..., os.stat_result], start: float) -> Callable[..., os.stat_result]:
    """A function that asks for a file's state, with the beginning of the given clock for its times."""

    @functools.wraps(call)
    def ask(*arguments: Any, **named: Any) -> os.stat_result:
        found = call(*arguments, **named)
        times = {
            f"st_{which}time{unit}": int(start * 10**9) if unit else start for which in "amc" for unit in ("", "_ns")
        }
        more = {name: getattr(found, name) for name in ("st_blksize", "st_blocks", "st_rdev")}
        return os.stat_result((*found[:7], *[int(start)] * 3), more | times)

    return ask


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
