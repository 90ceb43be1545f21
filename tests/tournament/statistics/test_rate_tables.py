"""`antemill rate` on tables as others write them: columns, separators, islands, order, draws, the first move, size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.statistics import errors, rating, wins
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.result_columns import results_table

PLAIN = "a,b,score_a,score_b\nx,y,1,0\ny,z,1,1\nz,x,1,0\nx,z,2,0\ny,x,1,0\nz,y,0,3\n"
ARENA = (
    "model_a,model_b,winner\nx,y,model_a\ny,z,tie\nz,x,model_a\nx,z,model_a\ny,x,model_a\nz,y,model_b\n",
    "model_a,model_b,winner\nx,y,x\ny,z,tie\nz,x,z\nx,z,x\ny,x,y\nz,y,y\n",
    "id,model_a,model_b,winner\n1,x,y,model_a\n2,y,z,tie (bothbad)\n3,z,x,model_a\n4,x,z,model_a\n5,y,x,model_a\n"
    "6,z,y,model_b\n",
)
CHESS = (
    "White,Black,Result\nx,y,1-0\ny,z,1/2-1/2\nz,x,1-0\nx,z,1-0\ny,x,1-0\nz,y,0-1\n",
    "a,b,result\nx,y,1-0\ny,z,½-½\nz,x,1-0\nx,z,1-0\ny,x,1-0\nz,y,0-1\n",
)
SEPARATED = (
    PLAIN.replace(",", ";"),
    PLAIN.replace(",", "\t"),
    "a;b;score_a;score_b\nx;y;1,5;0,25\ny;z;1;1,0\nz;x;1;0\nx;z;2;0\ny;x;1;0\nz;y;0,75;3\n",
)


def document(path: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    path.write_text(text, encoding="utf-8")
    assert run(["rate", str(path), "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def complaint(path: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    path.write_text(text, encoding="utf-8")
    assert run(["rate", str(path), *options]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("text", [*ARENA, *CHESS, *SEPARATED])
def test_tables_of_others_are_rated_as_the_same_results_in_our_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    want = document(tmp_path / "plain.csv", PLAIN, capsys)
    assert document(tmp_path / "other.csv", text, capsys) == want
    assert {row["player"] for row in want["ratings"]} == {"x", "y", "z"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("model_a,model_b,winner\nx,y,model_a\nx,y,z\nx,y,none\n", "row 2 has 'z' in 'winner' (and 1 more rows"),
        ("white,black,result\nx,y,*\nx,y,2-0\n", "row 2 has '2-0' in 'result'; it is one of 1-0, 0-1, 1/2-1/2"),
        ("white,black,result\nx,y,*\n", "no match has a result"),
        ("p,q\nx,y\n", "or a, b, winner, or white, black, result, and have p, q: `--columns a=...,b=...`"),
        ('a,b,score_a,score_b\nx,y,"1,500",0\n', "row 1 has 1,500 in 'score_a', whose comma may be decimal or mark"),
        ("a;b;score_a;score_b\nx;y;1,5;0\nx;y;1.5;0\n", "row 1 has 1,5 in 'score_a', whose comma may be decimal"),
    ],
)
def test_what_can_not_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    assert sentence in complaint(tmp_path / "bad.csv", text, capsys)


def test_blanks_around_names_are_no_part_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    padded = PLAIN.replace("x", " x").replace("a,b,", "a , b,")
    want = document(tmp_path / "plain.csv", PLAIN, capsys)
    assert document(tmp_path / "padded.csv", padded, capsys) == want


PGN = """[Event "a \\"cup\\""]
[White "x"]
[Black "y"]
[Result "1-0"]

1. e4 e5 1-0

[White "y"]
[Black "z"]
[Result "1/2-1/2"]
[White "z"]
[Black "x"]
[Result "1-0"]

