"""A barrier at which kernels on several threads wait for each other.

The steps of an iteration take microseconds, so the threads meet without leaving their kernels. The last one to arrive
releases the others, which spin, and yield the processor if the wait is long. Abandoning the barrier releases every
thread that waits or will wait; what they compute afterwards is invalid.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from antemill.engine.kernel import kernel

_LINE = 16  # words: each counter has a cache line of its own, of up to this size
_ARRIVED, _ROUND, _ABANDONED = 0, _LINE, 2 * _LINE
_SPINS = 2_000  # some microseconds

_give_way: Any = types.ExternalFunction("sched_yield", types.int32())


def new_barrier() -> npt.NDArray[np.int64]:
    """A new barrier, to pass to the kernels."""
    return np.zeros(3 * _LINE, np.int64)


def abandon(barrier: npt.NDArray[np.int64]) -> None:
    """Release every thread that waits at the barrier, now or later."""
    barrier[_ABANDONED] = 1


def _pointer(context: Any, builder: Any, signature: Any, array: Any, index: Any) -> Any:
    view = context.make_array(signature.args[0])(context, builder, array)
    return builder.gep(view.data, [index])


def _typed_add(_typing_context: Any, array: Any, _index: Any, _amount: Any) -> Any:
    """Add to array[index] in one step; returns what it was before. Orders all memory around it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments[0], arguments[1])
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), generate


def _typed_read(_typing_context: Any, array: Any, _index: Any) -> Any:
    """The value of array[index]; later reads see all that was written before that value."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments[0], arguments[1])
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(array, types.intp), generate


_add: Any = intrinsic(_typed_add)
_read: Any = intrinsic(_typed_read)


@kernel
def wait(barrier: np.ndarray, workers: int) -> None:
    """Wait until all `workers` threads are here."""
    if workers == 1:
        return
    now = _read(barrier, _ROUND)
    if _add(barrier, _ARRIVED, 1) == workers - 1:
        _add(barrier, _ARRIVED, -workers)
        _add(barrier, _ROUND, 1)
        return
    spins = 0
    while _read(barrier, _ROUND) == now and _read(barrier, _ABANDONED) == 0:
        spins += 1
        if spins > _SPINS:
            _give_way()
