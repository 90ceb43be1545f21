"""What differs between two runs: the addresses of objects, and how deep calls can be nested."""

import gc
import sys
from collections.abc import Callable
from typing import Any

from . import doors

_moved: list[object] = []  # holds memory, so that later objects lie elsewhere


def shift() -> None:
    """Move the objects made later within their pages; how far depends on the hash seed, so two seeds give different
    addresses."""
    for size in range(48, 513, 16):  # of an object, of which 33 bytes are its head
        _moved.extend(bytes(size - 33) for _ in range(hash(f"size {size}") % 97))


def turn() -> None:
    """Let objects of one size that are made one after the other lie in descending order, not in ascending order.

    Python gives out the block that was freed last. So blocks are taken, and freed from the lowest to the highest.
    """
    # First what Python keeps in lists of its own when it is freed, since that takes blocks of all sizes.
    ours: list[Callable[[], object]] = [list, dict, lambda: {1: 2}, lambda: [1], lambda: float(len(_moved))]
    for make in (*ours, object, lambda: 2**40 + id(_moved)):
        _free_upwards(make, 600)
    for length in range(1, 20):
        _free_upwards(lambda: (_moved,) * length, 600)  # noqa: B023  # called at once
    for size in range(48, 513, 16):
        _free_upwards(lambda: bytes(size - _HEAD), _PAGES // size)  # noqa: B023


def turn_again() -> None:
    """The same for what has been freed since then, and the next collection of garbage is as far away each time. So two
    objects lie in the same order in each such run."""
    gc.collect(0)
    for size in range(48, 513, 16):
        _free_upwards(lambda: bytes(size - _HEAD), _FREED // size)  # noqa: B023  # called at once


def _free_upwards(make: Callable[[], object], count: int) -> None:
    """Make objects, and free them from the lowest to the highest."""
    blocks = sorted((make() for _ in range(count)), key=id, reverse=True)
    _moved.append(blocks[::_APART])  # so that no page of memory becomes free and gets another order
    while blocks:
        blocks.pop()


_HEAD = 33  # bytes of an object of bytes beside them
_PAGES = 200_000  # bytes of each size: more than what lies there and is free
_FREED = 40_000  # bytes of each size: more than what is freed before a program begins
_APART = 31


def stretch() -> None:
    """Allow half as many nested calls again as the program's limit says, so that a count of them differs."""
    limit, put, get = [sys.getrecursionlimit()], sys.setrecursionlimit, sys.getrecursionlimit

    def longer(*given: Any, **named: Any) -> None:
        if len(given) == 1 and type(given[0]) is int:
            put(min(given[0] + given[0] // 2 + 5, 2**31 - 1))  # 479 calls more, a prime
            limit[0] = given[0]
        else:
            put(*given, **named)

    longer(limit[0])
    doors.install("setrecursionlimit", longer)
    doors.install("getrecursionlimit", lambda *given, **named: get(*given, **named) if given or named else limit[0])


def deeper(call: Callable[[], None], levels: int = 24) -> None:
    """Call a function some levels further down and with objects at other addresses. Output that changes with either
    depends on it."""
    if levels:
        deeper(call, levels - 1)
    else:
        _moved.extend(bytes(size) for size in range(0, 480, 16) for _ in range(3))
        call()
