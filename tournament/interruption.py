"""What a signal raises in a command."""

from __future__ import annotations

from types import FrameType


class Interruption(KeyboardInterrupt):
    """SIGINT, SIGTERM or SIGHUP, whose number is the argument.

    Not KeyboardInterrupt itself: where that comes out of `exec` of a text, as of a data class that is being imported,
    Python ends itself by SIGINT in the end, whatever is made of the exception.
    """


def interrupt(number: int, _frame: FrameType | None) -> None:
    """A signal's handler. Raises Interruption."""
    raise Interruption(number)
