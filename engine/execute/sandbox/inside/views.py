"""Views: what a solution's code gets in the place of the puzzle's functions, classes and objects.

A view does two things to what it shows, and no third: it reads a slot in which plain data or something of the puzzle's
lies, and it calls a Python function whose code is the puzzle's own. Attributes and operators are looked up here, along
the class, as Python does it, so that nothing runs on the way. Where Python would run code of the library's on the
object (a built-in function in a class, a method of a list, an iterator, a cache), the view computes on a copy, or
refuses.
"""

import _collections_abc
import enum
import operator
import re
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
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

from . import value
from .policy import HOLDS, RefusedError

DATA = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice)
_PUZZLE = "__main__"  # where the puzzle's classes say they are from
_CACHED = type(lru_cache(len))
_GETTER: type = type(vars(namedtuple("_Pair", "a"))["a"])
_BACKWARDS: tuple[type, ...] = (type(reversed([])), reversed)
_ITERATED: tuple[Any, ...] = (
    [],
    (),
    "",
    "é",
    b"",
    bytearray(),
    range(0),
    range(2**70),
    {},
    {}.items(),
    {}.values(),
    set(),
)
_ITERATORS = (*(type(iter(thing)) for thing in _ITERATED), *_BACKWARDS)
_EXACT: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    **{kind: lambda thing, kind=kind: kind.__getitem__(thing, slice(None)) for kind in (str, bytes, bytearray)},  # type: ignore[misc]
}

