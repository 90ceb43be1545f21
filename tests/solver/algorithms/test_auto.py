"""`auto` beside the better one of its parts, by the processor's time: dense games, matrices and generated ones."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from antemill.solver.algorithms.auto import choose
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.table import RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.outside import Outside
from antemill.solver.trees.sequence_form import Sides, sides, uniform_policy
from tests.solver.games import tractable

MOST = 2_000  # iterations


def one_street(cards: int, bets: int) -> ExtensiveForm:
    """Alice bets one of several sizes or nothing, Bob calls or folds; the higher card wins."""
    game = Outside(f"{cards} cards, {bets} bets", ("Alice", "Bob"))
    deals = [(a, b) for a in range(cards) for b in range(cards) if a != b]
    game.chance([1 / len(deals)] * len(deals))
    for a, b in deals:
        wins = 1 if a > b else -1
        game.decision(0, a, str(a), [str(bet) for bet in range(bets + 1)])
        game.end((wins, -wins))
        for bet in range(1, bets + 1):
            game.decision(1, (b, bet), f"{b} {bet}", ("fold", "call"))
            game.end((1, -1))
            game.end((wins * (1 + bet), -wins * (1 + bet)))
    return game.tree()


def random_matrix(types: int, actions: int, seed: int) -> ExtensiveForm:
    """Each player knows a type and chooses an action; all payoffs are drawn."""
    rng, game = np.random.default_rng(seed), Outside(f"{types} types, {actions} actions", ("Alice", "Bob"))
    game.chance([1 / types**2] * types**2)
    names = [str(action) for action in range(actions)]
    for mine in range(types):
        for theirs in range(types):
            game.decision(0, mine, f"a{mine}", names)
            for _ in names:
                game.decision(1, theirs, f"b{theirs}", names)
                for _ in names:
                    paid = float(rng.normal())
                    game.end((paid, -paid))
    return game.tree()


def games() -> Iterator[ExtensiveForm]:
    """Games whose iterations and linear programs take between a millisecond and a second."""
    yield from (one_street(*size) for size in ((10, 2), (20, 3), (40, 5), (60, 5)))
    yield from (random_matrix(*size, seed=1) for size in ((1, 10), (1, 60), (4, 4), (8, 4), (12, 6)))
    yield from (build_tree(tractable(seed)) for seed in range(13) if seed != 7)  # 7 gives a large game


def works(both: Sides) -> tuple[float, float]:
    """The linear program's processor's time in iterations, and the iterations to a millionth of what uniform play
    loses."""
    name = choose(both).algorithm
    target = 1e-6 * exploitability(both, (uniform_policy(both[0]), uniform_policy(both[1])))
    spent = []
    for _ in range(3):
        begun = time.process_time()
        solve_exactly(both)
        spent.append(time.process_time() - begun)
    with WorkerPool(both, RULES[name]) as pool:
        pool.advance(10)
        begun = time.process_time()
        pool.advance(90)
        each = (time.process_time() - begun) / 90
        while pool.done < MOST and exploitability(both, pool.average()) > target:
            pool.advance(max(10, pool.done // 10))
        return min(spent) / each, float(pool.done) if pool.done < MOST else np.inf


@pytest.mark.slow
def test_auto_takes_at_most_three_times_as_long_as_the_better_of_its_parts() -> None:
    """In all games but two, whose times the machine may have disturbed; and never ten times as long."""
    found = {}
    for tree in games():
        both = sides(tree)
        exact, iterations = works(both)
        patience = choose(both).patience
        found[tree.game] = (iterations if iterations <= patience else patience + exact) / min(exact, iterations)
    assert len(found) > 20
    assert sum(regret > 3 for regret in found.values()) <= 2, found
    assert max(found.values()) < 10, found
