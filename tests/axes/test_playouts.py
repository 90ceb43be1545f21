"""The axes that simulate, opponent modeling and brittleness: against plain Python, and in games worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from antemill.axes.best_response import best_response
from antemill.axes.brittleness import (
    brittleness,
    level1_visits,
    most_visited,
    opponents_of,
    plan_of,
    slopes,
    swing,
    trial_changes,
)
from antemill.axes.budgets import FAST, PRECISE, Tier
from antemill.axes.grouping import decisions, sigma_u
from antemill.axes.opponent_modeling import flip_rates, instability, opponent_modeling, systematic, visit_shares
from antemill.axes.playouts import visits
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.batch import BATCH, batch_for, larger
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.spec import ActionRound, Option
from tests.axes import naive_axes as naive
from tests.axes.axis_games import DEGENERATE, NAMES, SIMPLE, SMALL, game, program, random_log

EVERY = ("kuhn", "appendix-b", "every construct", "1", *DEGENERATE, *SIMPLE)
FEW = replace(SMALL, opponents=8, focused=11)


# ------------------------------------------------------------------------------------------------ opponent modeling


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("tier", [SMALL, replace(SMALL, focused=0)])
def test_opponent_modeling_equals_its_naive_twin(name: str, tier: Tier) -> None:
    log = random_log(name, 150)
    got = opponent_modeling(program(name), visit_shares(log, program(name)), tier, 5)
    assert got == pytest.approx(naive.opponent_modeling(program(name), log, tier, 5), abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_how_many_opponents_are_held_at_a_time_changes_no_score(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = visit_shares(random_log(name, 150), program(name))
    want = opponent_modeling(program(name), shares, FEW, 5)
    for held in (1, 3, 5):
        monkeypatch.setattr("antemill.axes.opponent_modeling._HELD", held * int(program(name).action_offsets[-1]))
        assert opponent_modeling(program(name), shares, FEW, 5) == want


@pytest.mark.parametrize("tier", [FAST, PRECISE])
def test_a_player_whose_payoff_is_in_their_own_hands_need_not_model_anybody(tier: Tier) -> None:
    log = random_log("one sided", 100)
    assert opponent_modeling(program("one sided"), visit_shares(log, program("one sided")), tier, 5) == 0.0


def test_in_matching_pennies_half_of_the_opponents_call_for_either_side() -> None:
    """P(heads) is uniform over opponents, and its Sobol points fall evenly into both halves: 32 of 64 each.

    The best reply to p is seen wrongly in 32 playouts only near p = 1/2; with all of them right the score is 1/2.
    """
    log = random_log("pennies", 100)
    score = opponent_modeling(program("pennies"), visit_shares(log, program("pennies")), FAST, 5)
    assert 0.4 < score <= 0.5


def test_flip_rates_by_hand() -> None:
    """Type 0: best against three opponents are {0}, {0, 1}, {1, 2}, {2}; type 1 was met by the first one only."""
    best = np.array([[1, 0, 0, 0, 1], [1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 0, 0]], np.uint8)
    offsets = np.array([0, 3, 5])
    assert flip_rates(best, offsets).tolist() == [0.5, 0.0]
    assert instability(best, offsets, np.array([0.75, 0.25])).tolist() == [0.0, 0.0, 0.75, 0.75]


@given(st.lists(st.floats(0, 1) | st.just(0.0), min_size=1, max_size=30), st.integers(1, 300))
def test_systematic_sampling_gives_everybody_their_share_rounded(weights: list[float], count: int) -> None:
    array = np.array(weights)
    if array.sum() < 1e-6:
        return
    found = np.bincount(systematic(array, count), minlength=len(array))
    assert found.sum() == count
    assert (abs(found - array / array.sum() * count) < 1 + 1e-6).all()
    assert (found[array == 0.0] == 0).all()


# ------------------------------------------------------------------------------------------------ brittleness


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("focal", [0, 1])
def test_trials_replayed_where_a_shift_happens_equal_trials_played_in_full(name: str, focal: int) -> None:
    level1 = best_response(random_log(name, 150), program(name))
    plan, types = plan_of(SMALL), len(program(name).decision_seats)
    batch = batch_for(program(name), 1000)
    counts = np.zeros(types, np.int64)
    assert level1_visits(batch, level1, UNIFORM, plan, 5, focal, counts)
    ranked = most_visited(counts, SMALL.trials)
    if len(ranked) == 0:
        assert naive.swing(program(name), level1, SMALL, 5, focal) == 0.0
        return
    want = [
        naive.trial(program(name), level1, int(ranked[t % len(ranked)]), t // len(ranked), SMALL, 5, focal)
        for t in range(SMALL.trials)
    ]
    opponents = opponents_of(decisions(program(name)), level1, SMALL.dirichlet, 5)
    changes = np.empty(SMALL.trials)
    assert trial_changes(batch, level1, opponents, ranked, plan, types, 5, focal, changes)
    assert changes == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_brittleness_equals_its_naive_twin(name: str) -> None:
    log = random_log(name, 150)
    level1, sigma = best_response(log, program(name)), sigma_u(log)
    got = brittleness(program(name), level1, sigma, SMALL, 5)
    assert got == pytest.approx(naive.brittleness(program(name), level1, sigma, SMALL, 5), abs=1e-9)


def test_the_swing_of_a_single_decision_is_its_stake_times_the_mass_shifted() -> None:
    """L1 takes a chip; giving one instead costs 2, 3% of the time. 20 trials of 150 episodes: the mean has the standard
    error 2 sqrt(.03 * .97 / 3000)."""
    level1 = best_response(random_log("one sided", 1000), program("one sided"))
    found, other = swing(program("one sided"), level1, FAST, 5)
    assert abs(found - 0.06) <= 5 * 2 * math.sqrt(0.03 * 0.97 / 3000)
    assert other == 0.0


def test_betas_are_least_squares_slopes_against_the_indicator() -> None:
    changes = np.random.default_rng(1).normal(size=20)
    for types in (2, 3, 7, 20):
        for d, beta in enumerate(slopes(changes, types)):
            indicator = (np.arange(20) % types == d).astype(float)
            assert beta == pytest.approx(np.polyfit(indicator, changes, 1)[0])
    assert slopes(changes, 1) == pytest.approx([changes.mean()])


def test_trials_take_the_most_visited_types_ties_by_number() -> None:
    assert most_visited(np.array([3, 0, 5, 3, 9]), 3).tolist() == [4, 2, 0]
    assert most_visited(np.array([3, 0, 5, 3, 9]), 20).tolist() == [4, 2, 0, 3]


# ------------------------------------------------------------------------------------------------ playouts


def test_visits_are_counted_for_the_focal_seat_alone() -> None:
    keys = streams(3)
    rows = naive.play(program("appendix-b"), 1, UNIFORM, UNIFORM, 80, keys)
    found = np.zeros(len(program("appendix-b").decision_seats), np.int64)
    assert visits(batch_for(program("appendix-b"), 80), keys, UNIFORM, UNIFORM, 80, 1, found)
    want = {dt: len(own) for dt, own in naive.by(rows, "dt").items()}
    assert {d: n for d, n in enumerate(found.tolist()) if n} == want


def test_visits_are_those_of_the_log_beyond_what_is_played_together() -> None:
    kuhn, keys, episodes = program("kuhn"), streams(3), BATCH + 1_000
    log = rollout(kuhn, episodes, keys)
    for focal in (0, 1):
        found = np.zeros(len(kuhn.decision_seats), np.int64)
        assert visits(batch_for(kuhn, BATCH, blind=True), keys, UNIFORM, UNIFORM, episodes, focal, found)
        own = log.decision[log.seat == focal]
        assert found.tolist() == np.bincount(own, minlength=len(found)).tolist()


def test_episodes_longer_than_the_first_guess_are_played_in_full() -> None:
    """160 decisions each, where a batch has memory for 32 of each episode at first."""
    rounds = tuple(
        ActionRound(f"Round {i}", player=("alice", "bob")[i % 2], options=(Option("left"), Option("right")), picks=4)
        for i in range(40)
    )
    long = compile_spec(game("long", *rounds))
    batch, tries = batch_for(long, 5), 0
    while not visits(batch, streams(3), UNIFORM, UNIFORM, 5, 0, found := np.zeros(40, np.int64)):
        batch, tries = larger(batch), tries + 1
    assert found.tolist() == [20, 0] * 20
    assert tries > 0

    log = rollout(long, 50, streams(4))
    level1 = best_response(log, long)
    for tier in (replace(SMALL, trials=3), replace(SMALL, level1=1, trials=40, dirichlet=5)):
        assert swing(long, level1, tier, 5)[1] == pytest.approx(naive.swing(long, level1, tier, 5, 1), abs=1e-9)
    got = opponent_modeling(long, visit_shares(log, long), SMALL, 5)
    assert got == pytest.approx(naive.opponent_modeling(long, log, SMALL, 5), abs=1e-12)
