"""A value that contains code of the solution's own, such as a lambda: made before anything of the puzzle's exists.

The expression is evaluated in a fresh interpreter, under the `text_policy`, in a namespace of its own. That namespace
has Python's functions and parts of its library that keep no state (`safe_library`), and copies of the puzzle's plain
data. The copies come as bytes from another interpreter, in which the puzzle ran before; a solution that forges them has
forged constants in its own namespace. Then the puzzle's code is executed in the puzzle's namespace, and `mystery` gets
the value. So the solution's code reaches no object of the puzzle's except the arguments that the puzzle passes to it.
"""

import ast
import builtins
import importlib
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from . import plain, safe_library, text_policy
from .inspection import is_any
from .text_policy import RefusedError

# name: ("data", value) for plain data, ("part", module) or ("part", module, name) for the library, otherwise ("own",)
Origins = dict[str, tuple[Any, ...]]
_FOR_DATES = ("time", "_strptime")  # imported by strftime and strptime of dates
_OWN: dict[str, Any] = {**safe_library.SAFE_BUILTINS, "type": safe_library.Kind}


def origins_of(names: Iterable[str], puzzle: dict[str, Any]) -> Origins:
    """What these names stand for in the puzzle's namespace, after its code ran."""
    return {name: _origin(puzzle[name]) for name in names if name in puzzle}


def _origin(thing: Any) -> tuple[Any, ...]:
    if plain.is_plain(thing):
        return "data", thing
    name = safe_library.name_of(thing) if type(thing) is ModuleType else ""
    place = (name,) if name else safe_library.place_of(thing)
    return ("part", *place) if place else ("own",)


def make(tree: ast.Expression, names: set[str], origins: Origins) -> Any:
    """The value of an expression that takes these names from outside, or binds them itself.

    Raises RefusedError, NameError, and what the expression raises.
    """
    text_policy.check(tree)
    bound = {node.target.id for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}
    given = {name: _given(name, *origins[name]) for name in names & origins.keys() - bound}
    for name in names - bound - given.keys() - _OWN.keys() - {"__import__"}:
        if hasattr(builtins, name):
            raise RefusedError(f"use {name!r}")
        raise NameError(f"name {name!r} is not defined")
    own = {**_OWN, "__import__": _imported}
    scope = {"__name__": "<solution>", "__builtins__": own, **given}
    return _real(eval(compile(tree, "<solution>", "eval", dont_inherit=True), scope))


def _imported(name: str, *_: Any) -> Any:
    """`__import__` for the solution's code. Functions in C call it, too, and ignore what it returns."""
    if name in _FOR_DATES:
        importlib.import_module(name)
        return safe_library.Part()
    return safe_library.part_of(name)


def _real(made: Any) -> Any:
    """The value as the puzzle gets it: `type` itself replaces its stand-in."""
    if is_any(type(made), (list, tuple)) and any(part is safe_library.Kind for part in made):
        return type(made)(map(_real, made))
    return type if made is safe_library.Kind else made


def _given(name: str, how: str, *what: Any) -> Any:
    if how == "data":
        return what[0]
    if how == "part":
        return safe_library.part_of(*what)
    raise RefusedError(
        f"use the puzzle's {name!r} where it has code of its own (a lambda, say): it can be written anew there, or the"
        " value be given without such code"
    )