[White "x"]
[Black "y"]
[Result "*"]
"""


def test_games_of_chess_are_read_and_unfinished_ones_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(tmp_path / "games.pgn", PGN, capsys)
    want = document(tmp_path / "same.csv", "white,black,result\nx,y,1-0\ny,z,1/2-1/2\nz,x,1-0\n", capsys)
    assert found["ratings"] == want["ratings"]
    assert (found["unfinished"], want["unfinished"]) == (1, 0)
    assert run(["rate", str(tmp_path / "games.pgn")]) == 0
    assert "1 matches without a result (*) are left out." in capsys.readouterr().out
    assert "game 2 of" in complaint(tmp_path / "bad.pgn", PGN.replace('[Black "z"]\n', "", 1), capsys)


def test_json_lines_are_read_as_they_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = '{"a": "x", "b": "y", "score_a": 1.5, "score_b": 0}\n\n{"a": "y", "b": "x", "score_a": 1, "score_b": 0}\n'
    found = document(tmp_path / "r.jsonl", lines, capsys)
    assert {row["player"] for row in found["ratings"]} == {"x", "y"}
    assert "row 2 of" in complaint(tmp_path / "bad.jsonl", '{"a": "x"}\n{"a": ["x"]}\n', capsys)


def test_columns_may_have_other_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = PLAIN.replace("a,b,score_a,score_b", "home,guest,goals,against")
    names = "a=home,b=guest,score_a=goals,score_b=against"
    want = document(tmp_path / "plain.csv", PLAIN, capsys)
    assert document(tmp_path / "other.csv", other, capsys, "--columns", names) == want


def test_trueskill_goes_by_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in PLAIN.splitlines()[1:] for _ in range(4)]
    dated = [f"{line},2026-01-{day:02d}" for day, line in enumerate(lines, 1)]
    mixed = [dated[int(i)] for i in np.random.default_rng(1).permutation(len(dated))]
    head, options = "a,b,score_a,score_b,date\n", ("--method", "trueskill")
    want = document(tmp_path / "a.csv", PLAIN[:20] + "\n".join(lines), capsys, *options)["ratings"]
    found = document(tmp_path / "b.csv", head + "\n".join(mixed), capsys, *options)["ratings"]
    assert [row["rating"] for row in found] == [row["rating"] for row in want]
    unsorted = "\n".join(line[:-11] for line in mixed)
    other = document(tmp_path / "c.csv", PLAIN[:20] + unsorted, capsys, *options)["ratings"]
    assert {row["rating"] for row in other}.isdisjoint({row["rating"] for row in want})
    assert "write dates as 2026-01-31" in complaint(
        tmp_path / "d.csv", f"{head}x,y,1,0,2026-01-02\nx,y,1,0,3.1.2026\n", capsys, *options
    )


ISLAND = "a,b,score_a,score_b\n" + "".join(
    f"{a},{b},{int(k % 3 > 0)},{int(k % 3 == 0)}\n" for k in range(12) for a, b in ("xy", "yz", "zx")
)
PAIR = "p,q,1,0\nq,p,1,0\n" * 20


@pytest.mark.parametrize("method", [name for name in rating.METHODS if name != "davidson"])
def test_an_island_leaves_the_others_as_they_are_whatever_the_method(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    """The pair plays more matches than the three: the group of more players is rated."""
    want = document(tmp_path / "alone.csv", ISLAND, capsys, "--method", method)["ratings"]
    found = document(tmp_path / "island.csv", ISLAND + PAIR, capsys, "--method", method)["ratings"]
    assert found[:3] == want
    assert {row["status"] for row in want} == {"rated"}
    for row, name in zip(found[3:], "pq", strict=True):
        assert (row["player"], row["status"], row["games"]) == (name, "unconnected", 40)
        assert row["rating"] is row["low"] is row["rank_low"] is None
    if method == "elo":
        assert "whom no match connects with the 3 players" in complaint(
            tmp_path / "island.csv", ISLAND + PAIR, capsys, "--anchor", "p=1000"
        )


def large(players: int, matches: int) -> tuple[Floats, pa.Table]:
    """Matches of many players, some of whom play often."""
    random = np.random.default_rng(5)
    often = 1.0 / (1.0 + np.arange(players)) ** 0.3
    a, b = (random.choice(players, matches, p=often / often.sum()) for _ in range(2))
    level = random.normal(size=players)
    won = random.random(matches) < 1.0 / (1.0 + np.exp(level[b] - level[a]))
    kept = a != b
    names = np.array([f"p{k:04d}" for k in range(players)])
    columns = {"a": names[a], "b": names[b], "score_a": won.astype(float), "score_b": 1.0 - won}
    return level, pa.table({name: values[kept] for name, values in columns.items()})


@pytest.mark.parametrize("method", ["bradley-terry", "margin"])
def test_many_players_have_the_errors_that_few_have(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variances without covariances, degrees of freedom by counting, and an inverse by another factorisation."""
    table = results_table(large(40, 1_500)[1])
    want = {one.player: one for one in rate(table, RatingOptions(method))}
    for module, name, value in (
        (errors, "DENSE", 10),
        (errors, "_PINV", 10),
        (wins, "DENSE", 10),
        (wins, "_SOLVED", 10),
    ):
        monkeypatch.setattr(module, name, value)
    for one in rate(table, RatingOptions(method)):
        assert one.rating == pytest.approx(want[one.player].rating, abs=1e-6)
        assert one.high - one.low == pytest.approx(want[one.player].high - want[one.player].low, rel=0.04)
        assert one.rank_low is None
