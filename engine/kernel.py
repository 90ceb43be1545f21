"""The one `@kernel` decorator: every compiled function of the project is made here.

`engine.kernel_cache` keeps the machine code on disk. This is the only module that imports numba's `njit`.
Environment: `ANTEMILL_BOUNDSCHECK=1` compiles with checked array indices; `ANTEMILL_CACHE` names the root of the cache.
"""

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast, overload

import numba
from numba.core import config as numba_config

from engine.kernel_cache import boundscheck, cache_of

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Inline = Literal["never", "late", "always"]
ErrorModel = Literal["numpy", "python"]


class Kernel(Protocol[P, R]):
    """A compiled function, called like the Python function that it was made from, by Python and by other kernels."""

    @property
    def py_func(self) -> Callable[P, R]:
        """The function before compilation."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


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

    Use it as `@kernel` or as `@kernel(inline="late")`. "late": its machine code becomes part of every caller's.
    "always": its source does, which takes several times as long to compile. A kernel that makes arrays says
    `allocates=True`; all others are compiled without numba's reference counting, which costs more than the work of a
    short loop. `error_model="numpy"` divides by zero to an infinity or, for integers, to 0; "python" raises
    ZeroDivisionError.
    """

    options: dict[str, Any] = {"fastmath": fastmath, "error_model": error_model, "_nrt": allocates}
    options |= {"forceinline": True} if inline == "late" else {"inline": inline}

    def compiled(python: Callable[P, R]) -> Kernel[P, R]:
        jit: Any = numba.njit(nogil=True, boundscheck=boundscheck(), **options)
        dispatcher: Any = jit(python)
        if not cast(Any, numba_config).DISABLE_JIT and (kept := cache_of(python)) is not None:
            dispatcher._cache = kept
        return cast(Kernel[P, R], dispatcher)

    return compiled if function is None else compiled(function)
