"""What the parts of one report have in common, worked out once: tables and the page read a run one after the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
_made: ContextVar[dict[Hashable, Any] | None] = ContextVar("made", default=None)


@contextmanager
def one_report() -> Iterator[None]:
    """In this block `shared` makes each thing once."""
    token = _made.set({})
    try:
        yield
    finally:
        _made.reset(token)


def shared(name: Hashable, make: Callable[[], T]) -> T:
    """What `make` makes: in a block of `one_report` the same for all calls with this name, else a new one."""
    made = _made.get()
    if made is None:
        return make()
    if name not in made:
        made[name] = make()
    found: T = made[name]
    return found
