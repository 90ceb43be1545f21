"""`antemill rate`: methods, options, and what is refused (T7, T9, S8; the command line is a contract)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import trueskill

from antemill.engine.errors import UsageError
from antemill.tournament.cli.entry import run
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.result_columns import results_table
from antemill.tournament.statistics.result_files import read_rows
from antemill.tournament.statistics.strength import strengths
from tests.tournament.statistics import planted

CIRCLE = """a,b,score_a,score_b
ann,bob,3,1
bob,cid,2,0
cid,ann,5,4
ann,bob,1,1
cid,bob,0,2
"""


@pytest.fixture
def circle(tmp_path: Path) -> str:
    """Three players who beat each other in a circle, with a draw."""
    path = tmp_path / "results.csv"
    path.write_text(CIRCLE)
    return str(path)


def rated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    assert run(["rate", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return {row["player"]: row for row in json.loads(out)["ratings"]}


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["rate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_elo_puts_the_first_player_at_1000(capsys: pytest.CaptureFixture[str], circle: str) -> None:
    """T7: expected scores are the scores there were."""
    ratings = rated(capsys, circle)
    assert list(ratings["ann"]) == [
        *("player", "rating", "low", "high", "games", "status"),
        *("rank_low", "rank_high", "best", "spread"),
    ]
    assert ratings["ann"]["rating"] == 1000.0
    assert [ratings[name]["games"] for name in ("ann", "bob", "cid")] == [3, 4, 3]
    points = {name: ratings[name]["rating"] for name in ratings}

    def expected(a: str, b: str) -> float:
        return float(1.0 / (1.0 + 10.0 ** ((points[b] - points[a]) / 400.0)))

    assert 2.0 * expected("ann", "bob") + expected("ann", "cid") == pytest.approx(1.5, abs=1e-8)
    assert 2.0 * expected("bob", "ann") + 2.0 * expected("bob", "cid") == pytest.approx(2.5, abs=1e-8)
    assert list(points.values()) == sorted(points.values(), reverse=True)


def test_anchor_and_scale_move_and_stretch(capsys: pytest.CaptureFixture[str], circle: str) -> None:
    plain = rated(capsys, circle)
    moved = rated(capsys, circle, "--anchor", "bob=0", "--scale", "100")
    for name in plain:
        want = (plain[name]["rating"] - plain["bob"]["rating"]) / 4.0
        assert moved[name]["rating"] == pytest.approx(want, abs=1e-8)


def test_bradley_terry_is_elo_in_log_odds(capsys: pytest.CaptureFixture[str], circle: str) -> None:
    points, odds = rated(capsys, circle), rated(capsys, circle, "--method", "bradley-terry")
    assert sum(row["rating"] for row in odds.values()) == pytest.approx(0.0, abs=1e-9)
    gap = points["bob"]["rating"] - points["cid"]["rating"]
    assert odds["bob"]["rating"] - odds["cid"]["rating"] == pytest.approx(gap * np.log(10.0) / 400.0)
    anchored = rated(capsys, circle, "--method", "bradley-terry", "--anchor", "cid=2")
    assert anchored["cid"]["rating"] == 2.0


def test_margin_is_the_additive_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """N4, N6: on a Parquet file, with clusters that are resampled together."""
    rows = planted.play(planted.truth(4, 2, seed=1), runs=12, seed=2)
    data = rows.to_pydict()
    table = pa.table(
        {
            "a": data["alice"],
            "b": data["bob"],
            "score_a": data["margin"],
            "score_b": [0.0] * rows.num_rows,
            "game": data["game"],
            "cluster": data["run"],
        }
    )
    path = tmp_path / "results.parquet"
    pyarrow.parquet.write_table(table, path)
    found = rated(capsys, str(path), "--method", "margin")
    want = strengths(slot_table(rows))
    for k, name in enumerate(("m0", "m1", "m2", "m3")):
        assert found[name]["rating"] == pytest.approx(want[k])
        assert found[name]["low"] < want[k] < found[name]["high"]
    again = rated(capsys, str(path), "--method", "margin")
    assert found == again
    shifted = rated(capsys, str(path), "--method", "margin", "--anchor", "m3=0")
    assert shifted["m0"]["rating"] == pytest.approx(want[0] - want[3])


def test_trueskill_goes_through_the_rows_in_order(capsys: pytest.CaptureFixture[str], circle: str) -> None:
    """S8: against the library, match by match."""
    ratings = {name: trueskill.Rating() for name in ("ann", "bob", "cid")}
    for line in CIRCLE.splitlines()[1:]:
        a, b, first, second = line.split(",")
        win, lose = (a, b) if int(first) >= int(second) else (b, a)
        ratings[win], ratings[lose] = trueskill.rate_1vs1(ratings[win], ratings[lose], drawn=first == second)
    found = rated(capsys, circle, "--method", "trueskill")
    for name, want in ratings.items():
        assert found[name]["rating"] == pytest.approx(want.mu)
        assert found[name]["high"] - found[name]["rating"] == pytest.approx(1.96 * want.sigma, rel=1e-4)


def test_undefeated_and_unconnected_players_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """T7, T9: null in JSON, with a status; a prior makes them finite."""
    path = tmp_path / "results.csv"
    path.write_text("a,b,score_a,score_b\na,b,1,0\nb,a,1,0\nc,a,1,0\nb,d,1,0\ne,f,1,1\n")
    found = rated(capsys, str(path))
    status = {name: row["status"] for name, row in found.items()}
    assert status == {
        "a": "rated",
        "b": "rated",
        "c": "undefeated",
        "d": "winless",
        "e": "unconnected",
        "f": "unconnected",
    }
    assert [found[name]["rating"] for name in "cdef"] == [None] * 4
    assert next(iter(found)) == "c"
    finite = rated(capsys, str(path), "--prior", "draw")
    assert all(row["status"] == "rated" and row["rating"] is not None for row in finite.values())
    assert finite["c"]["rating"] > finite["a"]["rating"] > finite["d"]["rating"]
    assert run(["rate", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "∞" in shown
    assert "undefeated" in shown


def test_the_anchor_is_for_the_offset_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first player never loses: the others are rated all the same, and the first of them is at 1000."""
    path = tmp_path / "results.csv"
    rows = ["a,b,1,0", "a,c,1,0", "a,d,1,0", "b,c,1,0", "b,c,1,0", "c,d,1,0", "d,b,1,0"]
    path.write_text("\n".join(["a,b,score_a,score_b", *rows]))
    found = rated(capsys, str(path), "--method", "elo")
    assert found["b"]["rating"] == 1000.0
    assert all(isinstance(found[name]["rating"], float) for name in "bcd")
    assert found["a"]["rating"] is None
    assert found["a"]["status"] == "undefeated"
    sentence = complaint(capsys, str(path), "--method", "elo", "--anchor", "a=1000")
    assert "a, who has no finite rating (undefeated): name b, or use --prior draw" in sentence


