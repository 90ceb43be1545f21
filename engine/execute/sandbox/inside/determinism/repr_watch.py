"""Texts that contain an object's address are noticed where they are made: in the C code of `repr` (S3).

`f"{f}"`, `str(f)`, `"%s" % f`, `json.dumps(f, default=str)`, `sorted(things, key=str)`: all of them end in the
`tp_repr` of a type. `divert` puts a watching `__repr__` into the dictionary of every type whose text could contain an
address, and returns the types. Their `tp_repr` must then be replaced by that of `SLOT`, which looks into the
dictionary: `native/slots.py` writes it into memory, `guest/slots.py` into the snapshot. Types in `_PLAIN` are
left alone, since their own texts contain no address. Classes that Python code defines afterwards look into the
dictionary anyway. This happens once, before the process is forked or the guest snapshotted.
"""

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from ..world.patching import replace
from .name_lists import ADDRESS

Listener = Callable[[], None]
_listening: list[Listener] = []
_DICT = type.__dict__["__dict__"].__get__
_SEVERAL: list[Any] = [{}.keys(), {}.values(), {}.items(), OrderedDict().keys()]
_VIEWS: tuple[type, ...] = tuple(type(view) for view in _SEVERAL)
_PLAIN: tuple[type, ...] = (  # their own texts are the same everywhere; their items are shown by the items' types
    *(type, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, deque),
    *(type(None), type(...), type(NotImplemented), BaseException, super, defaultdict, OrderedDict, *_VIEWS),
    *(types.MappingProxyType, types.SimpleNamespace, types.GenericAlias, types.UnionType, types.MethodType),
)


class SLOT:
    """A class with a `__repr__` in Python: its `tp_repr` looks into the class's dictionary."""

    def __repr__(self) -> str:
        return "SLOT"

    def __call__(self) -> None:
        """For the place of `tp_call`, see `world.doors`."""


class BARE:
    """A class with the `tp_repr` of `object`. Where it differs from SLOT is the place of `tp_repr` in a type."""


def listen(listener: Listener) -> None:
    """Call `listener` whenever a text with an address is made, in this process and for good."""
    _listening.append(listener)


def divert() -> list[type]:
    """Change the dictionaries. Returns the types whose `tp_repr` must be replaced."""
    found = [kind for kind in dict.fromkeys(_below(object)) if not issubclass(kind, _PLAIN)]
    written = [kind for kind in found if type(_DICT(kind).get("__repr__")) is type(object.__repr__)]
    for kind in written:
        replace(kind, {"__repr__": _watched(_DICT(kind)["__repr__"])})
    return [kind for kind in found if not isinstance(_first(kind), types.FunctionType) or _first(kind) in _WATCHING]


_WATCHING: set[Any] = set()


def is_watching(found: object) -> bool:
    """Whether this is a `__repr__` from `divert`, of a type or of an object."""
    if type(found) is types.MethodType:
        found = found.__func__
    return type(found) is types.FunctionType and found in _WATCHING


def _below(kind: type) -> Iterator[type]:
    yield kind
    below: list[type] = type.__subclasses__(kind)
    for one in below:
        yield from _below(one)


def _first(kind: type) -> Any:
    """The `__repr__` that a class has, its own or inherited."""
    return next(_DICT(one)["__repr__"] for one in kind.__mro__ if "__repr__" in _DICT(one))


def _watched(show: Callable[..., str]) -> Callable[..., str]:
    def watching(*given: Any, **named: Any) -> str:
        text = show(*given, **named)
        if _listening and "0x" in text and ADDRESS.search(text):
            for listener in _listening:
                listener()
        return text

    watching.__doc__ = show.__doc__
    watching.__name__, watching.__qualname__ = "__repr__", f"{show.__objclass__.__qualname__}.__repr__"  # type: ignore[attr-defined]
    _WATCHING.add(watching)
    return watching
