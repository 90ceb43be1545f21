"""Texts with an object's address are noticed where they are made: by `repr` in C, which all other ways come to (S3).

`f"{f}"`, `str(f)`, `"%s" % f`, `json.dumps(f, default=str)`, `sorted(things, key=str)`: each ends in the `tp_repr` of a
type. `divert` puts a function that listens into the dictionary of every type whose texts could show an address, and
returns the types; whoever can write memory then puts `SLOT`'s `tp_repr`, which asks that dictionary, into theirs. All
types are diverted but those of `_PLAIN`, whose own texts have no address; classes that Python code defines afterwards
ask the dictionary by themselves. It is done once, before a process is forked or the guest snapshotted.
"""

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from . import world
from .listed import ADDRESS

Listener = Callable[[], None]
_listening: list[Listener] = []
_DICT = type.__dict__["__dict__"].__get__
_SEVERAL: list[Any] = [{}.keys(), {}.values(), {}.items(), OrderedDict().keys()]
_VIEWS: tuple[type, ...] = tuple(type(view) for view in _SEVERAL)
_PLAIN: tuple[type, ...] = (  # what they show of themselves is the same everywhere; others are shown by their own types
    *(type, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, deque),
    *(type(None), type(...), type(NotImplemented), BaseException, super, defaultdict, OrderedDict, *_VIEWS),
    *(types.MappingProxyType, types.SimpleNamespace, types.GenericAlias, types.UnionType, types.MethodType),
)


class SLOT:
    """A class of Python's."""

    def __repr__(self) -> str:
        return "SLOT"


class BARE:
    """A class that shows itself as `object` does: what differs from SLOT's is where `tp_repr` is."""


def listen(listener: Listener) -> None:
    """Have somebody told whenever a text with an address is made, in this process and for good."""
    _listening.append(listener)


def divert() -> list[type]:
    """Change the dictionaries; the types whose `tp_repr` is to be changed."""
    found = [kind for kind in dict.fromkeys(_below(object)) if not issubclass(kind, _PLAIN)]
    written = [kind for kind in found if type(_DICT(kind).get("__repr__")) is type(object.__repr__)]
    for kind in written:
        world.replace(kind, {"__repr__": _heard(_DICT(kind)["__repr__"])})
    return [kind for kind in found if not isinstance(_first(kind), types.FunctionType) or _first(kind) in _OURS]


_OURS: set[Any] = set()


def _below(kind: type) -> Iterator[type]:
    yield kind
    below: list[type] = type.__subclasses__(kind)
    for one in below:
        yield from _below(one)


def _first(kind: type) -> Any:
    """The `__repr__` that a class has by its bases."""
    return next(_DICT(one)["__repr__"] for one in kind.__mro__ if "__repr__" in _DICT(one))


def _heard(show: Callable[[Any], str]) -> Callable[[Any], str]:
    def listening(self: Any, /) -> str:
        text = show(self)
        if _listening and "0x" in text and ADDRESS.search(text):
            for listener in _listening:
                listener()
        return text

    listening.__name__, listening.__qualname__ = "__repr__", f"{show.__objclass__.__qualname__}.__repr__"  # type: ignore[attr-defined]
    _OURS.add(listening)
    return listening
