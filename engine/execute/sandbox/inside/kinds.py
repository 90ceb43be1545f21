"""What the puzzle's things are, told without asking them: none of their code, and none of the library's, runs here.

Classes, attributes and functions are looked up in the dictionaries in which Python keeps them. Two questions decide
everything else: whether a function's code is the puzzle's own (`is_code`), and whether a thing may be shown at all
(`is_shown`).
"""

import _collections_abc
import abc
import builtins
import collections
import enum
import numbers
import re
import typing
from collections import namedtuple
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import FunctionType, MethodType
from typing import Any

DATA = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice)
CACHED = type(lru_cache(len))
GETTER: type = type(vars(namedtuple("_Pair", "a"))["a"])
BACKWARDS: tuple[type, ...] = (type(reversed([])), reversed)
_TEXTS: tuple[Any, ...] = ("", "é", b"", bytearray())
_ITERATED: tuple[Any, ...] = (*_TEXTS, [], (), range(0), range(2**70), {}, {}.items(), {}.values(), set())
ITERATORS = (*(type(iter(thing)) for thing in _ITERATED), *BACKWARDS)
_PUZZLE = "__main__"  # where the puzzle's classes say they are from
ABSTRACT = vars(_collections_abc)  # the namespace of the methods of `collections.abc`
_COLLECTIONS = vars(collections)
_WRITTEN = "<string>"  # the file of a function that was executed from a text
_OF_RECORDS = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__")  # what `dataclass` writes

module_of = type.__dict__["__module__"].__get__
mro_of = type.__dict__["__mro__"].__get__
names_of = type.__dict__["__dict__"].__get__
name_of = type.__dict__["__name__"].__get__
globals_of: Callable[[Any], dict[str, Any]] = FunctionType.__dict__["__globals__"].__get__
code_of = FunctionType.__dict__["__code__"].__get__
_home: list[dict[str, Any]] = []  # the puzzle's namespace


def _classes(*modules: Any) -> frozenset[type]:
    """Those that the modules define."""
    found = ((module, one) for module in modules for one in vars(module).values() if isinstance(one, type))
    return frozenset(one for module, one in found if module_of(one).removeprefix("_") == module.__name__)


# Told by what they are, not by their names: the puzzle may say that its classes are from anywhere.
_PLAIN = frozenset(DATA) | {one for one in _classes(builtins) if BaseException in mro_of(one)}
_ABSTRACT = frozenset(one for one in ABSTRACT.values() if isinstance(one, type)) | _classes(numbers)
_OTHERS = _classes(enum, abc, typing)


@dataclass
class _Sample:
    pass


_REPR = code_of(_Sample.__repr__)  # what all data classes have around the function that is made for them


def enter(puzzle: dict[str, Any]) -> None:
    """From here on, functions of that namespace are the puzzle's."""
    _home[:] = [puzzle]


def is_home(scope: dict[str, Any]) -> bool:
    """Whether a namespace is the puzzle's."""
    return scope is _home[0]


def find(kind: type, name: str) -> tuple[type, Any]:
    """The class that has the attribute, and what lies there; (object, MISSING) if none has."""
    for one in mro_of(kind):
        if name in names_of(one):
            return one, names_of(one)[name]
    return object, MISSING


def is_setter(found: Any) -> bool:
    """Whether an attribute of a class is asked for what it is, even if the object has one of that name."""
    return any(find(type(found), name)[1] is not MISSING for name in ("__set__", "__delete__"))


def is_code(thing: Any) -> bool:
    """Whether it is a function that the puzzle wrote, or that was written to make its data classes and named tuples.
    The operators of data classes are not: they are the library's word on what the fields are."""
    if type(thing) is not FunctionType:
        return False
    scope, code = globals_of(thing), code_of(thing)
    if scope is _home[0]:
        return code.co_filename != _WRITTEN or code.co_name not in _OF_RECORDS
    return str(scope.get("__name__")).startswith("namedtuple_")


def fields(home: type, slot: Any) -> list[Field[Any]] | None:
    """The fields of a data class, if that is an operator which was written for it."""
    if type(slot) is not FunctionType or "__dataclass_fields__" not in names_of(home):
        return None
    code = code_of(slot)
    if code is not _REPR and not (code.co_filename == _WRITTEN and code.co_name in _OF_RECORDS):
        return None
    known = names_of(home)["__dataclass_fields__"].values()
    return [one for one in known if type(one) is Field and one._field_type.name == "_FIELD"]  # type: ignore[attr-defined]


def named_fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a named tuple's class."""
    home, known = find(kind, "_fields")
    replace = names_of(home).get("_replace")
    return known if type(replace) is FunctionType and globals_of(replace) is _COLLECTIONS else None


def base(kind: type) -> type | None:
    """The type of data that a class stands on."""
    return next((one for one in mro_of(kind) if one in DATA), None)


def stand_in(kind: type) -> type | None:
    """The class that objects of a class may say they are of: data, an exception or an abstract one of Python's."""
    return next((one for one in mro_of(kind) if one in _PLAIN or one in _ABSTRACT), None)


# ------------------------------------------------------------------------------------------------ what may be shown


def is_of_puzzle(kind: type) -> bool:
    """Whether it is a class of the puzzle's."""
    return bool(module_of(kind) == _PUZZLE)


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
    if kind is CACHED:
        return is_code(getattr(thing, "__wrapped__", None))
    if kind is FunctionType:
        return is_code(thing)
    if type in mro_of(kind):
        return is_of_puzzle(thing)
    return kind is object or (is_of_puzzle(kind) and all(map(is_tame, mro_of(kind))))


def is_tame(kind: type) -> bool:
    """Whether a class may be among those on which a shown object's class stands."""
    return is_plain(kind) or kind in _ABSTRACT or kind in _OTHERS or module_of(kind) == _PUZZLE


def is_plain(kind: type) -> bool:
    """Whether it is `object`, a type of data, or an exception of Python's."""
    return kind is object or kind in _PLAIN


def is_made_by_own(kind: type) -> bool:
    """Whether all that the `__init__` of a data class calls is the puzzle's, or a type of data."""
    known = find(kind, "__dataclass_fields__")[1]
    called = [] if known is MISSING else [one.default_factory for one in known.values()]
    called += [] if known is MISSING else [find(kind, "__post_init__")[1]]
    home, assigns = find(kind, "__setattr__")
    return (is_plain(home) or is_code(assigns)) and all(
        one is MISSING or any(one is data for data in DATA) or _is_own(one) for one in called
    )
