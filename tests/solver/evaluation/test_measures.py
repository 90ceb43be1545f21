"""Values, best responses and exploitability against known figures and exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.rules.named import NAMED
from antemill.solver.evaluation import measures
from antemill.solver.evaluation.measures import expected_value, exploitability, measure
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees import sequence_form as form
from antemill.solver.trees.build import build_tree
from tests.solver import naive_solver as naive
from tests.solver.games import random_policy


def uniform(both: form.Sides) -> StrategyProfile:
    return form.uniform_policy(both[0]), form.uniform_policy(both[1])


def test_uniform_kuhn() -> None:
    both = form.sides(build_tree(compile_spec(NAMED["kuhn"]())))
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
    profile, exact = random_policy(tree, seed)
    found = measure(form.sides(tree), profile)
    assert found.value == pytest.approx(float(naive.expected_value(program, exact)), abs=1e-12)
    for seat in range(2):
        assert found.best_responses[seat] == pytest.approx(float(naive.best_value(program, seat, exact)), abs=1e-12)
    assert found.nash_conv >= -1e-12
    assert found.best_responses[0] >= found.value - 1e-12
    assert found.best_responses[1] >= -found.value - 1e-12


def test_the_stack_of_values_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = build_tree(compile_spec(NAMED["leduc"]()))
    profile, _ = random_policy(tree, 3)
    want = measure(tree, profile)
    monkeypatch.setattr(measures, "_STACK", 1)
    assert measure(tree, profile) == want


def test_sets_that_are_not_depth_first_are_measured_all_the_same() -> None:
    """Kuhn's: those of each player that come first in every match, before all others."""
    tree = build_tree(compile_spec(NAMED["kuhn"]()))
    both = form.sides(tree)
    profile, _ = random_policy(tree, 4)
    sequences = []
    for side in both:
        order = np.argsort(side.parent_sequence > 0, kind="stable")
        sequences.append(np.concatenate(([0], *(np.arange(side.start[i], side.start[i + 1]) for i in order))))
    assert not np.array_equal(sequences[0], np.arange(both[0].sequences))
    moved = []
    for seat, side in enumerate(both):
        matrix = form.payoff_matrix(side, both[1 - seat])[sequences[seat]][:, sequences[1 - seat]].tocsr()
        matrix.sort_indices()
        above = np.argsort(sequences[seat])[np.sort(side.parent_sequence)]
        entries = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
        moved.append(form.Side(side.start, above.astype(np.int32), *entries, matrix.data))
    policies = profile[0][sequences[0]], profile[1][sequences[1]]
    got, want = measure((moved[0], moved[1]), policies), measure(both, profile)
    assert got.best_responses == pytest.approx(want.best_responses, abs=1e-15)
    assert got.value == pytest.approx(want.value, abs=1e-15)


def test_plans_and_policies_are_the_same_where_play_goes() -> None:
    tree = build_tree(compile_spec(NAMED["leduc"]()))
    profile, _ = random_policy(tree, 1)
    for side, policy in zip(form.sides(tree), profile, strict=True):
        realization, back, again = (np.empty(side.sequences) for _ in range(3))
        form.fill_realization_plan(side, policy, realization)
        form.fill_policy(side, 3 * realization, back)
        reached = np.repeat(realization[side.parent_sequence] > 0, np.diff(side.start))
        assert 0 < reached.sum() < len(reached)
        assert np.allclose(back[1:][reached], policy[1:][reached], atol=1e-15)
        width = np.repeat(np.diff(side.start), np.diff(side.start))
        assert np.array_equal(back[1:][~reached], 1 / width[~reached])
        form.fill_realization_plan(side, back, again)
        assert np.allclose(again, realization, atol=1e-15)


def test_what_is_not_a_joint_policy_of_the_game_is_refused() -> None:
    both = form.sides(build_tree(compile_spec(NAMED["kuhn"]())))
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
    with pytest.raises(UsageError, match="a strategy profile is needed"):
        measure(both, (alice,))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="`as_profile` converts dictionaries"):
        measure(both, {"Alice": {}, "Bob": {}})  # type: ignore[arg-type]
