"""Functions with a memory: `lru_cache` and `cached_property`.

To call one through its memory would fix an answer, which outlives what it was computed from; to call it past its memory
runs code again that Python would run once. So a solution's code may call one only where neither can be told: where the
function does nothing but compute from plain data.
"""

import builtins
import dis
import math
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from . import kinds
from .policy import RefusedError

_ATOMS = (int, str, bool, type(None), float, bytes, complex)
_HARMLESS = """abs all any bin bool chr dict divmod enumerate filter float frozenset hex int isinstance len list map max
    min ord pow range reversed round set sorted str sum tuple zip IndexError KeyError TypeError ValueError"""
_BUILTINS = {name: getattr(builtins, name) for name in _HARMLESS.split()}
_CHANGES = [
    "STORE_GLOBAL",
    "DELETE_GLOBAL",
    "STORE_ATTR",
    "DELETE_ATTR",
    "STORE_NAME",
    "DELETE_NAME",
    "LOAD_NAME",
    "IMPORT_NAME",
    "LOAD_BUILD_CLASS",
    "LOAD_LOCALS",
]


def past(function: Any, *args: Any) -> Any:
    """What is behind the memory. Raises RefusedError if that does more than to compute from plain data."""
    inner: Any = getattr(function, "__wrapped__", None) if type(function) is kinds.CACHED else function
    known = inner.__code__.co_varnames if kinds.is_code(inner) else ()
    objects = {name for name, one in zip(known, args, strict=False) if not _is_data(one)}
    if not _computes(function, set()) or len(objects) < sum(not _is_data(one) for one in args):
        raise RefusedError("call what the puzzle remembers the answers of, unless it does nothing but compute")
    if any(objects.intersection(_names(step)) for step in _steps(inner.__code__)):
        raise RefusedError("call what the puzzle remembers the answers of, if it reads an object")
    return inner


def _is_data(thing: Any) -> bool:
    if type(thing) in (tuple, frozenset):
        return all(map(_is_data, thing))
    return type(thing) in _ATOMS


def _names(step: dis.Instruction) -> tuple[Any, ...]:
    """The variables of an instruction, of which there may be two."""
    return step.argval if isinstance(step.argval, tuple) else (step.argval,)


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for part in code.co_consts:
        if type(part) is CodeType:
            yield from _steps(part)


def _computes(thing: Any, seen: set[int]) -> bool:
    """Whether a function of the puzzle's changes nothing that is there before it is called."""
    function: Any = getattr(thing, "__wrapped__", None) if type(thing) is kinds.CACHED else thing
    if id(thing) in seen:
        return True
    seen.add(id(thing))
    if not kinds.is_code(function) or function.__closure__ or _has_attributes(thing) or _has_attributes(function):
        return False
    given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    scope = kinds.globals_of(function)
    return all(map(_is_data, given)) and all(
        step.opname not in _CHANGES and (step.opname != "LOAD_GLOBAL" or _is_safe(step.argval, scope, seen))
        for step in _steps(function.__code__)
    )


def _has_attributes(function: Any) -> bool:
    return any(not name.startswith("__") and name != "cache_parameters" for name in function.__dict__)


def _is_safe(name: str, scope: dict[str, Any], seen: set[int]) -> bool:
    """Whether a function may read a global name and still do nothing but compute."""
    if name not in scope:
        return name in _BUILTINS and getattr(builtins, name) is _BUILTINS[name]
    thing = scope[name]
    if type(thing) in (FunctionType, kinds.CACHED):
        return _computes(thing, seen)
    is_of_math = type(thing) is BuiltinFunctionType and thing.__module__ == "math"
    return thing is math or is_of_math or any(thing is one for one in _BUILTINS.values()) or _is_data(thing)
