"""Calls while a value is built of the puzzle's things (see `builder`).

Python's functions and methods of data get copies of data; the puzzle's functions and classes get any value that a
solution may hold.
"""

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import implicit_code, safe_library
from .allowed_values import Items, allowed, copied, is_enumeration, items, keys, member, paired
from .inspection import MISSING, find, is_any, name_of
from .text_policy import RefusedError, reads_attributes

_PURE = """abs all any ascii bin bool bytearray bytes chr complex divmod float format hex int max min oct ord pow range
    repr round slice sorted str sum"""


@dataclass(frozen=True)
class Method:
    """A method of data, before it is called."""

    thing: Any
    name: str


def called(callee: Any, args: list[Any], named: dict[str, Any]) -> Any:
    """What a call returns. Raises RefusedError if it is not allowed."""
    if type(callee) is Method:
        return _of_data(callee.thing, callee.name, args, named)
    for function, instead in _STRUCTURE:
        if callee is function:
            return instead(*args, **named)
    if is_any(callee, BUILTINS.values()) or safe_library.place_of(callee) is not None:
        made = callee(*map(copied, args), **{word: copied(one) for word, one in named.items()})
        return made if find(type(made), "__next__")[1] is MISSING else Items(made)
    if is_enumeration(callee) and len(args) == 1 and not named:
        return member(callee, copied(args[0]))
    implicit_code.allow_call(callee, [*args, *named.values()])
    return callee(*map(allowed, args), **{word: allowed(one) for word, one in named.items()})


def _of_data(thing: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    if name.startswith("_"):
        raise RefusedError(f"read the attribute {name!r} of a {name_of(type(thing))}")
    if name in ("format", "format_map") and reads_attributes(thing):
        raise RefusedError("read attributes by a format")  # attributes lead from any copy to everything
    if type(thing) is dict and name in ("items", "keys", "values"):
        return Items(getattr(thing, name)(*args, **named))
    return getattr(copied(thing), name)(*map(copied, args), **{word: copied(one) for word, one in named.items()})


# ------------------------------------------------------------------------------------------------ built-in functions


def _dict(things: Any = (), /, **named: Any) -> dict[Any, Any]:
    given = paired(list(things.items()) if type(things) is dict else items(things))
    return {**given, **{word: allowed(one) for word, one in named.items()}}


_STRUCTURE: list[tuple[Any, Callable[..., Any]]] = [  # they ask nothing of the parts
    (list, lambda things=(): list(items(things))),
    (tuple, lambda things=(): tuple(items(things))),
    (set, lambda things=(): set(keys(items(things)))),
    (frozenset, lambda things=(): frozenset(keys(items(things)))),
    (dict, _dict),
    (len, lambda things: len(list(items(things)))),
    (reversed, lambda things: Items(reversed(list(items(things))))),
    (enumerate, lambda things, start=0: Items(enumerate(items(things), copied(start)))),
    (zip, lambda *things, strict=False: Items(zip(*map(items, things), strict=copied(strict)))),
    (map, lambda function, *things: Items(called(function, list(one), {}) for one in zip(*map(items, things)))),
]
BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _PURE.split()}
BUILTINS |= {function.__name__: function for function, _ in _STRUCTURE}
