"""Players with too few matches: no interval, no part of the contrast, listed apart (N4, N6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.pages.overview import sheet_section
from antemill.tournament.statistics.few import enough, set_apart, units_of_models, units_of_pairs
from antemill.tournament.statistics.leaderboards import head_to_head, leaderboard
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.outputs import analyze, results
from antemill.tournament.statistics.sheets import Missing
from antemill.tournament.statistics.strength import strengths
from benches.coverage import MAIN, coverage, guest_world, with_guest
from tests.tournament.statistics import planted


def as_results(rows: pa.Table) -> pa.Table:
    """The same matches with scores, each its own cluster."""
    zeros = np.zeros(rows.num_rows)
    return pa.table({"a": rows["alice"], "b": rows["bob"], "score_a": rows["margin"], "score_b": zeros})


def rated(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    assert run(["rate", str(path), "--json", *options]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["ratings"]
    return found


@pytest.mark.parametrize("matches", [1, 4])
def test_a_guest_leaves_the_others_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], matches: int
) -> None:
    """To the digit, with and without it; below the others, without bounds, at its margins beside theirs."""
    _, rows = with_guest(matches, seed=1)
    without = rows.slice(0, rows.num_rows - matches)
    for name, table in (("with", rows), ("without", without)):
        pq.write_table(as_results(table), tmp_path / f"{name}.parquet")
    found, want = (rated(tmp_path / f"{name}.parquet", capsys, "--method", "margin") for name in ("with", "without"))
    guest, main = found[-1], found[:-1]
    assert [row | {"games": 0} for row in main] == [row | {"games": 0} for row in want]
    assert (guest["player"], guest["low"], guest["high"], guest["games"]) == ("m5", None, None, matches)
    assert guest["status"] == "few"
    level = {row["player"]: row["rating"] for row in main}
    last = rows.slice(rows.num_rows - matches).to_pylist()
    assert guest["rating"] == pytest.approx(np.mean([row["margin"] + level[row["bob"]] for row in last]))
    board = leaderboard(slot_table(rows), 50)
    assert board.apart == ("m5",)
    assert board.models[board.order[-1]] == "m5"
    np.testing.assert_array_equal(board.strengths[:MAIN], leaderboard(slot_table(without), 50).strengths)
    assert np.isnan(board.interval.low).tolist() == [False] * MAIN + [True]


def test_the_tables_of_a_tournament_list_a_guest_apart(tmp_path: Path) -> None:
    uneven = True
    _, rows = with_guest(2, seed=1)
    pq.write_table(rows, tmp_path / "slots.parquet")
    pq.write_table(rows.slice(0, rows.num_rows - 2), tmp_path / "before.parquet")
    found = results(tmp_path / "slots.parquet", None, 30, uneven=uneven)
    (sheet,) = (sheet for sheet in found.sheets if sheet.name == "few_matches")
    assert sheet.column("model") == ["m5"]
    assert sheet.column("runs") == sheet.column("slots") == [2]
    assert "m5" in sheet_section(sheet).html
    assert "m5" in found.sheets[0].note
    others = {sheet.name: sheet.rows for sheet in found.sheets if sheet.name not in ("few_matches", "fallbacks")}
    before = results(tmp_path / "before.parquet", None, 30, uneven=uneven)
    assert others == {sheet.name: sheet.rows for sheet in before.sheets if sheet.name != "fallbacks"}
    summary = analyze(tmp_path / "slots.parquet", None, tmp_path / "out", 30, uneven=uneven)
    assert [rank.player for rank in summary.leaderboard] == [f"m{k}" for k in range(MAIN)]
    (guest,) = summary.apart
    assert (guest.player, guest.low, guest.high) == ("m5", None, None)
    assert guest.strength == pytest.approx(sheet.column("alpha")[0])
    assert (tmp_path / "out/tables/few_matches.md").exists()
    analyze(tmp_path / "before.parquet", None, tmp_path / "out", 30, uneven=uneven)
    assert not list((tmp_path / "out/tables").glob("few_matches.*"))


def test_five_matches_are_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, rows = with_guest(5, seed=1)
    pq.write_table(as_results(rows), tmp_path / "results.parquet")
    guest = next(row for row in rated(tmp_path / "results.parquet", capsys, "--method", "margin") if row["games"] == 5)
    assert guest["low"] < guest["rating"] < guest["high"]
    assert guest["status"] == "rated"


def test_one_match_alone_has_a_rating_and_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every resample of one match is that match."""
    path = tmp_path / "results.csv"
    path.write_text("a,b,score_a,score_b\nx,y,1,0\n")
    first, second = rated(path, capsys, "--method", "margin")
    assert (first["player"], first["rating"], first["low"], first["status"]) == ("x", 0.5, None, "rated")
    assert second["high"] is None


