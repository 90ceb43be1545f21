"""What differs between a program's runs: the addresses of its objects, and how deep its calls can be nested."""

import sys
from collections.abc import Callable
from typing import Any

_moved: list[bytes] = []  # holds memory, so that later objects lie elsewhere


def shift() -> None:
    """Move the objects made later within their pages; how far depends on the hash seed, so two seeds give different
    addresses."""
    for size in range(48, 513, 16):  # of an object, of which 33 bytes are its head
        _moved.extend(bytes(size - 33) for _ in range(hash(f"size {size}") % 97))


def stretch() -> None:
    """Allow half as many nested calls again as the program's limit says, so that a count of them differs."""
    system: Any = sys
    limit, put = [sys.getrecursionlimit()], sys.setrecursionlimit

    def longer(depth: int, /) -> None:
        put(min(depth + depth // 2 + 5, 2**31 - 1) if isinstance(depth, int) else depth)  # 479 calls more, a prime
        limit[0] = depth

    longer.__name__ = longer.__qualname__ = "setrecursionlimit"
    system.setrecursionlimit, system.getrecursionlimit = longer, lambda: limit[0]
    longer(limit[0])


def deeper(call: Callable[[], None], levels: int = 24) -> None:
    """Call a function some levels further down and with objects at other addresses. Output that changes with either
    depends on it."""
    if levels:
        deeper(call, levels - 1)
    else:
        _moved.extend(bytes(size) for size in range(0, 480, 16) for _ in range(3))
        call()
