"""Views: what a solution's code gets in the place of the puzzle's functions, classes and objects.

A view does two things to what it shows, and no third: it reads a slot in which plain data or something of the puzzle's
lies, and it calls a Python function whose code is the puzzle's own. Attributes and operators are looked up here and in
`operate`, along the class, as Python does it, so that nothing runs on the way. Where Python would run code of the
library's on the object (a built-in function in a class, a method of a list, an iterator, a cache), the view computes on
a copy, or refuses. A view never gets to the puzzle (see `border`), and nobody but `show` can make one.
"""

import enum
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from functools import cached_property
from inspect import CO_GENERATOR
from types import (
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import WeakValueDictionary

from . import kinds, memory, value
from .kinds import find, is_code, mro_of, name_of, names_of
from .policy import HOLDS, NAMED, RefusedError

_EXACT: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    **{kind: lambda thing, kind=kind: kind.__getitem__(thing, slice(None)) for kind in (str, bytes, bytearray)},  # type: ignore[misc]
}


class View:
    """Shows something of the puzzle's. Its operators are in `operate`."""

    __slots__ = ("__weakref__", "_shown")
    _shown: Any

    def __new__(cls, *_: Any) -> "View":
        """The library makes new objects of the kinds that it meets."""
        raise RefusedError("have the library make more of what it gets from the puzzle")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What the library goes by: never a class of the puzzle's, which it might call."""
        return kinds.stand_in(type(self._shown)) or View

    def __getattr__(self, name: str) -> Any:
        if name.startswith(HOLDS) and name not in ("__name__", *NAMED):
            raise AttributeError(name)
        return attribute(self._shown, name)


_views: WeakValueDictionary[int, View] = WeakValueDictionary()  # by the address of what they show


# --------------------------------------------------------------------------------------------- what comes and goes


def view(thing: Any) -> View:
    """The view of something that may be shown: one and the same as long as there is one, so that `is` tells."""
    made = _views.get(id(thing))
    if made is None:
        made = _views[id(thing)] = object.__new__(View)
        made._shown = thing
    return made


def show(thing: Any) -> Any:
    """What the solution's code gets for a thing of the puzzle's. Raises RefusedError if that can not be shown."""
    if thing is NotImplemented:
        return thing
    try:
        return value.copy(thing, lambda part: type(part) in kinds.ITERATORS or kinds.is_shown(part), _present)
    except value.NotPlainError as error:
        raise RefusedError(f"get a {error} from the puzzle") from None


def give(thing: Any) -> Any:
    """What the puzzle's functions get for a thing of the solution's. Raises RefusedError if that may be code."""
    try:
        return value.copy(thing, lambda part: type(part) is View or kinds.is_frozen(part), bare)
    except value.NotPlainError as error:
        raise RefusedError(
            f"give a {error} to the puzzle's functions, only data and what it has of the puzzle"
        ) from None


def bare(thing: Any) -> Any:
    """What a view shows; anything else as it is."""
    return thing._shown if type(thing) is View else thing


def _present(thing: Any) -> Any:
    if kinds.is_frozen(thing):
        return thing
    return _copied(thing) if type(thing) in kinds.ITERATORS else view(thing)


def _copied(iterator: Any) -> Iterator[Any]:
    """What an iterator of data has before it, from a copy of the data. The iterator stays where it is."""
    _, (items,), *place = iterator.__reduce__()
    copy: Any = (reversed if type(iterator) in kinds.BACKWARDS else iter)(data(items))
    if place and place[0] is not None:
        copy.__setstate__(place[0])
    return copy  # type: ignore[no-any-return]


def data(thing: Any) -> Any:
    """A copy of the data that an object of the puzzle's is, with views in it."""
    base: Any = kinds.base(type(thing))
    if type(thing) is base or base is None:
        return show(thing)
    if base in _EXACT:
        return _EXACT[base](thing)
    return base(show(list(base.items(thing) if base is dict else base.__iter__(thing))))


# ------------------------------------------------------------------------------------------------ the two things


class _Theirs:
    """Around all that runs the puzzle's code: what it raises last is an exception of the puzzle's, args and all."""

    def __init__(self) -> None:
        self._raised: BaseException | None = None

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        self._raised = error or self._raised

    def raised(self, error: BaseException | None) -> bool:
        """Whether the puzzle's code has raised it. Forgets what was raised, which keeps objects alive."""
        last, self._raised = self._raised, None
        return error is last


