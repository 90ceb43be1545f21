"""`antemill rate` on tables as others write them: columns, separators, islands, order, draws, the first move, size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize

from antemill.tournament.cli.entry import run
from antemill.tournament.statistics import rating
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, from_codes
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.result_columns import results_table
from tests.seeds import size

PLAIN = "a,b,score_a,score_b\nx,y,1,0\ny,z,1,1\nz,x,1,0\nx,z,2,0\ny,x,1,0\nz,y,0,3\n"
ARENA = (
    "model_a,model_b,winner\nx,y,model_a\ny,z,tie\nz,x,model_a\nx,z,model_a\ny,x,model_a\nz,y,model_b\n",
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
        ("model_a,model_b,winner\nx,y,model_a\nx,y,x\nx,y,none\n", "row 2 has 'x' in 'winner' (and 1 more rows"),
        ("white,black,result\nx,y,1-0\nx,y,*\n", "row 2 has '*' in 'result'; it is one of 1-0, 0-1, 1/2-1/2"),
        ("p,q\nx,y\n", "or model_a, model_b, winner, or white, black, result, and have p, q"),
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


ISLAND = "a,b,score_a,score_b\n" + "".join(
    f"{a},{b},{int(k % 3 > 0)},{int(k % 3 == 0)}\n" for k in range(12) for a, b in ("xy", "yz", "zx")
)
PAIR = "p,q,1,0\nq,p,1,0\n" * 20


@pytest.mark.parametrize("method", rating.METHODS)
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


def test_trueskill_goes_by_date_and_says_how_much_the_order_matters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    moved = [abs(a["rating"] - b["rating"]) for a in want for b in other if a["player"] == b["player"]]
    assert all(0.1 < row["spread"] < 3.0 for row in want)
    assert max(moved) < 5.0 * max(row["spread"] for row in want)
    assert "write dates as 2026-01-31" in complaint(
        tmp_path / "d.csv", f"{head}x,y,1,0,2026-01-02\nx,y,1,0,3.1.2026\n", capsys, *options
    )


def world(seed: int, matches: int = 400, nu: float = 0.8, first: float = 0.4) -> tuple[Floats, SlotTable]:
    """Matches of Davidson's model with an advantage of the first."""
    random = np.random.default_rng(seed)
    level = np.linspace(1.0, -1.0, 5)
    a = random.integers(0, 5, matches)
    b = (a + random.integers(1, 5, matches)) % 5
    d = (level[a] - level[b] + first) / 2.0
    place = random.random(matches) * (np.exp(d) + np.exp(-d) + nu)
    margin = np.where(place < np.exp(d), 1.0, np.where(place < np.exp(d) + nu, 0.0, -1.0))
    return level, from_codes(tuple("abcde"), ("all",), np.zeros(matches, int), np.arange(matches), a, b, margin)


def test_the_chance_of_draws_and_the_advantage_are_those_of_the_largest_likelihood() -> None:
    """Davidson and Beaver's (1977) likelihood, written out and maximised by another program."""
    _, table = world(3)

    def loss(x: Floats) -> float:
        level = np.append(x[:4], -x[:4].sum())
        d = (level[table.alice] - level[table.bob] + x[4]) / 2.0
        total = np.exp(d) + np.exp(-d) + np.exp(x[5])
        chance = np.where(table.margin > 0, np.exp(d), np.where(table.margin < 0, np.exp(-d), np.exp(x[5]))) / total
        return -float(np.log(chance).sum())

    want = minimize(loss, np.zeros(6), tol=1e-12).x
    found = rate(table, RatingOptions("bradley-terry", draws="davidson", first_mover=True))
    ratings = {one.player: one.rating for one in found}
    assert [ratings[name] for name in "abcd"] == pytest.approx(want[:4], abs=1e-4)
    assert found.first_mover is not None
    assert found.first_mover[0] == pytest.approx(want[4], abs=1e-4)
    assert found.draw == pytest.approx(np.exp(want[5]) / (2.0 + np.exp(want[5])), abs=1e-4)
    points = rate(table, RatingOptions("elo", draws="davidson", first_mover=True))
    assert points.first_mover == pytest.approx(np.multiply(found.first_mover, 400.0 / np.log(10.0)))


@pytest.mark.slow
def test_errors_with_draws_and_an_advantage_hold() -> None:
    held, ahead, together = [], [], []
    for seed in range(size(50, 150)):
        level, table = world(seed, 200)
        found = rate(table, RatingOptions("bradley-terry", draws="davidson", first_mover=True))
        one = {each.player: each for each in found}
        held += [one[name].low <= want <= one[name].high for name, want in zip("abcde", level, strict=True)]
        assert found.first_mover is not None
        ahead.append(abs(found.first_mover[0] - 0.4) < 1.96 * found.first_mover[1])
        true = dict(zip("abcde", level, strict=True))
        together.append(all(p.low <= true[p.a] - true[p.b] <= p.high for p in found.pairs))
    assert 0.93 <= np.mean(held) <= 0.98
    assert 0.90 <= np.mean(ahead) <= 0.99
    assert 0.90 <= np.mean(together) <= 0.99


def test_the_advantage_is_not_fitted_where_nothing_determines_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    always = "white,black,result\n" + "x,y,1-0\ny,x,1-0\n" * 10
    assert "every match ended the same way" in complaint(tmp_path / "a.csv", always, capsys, "--first-mover")
    assert "no match of the rated players is a draw" in complaint(
        tmp_path / "a.csv", always, capsys, "--draws", "davidson"
    )
    assert "no model 'rao' of draws" in complaint(tmp_path / "a.csv", always, capsys, "--draws", "rao")
    for options in (["--draws", "half"], ["--first-mover"]):
        assert f"no use for {options[0]}" in complaint(
            tmp_path / "a.csv", always, capsys, "--method", "margin", *options
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


def test_many_players_have_the_errors_that_few_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """The approximation beside the exact corrections, on the same matches."""
    _, rows = large(40, 1_500)
    table = results_table(rows)
    from antemill.tournament.statistics import clustered

    for method in ("bradley-terry", "margin"):
        exact = {one.player: one for one in rate(table, RatingOptions(method))}
        for module in (rating, clustered):
            monkeypatch.setattr(module, "EXACT", 10)
        for one in rate(table, RatingOptions(method)):
            want = exact[one.player]
            assert one.rating == pytest.approx(want.rating, abs=1e-7)
            assert one.high - one.low == pytest.approx(want.high - want.low, rel=0.03)
        monkeypatch.undo()
