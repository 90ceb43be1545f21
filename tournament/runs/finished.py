"""Tells when a run has more finished items than were read, so that they have to be read again."""

from __future__ import annotations

import time

from antemill.tournament.runs.store import RunStore

_FRESH = 1.0  # seconds between two queries of the database


class FinishedCounter:
    """Checks a run for newly finished items."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._done = -1
        self._asked = float("-inf")

    def finished(self) -> bool:
        """Whether items were finished after the last call that returned True. The first call returns True."""
        now = time.monotonic()
        if now < self._asked + _FRESH:
            return False
        self._asked = now
        done = self._store.counts().done
        if done == self._done:
            return False
        self._done = done
        return True
