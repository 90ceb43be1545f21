"""What a signal raises in a command."""

from __future__ import annotations

import os
import threading
from types import FrameType

_PAUSE = 0.05  # seconds
_postponed: list[int] = []  # a signal that came amid an import
_repeated: list[int] = []  # it is being sent once more, by this module


class Interruption(KeyboardInterrupt):
    """SIGINT, SIGTERM or SIGHUP, whose number is the argument.

    Not KeyboardInterrupt itself: where that comes out of `exec` of a text, as of a data class that is being imported,
    Python ends itself by SIGINT in the end, whatever is made of the exception.
    """


def interrupt(number: int, frame: FrameType | None) -> None:
    """A signal's handler. Raises Interruption.

    Amid an import it is raised when that is over: packages that are left in halves (numpy) end in any error, or in
    none. Another signal is not postponed.
    """
    again = bool(_repeated)
    _repeated.clear()
    if _importing(frame) and (again or not _postponed):
        _postponed[:] = [number]
        timer = threading.Timer(_PAUSE, _repeat, (number,))
        timer.daemon = True
        timer.start()
        return
    _postponed.clear()
    raise Interruption(number)


def _repeat(number: int) -> None:
    if _postponed:
        _repeated[:] = [number]
        os.kill(os.getpid(), number)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
