"""The sentence above a report: who is first, and how sure that is, in planted tournaments of known order."""

import re

from antemill.tournament.cards.verdict import verdict
from antemill.tournament.statistics.analysis import examine
from tests.tournament.statistics.planted import play, truth


def said(models: int, gap: float, runs: int, seed: int = 4) -> str:
    t = truth(models, 12, seed=3, slope=0.0, gap=gap)
    return verdict(examine(play(t, runs=runs, seed=seed), None, 400).e)


def test_one_player_is_first_and_the_next_is_second() -> None:
    text = said(3, 5.0, 30)
    figure = r"\+\d\.\d\d"
    assert re.match(
        rf"m0 \({figure} \[{figure}, {figure}\] chips a game\) is first, with probability above \.99\.", text
    )
    assert re.search(r"m1 \(.*\) is second, with probability above \.99\.$", text)


def test_players_that_the_matches_do_not_tell_apart_are_level() -> None:
    text = said(4, 0.0, 2, seed=6)
    assert text.startswith("The matches do not tell the 4 players apart: the highest strength is that of ")


def test_several_followers_are_named_together() -> None:
    t = truth(4, 12, seed=3, slope=0.0, gap=0.0)
    t.strengths[:] = [6.0, -2.0, -2.0, -2.0]
    text = verdict(examine(play(t, runs=20, seed=5), None, 400).e)
    assert text.startswith("m0 (")
    assert re.search(r"m[123] \(.*\), m[123] \(.*\) and m[123] \(.*\) are level behind\.$", text)