def test_no_resamples_no_interval(circle: str) -> None:
    table = results_table(read_rows(Path(circle)))
    assert all(np.isnan(one.low) for one in rate(table, RatingOptions(bootstrap=0)))
    for method, few in (("elo", -1), ("elo", 1), ("margin", 1)):
        with pytest.raises(UsageError, match="bootstrap is the number of resamples, 2 or more, or 0"):
            rate(table, RatingOptions(method, bootstrap=few))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b,score_a\nx,y,1\n", "no column 'score_b'"),
        ("a,b,score_a,score_b\n", "there are no results"),
        ("a,b,score_a,score_b\nx,y,one,2\n", "'score_a' has text in it"),
        ("a,b,score_a,score_b\nx,y,,2\nx,y,1,2\n", "row 1 has no finite number in 'score_a'"),
        ("a,b,score_a,score_b\nx,y,1,2\nx,x,1,2\n", "row 2 pits 'x' against itself"),
        ("a,b,score_a,score_b,weight\nx,y,1,2,-1\n", "row 1 has a negative weight"),
        ("a,b,score_a,score_b\nx,y,1,2\n", "there is no player 'z'"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert sentence in complaint(capsys, str(path), "--anchor", "z=1")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "glicko"], "there is no method 'glicko'"),
        (["--prior", "flat"], "there is no prior 'flat'"),
        (["--anchor", "ann"], "'ann' is not NAME=RATING"),
        (["--anchor", "ann=high"], "'ann=high' is not NAME=RATING"),
        (["--scale", "0"], "--scale is a positive number"),
        (["--method", "margin", "--scale", "400"], "the method margin has no use for --scale"),
        (["--method", "trueskill", "--prior", "draw"], "the method trueskill has no use for --prior"),
    ],
)
def test_bad_options_are_refused(
    capsys: pytest.CaptureFixture[str], circle: str, options: list[str], sentence: str
) -> None:
    assert sentence in complaint(capsys, circle, *options)


def test_trueskill_has_no_use_for_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "weights.csv"
    path.write_text("a,b,score_a,score_b,weight\nx,y,1,2,1\ny,x,1,2,3\n")
    assert "no use for weights" in complaint(capsys, str(path), "--method", "trueskill")


def test_a_missing_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no file" in complaint(capsys, str(tmp_path / "none.csv"))
    assert f"{tmp_path} is a folder; give a .parquet or .csv file" in complaint(capsys, str(tmp_path))
