"""The sentence above a report: who is first, and how sure that is, in planted tournaments of known order."""

import dataclasses
import re

import numpy as np
import pyarrow.compute as pc
import pytest
from msgspec.structs import replace

from antemill.tournament.cards import verdict as said_by
from antemill.tournament.cards.verdict import measured, verdict
from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.estimates import ranks_of, shown_interval
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


def test_the_figures_are_explained_with_their_stakes() -> None:
    e = examine(play(truth(3, 12, seed=3, slope=0.0, gap=5.0), runs=30, seed=4), None, 400).e
    assert measured(e, [20] * 12).endswith("Each player begins a game with 20 chips.")
    text = measured(e, [*range(2, 13), 1_500])
    assert "the chips that a player wins in one game, less the mean of all players" in text
    assert "In brackets: the 95% interval if these games were played again." in text
    assert text.endswith("Each player begins a game with 2 to 1,500 chips, depending on the game.")


def test_players_that_the_matches_do_not_tell_apart_are_level() -> None:
    text = said(4, 0.0, 2, seed=6)
    assert text.startswith("The matches do not tell the 4 players apart: the highest strength is that of ")


def test_players_of_the_same_strength_have_none_above_them(monkeypatch: pytest.MonkeyPatch) -> None:
    e = examine(play(truth(3, 12, seed=3, slope=0.0, gap=0.0), runs=2, seed=4), None, 400).e
    monkeypatch.setattr(said_by, "ranks_of", lambda e: replace(ranks_of(e), low=np.ones(3, np.int64)))
    text = verdict(dataclasses.replace(e, overall=np.zeros(3)))
    assert text.startswith("The matches do not tell the 3 players apart: all have the same strength (0.00 chips a game")


def test_several_followers_are_named_together() -> None:
    t = truth(4, 12, seed=3, slope=0.0, gap=0.0)
    t.strengths[:] = [6.0, -2.0, -2.0, -2.0]
    text = verdict(examine(play(t, runs=20, seed=5), None, 400).e)
    assert text.startswith("m0 (")
    assert re.search(r"m[123] \(.*\), m[123] \(.*\) and m[123] \(.*\) share second place\.$", text)


def test_followers_are_not_said_to_be_worse_than_all_at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    e = examine(play(truth(4, 12, seed=3, slope=0.0, gap=5.0), runs=20, seed=4), None, 400).e
    low = np.empty(4, np.int64)
    low[np.argsort(-e.overall)] = [1, 1, 2, 2]
    monkeypatch.setattr(said_by, "ranks_of", lambda e: replace(ranks_of(e), low=low))
    assert verdict(e).endswith(" share second place; the matches show only 1 of the 2 above to be better.")


def test_a_player_with_a_wide_interval_below_others_is_not_named_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    e = examine(play(truth(4, 12, seed=3, slope=0.0, gap=5.0), runs=20, seed=4), None, 400).e
    order = np.argsort(-e.overall)
    low = np.empty(4, np.int64)
    low[order] = [1, 2, 1, 1]
    monkeypatch.setattr(said_by, "ranks_of", lambda e: replace(ranks_of(e), low=low))
    text = verdict(e)
    assert re.match(r"m0 \(.*?\) has the highest strength\. m1 \([^()]*\) is behind; the matches of the others ", text)
    low[order] = [1, 2, 2, 1]
    assert re.search(r"\. m1 \([^()]*\) and m2 \([^()]*\) are behind; ", verdict(e))


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


def test_players_with_the_same_strength_are_level_and_none_is_the_highest() -> None:
    rows = play(truth(2, 1, seed=3, slope=0.0, gap=5.0), runs=1, seed=4)
    drawn = rows.set_column(rows.schema.get_field_index("margin"), "margin", pc.multiply(rows["margin"], 0.0))
    text = verdict(examine(drawn, None, 100).e)
    assert text == "m0 (0.00 chips a game) and m1 (0.00) are level at the top; too few matches for a ranking."


def test_a_long_name_is_shortened_in_the_sentence() -> None:
    rows = play(truth(2, 6, seed=3, slope=0.0, gap=5.0), runs=3, seed=4)
    for place, column in enumerate(rows.schema.names):
        if column in ("alice", "bob"):
            rows = rows.set_column(place, column, pc.binary_join_element_wise(rows[column], "x" * 270, ""))
    text = verdict(examine(rows, None, 100).e)
    assert "xxx (" in text
    assert len(text) < 300
