"""Turns by key: calls with the same key wait for each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Locks by key. A lock exists only while a call holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}  # each lock with the number of its users

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Hold the key's lock in this block."""
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            users = self._locks[key][1] - 1
            if users:
                self._locks[key] = lock, users
            else:
                del self._locks[key]
