"""What things are, told without asking them: no code of theirs, and none of the library's, runs here.

Classes, attributes and functions are looked up in the dictionaries in which Python keeps them. Types are compared by
identity, since a class of the puzzle's may have a class with operators of its own.
"""

import builtins
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

DATA = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice)
ERRORS = tuple(one for one in vars(builtins).values() if isinstance(one, type) and issubclass(one, BaseException))
PUZZLE = "__main__"  # where the puzzle's classes say they are from
MISSING: Any = object()

mro_of = type.__dict__["__mro__"].__get__
names_of = type.__dict__["__dict__"].__get__
name_of = type.__dict__["__name__"].__get__
_module_of = type.__dict__["__module__"].__get__
_globals_of: Callable[[Any], dict[str, Any]] = FunctionType.__dict__["__globals__"].__get__
_home: list[dict[str, Any]] = []  # the puzzle's namespace


def enter(puzzle: dict[str, Any]) -> None:
    """From here on, functions of that namespace are the puzzle's."""
    _home[:] = [puzzle]


def is_home(scope: dict[str, Any]) -> bool:
    """Whether a namespace is the puzzle's."""
    return is_any(scope, _home)


def is_any(thing: Any, things: Iterable[Any]) -> bool:
    """Whether it is one of them."""
    return any(thing is one for one in things)


def find(kind: type, name: str) -> tuple[type, Any]:
    """The class that has the attribute, and what lies there; (object, MISSING) if none has."""
    for one in mro_of(kind):
        if name in names_of(one):
            return one, names_of(one)[name]
    return object, MISSING


def is_class(thing: Any) -> bool:
    return is_any(type, mro_of(type(thing)))


def is_of_puzzle(kind: type) -> bool:
    """Whether it is a class of the puzzle's."""
    module = _module_of(kind)
    return type(module) is str and module == PUZZLE


def is_code(thing: Any) -> bool:
    """Whether it is a function of the puzzle's, or one that was written for its named tuples. (Those that are written
    for its data classes have its namespace.)"""
    if type(thing) is not FunctionType:
        return False
    scope = _globals_of(thing)
    name = scope.get("__name__")
    return is_home(scope) or (type(name) is str and name.startswith("namedtuple_"))
