"""The sentence above a report: who is first, and how sure that is, in planted tournaments of known order."""

import re

import numpy as np

from antemill.tournament.cards.verdict import verdict
from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.estimates import shown_interval
from tests.tournament.statistics.planted import play, truth


def said(models: int, gap: float, runs: int, seed: int = 4) -> str:
    t = truth(models, 12, seed=3, slope=0.0, gap=gap)
    return verdict(examine(play(t, runs=runs, seed=seed), None, 400).e)


def test_one_player_is_first_and_the_next_is_second() -> None:
    text = said(3, 5.0, 30)
    figure = r"\+\d\.\d\d"
    assert re.match(
        rf"m0 \({figure} chips a game \[{figure}, {figure}\]\) is first, with probability above \.99\.", text
    )
    assert re.search(r"m1 \(.*\) is second, with probability above \.99\.$", text)
    assert text.count("chips a game") == 1


def test_players_that_the_matches_do_not_tell_apart_are_level() -> None:
    text = said(4, 0.0, 2, seed=6)
    assert text.startswith("The matches do not tell the 4 players apart: the highest strength is that of ")


def test_several_followers_are_named_together() -> None:
    t = truth(4, 12, seed=3, slope=0.0, gap=0.0)
    t.strengths[:] = [6.0, -2.0, -2.0, -2.0]
    text = verdict(examine(play(t, runs=20, seed=5), None, 400).e)
    assert text.startswith("m0 (")
    assert re.search(r"m[123] \(.*\), m[123] \(.*\) and m[123] \(.*\) share second place\.$", text)


def test_a_run_each_has_the_papers_interval_as_the_figure_does() -> None:
    """How far the strengths would move on these games is unknown then, but not how sure the order is."""
    t = truth(3, 12, seed=3, slope=0.0, gap=5.0)
    e = examine(play(t, runs=1, seed=4), None, 400).e
    interval, what = shown_interval(e)
    assert what.startswith("the paper's 95% bootstrap interval")
    assert np.isfinite([interval.low, interval.high]).all()
    assert re.search(r"m0 \(\+\d\.\d\d chips a game \[[^]]*\]\)", verdict(e))
    assert shown_interval(examine(play(t, runs=2, seed=4), None, 400).e)[1].startswith(
        "the 95% interval if these games"
    )
