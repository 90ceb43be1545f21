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

from antemill.tournament.cli.entry import run
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.rating import rate
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


def test_elo_puts_the_mean_at_1000(capsys: pytest.CaptureFixture[str], circle: str) -> None:
    """T7: expected scores are the scores there were."""
    ratings = rated(capsys, circle)
    assert list(ratings["ann"]) == [
        *("player", "rating", "low", "high", "games", "status"),
        *("rank_low", "rank_high", "best"),
    ]
    points = {name: ratings[name]["rating"] for name in ratings}
    assert np.mean(list(points.values())) == pytest.approx(1000.0)
    assert [ratings[name]["games"] for name in ("ann", "bob", "cid")] == [3, 4, 3]

    def expected(a: str, b: str) -> float:
        return float(1.0 / (1.0 + 10.0 ** ((points[b] - points[a]) / 400.0)))

    assert 2.0 * expected("ann", "bob") + expected("ann", "cid") == pytest.approx(1.5, abs=1e-8)
    assert 2.0 * expected("bob", "ann") + 2.0 * expected("bob", "cid") == pytest.approx(2.5, abs=1e-8)
    assert list(points.values()) == sorted(points.values(), reverse=True)


def test_an_interval_has_a_reference_that_the_heading_names(capsys: pytest.CaptureFixture[str], circle: str) -> None:
    """The anchor has no interval, and the others' are of the difference to it."""
    for method in ("elo", "bradley-terry", "margin"):
        assert run(["rate", circle, "--method", method]) == 0
        assert "95% intervals against the mean, weighted by information" in capsys.readouterr().out
        assert run(["rate", circle, "--method", method, "--anchor", "bob=0"]) == 0
        assert "95% intervals against bob" in capsys.readouterr().out
        found = rated(capsys, circle, "--method", method, "--anchor", "bob=0")
        assert found["bob"]["low"] is found["bob"]["high"] is None
        assert found["ann"]["low"] < found["ann"]["rating"] < found["ann"]["high"]
        assert found["bob"]["rank_low"] == 1


def test_a_player_with_few_matches_widens_its_own_interval_only(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lines = [f"{a},{b},{int(random.random() < 0.6)},{0.5}" for a, b in ("xy", "yz", "zx") * 60 for _ in range(1)]
    widths = []
    for more in ([], ["w,x,1,0.5", "w,y,0,0.5"]):
        (tmp_path / "r.csv").write_text("\n".join(["a,b,score_a,score_b", *lines, *more]))
        found = {one.player: one for one in rate(results_table(read_rows(tmp_path / "r.csv")))}
        widths.append([found[name].high - found[name].low for name in "xyz"])
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert found["w"].high - found["w"].low > 5 * max(widths[1])


def test_a_row_may_stand_for_many_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counted, whole = tmp_path / "counted.csv", tmp_path / "whole.csv"
    rows = [("x", "y", 1, 0, 20), ("x", "y", 0, 1, 10), ("y", "z", 1, 0, 40), ("z", "y", 1, 0, 30), ("x", "z", 0, 0, 7)]
    counted.write_text("a,b,score_a,score_b,count\n" + "\n".join(",".join(map(str, row)) for row in rows))
    many = [",".join(map(str, row[:4])) for row in rows for _ in range(row[4])]
    whole.write_text("a,b,score_a,score_b\n" + "\n".join(many))
    for method in ("elo", "margin"):
        found, want = (rated(capsys, str(path), "--method", method) for path in (counted, whole))
        assert found == want
        assert found["x"]["high"] - found["x"]["low"] > 0.0
    counted.write_text("a,b,score_a,score_b,count\nx,y,1,0,2.5\n")
    assert "row 1 has the count 2.5; it is a whole number" in complaint(capsys, str(counted))


def test_undefeated_players_have_an_interval_and_unconnected_ones_no_rating(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """T7, T9: null in JSON, with a status."""
    path = tmp_path / "results.csv"
    path.write_text("a,b,score_a,score_b\na,b,1,0\nb,a,1,0\nc,a,1,0\nb,d,1,0\ne,f,1,1\n")
    found = rated(capsys, str(path))
    status = {name: row["status"] for name, row in found.items()}
    assert status == dict(zip("abcdef", ["rated", "rated", "undefeated", "winless", *["unconnected"] * 2], strict=True))
    assert found["c"]["rating"] > found["a"]["rating"] > found["d"]["rating"]
    assert all(found[name]["low"] < found[name]["rating"] < found[name]["high"] for name in "abcd")
    assert [found[name]["rating"] for name in "ef"] == [None] * 2
    assert next(iter(found)) == "c"
    assert run(["rate", str(path)]) == 0
    assert "undefeated" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b,score_a\nx,y,1\n", "no column 'score_a', 'score_b'"),
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
        (["--columns", "white"], "'white' is not OURS=THEIRS, such as a=white,b=black"),
        (["--columns", "a=white"], "no column 'white'; they have a, b, score_a, score_b"),
        (["--columns", "player=a"], "--columns has 'player', and the columns are a, b, score_a"),
        (["--anchor", "ann"], "'ann' is not NAME=RATING"),
        (["--anchor", "ann=high"], "'ann=high' is not NAME=RATING"),
        (["--scale", "0"], "--scale is a positive number"),
        (["--method", "margin", "--scale", "400"], "the method margin has no use for --scale"),
        (["--method", "trueskill", "--anchor", "ann=1"], "the method trueskill has no use for --anchor"),
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
