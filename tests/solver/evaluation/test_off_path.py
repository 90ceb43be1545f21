"""Profiles completed where their players never go.

Nothing is lost on the way, and the best actions are played there, by the expected values of whole profiles.
"""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.solver import completed
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import expected_value, exploitability
from antemill.solver.evaluation.off_path import RARE
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.outside import Outside
from antemill.solver.trees.sequence_form import realization_plan, sides
from tests.solver.games import small, tractable


def forced(tree: ExtensiveForm, seat: int, policy: Array, sequence: int) -> Array:
    """The policy with all choices of a sequence taken for sure."""
    mine, found = tree.sets[seat], policy.copy()
    while sequence > 0:
        place = int(np.searchsorted(mine.start, sequence, side="right")) - 1
        found[mine.start[place] : mine.start[place + 1]] = 0.0
        found[sequence] = 1.0
        sequence = int(mine.parent_sequence[place])
    return found


def value(tree: ExtensiveForm, seat: int, policy: Array, profile: StrategyProfile) -> float:
    """The payoff of a seat that plays the policy against the profile."""
    return expected_value(tree, (policy, profile[1]) if seat == 0 else (profile[0], policy)) * (1 - 2 * seat)


@pytest.mark.parametrize("name", ["leduc", "3", "11", "16"])
def test_no_action_is_better_than_those_that_are_played(name: str) -> None:
    tree = build_tree(tractable(int(name))) if name.isdigit() else small(name)[1]
    run = solve(tree, "hs-pdcfr+", 1e-6, 2_000)
    found = completed(tree, run)
    assert exploitability(tree, found) == pytest.approx(run.exploitability, abs=1e-6)
    assert found is not run.profile
    changed = gained = 0
    for seat, mine in enumerate(tree.sets):
        own = realization_plan(sides(tree)[seat], run.profile[seat])
        unmet = np.flatnonzero(own[mine.parent_sequence] <= RARE)
        for place in unmet[:: max(1, len(unmet) // 20)]:
            low, high, before = mine.start[place], mine.start[place + 1], int(mine.parent_sequence[place])
            played = value(tree, seat, forced(tree, seat, found[seat], before), found)
            each = [value(tree, seat, forced(tree, seat, found[seat], k), found) for k in range(low, high)]
            old = value(tree, seat, forced(tree, seat, run.profile[seat], before), found)
            assert max(each) <= played + 1e-9
            assert old <= played + 1e-9
            changed += 1
            gained += old < played - 1e-6
        met = np.repeat(own[mine.parent_sequence] > RARE, np.diff(mine.start))
        assert np.array_equal(found[seat][1:][met], run.profile[seat][1:][met])
    assert changed > 0
    assert gained > 0


def test_equal_actions_are_played_alike_and_where_the_opponent_never_leads_nothing_changes() -> None:
    game = Outside("Out or in", ("Ann", "Ben"))
    game.decision(0, "first", "first", ("out", "in"))
    game.end((1, -1))
    game.decision(1, "reply", "reply", ("left", "right"))
    for paid in ((-1, -1, -2), (0, 5, 5)):
        game.decision(0, ("second", paid), f"second {paid[1]}", ("a", "b", "c"))
        for one in paid:
            game.end((one, -one))
    tree = game.tree()
    alice = np.array([1.0, 1.0, 0.0, 0.2, 0.3, 0.5, 0.2, 0.3, 0.5])  # never "in"; Ben plays left for sure
    found = completed(tree, (alice, np.array([1.0, 1.0, 0.0])))
    assert found[0].tolist() == [1.0, 1.0, 0.0, 0.5, 0.5, 0.0, 0.2, 0.3, 0.5]
    assert found[1].tolist() == [1.0, 1.0, 0.0]
    with pytest.raises(UsageError, match="does not fit"):
        completed(tree, (alice, alice))
