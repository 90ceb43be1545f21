"""The interpreter made deterministic, and a clean stage in it for judged code.

`freeze` is called once, before the standard library is imported and before the process is forked or the guest
snapshotted: the clock starts at a fixed instant and moves a microsecond a reading, sleeping moves it on, randomness
comes from fixed seeds. `datetime` reads the clock in C: its `now` and `today` are replaced in the types themselves.

`blind` is called once, too, when everything has been imported: it takes away what watches other code run (tracing,
profiling, monitoring), what shows objects that nobody gave away (the garbage collector's lists), and what could make
the modules that offer these anew.
"""

import builtins
import contextlib
import functools
import gc
import importlib
import io
import sys
import time
import weakref
from collections.abc import Callable, Collection
from types import ModuleType, SimpleNamespace
from typing import Any

_moved: list[bytes] = []  # keeps memory from being used again
START = 1_700_000_000 * 10**9  # ns: 14 November 2023, 22:13:20 UTC
TICK = 1_000  # ns
# Numbers of the clocks that tell the date; the others start at nothing. Systems number them as they like.
_CALENDAR = {getattr(time, f"CLOCK_{name}", None) for name in ("REALTIME", "TAI")} | {5}
_SIGHT = {
    "gc": ("get_objects", "get_referents", "get_referrers"),
    "sys": (
        *("settrace", "setprofile", "monitoring", "call_tracing", "_settraceallthreads", "_setprofileallthreads"),
        *("_current_frames", "_current_exceptions", "remote_exec", "getobjects", "addaudithook"),
    ),
}
_NODE = 0x010203040506  # this machine's number in uuid1
_REMADE = ("create_builtin", "create_dynamic")  # in _imp
# What reads clocks of its own, or this machine's name: gone on both backends, and what needs it with it.
ABSENT = ("_lsprof", "_uuid", "resource")


class Clock:
    """The one clock. `patience` is how many seconds of sleep it grants; then `block` never returns."""

    def __init__(self, block: Callable[[], None]) -> None:
        self.elapsed = 0
        self.patience = 5.0
        self._block = block

    def tick(self) -> int:
        self.elapsed += TICK
        return self.elapsed

    def now(self) -> int:
        return START + self.tick()

    def sleep(self, seconds: float, /) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.elapsed += int(min(seconds, 1e9) * 1e9)
        if self.elapsed > self.patience * 1e9:
            self._block()


def freeze(block: Callable[[], None]) -> Clock:
    """Fix the clock and randomness of this interpreter, for good; returns the clock."""
    _shift()
    clock = Clock(block)
    _freeze_time(clock)
    _freeze_randomness()
    _freeze_datetime(clock)
    return clock


def _shift() -> None:
    """Move what will be made from now on within its page, by the hash seed: those of two seeds differ there."""
    for size in range(48, 513, 16):  # of an object, of which 33 bytes are its head
        _moved.extend(bytes(size - 33) for _ in range(hash(f"size {size}") % 97))


def blind(hidden: Collection[str] = ()) -> None:
    """Take sight away, for good, and with it the classes of the modules `hidden`, which somebody still needs, from what
    `__subclasses__` tells. Everything that will ever be imported from built-in modules must have been."""
    import _imp

    for name in sys.builtin_module_names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for name in ABSENT:
        sys.modules[name] = None  # type: ignore[assignment]
    if (uuid := sys.modules.get("uuid")) is not None:
        uuid.__dict__.update(_node=_NODE, _generate_time_safe=None, _UuidCreate=None)
    known = gc.get_objects()  # among them the copies of module dictionaries from which modules are made anew
    dictionaries = [found for found in known if type(found) is dict]
    _hide_classes(dictionaries, (*hidden, *ABSENT))
    gone = {id(getattr(sys.modules[m], name, None)) for m, names in _SIGHT.items() for name in names} - {id(None)}
    for found in dictionaries:
        for key in [key for key, value in found.items() if id(value) in gone and isinstance(key, str)]:
            del found[key]
    for name in _REMADE:
        setattr(_imp, name, _none_anew)
    sys.modules.pop("sys.monitoring", None)


