"""Disagreements with the solver: counted from what the pages of the matches show, decision by decision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pyarrow.csv import read_csv
from scipy import stats

from antemill.tournament.runs.browse import opened
from tests.tournament.analysed import analyze
from tests.tournament.cards.tournament_runs import run_cup, write_cup

PLAYERS = """
[players.calls]
bot = "passive"
[players.rnd]
bot = "random"
[players.first]
bot = "l1"
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cup")
    run_cup(write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 4', PLAYERS), home / "run")
    analyze(home / "run")
    return home / "run"


def naive(cup: Path) -> dict[tuple[str, str], dict[tuple[str, int], list[tuple[int, int, float]]]]:
    """{player, game: {opponent, run: [moves, moves off the solver, chips given away] of each match}}."""
    found: dict[tuple[str, str], dict[tuple[str, int], list[tuple[int, int, float]]]] = {}
    with opened(cup) as run:
        for row in map(run.row, run.store.each_record()):
            shown = [frame["decision"] for frame in run.item(row["item"])["frames"] if frame["decision"]]
            for player, other in (row["players"], row["players"][::-1]):
                own = [one for one in shown if one["player"] == player and not one["solver"]["note"]]
                rare = sum(one["solver"]["mix"][one["options"].index(one["choice"])] < 0.02 for one in own)
                cost = sum(one["solver"]["cost"] for one in own if one["solver"]["cost"] > 0.005)
                pairs = found.setdefault((player, row["about"]), {})
                pairs.setdefault((other, row["run"]), []).append((len(own), rare, cost))
    return found


def test_moves_are_counted_by_player_and_game_and_cost_what_their_pages_show(cup: Path) -> None:
    want = naive(cup)
    rows = read_csv(cup / "tables" / "disagreements_by_game.csv").to_pylist()
    assert {(row["player"], row["game"]) for row in rows} == set(want)
    assert sum(row["off"] for row in rows) > 10
    for row in rows:
        pairs = want[row["player"], row["game"]]
        matches = [one for both in pairs.values() for one in both]
        assert (row["judged"], row["off"]) == tuple(sum(one[i] for one in matches) for i in (0, 1))
        assert row["share"] == pytest.approx(row["off"] / row["judged"])
        means = [float(np.mean([cost for _, _, cost in both])) for both in pairs.values()]
        assert row["gave"] == pytest.approx(np.mean(means), abs=1e-3)
        assert (row["low"], row["high"]) == pytest.approx(rare(means), abs=2e-3)


def rare(means: Sequence[float]) -> tuple[float, float]:
    """Fay and Feuer's interval, with the standard error widened as Student's quantile is beside the normal one."""
    mean, more = np.mean(means), max(means) / len(means)
    wide = stats.sem(means) * stats.t.ppf(0.975, len(means) - 1) / stats.norm.ppf(0.975)
    ends = (mean, wide**2, 0.025), (mean + more, wide**2 + more**2, 0.975)
    low, high = (stats.gamma.ppf(level, one**2 / variance, scale=variance / one) for one, variance, level in ends)
    return low, high


def test_a_player_s_row_is_that_of_its_games(cup: Path) -> None:
    games = read_csv(cup / "tables" / "disagreements_by_game.csv").to_pylist()
    whole = read_csv(cup / "tables" / "disagreements.csv").to_pylist()
    assert [row["share"] for row in whole] == sorted((row["share"] for row in whole), reverse=True)
    for row in whole:
        own = [one for one in games if one["player"] == row["player"]]
        assert (row["judged"], row["off"]) == tuple(sum(one[key] for one in own) for key in ("judged", "off"))
        assert row["gave"] == pytest.approx(np.mean([one["gave"] for one in own]))
        assert row["low"] < row["gave"] < row["high"]