theirs = _Theirs()


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of the puzzle's. A generator is fresh if the function is the one that makes it; any other may be
    one that the puzzle keeps, and is refused."""
    if not is_code(function):
        raise RefusedError("run code of the library's on what the puzzle keeps")
    with theirs:
        made = function(*args, **kwargs)
    is_fresh = type(made) is GeneratorType and kinds.code_of(function).co_flags & CO_GENERATOR
    return map(show, _each(made)) if is_fresh else show(made)


def _each(made: Iterator[Any]) -> Iterator[Any]:
    with theirs:
        yield from made


def slots(thing: Any) -> dict[str, Any]:
    """The attributes that an object has itself."""
    place = thing.__func__ if type(thing) is MethodType else thing
    found = find(type(place), "__dict__")[1]
    return found.__get__(place) if type(found) is GetSetDescriptorType else {}


def _read(found: Any, thing: Any, owner: type) -> Any:
    """What an attribute of a class is to an object of it, or to the class itself (None)."""
    kind = type(found)
    if kind is staticmethod:
        return show(found.__func__)
    if kind is classmethod:
        return show(MethodType(found.__func__, owner))
    if kind is FunctionType and kinds.globals_of(found) is kinds.ABSTRACT and thing is not None:
        return MethodType(found, view(thing))  # written for classes of others: it asks the object for what it needs
    if kind is FunctionType or kind is kinds.CACHED:
        return show(found if thing is None else MethodType(found, thing))
    get = find(kind, "__get__")[1]
    if get is MISSING:
        return show(found)
    if is_code(get):
        return call(get, found, thing, owner)
    if thing is None:
        raise RefusedError(f"get a {name_of(kind)} from the puzzle")
    if kind is property:
        return call(found.fget, thing)
    if kind is cached_property:
        return call(memory.past(found.func, thing), thing)
    is_slot = kind in (MemberDescriptorType, kinds.GETTER)
    if is_slot or (kind is GetSetDescriptorType and kinds.is_tame(found.__objclass__)):
        return show(found.__get__(thing, owner))
    raise RefusedError(f"read a {name_of(kind)} of the puzzle's")


def _of_named(thing: Any, name: str, is_class: bool) -> Any:
    """The methods of a named tuple, which make another one of its parts."""
    make: Any = view(thing if is_class else type(thing))
    if name == "_make":
        return lambda parts: make(*parts)
    if is_class:
        raise RefusedError(f"call {name} of a class")
    parts = dict(zip(find(type(thing), "_fields")[1], data(thing), strict=True))
    return (lambda: parts) if name == "_asdict" else lambda **changed: make(**{**parts, **changed})


def attribute(thing: Any, name: str) -> Any:
    """Raises AttributeError, RefusedError, and what the puzzle's functions raise."""
    kind = type(thing)
    is_class = type in mro_of(kind)
    reads = find(kind, "__getattribute__")
    if type(reads[1]) is not WrapperDescriptorType or reads[1].__objclass__ is not reads[0]:
        return call(reads[1], thing, name)
    if name == "__name__" and (is_class or kind is FunctionType):
        return thing.__name__
    if enum.EnumMeta in mro_of(kind) and name in names_of(thing)["_member_map_"]:
        return show(names_of(thing)["_member_map_"][name])
    home, found = find(thing if is_class else kind, name)
    if name in NAMED and name != "_fields" and kinds.named_fields(home) is not None and "_fields" in names_of(home):
        return _of_named(thing, name, is_class)
    if enum.Enum in mro_of(kind) and type(found) is enum.property and name in ("name", "value"):
        return show(slots(thing)[f"_{name}_"])
    of_meta = find(kind, name)[1] if is_class else MISSING
    if is_class and kinds.is_setter(of_meta):  # it comes first, as in Python
        return _read(of_meta, thing, kind)
    if not is_class and name in slots(thing) and not kinds.is_setter(found):
        return show(slots(thing)[name])
    if (
        found is not MISSING
        and type(found) is MethodDescriptorType
        and found.__objclass__ in kinds.DATA
        and not is_class
    ):
        return getattr(data(thing), name)
    if found is not MISSING:
        return _read(found, None if is_class else thing, thing if is_class else kind)
    if of_meta is not MISSING:
        return _read(of_meta, thing, kind)
    if find(kind, "__getattr__")[1] is MISSING or enum.EnumMeta in mro_of(kind):
        raise AttributeError(f"{name_of(kind)!r} object has no attribute {name!r}")
    return call(find(kind, "__getattr__")[1], thing, name)
