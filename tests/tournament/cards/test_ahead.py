"""The sentence on what kind of games the best are stronger, in planted tournaments with known slopes."""

import re

import numpy as np

from antemill.axes import AXES
from antemill.tournament.cards.ahead import EXPLAINED, GAMES, ahead
from antemill.tournament.statistics.analysis import Analysis, examine
from antemill.tournament.statistics.game_axes import GameAxes
from antemill.tournament.statistics.profile import DISCOVERY, zscore
from tests.tournament.statistics.planted import Truth, centred, play, truth

FIGURE = r"[+\N{MINUS SIGN}]\d\.\d\d"
BETWEEN = rf"\[{FIGURE}, {FIGURE}\]"


def analysis(t: Truth, runs: int = 4) -> Analysis:
    lengths = np.full(len(t.axes), np.nan)
    return examine(play(t, runs=runs, seed=5), None, 200, axes_of=lambda _: GameAxes(t.axes, lengths, "a test", {}))


def planted(games: int = 40, gap: float = 4.0, **slopes: float) -> Truth:
    """Three players. slopes: of m0 on axes; m1 and m2 share the opposite."""
    t = truth(3, games, seed=3, slope=0.0, gap=gap)
    for axis, slope in slopes.items():
        t.strengths[:, 0] += slope * zscore(t.axes)[:, [*AXES].index(axis)]
    t.strengths[:] = centred(t.strengths)
    return t


def test_the_axes_on_which_the_best_is_stronger_are_named_with_their_intervals() -> None:
    text, explained = ahead(analysis(planted(opponent_modeling=1.5, risk=-2.0)))
    assert re.fullmatch(
        rf"m0 is less strong on {GAMES['risk']} \(risk: {FIGURE} chips a game per standard deviation {BETWEEN}\) "
        rf"and stronger on {GAMES['opponent_modeling']} \(opponent modeling: {FIGURE} {BETWEEN}\)\.",
        text,
    )
    slope, low, high = (
        float(x.replace("\N{MINUS SIGN}", "-")) for x in re.findall(FIGURE, text.partition("modeling:")[2])
    )
    assert low < slope < high
    assert low < 1.0 < high  # two thirds of 1.5, since strengths are relative to the mean
    assert explained == EXPLAINED


def test_games_that_differ_each_in_its_own_way_are_no_kind_of_games() -> None:
    """On these games alone slopes are significant, but other games would give others."""
    closest = rf"Closest to being shown: m0 is (less strong|stronger) on .* per standard deviation {BETWEEN}\)\. "
    chance = "(?P<chance>Its interval leaves out 0, as one of twenty does by chance, and 6 are tested. )"
    silent = by_chance = 0
    for seed in range(3):
        a = analysis(truth(3, 20, seed, slope=0.0, rough=2.0, gap=4.0))
        assert (a.profile.q[0] < DISCOVERY).any()
        text, explained = ahead(a)
        if text == "m0 is not shown to be stronger on one kind of games than on another.":
            found = re.fullmatch(rf"{closest}({chance})?{re.escape(EXPLAINED)}", explained)
            assert found is not None
            *_, low, high = (float(x.replace("\N{MINUS SIGN}", "-")) for x in re.findall(FIGURE, explained))
            assert (found["chance"] is not None) == (low * high > 0)
            by_chance += found["chance"] is not None
            silent += 1
    assert silent >= 2
    assert by_chance < silent
