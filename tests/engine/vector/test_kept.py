"""Items that are kept are read as they were, for all kinds of arrays; they are the arrays themselves, not copies."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

from antemill.engine.kernel import kernel
from antemill.engine.vector.kept import COMPILED, Words, alike, kept, recall

pytestmark = pytest.mark.skipif(not COMPILED, reason="plain Python keeps nothing")


class Inner(NamedTuple):
    flags: Any
    yes: bool
    small: float


class Item(NamedTuple):
    words: Any
    inner: Inner
    table: Any
    number: int


@kernel
def read(words: Words, like: Item, out: Any) -> None:
    for i in range(len(words)):
        item = recall(words, i, like)
        item.words[0] += 1
        out[i, 0] = item.words.sum()
        out[i, 1] = item.table[item.table.shape[0] - 1, item.table.shape[1] - 1]
        out[i, 2] = item.number
        out[i, 3] = item.inner.small
        out[i, 4] = item.inner.yes
        out[i, 5] = item.inner.flags.sum() + 100 * len(item.inner.flags)


def item(i: int) -> Item:
    table = np.arange((i + 1) * 3, dtype=np.float32).reshape(i + 1, 3)
    return Item(np.arange(3 + i), Inner(np.arange(i) % 2 == 0, i % 2 == 1, i / 3), table, -(1 << 62) + i)


def test_items_of_different_lengths() -> None:
    items = [item(i) for i in range(9)]
    assert len(alike([(one, 0) for one in items])) == 1
    out = np.zeros((9, 6))
    found = kept(items)
    read(found.words, items[0], out)
    for i, (one, row) in enumerate(zip(items, out, strict=True)):
        assert one.words[0] == 1  # written where it was kept from
        flags = one.inner.flags
        want = [one.words.sum(), one.table[-1, -1], one.number, i / 3, i % 2, flags.sum() + 100 * len(flags)]
        assert row.tolist() == [float(value) for value in want]


class Table(NamedTuple):
    number: int
    inner: tuple[Any]


def test_what_is_kept_points_to_the_numbers_of_arrays_and_to_nothing_else() -> None:
    array = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    words = kept([Table(77, (array,))]).words[0].tolist()
    owner = 0  # who counts references, and whose Python object it is
    assert words == [77, owner, owner, 6, 4, array.ctypes.data, 2, 3, 12, 4]


def test_arrays_live_as_long_as_what_was_kept_of_them() -> None:
    found = kept([item(3), item(4)])
    watched = [weakref.ref(array) for one in found.items for array in (one.words, one.inner.flags, one.table)]
    gc.collect()
    out = np.zeros((2, 6))
    read(found.words, found.items[0], out)
    assert out[:, 2].tolist() == [float(-(1 << 62) + i) for i in (3, 4)]
    assert all(one() is not None for one in watched)
    before = [sys.getrefcount(array) for array in (found.items[0].words, found.items[0].table)]
    for _ in range(100):
        read(found.words, found.items[0], out)
    assert [sys.getrefcount(array) for array in (found.items[0].words, found.items[0].table)] == before
    with pytest.raises(ValueError, match="resize"):
        found.items[0].words.resize(1 << 20)  # numpy moves no array that is held elsewhere
    del found
    assert all(one() is None for one in watched)


@pytest.mark.parametrize("unsafe", ["text", None, ("text",)])
def test_what_might_point_elsewhere_is_not_kept(unsafe: Any) -> None:
    with pytest.raises(Exception, match="cannot be kept: it may point to memory that is freed"):
        kept([Table(1, (unsafe,))])


def test_items_that_kernels_tell_apart_are_not_kept_together() -> None:
    plain = [item(i) for i in range(4)]
    fixed = np.arange(5)
    fixed.flags.writeable = False
    others = [
        plain[0]._replace(words=np.arange(5, dtype=np.int32)),
        plain[0]._replace(words=np.arange(10)[::2]),
        plain[0]._replace(words=fixed),
        plain[0]._replace(number=0.5),  # type: ignore[arg-type]
    ]
    mixed = [(plain[0], 0), (others[0], 1), (plain[1], 2), *((one, 3) for one in others[1:]), (plain[2], 6)]
    assert [[number for _, number in group] for group in alike(mixed)] == [[0, 2, 6], [1], [3], [3], [3]]
