"""Disagreements with the solver: counted from what the pages of the matches show, decision by decision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

from antemill.tournament.cards.analyze import analyze
from antemill.tournament.cards.report import report
from antemill.tournament.runs.browse import opened
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
    analyze(home / "run", bootstrap=20)
    return home / "run"


def naive(cup: Path) -> dict[tuple[str, str], dict[tuple[str, int], list[tuple[int, int, float]]]]:
    """{player, game: {opponent, run: [moves, moves off the solver, chips given away] of each match}}."""
    found: dict[tuple[str, str], dict[tuple[str, int], list[tuple[int, int, float]]]] = {}
    with opened(cup) as run:
        for row in run.rows():
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
    rows = pq.read_table(cup / "tables" / "disagreements_by_game.parquet").to_pylist()
    assert {(row["player"], row["game"]) for row in rows} == set(want)
    assert sum(row["off"] for row in rows) > 10
    for row in rows:
        pairs = want[row["player"], row["game"]]
        matches = [one for both in pairs.values() for one in both]
        assert (row["judged"], row["off"]) == tuple(sum(one[i] for one in matches) for i in (0, 1))
        assert row["share"] == pytest.approx(row["off"] / row["judged"])
        means = [np.mean([cost for _, _, cost in both]) for both in pairs.values()]
        assert row["gave"] == pytest.approx(np.mean(means), abs=1e-3)
        low, high = stats.t.interval(0.95, len(means) - 1, np.mean(means), stats.sem(means))
        assert row["low"] == pytest.approx(max(0.0, low), abs=2e-3)
        assert row["high"] == pytest.approx(high, abs=2e-3)


def test_a_player_s_row_is_that_of_its_games(cup: Path) -> None:
    games = pq.read_table(cup / "tables" / "disagreements_by_game.parquet").to_pylist()
    whole = pq.read_table(cup / "tables" / "disagreements.parquet").to_pylist()
    assert [row["share"] for row in whole] == sorted((row["share"] for row in whole), reverse=True)
    for row in whole:
        own = [one for one in games if one["player"] == row["player"]]
        assert (row["judged"], row["off"]) == tuple(sum(one[key] for one in own) for key in ("judged", "off"))
        assert row["gave"] == pytest.approx(np.mean([one["gave"] for one in own]))
        assert row["low"] < row["gave"] < row["high"]


def test_the_list_names_the_players_of_such_moves(cup: Path) -> None:
    want = naive(cup)
    with opened(cup) as run:
        rows = list(run.rows())
    for player in ("calls", "rnd", "first"):
        for how, place in (("off", 1), ("gave", 2)):
            listed = [row["item"] for row in rows if f"{player}: {how}" in row.get("strayed", ())]
            matches = [
                one for (name, _), pairs in want.items() if name == player for both in pairs.values() for one in both
            ]
            assert len(listed) == sum(one[place] > 0 for one in matches), (player, how)


def test_a_run_without_a_solved_game_has_no_such_table(tmp_path: Path) -> None:
    run_cup(write_cup(tmp_path, 'games = ["starter-4"]\nmatches_per_seat = 1', PLAYERS), tmp_path / "run")
    analyze(tmp_path / "run", bootstrap=20)
    assert not list((tmp_path / "run" / "tables").glob("disagreements*"))
    assert "Disagreements with the solver" not in report(tmp_path / "run", 20)
