"""Runs that no generated game asks for: many small trees of sets, huge payoffs, an interrupt at the worst moment."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from antemill.solver import Outside
from antemill.solver.algorithms import solve as algorithms
from antemill.solver.algorithms import turns
from antemill.solver.algorithms.partition import partition_of
from antemill.solver.algorithms.solve import solve, storage_for, uniform_responses
from antemill.solver.algorithms.table import RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.trees.sequence_form import Sides, sides
from tests.solver.games import game


@cache
def hands(number: int, stake: int = 9, dealt: int = 6, given: int = 0) -> Sides:
    """A game of `number` hands for each player, each with a single set of its own, and payoffs up to `stake`.

    given: chips that Alice gets beside that, in every play.
    """
    payoffs = np.random.default_rng(0).integers(-stake, stake + 1, (number, dealt, 2, 2))
    builder = Outside("hands", ("A", "B"))
    builder.chance([1 / (number * dealt)] * (number * dealt))
    for hand in range(number):
        for deal in range(dealt):
            builder.decision(0, hand, str(hand), ("a", "b"))
            other = (7 * hand + deal) % number
            for a in range(2):
                builder.decision(1, other, str(other), ("c", "d"))
                for b in range(2):
                    paid = given + int(payoffs[hand, deal, a, b])
                    builder.end((paid, -paid))
    return sides(builder.tree())


@pytest.mark.parametrize("algorithm", ["cfr+", "hs-pdcfr+"])
def test_threads_without_sets_in_common_find_the_same(algorithm: str) -> None:
    """No barrier stands before the sets that all threads share, for there are none."""
    both = hands(400)
    assert all(len(partition_of(side, 2).top) == 0 for side in both)
    found = []
    for workers in (1, 2, 3):
        with WorkerPool(both, RULES[algorithm], workers) as pool:
            for _ in range(5):
                pool.advance(100)
            found.append([learner.regret.tobytes() + learner.total.tobytes() for learner in pool.learners])
    assert found[0] == found[1] == found[2]


def test_numbers_have_64_bits_where_payoffs_are_huge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of 32 bits stall at a share of the payoffs, and the run would never end."""
    monkeypatch.setattr(algorithms, "LARGE", 1)

    def stored(both: Sides, target: float) -> type:
        return storage_for(both, target, uniform_responses(both))

    assert stored(hands(20, 9), 1e-3) == np.float32
    assert stored(hands(20, 9), 1e-5) == np.float64
    assert stored(hands(20, 10_000), 1e-3) == np.float64
    assert stored(hands(20, 10_000), 1.0) == np.float32
    assert stored(hands(20, 9, given=1_000_000), 1e-3) == np.float64


def test_an_interrupt_while_the_best_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of the profile that is left is true of that profile."""
    kept, calls = algorithms._kept, []

    def torn(before: turns.Found | None, found: turns.Found) -> turns.Found:
        calls.append(found)
        if len(calls) == 3:
            assert isinstance(before, turns.Average)
            assert isinstance(found, turns.Average)
            before.totals[0][:] = found.totals[0]
            raise KeyboardInterrupt
        return kept(before, found)

    monkeypatch.setattr(algorithms, "_kept", torn)
    both = game("leduc", True)
    run = solve(both, "cfr+", target=1e-9)
    assert run.stopped == "interrupted"
    assert run.exploitability == exploitability(both, run.profile) != run.trace[-1].measure
