"""The sampled lower bound: never above the exact exploitability by more than chance, and close to it (N13)."""

from __future__ import annotations

import pytest

from antemill.engine.errors import UsageError
from antemill.engine.machine.rollout import streams
from antemill.solver.evaluation.sampled_response import (
    Z95,
    learn_response,
    lower_bound,
    response_value,
    sampled_value,
    self_play,
)
from antemill.solver.policies.policy import strategy_of
from tests.solver.solved_games import program, solved

CASES = [
    ("kuhn", "none", 1),
    ("leduc", "none", 1),
    ("leduc", "default", 50),
    ("appendix-b", "none", 2),
    ("appendix-b", "fine", 50),
]


@pytest.mark.parametrize(("name", "abstraction", "iterations"), CASES)
def test_the_bound_is_below_the_exact_exploitability(name: str, abstraction: str, iterations: int) -> None:
    saved = solved(name, abstraction, iterations)
    exact = saved.solution.exploitability
    assert exact is not None
    bound = lower_bound(program(name), saved.table, 400_000, seed=1)
    error = (bound.high - bound.low) / (2 * Z95)
    assert bound.low < bound.mean < bound.high
    assert bound.mean <= exact + 3 * error
    if exact > 0.3:
        assert bound.mean >= 0.8 * exact


def test_the_interval_says_how_far_the_responders_mean_may_be_off() -> None:
    """Of 40 intervals for the same responder, about 38 hold what many more episodes tell."""
    saved = solved("kuhn", "none", 1)
    policy = strategy_of(saved.table)
    responder = learn_response(program("kuhn"), policy, 0, 20_000, 1)
    truth = response_value(program("kuhn"), policy, 0, responder, 1_000_000, 99).mean
    held = 0
    for seed in range(40):
        found = response_value(program("kuhn"), policy, 0, responder, 2_000, seed)
        held += abs(found.mean - truth) <= Z95 * found.error
    assert 33 <= held <= 40


def test_the_same_seed_gives_the_same_bound() -> None:
    table = solved("leduc", "default").table
    first, again, other = (lower_bound(program("leduc"), table, 8_000, seed) for seed in (4, 4, 5))
    assert first == again
    assert first != other


def test_too_few_episodes_are_refused() -> None:
    with pytest.raises(UsageError, match="999 episodes are too few for a lower bound: use at least 1,000"):
        lower_bound(program("kuhn"), solved("kuhn").table, 999)


@pytest.mark.parametrize(("name", "abstraction"), [("leduc", "none"), ("appendix-b", "default")])
def test_the_sampled_value_is_the_exact_one(name: str, abstraction: str) -> None:
    saved = solved(name, abstraction)
    found = sampled_value(program(name), saved.table, 100_000, seed=2)
    assert saved.solution.value is not None
    assert abs(found.mean - saved.solution.value) < 3.5 * found.error


def test_episodes_do_not_depend_on_how_many_there_are() -> None:
    strategy = strategy_of(solved("leduc").table)
    few, many = (self_play(program("leduc"), strategy, streams(8), n) for n in (10, 1_000))
    assert few.tolist() == many[:10].tolist()
