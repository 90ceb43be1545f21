"""A value with code of the solution's own in it, a lambda above all: made before anything of the puzzle's exists.

The expression is evaluated in a fresh interpreter, held to the `policy`, in a namespace of its own: Python's functions
and parts of its library that keep nothing which could be changed (`library`), and copies of the puzzle's plain data.
These come from another interpreter, in which the puzzle ran before, as bytes; whoever forges them has forged constants
in a namespace of their own. Then the puzzle's code is executed, in its namespace, and `mystery` gets the value. So from
the solution's code no way leads to an object of the puzzle's but the arguments that the puzzle hands over.
"""

import ast
import builtins
import importlib
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from . import library, policy, value
from .kinds import is_any
from .policy import RefusedError

Told = dict[str, tuple[Any, ...]]  # by name: "data" and what it is, "part" and where in the library, "own" otherwise
_FOR_DATES = ("time", "_strptime")  # what strftime and strptime of dates import
_OWN: dict[str, Any] = {**library.SAFE_BUILTINS, "type": library.Kind}


def tell(names: Iterable[str], puzzle: dict[str, Any]) -> Told:
    """What those names of the puzzle's stand for, after its code ran."""
    return {name: _told(puzzle[name]) for name in names if name in puzzle}


def _told(thing: Any) -> tuple[Any, ...]:
    if value.is_plain(thing):
        return "data", thing
    name = library.name_of(thing) if type(thing) is ModuleType else ""
    place = (name,) if name else library.place_of(thing)
    return ("part", *place) if place else ("own",)


def make(tree: ast.Expression, names: set[str], told: Told) -> Any:
    """The value of an expression that takes these names from outside, or binds them itself. Raises RefusedError,
    NameError, and what it raises."""
    policy.check(tree)
    bound = {node.target.id for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}
    given = {name: _given(name, *told[name]) for name in names & told.keys() - bound}
    for name in names - bound - given.keys() - _OWN.keys() - {"__import__"}:
        if hasattr(builtins, name):
            raise RefusedError(f"use {name!r}")
        raise NameError(f"name {name!r} is not defined")
    own = {**_OWN, "__import__": _imported}
    scope = {"__name__": "<solution>", "__builtins__": own, **given}
    return _real(eval(compile(tree, "<solution>", "eval", dont_inherit=True), scope))


def _imported(name: str, *_: Any) -> Any:
    """What `__import__` gives the solution's code. Functions in C import by it, too, whatever it gives."""
    if name in _FOR_DATES:
        importlib.import_module(name)
        return library.Part()
    return library.part_of(name)


def _real(made: Any) -> Any:
    """The value as the puzzle gets it, with `type` itself for what stands for it."""
    if is_any(type(made), (list, tuple)) and any(part is library.Kind for part in made):
        return type(made)(map(_real, made))
    return type if made is library.Kind else made


def _given(name: str, how: str, *what: Any) -> Any:
    if how == "data":
        return what[0]
    if how == "part":
        return library.part_of(*what)
    raise RefusedError(
        f"use the puzzle's {name!r} where it has code of its own (a lambda, say): it can be written anew there, or the"
        " value be given without such code"
    )
