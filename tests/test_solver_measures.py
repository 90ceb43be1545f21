"""Values, best responses and exploitability against known figures and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from engine.branches import count_nodes
from engine.compile import compile_spec
from engine.errors import UsageError
from engine.games import NAMED
from engine.generate import generate
from solver.measures import Joint, expected_value, exploitability, measure
from solver.sequence_form import Sides, fill_plan, fill_policy, sides, uniform_policy
from solver.tree import ExtensiveForm, build_tree
from tests import naive_solver as naive
from tests.test_solver_tree import alice_alone


def random_policy(tree: ExtensiveForm, seed: int) -> tuple[Joint, naive.Policy]:
    """The same policy twice: as arrays and as fractions. Some actions have probability 0."""
    rng = np.random.default_rng(seed)
    exact: dict[tuple[int, int], tuple[Fraction, ...]] = {}
    found = []
    for seat, mine in enumerate(tree.sets):
        row = [1.0]
        for key, (low, high) in zip(mine.key, pairwise(mine.start), strict=True):
            parts = [int(part) for part in rng.integers(0, 4, high - low)]
            parts[0] += sum(parts) == 0
            exact[seat, int(key)] = tuple(Fraction(part, sum(parts)) for part in parts)
            row += [float(p) for p in exact[seat, int(key)]]
        found.append(np.array(row))
    return (found[0], found[1]), exact


def uniform(both: Sides) -> Joint:
    return uniform_policy(both[0]), uniform_policy(both[1])


def test_uniform_kuhn() -> None:
    both = sides(build_tree(compile_spec(NAMED["kuhn"]())))
    found = measure(both, uniform(both))
    assert found.value == pytest.approx(1 / 8, abs=1e-15)
    assert found.best_responses == pytest.approx((1 / 2, 5 / 12), abs=1e-15)
    assert found.nash_conv == pytest.approx(11 / 12, abs=1e-15)
    assert exploitability(both, uniform(both)) == pytest.approx(11 / 24, abs=1e-15)
    assert expected_value(both, uniform(both)) == found.value


@pytest.mark.parametrize("seed", range(12))
def test_random_policies_in_generated_games_agree_with_exact_fractions(seed: int) -> None:
    program = compile_spec(generate(seed, 0.05))
    if count_nodes(program, 3_000) > 3_000:
        program = compile_spec(NAMED[("kuhn", "leduc")[seed % 2]]())
    tree = build_tree(program)
    joint, exact = random_policy(tree, seed)
    found = measure(sides(tree), joint)
    assert found.value == pytest.approx(float(naive.expected_value(program, exact)), abs=1e-12)
    for seat in range(2):
        assert found.best_responses[seat] == pytest.approx(float(naive.best_value(program, seat, exact)), abs=1e-12)
    assert found.nash_conv >= -1e-12
    assert found.best_responses[0] >= found.value - 1e-12
    assert found.best_responses[1] >= -found.value - 1e-12


def test_a_game_in_which_one_player_never_decides() -> None:
    program = compile_spec(alice_alone())
    tree = build_tree(program)
    both = sides(tree)
    joint, exact = random_policy(tree, 5)
    found = measure(both, joint)
    assert found.value == pytest.approx(float(naive.expected_value(program, exact)), abs=1e-15)
    assert found.best_responses[1] == pytest.approx(-found.value, abs=1e-15)
    assert found.best_responses[0] == pytest.approx(float(naive.best_value(program, 0, exact)), abs=1e-15)


def test_plans_and_policies_are_the_same_where_play_goes() -> None:
    tree = build_tree(compile_spec(NAMED["leduc"]()))
    joint, _ = random_policy(tree, 1)
    for side, policy in zip(sides(tree), joint, strict=True):
        plan, back, again = (np.empty(side.sequences) for _ in range(3))
        fill_plan(side, policy, plan)
        fill_policy(side, 3 * plan, back)
        reached = np.repeat(plan[side.past] > 0, np.diff(side.start))
        assert 0 < reached.sum() < len(reached)
        assert np.allclose(back[1:][reached], policy[1:][reached], atol=1e-15)
        width = np.repeat(np.diff(side.start), np.diff(side.start))
        assert np.array_equal(back[1:][~reached], 1 / width[~reached])
        fill_plan(side, back, again)
        assert np.allclose(again, plan, atol=1e-15)


def test_what_is_not_a_joint_policy_of_the_game_is_refused() -> None:
    both = sides(build_tree(compile_spec(NAMED["kuhn"]())))
    alice, bob = uniform(both)
    for wrong in (bob[:-1], bob.astype(np.float32), np.stack((bob, bob))):
        with pytest.raises(UsageError, match=r"Bob's policy does not fit: .* pass the float64\[13\] of this game"):
            measure(both, (alice, wrong))
    for entry, value in ((0, 0.5), (1, 0.6), (3, np.nan)):
        wrong = alice.copy()
        wrong[entry] = value
        with pytest.raises(UsageError, match="Alice's policy must be probabilities"):
            measure(both, (wrong, bob))
    negative = alice.copy()
    negative[1:3] = (-0.5, 1.5)
    with pytest.raises(UsageError, match="Alice's policy must be probabilities"):
        measure(both, (negative, bob))
    with pytest.raises(UsageError, match="a joint policy is needed"):
        measure(both, (alice,))  # type: ignore[arg-type]