def table_of(*matches: tuple[str, str, int]) -> SlotTable:
    """A match in each of so many runs, for every pair that is named."""
    rows = [
        {"game": "g", "run": k, "alice": a, "bob": b, "margin": k % 3} for a, b, runs in matches for k in range(runs)
    ]
    return slot_table(pa.Table.from_pylist(rows))


def test_only_clusters_against_those_who_stay_count() -> None:
    """`c` has six, but four of them against guests; without it, `d` has four."""
    table = table_of(("a", "b", 9), ("a", "c", 2), ("c", "x", 2), ("c", "y", 2), ("a", "d", 3), ("b", "d", 3))
    assert units_of_models(table).tolist() == [14, 12, 6, 6, 2, 2]
    assert set_apart(table)[1] == ("c", "x", "y")
    assert enough(table).tolist() == [True, True, False, True, False, False]


def test_nobody_has_an_interval_where_all_opponents_are_guests() -> None:
    """The middle of a star has many matches, and every error of the others."""
    table = table_of(("a", "b", 4), ("a", "c", 4), ("a", "d", 4))
    assert not enough(table).any()
    assert set_apart(table)[0] is table
    board = leaderboard(table, 20)
    np.testing.assert_allclose(board.strengths, strengths(table))
    assert np.isnan(board.interval.low).all()


def test_a_game_with_a_guest_has_no_intervals_of_its_own(tmp_path: Path) -> None:
    rows = planted.play(planted.truth(3, 2, seed=1), runs=6, seed=2).to_pylist()
    rows = [row for row in rows if row["game"] == "g000" or "m2" not in (row["alice"], row["bob"]) or row["run"] == 0]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "slots.parquet")
    found = results(tmp_path / "slots.parquet", None, 50).sheets
    (sheet,) = (sheet for sheet in found if sheet.name == "game_strength_intervals")
    low = dict(zip(zip(sheet.column("game"), sheet.column("model"), strict=True), sheet.column("low"), strict=True))
    assert isinstance(low["g000", "m0"], float)
    assert low["g001", "m0"] == Missing("a player has fewer than 5 runs on this game")


def test_the_others_intervals_hold() -> None:
    """Planted tournaments: 95% intervals of the players who play enough, with any effect of a guest on the fit."""
    found = coverage(guest_world, 1, worlds=24)
    for kind in ("paper", "rate", "these"):
        assert 0.90 <= found[kind] <= 0.98
        assert np.isnan(found[f"own {kind}"])
    assert found["fitted"] < 0.80


def test_a_pair_with_few_runs_is_not_significant(tmp_path: Path) -> None:
    """The interval of one match has no width, and excludes zero."""
    rows = planted.play(planted.truth(4, 1, seed=1), runs=9, seed=2).to_pylist()
    met = [row for row in rows if {row["alice"], row["bob"]} == {"m0", "m3"}]
    rows = [row for row in rows if row not in met] + [met[0] | {"margin": 40.0 if met[0]["alice"] == "m0" else -40.0}]
    table = slot_table(pa.Table.from_pylist(rows))
    assert units_of_pairs(table)[0].tolist() == [0, 9, 9, 1]
    assert not head_to_head(table, 50).significant[0, 3]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "slots.parquet")
    (sheet,) = (sheet for sheet in results(tmp_path / "slots.parquet", None, 50).sheets if sheet.name[:6] == "table5")
    line, column = [row[0] for row in sheet.rows].index("m0"), [column.key for column in sheet.columns].index("m3")
    assert sheet.rows[line][column] == 40.0
    assert (line, column) not in sheet.bold
    assert sheet.bold
