"""When what was read of a run's finished items is to be read again, because more of them are finished by now."""

from __future__ import annotations

import time

from antemill.tournament.runs.store import RunStore

_FRESH = 1.0  # seconds for which the database is not asked


class FinishedCounter:
    """Whether more is finished."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._done = -1
        self._asked = float("-inf")

    def finished(self) -> bool:
        """Whether more items are finished than when this was last true; the first time it always is."""
        now = time.monotonic()
        if now < self._asked + _FRESH:
            return False
        self._asked = now
        done = self._store.counts().done
        if done == self._done:
            return False
        self._done = done
        return True
