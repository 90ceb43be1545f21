"""Which values a solution may hold while its value is built of the puzzle's things (see `builder`).

Also what is inside lists, dictionaries and enumerations, found without running code of the puzzle's or the solution's.
"""

import enum
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from re import Pattern
from types import MethodType
from typing import Any

from . import implicit_code, plain
from .inspection import DATA, find, is_any, is_class, is_code, is_of_puzzle, mro_of, name_of, names_of
from .text_policy import RefusedError

_ATOMS = (int, str, bool, type(None), float, complex, bytes, type(...), type(NotImplemented))
_TYPES = (*DATA, *_ATOMS, object, Decimal, Fraction, date, datetime, time, timedelta, Pattern)
_SUBSCRIPTED = (list, tuple, dict, str, bytes, bytearray, range)
_FLAG = names_of(enum.Flag)


class Items(list[Any]):
    """What an iterator of Python's would give. It may be consumed where it is made; it can not be a value."""


def allowed(thing: Any) -> Any:
    """The thing, if a solution may hold it: data, code of the puzzle's, or an object of a class of the puzzle's.

    Raises RefusedError otherwise.
    """
    kind = type(thing)
    if is_any(kind, _TYPES) or is_code(thing) or is_of_puzzle(kind) or (is_class(thing) and is_of_puzzle(thing)):
        return thing
    if kind is MethodType and is_code(thing.__func__):
        return thing
    if kind is Items:
        raise RefusedError("have an iterator for its value, or give one away, but list(...) of it")
    raise RefusedError(f"use a {name_of(kind)} that is neither data nor the puzzle's own")


def copied(thing: Any) -> Any:
    """A copy of plain data. Raises RefusedError for anything else."""
    if is_any(type(thing), _ATOMS):
        return thing
    try:
        return plain.decode(plain.encode(list(thing) if type(thing) is Items else thing))
    except plain.NotPlainError as error:
        raise RefusedError(f"have Python's own code work on a {error}, but on plain data") from None


def items(thing: Any) -> Iterable[Any]:
    """What iterating over the thing gives. Raises RefusedError if that would run code, or give what is not allowed."""
    if is_any(type(thing), (str, bytes, bytearray, range)):
        return thing  # type: ignore[no-any-return]
    if is_enumeration(thing):
        return [names_of(thing)["_member_map_"][name] for name in names_of(thing)["_member_names_"]]
    home = find(type(thing), "__iter__")[0]
    if not is_any(home, (list, tuple)) and not is_any(type(thing), (dict, set, frozenset)):
        raise RefusedError(f"iterate over a {name_of(type(thing))}")
    return [allowed(one) for one in home.__iter__(thing)]  # type: ignore[attr-defined]


def item_of(thing: Any, key: Any) -> Any:
    """An item of data, found by a copy of the key; in a dictionary also by the key object itself."""
    if type(thing) is dict and not plain.is_plain((key, list(thing))):
        for one, part in thing.items():
            if one is key or (plain.is_plain((one, key)) and one == key):
                return part
        raise KeyError(name_of(type(key)))
    if is_enumeration(thing) and type(key) is str:
        return names_of(thing)["_member_map_"][key]
    if not is_any(type(thing), _SUBSCRIPTED):
        raise RefusedError(f"take an item of a {name_of(type(thing))}")
    found = thing[copied(key)]
    return type(thing)(items(found)) if type(key) is slice and is_any(type(thing), (list, tuple)) else found


def keys(things: Iterable[Any]) -> Iterator[Any]:
    """The things. Raises RefusedError for one that may not be a key."""
    for thing in things:
        implicit_code.allow_key(thing)
        yield thing


def paired(pairs: Iterable[Any]) -> dict[Any, Any]:
    """A dictionary of these pairs."""
    made = {}
    for pair in pairs:
        key, part = items(pair)
        implicit_code.allow_key(key)
        made[key] = part
    return made


# ------------------------------------------------------------------------------------------------ enumerations


def is_enumeration(thing: Any) -> bool:
    return type(thing) is enum.EnumMeta and is_of_puzzle(thing)


def are_flags(kind: type, operator: str) -> bool:
    """Whether an operator of the class is that of flags."""
    return is_enumeration(kind) and is_any(enum.Flag, mro_of(kind)) and find(kind, operator)[1] is _FLAG.get(operator)


def combined(one: Any, two: Any, operate: Callable[[Any, Any], Any]) -> Any:
    """The flag that an operator makes of two flags."""
    known = names_of(type(one))["_value2member_map_"].items()
    (first,), (second,) = ([number for number, flag in known if flag is each] for each in (one, two))
    return member(type(one), operate(first, second))


def member(kind: type, wanted: Any) -> Any:
    """The member with a value. (Python itself would add a combination of flags, or run code of the puzzle's.)"""
    for number, one in names_of(kind)["_value2member_map_"].items():
        if plain.is_plain(number) and number == wanted:
            return one
    raise RefusedError(f"ask {name_of(kind)} for {wanted!r}, of which it has no member yet")
