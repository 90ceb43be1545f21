"""What is called while a value is made of the puzzle's things: Python's functions and methods of data with copies of
data, the puzzle's functions and classes with anything that is held (see `built`).
"""

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import hooks, library
from .held import Run, copied, held, is_enumeration, items, keys, member, paired
from .kinds import MISSING, find, is_any, name_of
from .policy import RefusedError, reads_attributes

_PURE = """abs all any ascii bin bool bytearray bytes chr complex divmod float format hex int max min oct ord pow range
    repr round slice sorted str sum"""


@dataclass(frozen=True)
class Method:
    """A method of data, before it is called."""

    thing: Any
    name: str


def called(callee: Any, args: list[Any], named: dict[str, Any]) -> Any:
    """What a call gives: of Python's functions with copies of data, or of the puzzle's with anything held."""
    if type(callee) is Method:
        return _of_data(callee.thing, callee.name, args, named)
    for function, instead in _STRUCTURE:
        if callee is function:
            return instead(*args, **named)
    if is_any(callee, BUILTINS.values()) or library.place_of(callee) is not None:
        made = callee(*map(copied, args), **{word: copied(one) for word, one in named.items()})
        return made if find(type(made), "__next__")[1] is MISSING else Run(made)
    if is_enumeration(callee) and len(args) == 1 and not named:
        return member(callee, copied(args[0]))
    hooks.allow_call(callee, [*args, *named.values()])
    return callee(*map(held, args), **{word: held(one) for word, one in named.items()})


def _of_data(thing: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    if name.startswith("_"):
        raise RefusedError(f"read the attribute {name!r} of a {name_of(type(thing))}")
    if name in ("format", "format_map") and reads_attributes(thing):
        raise RefusedError("read attributes by a format")  # they lead from any copy to everything
    if type(thing) is dict and name in ("items", "keys", "values"):
        return Run(getattr(thing, name)(*args, **named))
    return getattr(copied(thing), name)(*map(copied, args), **{word: copied(one) for word, one in named.items()})


# ------------------------------------------------------------------------------------------------ built-in functions


def _dict(things: Any = (), /, **named: Any) -> dict[Any, Any]:
    given = paired(list(things.items()) if type(things) is dict else items(things))
    return {**given, **{word: held(one) for word, one in named.items()}}


_STRUCTURE: list[tuple[Any, Callable[..., Any]]] = [  # they look at no part
    (list, lambda things=(): list(items(things))),
    (tuple, lambda things=(): tuple(items(things))),
    (set, lambda things=(): set(keys(items(things)))),
    (frozenset, lambda things=(): frozenset(keys(items(things)))),
    (dict, _dict),
    (len, lambda things: len(list(items(things)))),
    (reversed, lambda things: Run(reversed(list(items(things))))),
    (enumerate, lambda things, start=0: Run(enumerate(items(things), copied(start)))),
    (zip, lambda *things, strict=False: Run(zip(*map(items, things), strict=copied(strict)))),
    (map, lambda function, *things: Run(called(function, list(one), {}) for one in zip(*map(items, things)))),
]
BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _PURE.split()}
BUILTINS |= {function.__name__: function for function, _ in _STRUCTURE}
