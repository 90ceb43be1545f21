"""The event loop of `asyncio`: it waits for time only, because there is nothing else to wait for.

The system's loop needs sockets and signals, which judged code does not have. This one has their place, and moves the
frozen clock on where the system's would wait. On the first machine a wait is rounded up to milliseconds, as the
system's is; on the second it is exact. So what hangs on such a rounding differs between a program's two runs.
"""

import itertools
import math
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary


def install(elsewhere: bool) -> None:
    """Give `asyncio` this loop, once, before the process is forked or the guest snapshotted."""
    import asyncio.base_events
    import asyncio.runners
    import asyncio.taskgroups
    import asyncio.unix_events

    unix: Any = asyncio.unix_events
    system = unix._UnixSelectorEventLoop

    def select(timeout: float | None = None) -> list[Any]:
        waiting = math.inf if timeout is None else timeout if elsewhere else math.ceil(timeout * 1e3) / 1e3
        if waiting > 0:
            time.sleep(waiting)
        return []

    begun: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # the tasks, numbered in the order of their beginning
    numbers = itertools.count()

    class Loop(asyncio.base_events.BaseEventLoop):
        def create_task(self, coro: Any, **options: Any) -> Any:
            task = super().create_task(coro, **options)
            begun[task] = next(numbers)
            return task

        def __init__(self) -> None:
            super().__init__()
            self._selector = SimpleNamespace(select=select)

        def _process_events(self, event_list: Any) -> None:
            """There are no events."""

        def _write_to_self(self) -> None:
            """There is no other thread."""

    Loop.__name__ = Loop.__qualname__ = system.__name__
    Loop.__module__ = system.__module__
    unix._UnixDefaultEventLoopPolicy._loop_factory = unix._UnixSelectorEventLoop = unix.SelectorEventLoop = Loop
    if sys.version_info >= (3, 13):
        unix.EventLoop = asyncio.EventLoop = Loop  # type: ignore[attr-defined,misc]
    unix.signal = runners_signal = SimpleNamespace(**vars(unix.signal))
    runners_signal.getsignal = lambda _: None  # whatever it is, it is not to be replaced
    runners: Any = asyncio.runners
    runners.signal = runners_signal
    tasks: Any = asyncio.tasks
    every_task = tasks.all_tasks
    place = id
    # In this order `run` cancels what is left at its end. The system's is that of a set; here the second machine has
    # the reverse of the first one's, so a program whose output depends on it is found out.
    tasks.all_tasks = lambda loop=None: sorted(
        every_task(loop), key=lambda task: (begun.get(task, -1), place(task)), reverse=elsewhere
    )
    # In this order a group cancels its tasks when one of them fails.
    groups: Any = asyncio.taskgroups
    groups.set = _Reversed if elsewhere else _InOrder


class _InOrder(dict[Any, None]):
    """A group's set of tasks, in the order in which they were added."""

    def add(self, task: Any) -> None:
        self[task] = None

    def discard(self, task: Any) -> None:
        self.pop(task, None)


class _Reversed(_InOrder):
    """The same on the second machine."""

    def __iter__(self) -> Iterator[Any]:
        return reversed(self.keys())