_module_of = type.__dict__["__module__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_names_of = type.__dict__["__dict__"].__get__
_name_of = type.__dict__["__name__"].__get__
_globals_of: Callable[[Any], dict[str, Any]] = FunctionType.__dict__["__globals__"].__get__
_code_of = FunctionType.__dict__["__code__"].__get__
_of_enum, _abstract = vars(enum), vars(_collections_abc)
_home: list[dict[str, Any]] = []  # the puzzle's namespace


@dataclass
class _Sample:
    pass


_REPR = _code_of(_Sample.__repr__)  # what all data classes have around the function that is made for them


def enter(puzzle: dict[str, Any]) -> None:
    """From here on, functions of that namespace are the puzzle's."""
    _home[:] = [puzzle]


def is_of_puzzle(kind: type) -> bool:
    """Whether it is a class of the puzzle's."""
    return bool(_module_of(kind) == _PUZZLE)


def _is_code(thing: Any) -> bool:
    """Whether it is a function that the puzzle wrote, or that was written for its data classes and named tuples. (The
    former's operators run on the view, see `_run`.)"""
    if type(thing) is not FunctionType:
        return False
    scope = _globals_of(thing)
    return scope is _home[0] or str(scope.get("__name__")).startswith("namedtuple_")


def _find(kind: type, name: str) -> tuple[type, Any]:
    """The class that has the attribute, and what lies there; (object, MISSING) if none has."""
    for one in _mro_of(kind):
        if name in _names_of(one):
            return one, _names_of(one)[name]
    return object, MISSING


# --------------------------------------------------------------------------------------------- what comes and goes


def show(thing: Any) -> Any:
    """What the solution's code gets for a thing of the puzzle's. Raises RefusedError if that can not be shown."""
    if thing is NotImplemented:
        return thing
    try:
        return value.copy(thing, lambda part: type(part) in _ITERATORS or is_shown(part), _present)
    except value.NotPlainError as error:
        raise RefusedError(f"get a {error} from the puzzle") from None


def give(thing: Any) -> Any:
    """What the puzzle gets for a thing of the solution's. Raises RefusedError if that may be code."""
    try:
        return value.copy(thing, lambda part: type(part) is View or is_shown(part), bare)
    except value.NotPlainError as error:
        raise RefusedError(
            f"give a {error} to the puzzle's functions, only data and what it has of the puzzle"
        ) from None


def bare(thing: Any) -> Any:
    """What a view shows; anything else as it is."""
    return thing._shown if type(thing) is View else thing


def _present(thing: Any) -> Any:
    if is_frozen(thing):
        return thing
    return _copied(thing) if type(thing) in _ITERATORS else View(thing)


def _copied(iterator: Any) -> Iterator[Any]:
    """What an iterator of data has before it, from a copy of the data. The iterator stays where it is."""
    _, (items,), *place = iterator.__reduce__()
    copy: Any = (reversed if type(iterator) in _BACKWARDS else iter)(_data(items))
    if place and place[0] is not None:
        copy.__setstate__(place[0])
    return copy  # type: ignore[no-any-return]


def is_shown(thing: Any) -> bool:
    """Whether a solution may see it, as it is or as a view."""
    return is_frozen(thing) or _is_own(thing)


def is_frozen(thing: Any) -> bool:
    """Whether it is a value of the library's that nobody can change, with nothing in it that somebody could."""
    kind = type(thing)
    if kind is Fraction:
        return type(thing.numerator) is type(thing.denominator) is int
    if kind is re.Pattern:
        return type(thing.pattern) in (str, bytes)
    return kind in (Decimal, date, timedelta) or (kind in (datetime, time) and thing.tzinfo is None)


def _is_own(thing: Any) -> bool:
    """Whether it is a function or a class of the puzzle's, or an object whose class stands on no other of the library
    than data, exceptions, enumerations and abstract ones."""
    kind = type(thing)
    if kind is MethodType:
        return _is_own(thing.__func__) and _is_own(thing.__self__)
    if kind is _CACHED:
        return _is_code(thing.__wrapped__)
    if kind is FunctionType:
        return _is_code(thing)
    if type in _mro_of(kind):
        return is_of_puzzle(thing)
    return kind is object or (is_of_puzzle(kind) and all(map(_is_tame, _mro_of(kind))))


def _is_tame(kind: type) -> bool:
    if _module_of(kind) == "builtins":
        return kind in (object, *DATA) or BaseException in _mro_of(kind)
    return _module_of(kind) in (_PUZZLE, "enum", "abc", "typing", "numbers", "collections.abc")


def _base(kind: type) -> type | None:
    """The type of data that a class stands on."""
    return next((one for one in _mro_of(kind) if one in DATA), None)


def _data(thing: Any) -> Any:
    """A copy of the data that an object of the puzzle's is, with views in it."""
    base: Any = _base(type(thing))
    if type(thing) is base or base is None:
        return show(thing)
    if base in _EXACT:
        return _EXACT[base](thing)
    return base(show(list(base.items(thing) if base is dict else base.__iter__(thing))))


# ------------------------------------------------------------------------------------------------ the two things


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of the puzzle's. A generator is fresh if the function is the one that makes it; any other may be
    one that the puzzle keeps, and is refused."""
    if not _is_code(function):
        raise RefusedError("run code of the library's on what the puzzle keeps")
    made = function(*args, **kwargs)
    is_fresh = type(made) is GeneratorType and _code_of(function).co_flags & CO_GENERATOR
    return map(show, made) if is_fresh else show(made)


def _slots(thing: Any) -> dict[str, Any]:
    """The attributes that an object has itself."""
    place = thing.__func__ if type(thing) is MethodType else thing
    found = _find(type(place), "__dict__")[1]
    return found.__get__(place) if type(found) is GetSetDescriptorType else {}


def _read(found: Any, thing: Any, owner: type) -> Any:
    """What an attribute of a class is to an object of it, or to the class itself (None)."""
    kind = type(found)
    if kind is staticmethod:
        return show(found.__func__)
    if kind is classmethod:
        return show(MethodType(found.__func__, owner))
    if kind is FunctionType or kind is _CACHED:
        return show(found if thing is None else MethodType(getattr(found, "__wrapped__", found), thing))
    get = _find(kind, "__get__")[1]
    if get is MISSING:
        return show(found)
    if _is_code(get):
        return _call(get, found, thing, owner)
    if thing is None:
        raise RefusedError(f"get a {_name_of(kind)} from the puzzle")
    if kind is property:
        return _call(found.fget, thing)
    if kind is cached_property:  # past its memory: to ask would be to fix the answer
        return _call(found.func, thing)
    if kind in (MemberDescriptorType, _GETTER) or (kind is GetSetDescriptorType and _is_tame(found.__objclass__)):
        return show(found.__get__(thing, owner))
    raise RefusedError(f"read a {_name_of(kind)} of the puzzle's")


def _attribute(thing: Any, name: str) -> Any:
    """Raises AttributeError, RefusedError, and what the puzzle's functions raise."""
    kind = type(thing)
    is_class = type in _mro_of(kind)
    reads = _find(kind, "__getattribute__")
    if type(reads[1]) is not WrapperDescriptorType or reads[1].__objclass__ is not reads[0]:
        return _call(reads[1], thing, name)
    if name == "__name__" and (is_class or kind is FunctionType):
        return thing.__name__
    if enum.EnumMeta in _mro_of(kind) and name in _names_of(thing)["_member_map_"]:
        return show(_names_of(thing)["_member_map_"][name])
    found = _find(thing if is_class else kind, name)[1]
    if enum.Enum in _mro_of(kind) and type(found) is enum.property and name in ("name", "value"):
        return show(_slots(thing)[f"_{name}_"])
    if not is_class and name in _slots(thing) and type(found) not in (property, MemberDescriptorType):
        return show(_slots(thing)[name])
    if found is not MISSING and type(found) is MethodDescriptorType and found.__objclass__ in DATA and not is_class:
        return getattr(_data(thing), name)
    if found is not MISSING:
        return _read(found, None if is_class else thing, thing if is_class else kind)
    of_meta = _find(kind, name)[1] if is_class else MISSING
    if of_meta is not MISSING:
        return _read(of_meta, thing, kind)
    if _find(kind, "__getattr__")[1] is MISSING or enum.EnumMeta in _mro_of(kind):
        raise AttributeError(f"{_name_of(kind)!r} object has no attribute {name!r}")
    return _call(_find(kind, "__getattr__")[1], thing, name)


def _is_made_by_own(kind: type) -> bool:
    """Whether all that the `__init__` of a data class calls is the puzzle's, or a type of data."""
    fields = _find(kind, "__dataclass_fields__")[1]
    called = [] if fields is MISSING else [field.default_factory for field in fields.values()]
    called += [] if fields is MISSING else [_find(kind, "__post_init__")[1]]
    home, assigns = _find(kind, "__setattr__")
    return (home is object or _module_of(home) == "builtins" or _is_code(assigns)) and all(
        one is MISSING or any(one is known for known in DATA) or _is_own(one) for one in called
    )


def _made(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A new object. Where data takes the arguments apart, that is done before, on the solution's side."""
    (new_home, new), (init_home, init) = _find(kind, "__new__"), _find(kind, "__init__")
    own_new = _is_code(new.__func__ if type(new) is staticmethod else new)
    for home, own in ((new_home, own_new), (init_home, _is_code(init))):
        if not own and not (_module_of(home) == "builtins" and _is_tame(home)):
            raise RefusedError(f"make a {_name_of(kind)}, which the library's code would do")
    if not _is_made_by_own(kind):
        raise RefusedError(f"make a {_name_of(kind)}, which the library's code would do")
    base = _base(kind)
    if base is not None and not own_new and not _is_code(init):
        return View(kind(give(base(*args, **kwargs))))
    if base is not None and not (own_new and _is_code(init)) and any(type(part) is View for part in args):
        raise RefusedError(f"make a {_name_of(kind)} of that")
    return show(kind(*map(give, args), **{name: give(thing) for name, thing in kwargs.items()}))


# ------------------------------------------------------------------------------------------------ enumerations


def _member(kind: type, wanted: Any) -> Any:
    """The member with a value. None is added, as a combination of flags would be."""
    for member in _names_of(kind)["_value2member_map_"].values():
        if show(_slots(member)["_value_"]) == wanted:
            return show(member)
    for member in _names_of(kind)["_member_map_"].values():
        if show(_slots(member)["_value_"]) == wanted:
            return show(member)
    if enum.Flag in _mro_of(kind) or _find(kind, "_missing_")[0] is not enum.Enum:
        raise RefusedError(f"add a member to the enumeration {_name_of(kind)}")
    raise ValueError(f"{wanted!r} is not a valid {_name_of(kind)}")


def _of_class(kind: type, name: str, *others: Any) -> Any:
    """What the operators of an enumeration do."""
    members = show(_names_of(kind)["_member_map_"])
    if name == "__getitem__":
        return members[others[0]]
    listed = [members[one] for one in _names_of(kind)["_member_names_"]]
    if name in ("__iter__", "__reversed__"):
        return iter(listed if name == "__iter__" else listed[::-1])
    if name == "__contains__":
        return others[0] in members.values()
    return {"__len__": len(listed), "__bool__": True, "__repr__": f"<enum {_name_of(kind)!r}>"}[name]


def _of_member(member: Any, name: str, *others: Any) -> Any:
    """What the operators of a member of an enumeration do."""
    kind, label, number = type(member), _slots(member)["_name_"], show(_slots(member)["_value_"])
    if name == "__hash__":
        return hash(label)
    if name in ("__str__", "__format__"):
        return f"{_name_of(kind)}.{label}"
    if name == "__repr__":
        return f"<{_name_of(kind)}.{label}: {number!r}>"
    if name == "__bool__":
        return bool(number)
    if enum.Flag in _mro_of(kind) and len(others) == 1 and type(bare(others[0])) is kind:
        other = _slots(bare(others[0]))["_value_"]
        if name == "__contains__":
            return other & number == other
        plain = name.strip("_").removeprefix("r")
        if plain in ("or", "and", "xor"):
            return _member(kind, getattr(operator, f"__{plain}__")(number, other))
    raise RefusedError(f"use {name} of an enumeration")


# ------------------------------------------------------------------------------------------------ operators


def _run(view: Any, name: str, *others: Any) -> Any:
    """What an operator of the object's class gives: NotImplemented if it has none. Raises RefusedError if that is code
    of the library's that could change something."""
    thing = view._shown
    home, slot = _find(type(thing), name)
    origin = slot.__objclass__ if type(slot) in (WrapperDescriptorType, MethodDescriptorType) else None
    if slot is MISSING or slot is None:
        return NotImplemented
    if _is_written(slot):  # it asks the object for what it needs
        return slot(view, *others)
    if _is_code(slot):
        return _call(slot, thing, *map(give, others))
    if type(slot) is FunctionType and _globals_of(slot) is _of_enum:
        is_class = type in _mro_of(type(thing))
        return _of_class(thing, name, *others) if is_class else _of_member(thing, name, *others)
    if origin in DATA:
        return _of_data(_data(thing), name, *others)
    if origin in (object, type, FunctionType, MethodType, BaseException) and home is origin:
        return _of_object(view, name, *others)
    raise RefusedError(f"use {name} of the puzzle's {_name_of(type(thing))}, which is no function of the puzzle's")


def _of_data(data: Any, name: str, *others: Any) -> Any:
    function = _FUNCTIONS.get(name)
    if function is not None:
        return function(data, *others)
    return getattr(data, name)(*others)


def _of_object(view: Any, name: str, *others: Any) -> Any:
    """What all objects have."""
    thing = view._shown
    if name == "__eq__":
        return bare(others[0]) is thing or (type(thing) is MethodType and thing == bare(others[0])) or NotImplemented
    if name == "__hash__":
        return hash(thing)
    if name == "__ne__":
        equal = _run(view, "__eq__", *others)
        return equal if equal is NotImplemented else not equal
    if name == "__str__" and BaseException in _mro_of(type(thing)):
        args = show(thing.args)
        return str(args[0]) if len(args) == 1 else str(args)
    if name in ("__str__", "__repr__") and BaseException not in _mro_of(type(thing)):
        return _run(view, "__repr__") if name == "__str__" else f"<{_name_of(type(thing))} of the puzzle>"
    if name == "__format__":
        return format(str(view), *others)
    if name in _REFLECTED:
        return NotImplemented
    raise RefusedError(f"use {name} of the puzzle's {_name_of(type(thing))}")


def _is_written(slot: Any) -> bool:
    """Whether the library wrote it, in Python, for classes of others: `collections.abc`, or for a data class."""
    if type(slot) is not FunctionType:
        return False
    code = _code_of(slot)
    return _globals_of(slot) is _abstract or code is _REPR or code.co_filename == "<string>"


def _or_error(view: Any, name: str, made: Any) -> Any:
    if made is NotImplemented:
        raise TypeError(f"{_name_of(type(view._shown))!r} object has no {name}")
    return made


def _unary(name: str) -> Callable[..., Any]:
    return lambda view, *others: _or_error(view, name, _run(view, name, *others))


def _binary(name: str) -> Callable[[Any, Any], Any]:
    """Of two views Python takes the second for no other type than the first, so that one is asked here."""
    back = _REFLECTED[name]

    def operate(view: Any, other: Any) -> Any:
        kinds = type(view._shown), type(bare(other))
        first = type(other) is View and kinds[0] is not kinds[1] and kinds[0] in _mro_of(kinds[1])
        if first and _find(kinds[1], back)[1] is not _find(kinds[0], back)[1]:
            made = _run(other, back, view)
            if made is not NotImplemented:
                return made
        made = _run(view, name, other)
        if made is NotImplemented and type(other) is View and (kinds[0] is not kinds[1] or name in _COMPARED):
            return _run(other, back, view)
        return made

    return operate


def _backwards(name: str) -> Callable[[Any, Any], Any]:
    function = _FUNCTIONS[name]

    def operate(view: Any, other: Any) -> Any:
        back = _REFLECTED[name]
        if _find(type(view._shown), back)[1] is MISSING and _base(type(view._shown)) is not None:
            return function(other, _data(view._shown))  # lists and texts are put together without a method of that name
        return _run(view, back, other)

    return operate


_COMPARED = {"__eq__": "__eq__", "__ne__": "__ne__", "__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__"}
_COMPARED["__ge__"] = "__le__"
_ARITHMETIC = """add sub mul truediv floordiv mod pow matmul and or xor lshift rshift
    divmod"""
_REFLECTED = {**_COMPARED, **{f"__{name}__": f"__r{name}__" for name in _ARITHMETIC.split()}}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in _REFLECTED if name != "__divmod__"},
    **{
        back: lambda a, b, name=name: getattr(operator, name)(b, a)
        for name, back in _REFLECTED.items()
        if back[2] == "r"
    },
    **{"__divmod__": divmod, "__rdivmod__": lambda a, b: divmod(b, a), "__reversed__": reversed, "__round__": round},
    **{"__iter__": iter, "__bool__": bool, "__hash__": hash, "__str__": str, "__repr__": repr, "__format__": format},
    **{"__len__": len, "__contains__": operator.contains, "__getitem__": operator.getitem},
}


