"""The exact tier: figures by hand, every play of small games in fractions, and the limit of ever longer random play."""

import functools
import math

import msgspec
import numpy as np
import pytest

from antemill.axes import AXES, EXACT, FAST, PRECISE, Exact, Scores, score
from antemill.axes.budgets import Tier
from antemill.axes.exact.scores import axis_version_of, version, version_of
from antemill.axes.grouping import decisions
from antemill.axes.simplex import sobol_policies
from antemill.engine.builder.generate import generate
from antemill.engine.machine.chance import key_of
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.seeding import Domain
from tests.axes import naive_exact as naive
from tests.axes.axis_games import DEGENERATE, SIMPLE, program

SEED = 5
FEW = Exact(episodes=40, opponents=12, focused=0, trials=5, shift=0.25, dirichlet=6)
# Of the generated ones: 29 meets decision types of both seats again, in 41 and 119 cards are alike, 147 has bids above
# the stack, and in 109 an opponent meets a decision type again with another menu.
GAMES = ("kuhn", "pennies", "one sided", "29", "41", "119", "147", "109")


def rules(name: str) -> GameSpec:
    if name.isdigit():
        return generate(int(name))
    return NAMED[name]() if name in NAMED else SIMPLE[name]()


@functools.cache
def plays(name: str) -> list[naive.Line]:
    return naive.lines(rules(name))


@functools.cache
def exact(name: str) -> Scores:
    return score(program(name), FEW, SEED)


def test_kuhn_by_hand() -> None:
    """Twelve states; a state of a first decision is met in a third of the episodes, of a second one in a sixth."""
    kuhn = score("kuhn", Exact(episodes=1, focused=0))
    assert kuhn.tier == "exact"
    assert kuhn.information_states == 12
    assert kuhn.decisions_per_episode == pytest.approx(2.25)  # always two, and a third after check and bet
    assert 10 ** kuhn.axes["state_space"] == pytest.approx(2.25)  # of one episode
    # Only Alice's first decision has a later one, after a check and a bet: r = 1/4. The mean payoff is -1/4 after a
    # check and 1/2 after a bet, that of the square 7/4 and 5/2: eta2 = (3/8)^2 / (17/8 - 1/64) = 1/15.
    assert kuhn.axes["temporal_depth"] == pytest.approx(1 / 120)
    assert kuhn.axes["information_sensitivity"] == pytest.approx(1 / 9)
    assert kuhn.axes["opponent_modeling"] == 0.0


def test_pennies_by_hand() -> None:
    """Nothing depends on cards or has consequences; what is best depends on the opponent alone."""
    pennies = score(program("pennies"), Exact(opponents=64, focused=0), SEED)
    assert pennies.sigma_u == pytest.approx(1.0)
    assert [pennies.axes[axis] for axis in ("temporal_depth", "information_sensitivity", "risk")] == [0, 0, 0]
    assert pennies.axes["opponent_modeling"] == pytest.approx(0.5, abs=0.02)  # even points of the simplex
    assert pennies.axes["brittleness"] == -4.0  # the mean opponent plays both sides alike


@pytest.mark.parametrize("name", GAMES)
def test_every_play_in_fractions_gives_the_same(name: str) -> None:
    found, all_plays = exact(name), plays(name)
    reachable, met = naive.states(all_plays, FEW.episodes)
    sensitivity, seat_mean = naive.information_sensitivity(all_plays)
    assert found.tier == "exact"
    assert found.information_states == reachable
    assert found.sigma_u == pytest.approx(naive.sigma(all_plays))
    assert found.decisions_per_episode == pytest.approx(float(sum(len(x.asked) * x.p for x in all_plays)))
    assert 10 ** found.axes["state_space"] == pytest.approx(max(met, 1.0))
    assert found.axes["temporal_depth"] == pytest.approx(naive.temporal_depth(all_plays))
    assert found.axes["information_sensitivity"] == pytest.approx(sensitivity)
    assert found.also["information_sensitivity_seat_mean"] == pytest.approx(seat_mean)
    assert found.axes["risk"] == pytest.approx(naive.risk(all_plays))
    want = naive.opponent_modeling(rules(name), all_plays, FEW, SEED)
    assert found.axes["opponent_modeling"] == pytest.approx(want)


