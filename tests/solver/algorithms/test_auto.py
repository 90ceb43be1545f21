"""`auto` beside all algorithms, by their work: dense games, matrices and generated ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from antemill.solver.algorithms import solve as solving
from antemill.solver.algorithms.auto import NEVER, choose, linear_program_iterations
from antemill.solver.algorithms.table import RULES
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides, uniform_policy
from benches.solver_algorithms import one_street, random_matrix
from tests.solver.games import tractable

MOST = 3_000  # iterations


def games() -> Iterator[ExtensiveForm]:
    """Games whose iterations and linear programs take between a millisecond and a second."""
    yield from (one_street(*size) for size in ((10, 2), (20, 3), (40, 5), (60, 5)))
    yield from (random_matrix(*size, seed=1) for size in ((1, 10), (1, 60), (4, 4), (8, 4), (12, 6)))
    yield from (build_tree(tractable(seed)) for seed in range(13) if seed != 7)  # 7 gives a large game


def needed(both: Sides, name: str, target: float) -> float:
    """The iterations to a target; inf if they are more than `MOST`."""
    run = solving.solve(both, name, target, MOST)
    return run.iterations if run.reached else np.inf


@pytest.mark.slow
def test_auto_takes_at_most_three_times_the_work_of_the_best_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    """By iterations, which all cost about the same, and the predicted ones of the linear program."""
    found = {}
    for tree in games():
        both = sides(tree)
        plan, exact = choose(both), linear_program_iterations(both)
        target = 1e-5 * exploitability(both, (uniform_policy(both[0]), uniform_policy(both[1])))
        alone = {name: needed(both, name, target) for name in RULES}
        monkeypatch.setattr(solving, "choose", lambda _, plan=plan: plan._replace(patience=NEVER))
        beyond = needed(both, "auto", target) - plan.patience
        work = plan.patience + (beyond if beyond <= 0 else 2 * min(beyond, exact))
        found[tree.game] = work / min(exact, *alone.values())
    assert len(found) > 20
    assert sum(regret > 3 for regret in found.values()) <= 1, found
    assert max(found.values()) < 4, found
