"""Reading ahead: a thread reads the next values while the caller works on the present ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ReadAhead(Generic[K, V]):
    """Reads values by key, and the next one ahead. At most two values are kept."""

    def __init__(self, read: Callable[[K], V]) -> None:
        """read: reads the value of a key."""
        self._read = read
        self._thread = ThreadPoolExecutor(1, "read-ahead")
        self._there: dict[K, Future[V]] = {}

    def take(self, key: K, following: K | None = None) -> V:
        """The value of a key; waits until it is read. following: a key to read meanwhile, for a later call."""
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
