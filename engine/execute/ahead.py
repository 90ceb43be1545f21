"""Reading ahead: what is needed next is read in a thread, while this one works on what is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ReadAhead(Generic[K, V]):
    """What was read last, and what is read for the next call; no more than these two are kept."""

    def __init__(self, read: Callable[[K], V]) -> None:
        """read: reads what a key names."""
        self._read = read
        self._thread = ThreadPoolExecutor(1, "read-ahead")
        self._there: dict[K, Future[V]] = {}

    def take(self, key: K, following: K | None = None) -> V:
        """What the key names; waits if it is not there yet. following: to be read meanwhile, for a later call."""
        found = self._begin(key)
        if following is not None:
            self._begin(following)
        try:
            return found.result()
        except BaseException:
            self._there.pop(key, None)  # the next call tries again
            raise

    def _begin(self, key: K) -> Future[V]:
        found = self._there.pop(key, None) or self._thread.submit(self._read, key)
        self._there[key] = found
        while len(self._there) > 2:
            del self._there[next(iter(self._there))]
        return found
