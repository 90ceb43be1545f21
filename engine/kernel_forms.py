"""A kernel's two forms: its code for other kernels, and the entry through which Python calls it.

Numba makes an entry for each kernel, which takes Python's arguments apart: for a tuple of twenty arrays that is more
code than most kernels have. And it turns each kernel into machine code, also those of which every caller has a copy.
Most kernels are called by kernels alone. So an entry is made when Python first calls a kernel for these types, and the
code for other kernels is optimised and kept as LLVM's bitcode. It becomes machine code if callers do not copy it:
because it is large (`antemill.engine.kernel_links`), or because kernels call each other in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, cast

import llvmlite.binding
from numba.core import dispatcher
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler, CompileResult, Flags, _make_subtarget
from numba.core.environment import Environment, lookup_environment
from numba.core.targetconfig import ConfigStack
from numba.extending import overload
from numba.np import arrayobj

_ENVIRONMENT = "_ZN08NumbaEnv"


def _other_shape(_source: Any, _target: Any) -> None:
    """What a kernel calls where an array is assigned to a slice of another shape."""


@overload(_other_shape)
def _raise_other_shape(_source: Any, _target: Any) -> Any:
    def raise_other_shape(_source: Any, _target: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return raise_other_shape


@contextmanager
def _short_error() -> Iterator[None]:
    """In this block such an error does not name the shapes: writing them is more code than most kernels have.

    Numba compiles under a lock, so no other code is compiled meanwhile.
    """
    numba: Any = arrayobj
    before = numba.raise_with_shape_context
    numba.raise_with_shape_context = _other_shape
    try:
        yield
    finally:
        numba.raise_with_shape_context = before


class Library(cast(Any, JITCodeLibrary)):  # type: ignore[misc]
    """Code that is optimised and can be copied into other code; it becomes machine code when that is asked for."""

    emitted = False

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def emit(self) -> None:
        """Make machine code of it."""
        if not self.emitted:
            self.emitted = True
            self._ensure_finalized()
            self._dynamic_globals.clear()
            super()._finalize_final_module()

    def serialize_using_object_code(self) -> tuple[str, str, Any]:
        """Its stored form, with machine code if it has any."""
        if self.emitted:
            return cast(tuple[str, str, Any], super().serialize_using_object_code())
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()


class _Core:
    """What numba finds the code of a kernel by, in the place of a function that Python can call."""


class _Pipeline(Compiler):
    def compile_extra(self, func: Any) -> Any:
        state = cast(Any, self).state
        state.library = Library(state.targetctx.codegen(), func.__qualname__)
        state.library.enable_object_caching()
        return cast(Any, super()).compile_extra(func)


class Cores(cast(Any, dispatcher)._FunctionCompiler):  # type: ignore[misc]
    """Numba's compiler of a kernel, without the entry."""

    def __init__(self, python: Any, target: Any, options: Any) -> None:
        cast(Any, super()).__init__(python, target, options, {}, _Pipeline)

    def compile(self, args: Any, return_type: Any) -> Any:
        """Numba's result; its code is not machine code unless kernels call each other in a circle."""
        with _short_error():
            core = cast(Any, super()).compile(args, return_type)._replace(entry_point=_Core())
        core.library._ensure_finalized()
        if calls_in_a_circle(core):
            make_machine_code(core)
        return core


def is_entry(compiled: Any) -> bool:
    """Whether this is what Python calls, and not the code for other kernels."""
    return not isinstance(compiled.entry_point, _Core)


def calls_in_a_circle(compiled: Any) -> bool:
    """Whether a kernel is called before it is compiled; numba keeps no address of it, and loading it crashes."""
    names = (each.name for each in compiled.library._final_module.global_variables)
    return any(name.startswith(cast(Any, RuntimeLinker).PREFIX) for name in names)


def make_machine_code(core: Any) -> None:
    """Make the code callable by its name for the linker."""
    core.library.emit()
    for variable in core.library._final_module.global_variables:
        if variable.name.startswith(_ENVIRONMENT) and (found := cast(Any, lookup_environment)(variable.name)):
            core.library.codegen.set_env(variable.name, found)


def core_of(target_context: Any, kept: tuple[Any, ...]) -> Any:
    """A kernel's code for other kernels from its stored form, which numba's `CompileResult._reduce` has made."""
    (name, kind, data), description, environment, signature, _, lifted, annotation, reload_init, environments = kept
    library = Library(target_context.codegen(), name)
    if kind == "bitcode":
        library._final_module = cast(Any, llvmlite.binding).parse_bitcode(data)
        library._finalize_final_module()
    else:
        machine_code, shared = data
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        library._shared_module = cast(Any, llvmlite.binding).parse_bitcode(shared)
        library._finalized = True
        library.emit()
        library.codegen._engine._load_defined_symbols(library._shared_module)
        for each in environments:
            library.codegen.set_env(each.env_name, each)
    return cast(Any, CompileResult)(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=_Core(),
        typing_error=None,
        type_annotation=annotation,
        signature=signature,
        objectmode=False,
        lifted=lifted,
        fndesc=description,
        library=library,
        call_helper=None,
        environment=environment,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=environments,
    )


def entry_of(core: Any, flags: Flags) -> Any:
    """Numba's result for the entry alone, whose `entry_point` is the function that Python calls.

    What it makes Python's values with is in an environment of its own: numba keeps one for each name in a process, and
    that of the code for other kernels has none of it.
    """
    description = copy(core.fndesc)
    description.env_name += "entry"
    environment = cast(Any, Environment).from_fndesc(description)
    context = cast(Any, _make_subtarget)(core.target_context, flags)
    library = Library(context.codegen(), f"{core.library.name}.entry")
    library.enable_object_caching()
    library.add_linking_library(core.library)
    with cast(Any, ConfigStack)().enter(flags), context.push_code_library(library):
        context.create_cpython_wrapper(library, description, environment, None, release_gil=True)
    library.emit()
    library._shared_module = cast(Any, llvmlite.binding).parse_assembly("")  # no code calls an entry
    function = context.get_executable(library, description, environment)
    return core._replace(library=library, entry_point=function, fndesc=description, environment=environment)
