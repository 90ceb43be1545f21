"""Repeated arguments of a kernel, kept in the kernel's own form, so that one call can take many of one type.

Numba unpacks every array of an argument at each call. For the arrays of a game's lanes this takes ten microseconds,
more than a step of a dozen lanes. So the unpacked form is kept in memory and read from there. It points only to the
arrays' data: its pointers to Python objects and to memory with a reference count are empty. `Kept` holds the arrays for
as long as such pointers exist. A referenced array does not move: numpy moves an array only in `resize`, which refuses
arrays that are referenced elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from numba import typeof, types
from numba.core import config
from numba.extending import intrinsic

from antemill.engine.kernel import kernel

Words = npt.NDArray[np.int64]

COMPILED = not cast(Any, config).DISABLE_JIT  # otherwise nothing can be kept: Python's arguments have no such form


def _place(context: Any, builder: Any, signature: Any, arguments: Any, value: Any) -> Any:
    """A pointer to item `arguments[1]` of the int64[items, words] `arguments[0]`, with the type of the value."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    words = builder.extract_value(array.shape, 1)
    start = builder.gep(array.data, [builder.mul(arguments[1], words)])
    return builder.bitcast(start, context.get_value_type(value).as_pointer())


def _typed_words(_typing_context: Any, item: Any) -> Any:
    """The number of words of an item."""

    def generate(context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return context.get_constant(types.intp, -(-context.get_abi_sizeof(context.get_value_type(item)) // 8))

    return types.intp(item), generate


def _bare(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A value of a numba type whose arrays have no owner: neither a Python object nor memory with a reference count."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        for owner in ("meminfo", "parent"):
            setattr(array, owner, getattr(array, owner).type(None))
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for place, part in enumerate(cast(Any, kind)):
            bare = _bare(context, builder, part, builder.extract_value(value, place))
            value = builder.insert_value(value, bare, place)
        return value
    if isinstance(kind, types.Number | types.Boolean):
        return value
    raise TypeError(f"{kind} cannot be kept: it may point to memory that is freed")


def _typed_keep(_typing_context: Any, words: Any, _number: Any, item: Any) -> Any:
    """Write an item to row `number`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bare = _bare(context, builder, item, arguments[2])
        builder.store(bare, _place(context, builder, signature, arguments, item), align=8)
        return context.get_dummy_value()

    return types.void(words, types.intp, item), generate


def _typed_recall(_typing_context: Any, words: Any, _number: Any, like: Any) -> Any:
    """The item in row `number`, which is of the type of `like`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_place(context, builder, signature, arguments, like), align=8)

    return like(words, types.intp, like), generate


_words: Any = intrinsic(_typed_words)
_keep: Any = intrinsic(_typed_keep)
recall: Any = intrinsic(_typed_recall)


@kernel
def _words_of(item: Any) -> int:
    return int(_words(item))


@kernel
def _write(words: Words, number: int, item: Any) -> None:
    _keep(words, number, item)


def alike(items: Sequence[tuple[Any, int]]) -> list[list[tuple[Any, int]]]:
    """The items with their numbers, grouped by their type for kernels. Items of one type can be kept together."""
    type_of = cast(Any, typeof)
    groups: dict[Any, list[tuple[Any, int]]] = {}
    for item in items:
        groups.setdefault(type_of(item[0]), []).append(item)
    return list(groups.values())


class Kept(NamedTuple):
    """Items of one type and their unpacked forms. The words are valid only while the items are held."""

    words: Words  # int64[items, words], for `recall`
    items: tuple[Any, ...]


def kept(items: Sequence[Any]) -> Kept:
    """Keep these items of one type, which are tuples of numbers, arrays and tuples."""
    words = np.zeros((len(items), _words_of(items[0])), np.int64)
    for number, item in enumerate(items):
        _write(words, number, item)
    return Kept(words, tuple(items))