def _none_anew(spec: Any, file: Any = None) -> Any:
    raise ImportError(f"no module named {spec.name!r} here", name=spec.name)


def _hide_classes(dictionaries: list[dict[Any, Any]], modules: Collection[str]) -> None:
    """A class knows its subclasses by a dictionary from their addresses to weak references."""
    classes, found = [object], {object}
    while classes:
        new = set(type.__subclasses__(classes.pop())) - found
        found |= new
        classes += new
    hidden = {id(kind) for kind in found if type.__dict__["__module__"].__get__(kind) in modules}
    for dictionary in dictionaries:
        for address in [key for key in hidden if isinstance(dictionary.get(key), weakref.ref)]:
            del dictionary[address]


def _freeze_time(clock: Clock) -> None:
    module: Any = time
    module.time_ns = clock.now
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(module, f"{name}_ns", clock.tick)
        setattr(module, name, lambda: clock.tick() / 1e9)
    module.time = lambda: clock.now() / 1e9
    module.sleep = clock.sleep
    module.clock_gettime_ns = lambda clock_id, /: clock.now() if clock_id in _CALENDAR else clock.tick()
    module.clock_gettime = lambda clock_id, /: module.clock_gettime_ns(clock_id) / 1e9
    module.clock_getres = lambda clock_id, /: 1e-09
    module.get_clock_info = _clock_info
    for name in ("clock_settime", "clock_settime_ns", "pthread_getcpuclockid"):
        module.__dict__.pop(name, None)
    for name in ("localtime", "gmtime", "ctime"):
        setattr(module, name, _with_now(getattr(module, name), clock))
    strftime, asctime, gmtime = module.strftime, module.asctime, module.gmtime
    module.strftime = lambda form, moment=None: strftime(form, gmtime() if moment is None else moment)
    module.asctime = lambda moment=None: asctime(gmtime() if moment is None else moment)


def _clock_info(name: str, /) -> SimpleNamespace:
    if name not in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        raise ValueError("unknown clock")
    return SimpleNamespace(implementation="none", monotonic=name != "time", adjustable=False, resolution=1e-09)


def _with_now(function: Callable[[float], object], clock: Clock) -> Callable[..., object]:
    @functools.wraps(function)
    def call(seconds: float | None = None, /) -> object:
        return function(clock.now() / 1e9 if seconds is None else seconds)

    return call


def seed() -> None:
    """Set the shared generator back to its beginning."""
    import random

    random.seed(0)


def _freeze_randomness() -> None:
    import os

    assert "random" not in sys.modules, "imported too early: it has made sure that forks get seeds of their own"
    system: Any = os
    system.register_at_fork = lambda **_: None  # or random would seed itself afresh in every fork
    import _random
    import random

    generator = random.Random(0)
    module: Any = random
    _random.Random = _seeded_from_nothing(_random.Random)  # type: ignore[misc]
    original = random.Random.seed

    def urandom(size: int, /) -> bytes:
        return generator.randbytes(size)

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, 0 if a is None else a, version)

    module.Random.seed = seeded
    module.seed = module._inst.seed
    seed()
    module._urandom = urandom
    places: list[Any] = [system, sys.modules[os.name]]
    for each in places:
        each.urandom = urandom
        each.getrandom = lambda size, flags=0: urandom(size)
        each.times = lambda: system.times_result((0.0, 0.0, 0.0, 0.0, 0.0))


def _seeded_from_nothing(kind: Any) -> Any:
    """The generator of the C module, which would draw a seed from the system."""

    class Random(kind):  # type: ignore[misc]
        def __new__(cls, *seed: Any) -> Any:
            return kind.__new__(cls, *(seed or (0,)))

        def __init__(self, *seed: Any) -> None:
            self.seed(*seed)

        def seed(self, *seed: Any) -> None:
            kind.seed(self, *(seed if seed and seed[0] is not None else (0,)))

    Random.__module__, Random.__qualname__ = "_random", "Random"
    return Random