@pytest.mark.parametrize("name", [name for name in GAMES if name != "109"])
def test_brittleness_is_that_of_all_opponents(name: str) -> None:
    want = naive.brittleness(rules(name), plays(name), FEW)
    assert exact(name).axes["brittleness"] == pytest.approx(want)


def test_brittleness_takes_a_sample_where_the_mean_has_no_urn() -> None:
    """Bob is the opponent who meets a decision type again with another menu; Alice is not."""
    key = key_of(SEED, Domain.BRITTLENESS, 0, Domain.SOBOL)
    bobs = sobol_policies(decisions(program("109")), 1, np.arange(FEW.dirichlet), key)
    want = naive.brittleness(rules("109"), plays("109"), FEW, {0: bobs})
    assert exact("109").axes["brittleness"] == pytest.approx(want)


@pytest.mark.parametrize("name", ["leduc", "29"])
def test_random_play_converges_to_it(name: str) -> None:
    tier = Exact(episodes=40_000, focused=0)
    want = score(program(name), tier)
    long = Tier("long", level0=40_000, focused=0, playouts=2000, dirichlet=100, dirichlet_playouts=60)
    found = score(program(name), long)
    assert found.axes["state_space"] == pytest.approx(want.axes["state_space"], abs=0.005)
    assert found.axes["temporal_depth"] == pytest.approx(want.axes["temporal_depth"], rel=0.1)
    # In Leduc some actions lose a tenth of the time exactly: which decile a log has there is chance in every length.
    for axis in ("information_sensitivity", "opponent_modeling", *(("risk",) if name == "29" else ())):
        assert found.axes[axis] == pytest.approx(want.axes[axis], abs=0.03), axis
    assert found.axes["brittleness"] == pytest.approx(want.axes["brittleness"], abs=0.15)


def test_appendix_b_is_enumerated_whole() -> None:
    """Random play of the paper's length meets half of its states, as many as the exact tier expects."""
    want, precise = score("appendix-b", EXACT), score("appendix-b", PRECISE, only=["state_space"])
    assert want.tier == "exact"
    assert want.information_states == 3533
    assert precise.axes["state_space"] == pytest.approx(want.axes["state_space"], abs=0.03)
    assert want.axes["temporal_depth"] == pytest.approx(0.10395, abs=1e-5)


def test_only_the_opponents_depend_on_the_seed() -> None:
    one, other = (score(program("29"), EXACT, seed) for seed in (1, 2))
    differing = {axis for axis in AXES if one.axes[axis] != other.axes[axis]}
    assert differing <= {"opponent_modeling"}
    assert score(program("leduc"), EXACT, 1).axes != score(program("leduc"), EXACT, 2).axes


def test_a_game_above_the_limit_gets_the_other_tier_and_says_so() -> None:
    whole = score("kuhn", EXACT)
    assert score("kuhn", msgspec.structs.replace(EXACT, nodes=58)) == whole  # that are all
    assert score("kuhn", msgspec.structs.replace(EXACT, nodes=57)) == score("kuhn", PRECISE)
    assert score("kuhn", msgspec.structs.replace(EXACT, nodes=57, beyond=FAST), 3) == score("kuhn", FAST, 3)


def test_an_axis_can_be_computed_alone() -> None:
    together = score("leduc", "exact")
    for axis in AXES:
        alone = score("leduc", EXACT, only=axis)
        assert alone.axes == {axis: together.axes[axis]}
        assert alone.information_states == together.information_states


def test_the_exact_tier_has_a_version_of_its_own() -> None:
    assert version_of("exact") == version() != version_of("fast") == version_of("precise")
    assert axis_version_of("exact", "risk") == version() != axis_version_of("fast", "risk")


@pytest.mark.parametrize("name", DEGENERATE)
def test_a_game_without_anything_to_measure_scores_zero(name: str) -> None:
    found = score(program(name), EXACT)
    zero = ("temporal_depth", "information_sensitivity", "opponent_modeling", "risk")
    assert [found.axes[axis] for axis in zero] == [0, 0, 0, 0]
    assert found.axes["brittleness"] == -4
    assert math.isfinite(found.axes["state_space"])
    assert found.sigma_u == 0
