"""What things are, found without running their code or the library's.

Classes, attributes and functions are looked up in the dictionaries in which Python keeps them. Types are compared by
identity, because a class of the puzzle's may have a metaclass with its own `__eq__`.
"""

import builtins
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

DATA = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice)
ERRORS = tuple(one for one in vars(builtins).values() if isinstance(one, type) and issubclass(one, BaseException))
PUZZLE = "__main__"  # the module of the puzzle's classes
MISSING: Any = object()

mro_of = type.__dict__["__mro__"].__get__
names_of = type.__dict__["__dict__"].__get__
name_of = type.__dict__["__name__"].__get__
_module_of = type.__dict__["__module__"].__get__
_globals_of: Callable[[Any], dict[str, Any]] = FunctionType.__dict__["__globals__"].__get__
_home: list[dict[str, Any]] = []  # the puzzle's namespace


def enter(puzzle: dict[str, Any]) -> None:
    """Say which namespace is the puzzle's."""
    _home[:] = [puzzle]


def is_home(scope: dict[str, Any]) -> bool:
    """Whether a namespace is the puzzle's."""
    return is_any(scope, _home)


def is_any(thing: Any, things: Iterable[Any]) -> bool:
    """Whether it is one of them, by identity."""
    return any(thing is one for one in things)


def find(kind: type, name: str) -> tuple[type, Any]:
    """The class in whose dictionary the attribute is, and its value there; (object, MISSING) if no class has it."""
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
    """Whether it is a function of the puzzle's, or one that `namedtuple` wrote for it. (Those that `dataclass` writes
    have the puzzle's namespace.)"""
    if type(thing) is not FunctionType:
        return False
    scope = _globals_of(thing)
    name = scope.get("__name__")
    return is_home(scope) or (type(name) is str and name.startswith("namedtuple_"))
