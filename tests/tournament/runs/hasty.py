"""Runs that wait without waiting: when nothing is left to do but to let time pass, the clock is put forward.

    with hasty():
        session.run(quiet=True, transport=httpx2.MockTransport(respond))    # ten minutes of patience take none

Event loops, the model layer and the runner all read `time.monotonic`.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

_DEFAULT = selectors.DefaultSelector


@contextmanager
def hasty() -> Iterator[None]:
    """Within it, event loops that are made and all that reads `time.monotonic` go by a clock that jumps."""
    real, ahead = time.monotonic, 0.0

    class Selector(_DEFAULT):
        """Does not wait for time alone."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            nonlocal ahead
            if timeout is None or timeout <= 0:
                return super().select(timeout)
            if not (found := super().select(0)):
                ahead += timeout
            return found

    with patch("selectors.DefaultSelector", Selector), patch("time.monotonic", lambda: real() + ahead):
        yield