class View:
    """Shows something of the puzzle's."""

    __slots__ = ("_shown",)

    def __init__(self, thing: Any) -> None:
        self._shown = thing

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What `isinstance` goes by: the puzzle, if a function of the solution's gives it a view."""
        return type(self._shown)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        thing = self._shown
        kind = type(thing)
        home, slot = _find(kind, "__call__")
        if type in _mro_of(kind) and not _is_code(slot):
            if home is type:
                return _made(thing, args, kwargs)
            if home is not enum.EnumMeta or kwargs or not args:
                raise RefusedError(f"call {_name_of(thing)}")
            return _member(thing, args[0] if len(args) == 1 else args)
        first: tuple[Any, ...] = ()
        function = slot
        if kind is MethodType:
            function, first = thing.__func__, (thing.__self__,)
        elif kind in (FunctionType, _CACHED):
            function = thing
        elif _is_code(slot):
            first = (thing,)
        if type(function) is _CACHED:  # past its memory, which would be changed
            function = function.__wrapped__
        given = {name: give(one) for name, one in kwargs.items()}
        return _call(function, *first, *map(give, args), **given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(HOLDS) and name != "__name__":
            raise AttributeError(name)
        return _attribute(self._shown, name)

    def __iter__(self) -> Iterator[Any]:
        made = _run(self, "__iter__")
        if made is NotImplemented and _find(type(self._shown), "__getitem__")[1] is not MISSING:
            return _by_places(self)
        return iter(_or_error(self, "__iter__", made))

    def __reversed__(self) -> Iterator[Any]:
        made = _run(self, "__reversed__")
        if made is NotImplemented:
            return map(self.__getitem__, range(len(self) - 1, -1, -1))
        return iter(made)

    def __contains__(self, thing: Any) -> bool:
        made = _run(self, "__contains__", thing)
        return any(one is thing or one == thing for one in self) if made is NotImplemented else bool(made)

    def __getitem__(self, key: Any) -> Any:
        kind = self._shown
        found = _find(kind, "__class_getitem__")[1] if type in _mro_of(type(kind)) else MISSING
        if found is not MISSING and _find(type(kind), "__getitem__")[1] is MISSING:
            return _call(getattr(found, "__func__", found), kind, give(key))
        try:
            return _or_error(self, "__getitem__", _run(self, "__getitem__", key))
        except KeyError:
            if _base(type(kind)) is not dict or _find(type(kind), "__missing__")[1] is MISSING:
                raise
        return _run(self, "__missing__", key)

    def __bool__(self) -> bool:
        for name in ("__bool__", "__len__"):
            made = _run(self, name)
            if made is not NotImplemented:
                return bool(made)
        return True

    def __len__(self) -> int:
        return _or_error(self, "__len__", _run(self, "__len__"))  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return _or_error(self, "__hash__", _run(self, "__hash__"))  # type: ignore[no-any-return]

    def __instancecheck__(self, thing: Any) -> bool:
        return self.__subclasscheck__(View(type(bare(thing))) if type(thing) is View else type(thing))

    def __subclasscheck__(self, kind: Any) -> bool:
        """By the bases; a class with abstract methods may have been told of others."""
        own, kind = self._shown, bare(kind)
        for name in ("__instancecheck__", "__subclasscheck__"):
            if _module_of(_find(type(own), name)[0]) not in ("builtins", "abc"):
                raise RefusedError(f"ask for instances of {_name_of(own)}, whose metaclass answers itself")
        if own in _mro_of(kind) or type(own) is type:
            return own in _mro_of(kind)
        if _find(own, "__subclasshook__")[0] is not object:
            raise RefusedError(f"ask for instances of {_name_of(own)}, which answers itself")
        return issubclass(kind, own)


def _by_places(view: Any) -> Iterator[Any]:
    place = 0
    while True:
        try:
            yield view[place]
        except IndexError:
            return
        place += 1


_UNARY = """abs int float complex str repr next index neg pos invert round format trunc
    floor ceil"""
for _name in _UNARY.split():
    setattr(View, f"__{_name}__", _unary(f"__{_name}__"))
for _name, _back in _REFLECTED.items():
    setattr(View, _name, _binary(_name))
    if _name not in _COMPARED:
        setattr(View, _back, _backwards(_name))
