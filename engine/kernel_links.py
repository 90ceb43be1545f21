"""Kernels call the one machine code of a large kernel, where numba would put a copy of it into every caller.

Numba passes the code of a kernel, and of all that it calls, to each caller. There it is optimised and compiled a second
time, although the optimiser does not inline a large function: the end of a chain of calls is compiled as often as the
chain has links. Here a caller sees only the declaration of a large kernel, and the linker finds the one machine code.
Small kernels come with their code, since it may be inlined.

A kernel's file on disk names the large kernels that it calls, and they are loaded first. If one of them is another than
at compilation (because it was lost and compiled again), the calling kernel has to be compiled again as well.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import llvmlite.binding

from antemill.engine.kernel_forms import is_entry, make_machine_code

LARGE: Final = 400  # lines of optimised code: the optimiser inlines some fifty instructions, seldom twice as many

_SURROUNDINGS = re.compile(r"^(?:attributes #|target ).*$", re.MULTILINE)
_END = re.compile(r"(?: ![\w.]+ !\d+)* \{$")  # of a definition's head, with what describes its lines to debuggers


class Link(NamedTuple):
    """A large kernel, compiled for one list of types."""

    symbol: str  # its name for the linker, a new one at each compilation
    module: str
    name: str
    types: tuple[object, ...]


class Linked(NamedTuple):
    """The stored form of a kernel's code or of its entry: its link name, the large kernels it calls, numba's data."""

    defines: tuple[str, ...]
    calls: tuple[Link, ...]
    is_entry: bool
    data: tuple[Any, ...]


_offered: dict[str, Link] = {}  # by symbol


def offer(function: Callable[..., object], types: tuple[object, ...], compiled: Any) -> None:
    """Make a compiled kernel callable by name from other kernels, if it is large and other processes can find it.

    compiled: numba's result, before its code was requested.
    """
    link = Link(compiled.fndesc.llvm_func_name, function.__module__, function.__qualname__, types)
    if getattr(_found(link), "py_func", None) is not function:
        return
    code = compiled.library.get_function(link.symbol)
    text = str(code)
    if text.count("\n") > LARGE and not any(b"alwaysinline" in each for each in code.attributes):
        head = next(line for line in text.splitlines() if line.startswith("define "))
        declaration = _END.sub("", head).replace("define", "declare", 1)
        text = "\n".join([*_SURROUNDINGS.findall(str(compiled.library._final_module)), declaration])
        compiled.library._shared_module = cast(Any, llvmlite.binding).parse_assembly(text)
        make_machine_code(compiled)
        _offered[link.symbol] = link


def reduced(compiled: Any, data: tuple[Any, ...]) -> Linked:
    """The stored form of a kernel. data: numba's."""
    declared = [each.name for each in compiled.library._final_module.functions if each.is_declaration]
    entry = is_entry(compiled)
    name = compiled.fndesc.llvm_cpython_wrapper_name if entry else compiled.fndesc.llvm_func_name
    return Linked((name,), tuple(_offered[each] for each in declared if each in _offered), entry, data)


def load_calls(kept: Linked, engine: Any) -> bool:
    """Load the kernels that a kernel calls into numba's `engine`. Whether all are those it was compiled for."""
    for link in kept.calls:
        if link.symbol not in _offered and (kernel := _found(link)) is not None:
            kernel.compile(link.types)
        if link.symbol not in _offered:
            return False
    engine._defined_symbols.update(kept.defines)  # numba looks for them in the code for callers, which may not be there
    return True


def loaded(function: Callable[..., object], types: tuple[object, ...], compiled: Any) -> None:
    """Record that a kernel was loaded, so that kernels compiled for it can be loaded."""
    symbol = compiled.fndesc.llvm_func_name
    _offered[symbol] = Link(symbol, function.__module__, function.__qualname__, types)


def _found(link: Link) -> Any:
    module = sys.modules.get(link.module) or importlib.import_module(link.module)
    return getattr(module, link.name, None)
