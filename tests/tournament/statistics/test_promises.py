"""What `tournament analyze` says beside the paper's figures: eight copies of one player, and much luck of the cards."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from antemill.axes import AXES
from antemill.tournament.statistics.outputs import analyze
from tests.tournament.statistics.planted import Truth, play, truth

Rows = list[dict[str, str]]


def analysed(folder: Path, t: Truth, rows: pa.Table) -> Path:
    pyarrow.csv.write_csv(rows, folder / "slots.csv")
    columns = {axis: t.axes[:, i] for i, axis in enumerate(AXES)}
    pq.write_table(pa.table({"game": t.games, **columns}), folder / "axes.parquet")
    analyze(folder / "slots.csv", folder / "axes.parquet", folder, bootstrap=200, fewer=200, seed=1)
    return folder


def cells(folder: Path, name: str) -> Rows:
    with open(folder / "tables" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def numbers(rows: Rows, key: str) -> list[float]:
    return [float(row[key]) for row in rows]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    t = truth(8, 12, seed=1, slope=0.0, gap=0.0)
    return analysed(tmp_path_factory.mktemp("copies"), t, play(t, runs=8, seed=2, deal=6.0))


def test_copies_of_one_player_have_no_interaction_and_the_papers_interval_is_flagged(copies: Path) -> None:
    row = next(row for row in cells(copies, "variance") if row["quantity"] == "sigma2_MG" and row["models"] == "all")
    assert row["flag"] == "collapsed"
    assert float(row["low"]) > float(row["value"])
    assert float(row["high"]) - float(row["low"]) < 0.02
    assert abs(float(row["corrected"])) < 0.02
    assert float(row["corrected_low"]) <= 0.0 <= float(row["corrected_high"])


def test_the_leaderboard_and_the_slopes_have_an_interval_for_each_question(copies: Path) -> None:
    for name, value in (("table1_leaderboard", "alpha"), ("slopes", "slope")):
        rows = cells(copies, name)
        for kind in ("these", "like"):
            low, middle, high = (np.array(numbers(rows, key)) for key in (f"low_{kind}", value, f"high_{kind}"))
            assert (low < middle).all()
            assert (middle < high).all()
        assert "games like these" in (copies / "tables" / f"{name}.md").read_text("utf-8")


def test_games_that_differ_widen_only_what_is_said_of_other_games(tmp_path: Path) -> None:
    t = truth(4, 12, seed=1, slope=0.0, rough=1.0)
    rows = cells(analysed(tmp_path, t, play(t, runs=6, seed=2, noise=0.3, deal=6.0)), "table1_leaderboard")
    widths = {
        kind: np.array(numbers(rows, f"high{kind}")) - numbers(rows, f"low{kind}") for kind in ("", "_these", "_like")
    }
    assert (widths["_like"] > 5.0 * widths["_these"]).all()
    assert (widths[""] > 1.5 * widths["_these"]).all()
    want = dict(zip(t.models, t.strengths.mean(axis=0), strict=True))
    off = np.array([float(row["alpha"]) - want[row["model"]] for row in rows])
    assert (np.abs(off) < widths["_these"]).all()


@pytest.mark.parametrize("column", ["pair"])
def test_clusters_that_hold_whole_cells_give_no_interval_on_these_games(tmp_path: Path, column: str) -> None:
    t = truth(6, 9, seed=1, slope=0.0)
    rows = play(t, runs=4, seed=2)
    pairs = ["".join(sorted(pair)) for pair in zip(rows["alice"].to_pylist(), rows["bob"].to_pylist(), strict=True)]
    folder = analysed(tmp_path, t, rows.append_column("cluster", rows["game"] if column == "game" else pa.array(pairs)))
    unknown = "not estimated: a pair's runs on a game are all of one cluster: the noise is unknown"
    assert {row["low_these"] for row in cells(folder, "table1_leaderboard")} == {unknown}
    assert {row["high_these"] for row in cells(folder, "slopes")} == {unknown}
    assert {row["p"] for row in cells(folder, "jaggedness")} == {unknown}
    assert {row["corrected"] for row in cells(folder, "variance")} == {unknown}
    assert {row["joint_p"] for row in cells(folder, "rank_stability")} == {unknown}
    assert {row["fair_p"] for row in cells(folder, "reversals")} == {unknown}
    assert {row["p"] for row in cells(folder, "rank_stability")} == {
        "not estimated: a pair met in one cluster only: its noise is unknown"
    }
    assert {row["low"][:13] for row in cells(folder, "game_strength_intervals")} == {"not estimated"}
