"""Items that are kept are read as they were; they are the arrays themselves, not copies."""

from __future__ import annotations

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
