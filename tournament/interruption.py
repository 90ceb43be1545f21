"""The exception that a signal raises in a command."""

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

    It is not KeyboardInterrupt: if that leaves an `exec` of a text, such as of a data class during an import, Python
    ends itself by SIGINT at exit, even if the exception was handled.
    """


def interrupt(number: int, frame: FrameType | None) -> None:
    """Signal handler. Raises Interruption, unless the signal repeats the one that is being obeyed. During an import it
    is raised when the import is over, because a half-imported package (numpy) fails in unpredictable ways. A second
    signal is not postponed.
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
    """Whether a signal is to be obeyed: not if it repeats one less than SAME seconds ago, whose handling it would cut
    short."""
    global _obeyed
    now = time.monotonic()
    if now - _obeyed < SAME:
        return False
    _obeyed = now
    return True


def forget() -> None:
    """Forget the last signal: the next one counts as new."""
    global _obeyed
    _obeyed = -inf


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
