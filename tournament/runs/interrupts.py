"""SIGINT, SIGTERM and SIGHUP during a run."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from antemill.tournament.interruption import Interruption, forget, interrupt, obey

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], Any]


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, in which a signal cancels the work instead of raising at an arbitrary place of the event loop.

    Raises Interruption with the signal's number, after everything that was opened is closed.
    """
    came: list[int] = []
    forget()

    async def cancelled() -> T:
        task = asyncio.current_task()
        assert task is not None

        def cancel(number: int) -> None:
            if obey():
                came.append(number)
                task.cancel()

        def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            if not _interrupted(context.get("exception")):
                loop.default_exception_handler(context)

        asyncio.get_running_loop().set_exception_handler(report)
        with interruptible(cancel):
            if came:  # a signal came while the loop was starting
                task.cancel()
            return await work

    def note(number: int, frame: FrameType | None) -> None:  # while the loop starts or closes
        if came:
            interrupt(number, frame)
        elif obey():
            came.append(number)

    with _handled(_SIGNALS, note):
        try:
            found = asyncio.run(cancelled())
        except asyncio.CancelledError:
            if not came:
                raise
    if came:
        raise Interruption(came[0])
    return found


def _interrupted(error: BaseException | None) -> bool:
    """Whether a task ended only because of a signal, which is reported where it is raised."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_interrupted, error.exceptions))
    return isinstance(error, Interruption)


@contextmanager
def interruptible(action: Callable[[int], None]) -> Iterator[None]:
    """Within the event loop: a signal calls the action with its number.

    A second signal that comes before the loop has handled the first (a player's code blocks the loop) raises
    Interruption in that code, with its number.
    """
    loop, waiting = asyncio.get_running_loop(), False

    def act(number: int) -> None:
        nonlocal waiting
        waiting = False
        action(number)

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal waiting
        if waiting:
            interrupt(number, frame)
        waiting = True
        loop.call_soon_threadsafe(act, number)

    with _handled(_SIGNALS, handler):
        yield


@contextmanager
def terminable() -> Iterator[None]:
    """Outside of the loop: SIGTERM and SIGHUP raise Interruption, as SIGINT does, so that the work is cleaned up.

    A program's own handlers stay in place.
    """
    free = tuple(number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL)
    with _handled(free, interrupt):
        yield


class _Placed:
    """An installed handler. After `remove` it passes signals on to the handler that was installed before it.

    Two runs in one event loop need not end in reverse order, and a notebook installs its own handlers above ours. Each
    restores the handler that it found, which may have been removed by then.
    """

    def __init__(self, number: int, handler: Handler) -> None:
        self._handler: Handler | None = handler
        self._number = number
        self._before: Any = signal.signal(number, self)

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        if self._handler is not None:
            return self._handler(number, frame)
        if callable(self._before):
            return self._before(number, frame)
        if self._before is signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        return None

    @property
    def over(self) -> bool:
        """Whether the handler was removed."""
        return self._handler is None

    def remove(self) -> None:
        """Handle no more signals."""
        self._handler = None
        if signal.getsignal(self._number) is self:
            before = self._before
            while isinstance(before, _Placed) and before.over:
                before = before._before
            signal.signal(self._number, before)


def is_handled(number: int) -> bool:
    """Whether a run handles the signal."""
    found = signal.getsignal(number)
    return isinstance(found, _Placed) and not found.over


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: Handler) -> Iterator[None]:
    """Install a handler in the main thread. In other threads, where signals cannot be handled, nothing changes."""
    placed: list[_Placed] = []
    try:
        for number in numbers:
            if number is signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:  # as under nohup
                continue
            placed.append(_Placed(number, handler))
    except ValueError:
        pass
    try:
        yield
    finally:
        for one in placed:
            one.remove()
