"""How the information sets of a player are divided among threads."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.solver.algorithms.partition import partition_of
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from tests.solver.games import game, tractable


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_partition_covers_all_sets_once(workers: int, seat: int) -> None:
    for both in (game("kuhn", False), game("leduc", True), *(sides(build_tree(tractable(s))) for s in range(4))):
        side = both[seat]
        found = partition_of(side, workers)
        spans = [np.arange(low, high) for low, high in zip(found.span_low, found.span_high, strict=True)]
        taken = np.concatenate([*spans, found.top[~found.is_root]]).astype(int)
        assert sorted(taken) == list(range(len(side.parent_sequence)))
        assert len(found.span_start) == len(found.upper_start) == workers + 1
        assert (found.span_start[0], found.span_start[-1]) == (0, len(found.span_low))
        assert (found.upper_start[0], found.upper_start[-1]) == (0, len(found.upper))
        assert list(found.upper) == list(found.top[~found.is_root])
        assert np.all(np.diff(found.span_start) >= 0)
        assert np.all(np.diff(found.upper_start) >= 0)
        owner = np.concatenate(([-1], np.repeat(np.arange(len(side.parent_sequence)), np.diff(side.start))))
        above = set(found.top[~found.is_root])
        for span in spans:  # whole subtrees: what leads to a set is in the span, above all spans, or nothing
            for i in span:
                parent = owner[side.parent_sequence[i]]
                assert parent in span or parent in above or parent == -1
                assert parent in span or parent == -1 or i in set(found.top[found.is_root])


def test_both_threads_of_a_big_tree_have_about_as_much_to_do() -> None:
    side = game("leduc", True)[0]
    found = partition_of(side, 2)

    def work(worker: int) -> int:
        spans = [(found.span_low[s], found.span_high[s]) for s in range(*found.span_start[worker : worker + 2])]
        spans += [(i, i + 1) for i in found.upper[slice(*found.upper_start[worker : worker + 2])]]
        return sum(int(side.rows[side.start[high]] - side.rows[side.start[low]]) for low, high in spans)

    assert work(0) + work(1) == side.rows[-1] - side.rows[1]
    assert min(work(0), work(1)) > 0.8 * max(work(0), work(1))
