"""The one `@kernel` decorator, which makes every compiled function of the project.

`antemill.engine.kernel_cache` keeps the machine code on disk. This is the only module that makes numba compile
anything. Environment: `ANTEMILL_BOUNDSCHECK=1` compiles with checked array indices; `ANTEMILL_CACHE` names the root of
the cache.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal, ParamSpec, Protocol, TypeVar, cast, overload

from numba.core import config as numba_config
from numba.core import types
from numba.core.compiler import Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.types import BaseFunction

from antemill.engine.kernel_cache import boundscheck, cache_of, release
from antemill.engine.kernel_forms import Cores, calls_in_a_circle, entry_of
from antemill.engine.kernel_plain import instead_of_compiling, types_of

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Inline = Literal["never", "late", "always"]
ErrorModel = Literal["numpy", "python"]

_OBJECTS: Final = 100_000  # allocations before garbage is collected, while numba compiles


class Kernel(Protocol[P, R]):
    """A compiled function, called like the Python function that it was made from, by Python and by other kernels."""

    @property
    def py_func(self) -> Callable[P, R]:
        """The function before compilation."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


class _Dispatcher(CPUDispatcher):
    """Numba's dispatcher, changed to compile a function once where numba alone compiles it many times.

    Numba alone compiles a kernel for every constant that another kernel passes, and for every type of whole number: a
    member of an enumeration, 32 bits, 64 bits. Here signed whole numbers from another kernel are widened to 64 bits.
    Unsigned numbers and booleans keep their types, and so do all arguments from Python.

    Numba's overloads hold the code for other kernels; Python calls the entries (`antemill.engine.kernel_forms`).
    """

    def __init__(self, python: Callable[..., object], options: dict[str, Any]) -> None:
        cast(Any, super()).__init__(python, targetoptions=options)
        self._compiler = Cores(python, cast(Any, self).targetdescr, options)
        self._compiler._customize_flags = _without_entry
        self._entries: dict[tuple[Any, ...], Any] = {}

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        """The argument types for which there is code."""
        return list(dict.fromkeys((*cast(Any, self).overloads, *self._entries)))

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """The signature and the argument types of a kernel in its order; numba asks for a recursive kernel, too."""
        signature, args = cast(Any, super()).fold_argument_types(args, kws)
        return signature, tuple(map(_widened, args))

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The function that a calling kernel calls, for the types of its arguments."""
        return super().get_call_template(self.fold_argument_types(args, kws)[1], {})

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Answer a call from Python for whose argument types there is no machine code; numba calls this."""
        if (instead := instead_of_compiling(self, args)) is not None:
            return instead
        kinds = types_of(self, args)
        if kinds not in self._entries and not self._load_entry(kinds):
            cast(Any, super())._compile_for_args(*args, **kws)
            self._make_entry(kinds)
        return self._entries[kinds].entry_point

    def compile_entry(self, kinds: tuple[Any, ...]) -> None:
        """Compile for calls from Python with arguments of these types, or load the code."""
        if kinds not in self._entries and not self._load_entry(kinds):
            self.compile(kinds)
            self._make_entry(kinds)

    def compile(self, sig: Any) -> Any:
        """Compile for these types, or load the code that another process has compiled.

        Numba's own method also measures how long it takes, which takes as long as inferring types.
        """
        this = cast(Any, self)
        if (known := this.overloads.get(sig)) is not None:
            return known.entry_point
        # The lock comes before the kernel's, which threads wait for.
        with cast(Any, global_compiler_lock), _few_collections(), _resolving_once(), this._compiling_counter:
            try:
                return self._core(sig).entry_point
            finally:
                release(this._cache)

    def _core(self, kinds: tuple[Any, ...]) -> Any:
        """The code for other kernels, from the cache or from the compiler."""
        this = cast(Any, self)
        if kinds in this.overloads:  # another thread was faster
            return this.overloads[kinds]
        found = this._cache.load_overload(kinds, this.targetctx)
        (this._cache_misses if found is None else this._cache_hits)[kinds] += 1
        core = self._compiler.compile(kinds, None) if found is None else found
        core.target_context.insert_user_function(core.entry_point, core.fndesc, [core.library])
        self.add_overload(core)
        if found is None:
            this._cache.save_overload(kinds, core)
        return core

    def add_overload(self, core: Any) -> None:
        """Record code for other kernels, which Python cannot call."""
        cast(Any, self).overloads[tuple(core.signature.args)] = core

    def _load_entry(self, kinds: tuple[Any, ...]) -> bool:
        this = cast(Any, self)
        if not hasattr(this._cache, "load_entry"):
            return False
        with cast(Any, global_compiler_lock):
            found = this._cache.load_entry(kinds, this.targetctx)
        if found is not None:
            this._cache_hits[kinds] += kinds not in this.overloads
            self._enter(kinds, found)
        return found is not None

    def _make_entry(self, kinds: tuple[Any, ...]) -> None:
        this = cast(Any, self)
        with cast(Any, global_compiler_lock), _few_collections():
            if kinds in self._entries:  # another thread was faster
                return
            flags = cast(Any, Flags)()
            this.targetdescr.options.parse_as_flags(flags, this.targetoptions)
            entry = entry_of(this.overloads[kinds], flags)
            if hasattr(this._cache, "save_entry") and not calls_in_a_circle(entry):
                this._cache.save_entry(kinds, entry)
            self._enter(kinds, entry)

    def _enter(self, kinds: tuple[Any, ...], entry: Any) -> None:
        self._entries[kinds] = entry
        cast(Any, self)._insert([kind._code for kind in kinds], entry.entry_point, False)


