"""What a signal raises in a command."""

from __future__ import annotations

import signal
import time
from math import inf
from types import FrameType

_PAUSE = 0.05  # seconds
SAME = 1.0  # seconds; people press twice, and a program is signalled by itself and with its group
_obeyed = -inf  # when the last one was
_postponed: list[int] = []  # a signal that came amid an import


class Interruption(KeyboardInterrupt):
    """SIGINT, SIGTERM or SIGHUP, whose number is the argument.

    Not KeyboardInterrupt itself: where that comes out of `exec` of a text, as of a data class that is being imported,
    Python ends itself by SIGINT in the end, whatever is made of the exception.
    """


def interrupt(number: int, frame: FrameType | None) -> None:
    """A signal's handler. Raises Interruption, unless the signal only repeats the one that is being obeyed.

    Amid an import it is raised when that is over: packages that are left in halves (numpy) end in any error, or in
    none. Another signal is not postponed.
    """
    if _importing(frame) and not _postponed:
        _postponed[:] = [number]
        signal.signal(signal.SIGALRM, _later)
        signal.setitimer(signal.ITIMER_REAL, _PAUSE, _PAUSE)
        return
    _raise(number)


def _later(_number: int, frame: FrameType | None) -> None:
    if _postponed and not _importing(frame):
        _raise(_postponed[0])


def _raise(number: int) -> None:
    if _postponed:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        _postponed.clear()
    if obey():
        raise Interruption(number)


def obey() -> bool:
    """Whether a signal is to be obeyed: not if it repeats one that was less than SAME ago, whose work would be cut."""
    global _obeyed
    now = time.monotonic()
    if now - _obeyed < SAME:
        return False
    _obeyed = now
    return True


def forget() -> None:
    """Whatever was obeyed is over: the next signal is a new one."""
    global _obeyed
    _obeyed = -inf


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
