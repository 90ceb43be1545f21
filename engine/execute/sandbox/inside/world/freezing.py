"""Clock and randomness stand still, so that the same code gives the same result every time.

`freeze` is called once, before the standard library is imported and before the process is forked or the guest
snapshotted. The clock starts at a fixed instant and moves a microsecond with each reading; sleeping moves it on without
waiting. Randomness comes from fixed seeds. `datetime` reads the clock in C: its `now` and `today` are replaced in the
types themselves.
"""

import builtins
import functools
import math
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .patching import replace
from .variation import shift

START = 1_700_000_000 * 10**9  # ns: 14 November 2023, 22:13:20 UTC
TICK = 1_000  # ns
_LATER = 54_321_987_654 * 10**6  # ns: how much later it is on the second machine
# Numbers of the clocks that show the date; the others start at zero. Each system has its own numbers.
_DATES = {getattr(time, f"CLOCK_{name}", None) for name in ("REALTIME", "TAI")} | {5}


class Clock:
    """The interpreter's only clock. A check may sleep for `patience` seconds in all; then `block` never returns."""

    def __init__(self, block: Callable[[], None]) -> None:
        self.elapsed = 0
        self.start, self.step = START, TICK
        self.patience = 5.0
        self._block = block

    def tick(self) -> int:
        self.elapsed += self.step
        return self.elapsed

    def now(self) -> int:
        return self.start + self.tick()

    def sleep(self, seconds: float, /) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.elapsed += int(min(seconds, 1e9) * 1e9)
        if self.elapsed > self.patience * 1e9:
            self._block()


def freeze(block: Callable[[], None]) -> Clock:
    """Fix the clock and randomness of this interpreter, for good; returns the clock. Also adds `exit` and `quit`."""
    shift()
    clock = Clock(block)
    _clocks.append(clock)
    _freeze_time(clock)
    _freeze_randomness()
    _freeze_datetime(clock)
    _add_exits()
    return clock


def _add_exits() -> None:
    """Add `exit` and `quit`, which Python's `site` adds elsewhere."""
    import _sitebuiltins

    for name in ("exit", "quit"):
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))


def _freeze_time(clock: Clock) -> None:
    module: Any = time
    module.time_ns = clock.now
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(module, f"{name}_ns", clock.tick)
        setattr(module, name, lambda: clock.tick() / 1e9)
    module.time = lambda: clock.now() / 1e9
    module.sleep = clock.sleep
    module.clock_gettime_ns = lambda clock_id, /: clock.now() if clock_id in _DATES else clock.tick()
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


_seeds: list[Callable[[int], None]] = []
_clocks: list[Clock] = []


def seed(number: int) -> None:
    """Set all randomness back to its beginning, which is another one for each number."""
    for change in _seeds:
        change(number)


def later() -> None:
    """Let the clock be at another date, and move in other steps."""
    for clock in _clocks:
        clock.start, clock.step = START + _LATER, TICK * 2 - 1


def _freeze_randomness() -> None:
    import os

    assert "random" not in sys.modules, "random was imported too early: every fork would draw its own seed"
    system: Any = os
    system.register_at_fork = lambda **_: None  # random would draw another seed in every fork
    import _random
    import random

    generator = random.Random(0)
    module: Any = random
    default = [0]  # the seed of what has none
    _random.Random = _seeded_from_nothing(_random.Random, default)  # type: ignore[misc]
    original = random.Random.seed

    def urandom(size: int, /) -> bytes:
        return generator.randbytes(size)

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, default[0] if a is None else _wide(a) if type(a) is float else a, version)

    def change(number: int) -> None:
        default[0] = number
        generator.seed(number)
        random.seed(number)

    _seeds.append(change)
    module.Random.seed = seeded
    module.seed = module._inst.seed
    seed(0)
    module._urandom = urandom
    places: list[Any] = [system, sys.modules[os.name]]
    for each in places:
        each.urandom = urandom
        each.getrandom = lambda size, flags=0: urandom(size)
        each.times = lambda: system.times_result((0.0, 0.0, 0.0, 0.0, 0.0))


def _wide(number: float) -> float | int:
    """What a generator makes of a seed: the number's hash, of 64 bits where this interpreter has 32."""
    if sys.hash_info.width != 32 or number in (math.inf, -math.inf) or number != number:
        return number
    above, below = number.as_integer_ratio()
    size = abs(above) * pow(below, -1, _MODULUS) % _MODULUS
    return size if number >= 0 else 2**64 - max(size, 2)


_MODULUS = 2**61 - 1  # of hashes of 64 bits


def _seeded_from_nothing(kind: Any, default: list[int]) -> Any:
    """The generator class of the C module; without an argument it has the default seed, not one from the system."""

    class Random(kind):  # type: ignore[misc]
        def __new__(cls, *seed: Any) -> Any:
            return kind.__new__(cls, *(seed or default))

        def __init__(self, *seed: Any) -> None:
            self.seed(*seed)

        def seed(self, *seed: Any) -> None:
            kind.seed(self, *(seed if seed and seed[0] is not None else default))

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