class _Flags(Flags):
    """Numba's flags, with a fast comparison: numba compares them a hundred thousand times, mostly with themselves."""

    _HASH: Final = hash(cast(Any, Flags)())  # numba's hash is the same for all flags

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Flags) and self._values == cast(Any, other)._values)


def _without_entry(flags: Any) -> _Flags:
    """The flags of a kernel's code for other kernels."""
    own = _Flags(flags)  # type: ignore[no-untyped-call]
    own.no_compile = own.no_cpython_wrapper = True  # type: ignore[assignment]
    return own


@contextmanager
def _few_collections() -> Iterator[None]:
    """Run the garbage collector rarely in this block: few of numba's many objects are cyclic garbage."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], _OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


_resolve: Any = cast(Any, BaseFunction).get_call_type
_resolved: dict[tuple[int, ...], tuple[Any, ...]] = {}  # by identities of the objects after the signature, kept alive


def _resolve_once(function: Any, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """The signature of a call of one of numba's functions for arguments of these types.

    Numba tries all forms of a function, about forty for an addition, several times at each call in a kernel. The result
    for a form in Python code is not kept, since numba compiles that code for each kernel's options.
    """
    key = (id(function), id(context), *map(id, args))
    if not kws and (known := _resolved.get(key)) is not None:
        return known[0]
    signature = _resolve(function, context, args, kws)
    if not kws and function._impl_keys[signature.args] is function.typing_key:
        _resolved[key] = (signature, function, context, args)
    return signature


@contextmanager
def _resolving_once() -> Iterator[None]:
    """In this block a call is resolved once per process for the same types."""
    numba: Any = BaseFunction
    before = numba.get_call_type
    numba.get_call_type = _resolve_once
    try:
        yield
    finally:
        numba.get_call_type = before


def _widened(kind: Any) -> Any:
    """The type with which an argument is compiled."""
    kind = cast(Any, types).unliteral(kind)
    whole = kind in types.signed_domain or isinstance(kind, types.IntEnumMember)
    return types.int64 if whole else kind


@overload
def kernel(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def kernel(
    *, inline: Inline = ..., allocates: bool = ..., fastmath: bool = ..., error_model: ErrorModel = ...
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    function: Callable[P, R] | None = None,
    /,
    *,
    inline: Inline = "never",
    allocates: bool = False,
    fastmath: bool = False,
    error_model: ErrorModel = "numpy",
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Compile a function on its first call, without the global interpreter lock, and keep the result on disk.

    Use it as `@kernel` or as `@kernel(inline="late")`. "late" copies its machine code into every caller's. "always"
    copies its source, which takes several times as long to compile. A kernel that makes arrays needs `allocates=True`;
    all others are compiled without numba's reference counting, which takes longer than a short loop. With
    `error_model="numpy"` a division by zero gives an infinity or, for integers, 0; "python" raises ZeroDivisionError.
    """

    options: dict[str, Any] = {"fastmath": fastmath, "error_model": error_model, "_nrt": allocates}
    options |= {"forceinline": True} if inline == "late" else {"inline": inline}
    options |= {"nopython": True, "nogil": True, "boundscheck": boundscheck()}
    options |= {"no_cfunc_wrapper": True}  # the wrapper is for calls by address, which do not occur

    def compiled(python: Callable[P, R]) -> Kernel[P, R]:
        if cast(Any, numba_config).DISABLE_JIT:
            return cast(Kernel[P, R], python)
        dispatcher: Any = _Dispatcher(python, options)
        if (kept := cache_of(python)) is not None:
            dispatcher._cache = kept
        return cast(Kernel[P, R], dispatcher)

    return compiled if function is None else compiled(function)
