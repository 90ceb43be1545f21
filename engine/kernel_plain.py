"""Kernels without machine code run as Python functions for some seconds, while another process compiles them.

Compiling takes longer than the work of most first commands. So a call from Python of a kernel that is not in the cache
runs the kernel's Python function, and the kernel is reported as wanted (`antemill.engine.wanted`). This is done only
while the work is small: for arguments of at most `LARGEST` bytes, and for `LONGEST` seconds of such calls in a process.
The seconds are processor time, so that a busy machine compiles no more than an idle one. A call that takes longer is
abandoned: its arrays get their former contents, and the kernel is compiled and called. The same happens to a call that
ends in an error: machine code may divide by zero, wrap, and recurse more deeply than Python.

A kernel changes only its arguments, so an abandoned call leaves no trace. Whole numbers and floating-point numbers are
returned as Python's, as they are from machine code. Kernels that a running kernel calls run as Python too, and check
the time, so that a call is abandoned soon after its time is over.

Environment: `ANTEMILL_COMPILE=1` compiles each kernel at its first call.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from types import FunctionType
from typing import Any, Final, cast

import numpy as np
from numba.core import types
from numba.core.dispatcher import OmittedArg

from antemill.engine.wanted import wanted

LONGEST: Final = 5.0  # seconds of a processor; compiling what a small command needs takes 10 to 40
_BETWEEN: Final = 16  # calls of kernels between two checks of the time
LARGEST: Final = 1 << 26  # bytes; the buffers of the gate take a third of it


class _TooLong(BaseException):
    """The time for calls in Python is over."""


class _Here(threading.local):
    """The state of this thread. running: the time until which a kernel runs as Python. calls: of kernels by kernels."""

    running: bool = False
    until: float = 0.0
    calls: int = 0


_here = _Here()
_at_once = os.environ.get("ANTEMILL_COMPILE") == "1" or os.environ.get("ANTEMILL_BOUNDSCHECK") == "1"
_spent = 0.0
_noted: set[object] = set()
_plain: dict[str, dict[str, Any]] = {}  # by module


@contextmanager
def compiled_at_once() -> Iterator[None]:
    """In this block all threads compile a kernel at its first call."""
    global _at_once
    before, _at_once = _at_once, True
    try:
        yield
    finally:
        _at_once = before


def instead_of_compiling(kernel: Any, arguments: tuple[Any, ...]) -> Callable[..., Any] | None:
    """A substitute for machine code that the process does not have, for these arguments; None: compile the kernel."""
    if _here.running:
        plain = plainly(kernel)
        return partial(_called, plain) if _omits(arguments) else plain
    if _at_once or _spent >= LONGEST or not hasattr(kernel._cache, "kept") or _bytes(arguments) > LARGEST:
        return None
    signature = types_of(kernel, arguments)
    if "Dispatcher(" in str(signature) or kernel._cache.kept(signature, kernel.targetctx):
        return None
    if (call := (kernel, signature)) not in _noted:
        _noted.add(call)
        wanted(kernel.py_func.__module__, kernel.py_func.__qualname__, signature)
    return partial(_run, kernel)


def _run(kernel: Any, *arguments: Any) -> Any:
    """The result of the Python function, or of the compiled kernel if that takes too long or may differ."""
    global _spent
    before = [(array, array.copy()) for array in _arrays(arguments) if array.flags.writeable]
    began = time.thread_time()
    _here.running, _here.until = True, began + max(0.0, LONGEST - _spent)
    try:
        with np.errstate(all="ignore"):
            return _as_machine_code_returns(_called(plainly(kernel), *arguments))
    except (_TooLong, Exception):
        for array, content in before:
            array[...] = content
    finally:
        _here.running = False
        _spent += time.thread_time() - began
    with compiled_at_once():
        return _called(kernel, *arguments)


@cache
def plainly(kernel: Any) -> Callable[..., Any]:
    """The Python function of a kernel, changed to call other kernels as Python functions and to check the time.

    In it, the module's names of kernels refer to functions like this one. Otherwise each call would go through numba,
    which determines the types of all arguments: for a tuple of twenty arrays this takes longer than most kernels.
    """
    python = kernel.py_func
    names = _plain_names(python.__module__, python.__globals__)
    function = FunctionType(python.__code__, names, python.__name__, python.__defaults__, python.__closure__)
    function.__kwdefaults__ = python.__kwdefaults__

    def call(*arguments: Any, **named: Any) -> Any:
        _here.calls += 1
        if not _here.calls % _BETWEEN and time.thread_time() > _here.until:
            raise _TooLong
        return function(*arguments, **named)

    return call


def _plain_names(module: str, names: dict[str, Any]) -> dict[str, Any]:
    """A module's names, with functions in place of kernels; for a function without a module, its own names."""
    if module in _plain:
        return _plain[module]
    if getattr(sys.modules.get(module), "__dict__", None) is not names:
        return names
    _plain[module] = plain = dict(names)
    plain.update({name: plainly(value) for name, value in names.items() if "py_func" in getattr(value, "__dict__", ())})
    return plain


def types_of(kernel: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types of the arguments of a call from Python, as numba names them."""
    return tuple(map(partial(_type_of, kernel), arguments))


def _omits(arguments: tuple[Any, ...]) -> bool:
    return any(isinstance(one, OmittedArg) for one in arguments)


def _called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, with the default values that numba represents by objects of its own."""
    return function(*(one.value if isinstance(one, OmittedArg) else one for one in arguments))


def _type_of(kernel: Any, argument: Any) -> object:
    return (
        cast(Any, types).Omitted(argument.value) if isinstance(argument, OmittedArg) else kernel.typeof_pyval(argument)
    )


def _arrays(value: object) -> Iterator[np.ndarray[Any, Any]]:
    """All arrays of an argument, which may be a tuple of tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)


def _bytes(arguments: tuple[Any, ...]) -> int:
    return sum(array.nbytes for array in _arrays(arguments))


def _as_machine_code_returns(value: Any) -> Any:
    """A value with its numbers as Python's own, also in tuples."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        parts = map(_as_machine_code_returns, value)
        return cast(Any, type(value))(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