def _freeze_datetime(clock: Clock) -> None:
    import datetime

    real, real_date = datetime.datetime, datetime.date

    def now(cls: Any, tz: datetime.tzinfo | None = None) -> object:
        return cls.fromtimestamp(clock.now() // 1000 / 1e6, tz)

    def utcnow(cls: Any) -> object:
        return now(cls, datetime.UTC).replace(tzinfo=None)  # type: ignore[attr-defined]

    def today(cls: Any) -> object:
        return cls.fromtimestamp(clock.now() // 1000 / 1e6)

    replace(real, {name: classmethod(method) for name, method in (("now", now), ("utcnow", utcnow), ("today", today))})
    replace(real_date, {"today": classmethod(today)})


def replace(kind: type, methods: dict[str, Any]) -> None:
    """Replace methods of a type that is written in C. Before `blind` only."""
    _put(kind, _names_of(kind), methods)


def replace_in_text(methods: dict[str, Callable[..., object]]) -> None:
    """Replace methods of `str`."""
    _put(str, _OF_TEXT, methods)


def _names_of(kind: type) -> dict[str, Any]:
    (names,) = (found for found in gc.get_referents(kind.__dict__) if isinstance(found, dict))
    return names


_OF_TEXT = _names_of(str)  # nobody can ask for it later


_ABSTRACT = type.__dict__["__abstractmethods__"]


def _put(kind: type, names: dict[str, Any], methods: dict[str, Any]) -> None:
    """Change a type's dictionary, and have Python notice: to clear its cache of all types would slow a fork down."""
    names.update(methods)
    _ABSTRACT.__set__(kind, ())
    _ABSTRACT.__delete__(kind)


# ------------------------------------------------------------------------------------------------ a clean stage


class OutputLimitError(Exception):
    """More was printed than is allowed."""


class Sink(io.RawIOBase):
    """Takes up to `limit` bytes of output, and keeps them if asked to."""

    def __init__(self, limit: int, keep: bool) -> None:
        self.limit, self.size, self._kept = limit, 0, bytearray() if keep else None

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        self.size += size
        if self.size > self.limit:
            raise OutputLimitError(f"more than {self.limit} bytes were printed")
        if self._kept is not None:
            self._kept += data
        return size

    def printed(self) -> bytes:
        """What was kept. Raises OutputLimitError if there was too much."""
        if self.size > self.limit:
            raise OutputLimitError(f"more than {self.limit} bytes were printed")
        return bytes(self._kept or b"")


def text_file(sink: Sink) -> io.TextIOWrapper:
    """A text file over a sink, as sys.stdout is: UTF-8, strict."""
    return io.TextIOWrapper(io.BufferedWriter(sink), encoding="utf-8", newline="\n", line_buffering=False)


def new_main() -> dict[str, Any]:
    """The namespace of a new, empty `__main__`."""
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    return module.__dict__


def set_stage(stdout: io.TextIOWrapper, limit: int) -> None:
    """Give judged code its standard streams: no input, `stdout`, and a stderr that forgets."""
    system: Any = sys
    system.stdin = system.__stdin__ = io.StringIO("")
    system.stdout = system.__stdout__ = stdout
    system.stderr = system.__stderr__ = text_file(Sink(limit, keep=False))
    system.argv = system.orig_argv = [""]


def stretch() -> None:
    """Let calls be nested half as deep again as the program's limit says: a count of them then differs."""
    system: Any = sys
    limit, put = [sys.getrecursionlimit()], sys.setrecursionlimit

    def longer(depth: int, /) -> None:
        put(min(depth + depth // 2 + 5, 2**31 - 1) if isinstance(depth, int) else depth)  # 479 calls more, a prime
        limit[0] = depth

    longer.__name__ = longer.__qualname__ = "setrecursionlimit"
    system.setrecursionlimit, system.getrecursionlimit = longer, lambda: limit[0]
    longer(limit[0])


def deeper(call: Callable[[], None], levels: int = 24) -> None:
    """Call something further down, with the interpreter's objects at other places: who can tell depends on both."""
    if levels:
        deeper(call, levels - 1)
    else:
        _moved.extend(bytes(size) for size in range(0, 480, 16) for _ in range(3))
        call()
