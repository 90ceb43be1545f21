"""Arguments that a kernel takes again and again, kept as it has them, so that one call does for many of their kind.

Numba takes every array of an argument apart at each call, which for those of a game's lanes takes ten microseconds,
more than a step of a dozen lanes. What a kernel has made of an argument can be kept in memory instead, and read from
there. It points to the arrays' numbers and to nothing else: not to Python's objects, nor to anything that numba counts
references to, both of which are left empty. `Kept` holds the arrays for as long as there are such pointers. An array
that is referenced stays where it is: numpy moves one in `resize` only, which refuses arrays that are referenced
elsewhere.
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

COMPILED = not cast(Any, config).DISABLE_JIT  # else nothing can be kept: Python has no such form of an argument


def _place(context: Any, builder: Any, signature: Any, arguments: Any, value: Any) -> Any:
    """Where item `arguments[1]` of the int64[items, words] `arguments[0]` stands, as a pointer to such a value."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    words = builder.extract_value(array.shape, 1)
    start = builder.gep(array.data, [builder.mul(arguments[1], words)])
    return builder.bitcast(start, context.get_value_type(value).as_pointer())


def _typed_words(_typing_context: Any, item: Any) -> Any:
    """How many words an item takes."""

    def generate(context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return context.get_constant(types.intp, -(-context.get_abi_sizeof(context.get_value_type(item)) // 8))

    return types.intp(item), generate


def _bare(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A value of a numba type whose arrays have no owner: neither a Python object nor counted memory."""
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
    raise TypeError(f"{kind} can not be kept: it may point to memory that is freed")


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
    """The items, each with a number, by what type they have for kernels: those of one type can be kept together."""
    type_of = cast(Any, typeof)
    groups: dict[Any, list[tuple[Any, int]]] = {}
    for item in items:
        groups.setdefault(type_of(item[0]), []).append(item)
    return list(groups.values())


class Kept(NamedTuple):
    """Items of one type, and what kernels make of them: the words are of use only while the items are held."""

    words: Words  # int64[items, words], for `recall`
    items: tuple[Any, ...]


def kept(items: Sequence[Any]) -> Kept:
    """These items, which have one type, as kernels have them. They are tuples of numbers, arrays and tuples."""
    words = np.zeros((len(items), _words_of(items[0])), np.int64)
    for number, item in enumerate(items):
        _write(words, number, item)
    return Kept(words, tuple(items))
