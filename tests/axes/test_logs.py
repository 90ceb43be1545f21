"""The axes that are functions of a log: against plain Python, against Kuhn's exact values, against an enumeration."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill.axes.best_response import best_response
from antemill.axes.grouping import distinct, group, pairwise_sum, sigma_u
from antemill.axes.information_sensitivity import information_sensitivity
from antemill.axes.risk import risk, risk_by_seat, tenth_percentile
from antemill.axes.state_space import information_states, state_space
from antemill.axes.temporal_depth import Reduction, temporal_depth, temporal_depth_by_seat
from antemill.engine.machine.policy import UNIFORM, Policy
from antemill.engine.machine.rollout import Log, empty_log, rollout, streams
from tests.axes import naive_axes as naive
from tests.axes.axis_games import DEGENERATE, SIMPLE, join, kuhn_error, kuhn_log, program, random_log

EVERY = ("kuhn", "appendix-b", "every construct", "1", *DEGENERATE, *SIMPLE)
Z = 5.0  # standard errors allowed; a normal deviate exceeds it once in 1.7 million


def stored(policy: Policy) -> dict[int, int]:
    return {int(key): int(action) for key, action in zip(policy.keys, policy.values, strict=True) if key != 0}


# ------------------------------------------------------------------------------------------------ plain Python


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("episodes", [1, 400])
def test_axes_of_logs_equal_their_naive_twins(name: str, episodes: int) -> None:
    game, log = program(name), random_log(name, episodes, seed=episodes)
    assert state_space(log) == naive.state_space(log)
    assert temporal_depth_by_seat(log, game) == pytest.approx(naive.temporal_depth(log), abs=1e-12)
    assert information_sensitivity(log, game) == pytest.approx(naive.information_sensitivity(log), abs=1e-12)
    assert sigma_u(log) == pytest.approx(naive.sigma_u(log), abs=1e-12)
    assert risk_by_seat(log, game) == pytest.approx(naive.risk(log), abs=1e-12)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("episodes", [1, 400])
def test_best_response_equals_its_naive_twin(name: str, episodes: int) -> None:
    game, log = program(name), random_log(name, episodes, seed=episodes)
    actions, of_type = naive.best_response(log, game)
    policy = best_response(log, game)
    assert stored(policy) == actions
    assert policy.fallback.tolist() == of_type
    assert len(actions) > 0 or episodes < 400


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=60))
def test_rows_are_grouped_by_key_in_order_of_play(keys: list[int]) -> None:
    array = np.array(keys, np.int64)
    groups = group(array)
    found = [groups.order[a:b].tolist() for a, b in zip(groups.starts, groups.starts[1:], strict=False)]
    assert found == [[i for i, k in enumerate(keys) if k == key] for key in dict.fromkeys(keys)]
    assert distinct(array) == len(set(keys))


def test_sums_and_deviations_are_numpys_to_the_bit() -> None:
    random, log = np.random.default_rng(1), kuhn_log(1)
    for n in (*range(300), 1000, 3001, 4096):
        values = random.normal(size=n) * 10.0 ** random.integers(-9, 9, size=n)
        assert pairwise_sum(values) == values.sum(), n
        payoff = random.integers(-40, 40, size=n).astype(np.int32)
        assert sigma_u(log._replace(payoff=payoff)) == (np.std(payoff) if n else 0.0), n


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60))
def test_the_tenth_percentile_inverts_the_distribution_function(values: list[int]) -> None:
    assert tenth_percentile(np.array(values, np.int64)) == naive.tenth_percentile(values)


# ------------------------------------------------------------------------------------------------ Kuhn, exactly


SIGMA = math.sqrt(Fraction(135, 64))
EXACT: dict[str, tuple[Callable[[Log], float], float]] = {
    "sigma_u": (sigma_u, SIGMA),
    "temporal depth, alice": (lambda log: temporal_depth_by_seat(log, program("kuhn"))[0], float(Fraction(1, 60))),
    "temporal depth, mean": (lambda log: temporal_depth(log, program("kuhn")), float(Fraction(1, 120))),
    "information sensitivity": (
        lambda log: information_sensitivity(log, program("kuhn")).pooled,
        float(Fraction(1, 9)),
    ),
    "information sensitivity, seat mean": (
        lambda log: information_sensitivity(log, program("kuhn")).seat_mean,
        float((Fraction(1, 15) + Fraction(1, 6)) / 2),
    ),
    "risk, alice": (lambda log: risk_by_seat(log, program("kuhn"))[0], float(Fraction(1, 15)) / SIGMA),
    "risk, bob": (lambda log: risk_by_seat(log, program("kuhn"))[1], float(Fraction(1, 3)) / SIGMA),
    "risk": (lambda log: risk(log, program("kuhn")), float(Fraction(1, 5)) / SIGMA),
}


@pytest.mark.parametrize("name", EXACT)
def test_kuhn_exactly(name: str) -> None:
    statistic, exact = EXACT[name]
    assert statistic(kuhn_log(20)) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("name", EXACT)
def test_kuhn_played_is_kuhn_exactly_within_sampling_error(name: str) -> None:
    """The tolerance is Z standard errors, from the exact influence function (`kuhn_error`)."""
    statistic, exact = EXACT[name]
    episodes = 100_000
    tolerance = Z * kuhn_error(statistic, episodes)
    assert 0.0 < tolerance < 0.05
    assert abs(statistic(random_log("kuhn", episodes)) - exact) <= tolerance


def test_kuhn_has_twelve_information_states() -> None:
    """The rarest is met with probability 1/12 an episode: 12 (11/12)^1000 < 10^-36 for missing one."""
    log = random_log("kuhn", 1000)
    assert information_states(log) == 12
    assert state_space(log) == math.log10(12)


@pytest.mark.parametrize(("focal", "exact"), [(0, Fraction(1, 2)), (1, Fraction(5, 12))])
def test_the_best_response_to_random_kuhn_earns_its_exact_value(focal: int, exact: Fraction) -> None:
    """Payoffs lie in -2..2, so that their variance is at most 4 and the standard error at most 2 / sqrt(n)."""
    level1, episodes = best_response(random_log("kuhn", 20_000), program("kuhn")), 200_000
    alice, bob = (level1, UNIFORM) if focal == 0 else (UNIFORM, level1)
    log = rollout(program("kuhn"), episodes, streams(2), alice, bob)
    assert abs(float(log.payoff.mean()) * (1 - 2 * focal) - float(exact)) <= Z * 2 / math.sqrt(episodes)


# ------------------------------------------------------------------------------------------------ seed 4643


def test_temporal_depth_of_seed_4643_is_that_of_its_enumeration() -> None:
    """Quenouille's jackknife over 20 groups of 10,000 episodes, which removes the bias of order 1/n.

    The estimate is the mean of the pseudo-values, and its standard error theirs over the square root of 20. With 19
    degrees of freedom, 5 standard errors are exceeded once in 12,000 seeds; this one is fixed.

    The enumeration numbers actions by their place in the menu. That differs from the engine's numbers only for a player
    without chips whose menu is a lone check: number 0 there, the number of a bet elsewhere.
    """
    exact = (0.09941914962298073, 0.09590028309620242)
    game, groups = program("appendix-b"), 20
    logs = [by_menu_place(random_log("appendix-b", 10_000, seed)) for seed in range(groups)]
    overall = np.array(temporal_depth_by_seat(join(logs), game))
    without = [temporal_depth_by_seat(join(logs[:k] + logs[k + 1 :]), game) for k in range(groups)]
    pseudo = groups * overall - (groups - 1) * np.array(without)
    errors = pseudo.std(axis=0, ddof=1) / math.sqrt(groups)
    assert (errors < 0.002).all()
    assert (abs(pseudo.mean(axis=0) - exact) <= Z * errors).all()


def by_menu_place(log: Log) -> Log:
    """The log with lone actions numbered 0."""
    assert ((log.menu == 1) & (log.action == 1)).any()
    return log._replace(action=np.where(log.menu == 1, 0, log.action).astype(np.int16))


# ------------------------------------------------------------------------------------------------ edges


def test_an_empty_log_has_zero_everywhere() -> None:
    log, game = random_log("kuhn", 0), program("kuhn")
    assert (state_space(log), temporal_depth(log, game), risk(log, game)) == (0.0, 0.0, 0.0)
    assert information_sensitivity(log, game) == (0.0, 0.0)


@pytest.mark.parametrize(("reduction", "combine"), [("mean", lambda a, b: (a + b) / 2), ("sum", sum), ("max", max)])
def test_the_seats_of_temporal_depth_can_be_reduced_in_three_ways(
    reduction: Reduction, combine: Callable[..., float]
) -> None:
    log, game = random_log("appendix-b", 300), program("appendix-b")
    alice, bob = temporal_depth_by_seat(log, game)
    assert alice != bob
    wanted = combine((alice, bob)) if combine is sum else combine(alice, bob)
    assert temporal_depth(log, game, reduction) == pytest.approx(wanted)


@pytest.mark.parametrize("quiet", [20, 4000])
def test_a_mean_risk_below_a_hundredth_is_reported_as_zero(quiet: int) -> None:
    """One context trades .6 chips for a floor higher by one; another, with `quiet` visits, has no trade-off."""
    tense = [(7, 0, 0)] * 10 + [(7, 1, 1)] * 8 + [(7, 1, -1)] * 2
    log = one_decision_log(tense + [(8, 0, 0), (8, 1, 1)] * (quiet // 2))
    alice, bob = risk_by_seat(log, program("one sided"))
    assert alice == pytest.approx(20 / (20 + quiet) * 0.6 / log.payoff.std())
    assert bob == 0.0
    assert risk(log, program("one sided")) == (alice / 2 if quiet == 20 else 0.0)
    assert alice > 0.0


@pytest.mark.parametrize(("visits", "eligible"), [((15, 5), True), ((14, 5), False), ((16, 4), False)])
def test_contexts_with_too_few_visits_or_tries_carry_no_risk(visits: tuple[int, int], eligible: bool) -> None:
    """The first action is worth 0, the second 1 or, once, -3: .2 on average, with a floor of -3."""
    log = one_decision_log([(7, 0, 0)] * visits[0] + [(7, 1, 1)] * (visits[1] - 1) + [(7, 1, -3)])
    assert (risk_by_seat(log, program("one sided"))[0] > 0.0) == eligible


def test_the_best_response_backs_off_to_the_decision_type_below_five_tries() -> None:
    """Action 1 is best overall; action 0 is tried five times in context 7 only, and only there it is known."""
    rows = [(7, 0, 0)] * 5 + [(7, 1, 1)] * 4 + [(8, 0, 0)] * 4 + [(8, 1, 1)] * 4
    policy = best_response(one_decision_log(rows), program("one sided"))
    assert stored(policy) == {7: 0}
    assert policy.fallback.tolist() == [1]


def one_decision_log(rows: list[tuple[int, int, int]]) -> Log:
    """Episodes of one decision of Alice's: (context, action, payoff)."""
    log = empty_log(len(rows), len(rows))
    log.seat[:] = log.decision[:] = 0
    log.episode[:] = np.arange(len(rows))
    for i, (context, action, payoff) in enumerate(rows):
        log.info[i] = log.context[i] = context
        log.action[i], log.payoff[i] = action, payoff
    return log


@pytest.mark.parametrize(("payoff", "differs"), [(1, False), (0, True)])
def test_a_state_whose_tied_actions_include_the_best_one_of_the_type_does_not_count(payoff: int, differs: bool) -> None:
    """Action 1 is best overall. At state 7 action 0 earns 1, and action 1 as much (a tie) or less."""
    log = one_decision_log([(7, 0, 1), (7, 1, payoff), (8, 0, 0), (8, 1, 3)])
    assert information_sensitivity(log, program("one sided")).pooled == (0.5 if differs else 0.0)
