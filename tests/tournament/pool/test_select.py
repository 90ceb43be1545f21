"""Conditions in SQL, selections within limits, and files of selections."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from antemill.axes.select import farthest_points
from antemill.engine.errors import UsageError
from antemill.tournament.cli.entry import run
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.select import (
    Limits,
    fulfilling,
    read_benchmark,
    read_columns,
    read_points,
    select_games,
)
from tests.tournament.pool.pool_jobs import scored_pool

COLUMNS = pa.table(
    {
        "seed": pa.array([10, 11, 12, 13], pa.int64()),
        "risk": [0.0, 0.5, None, 2.0],
        "size": [1, 2, 3, 4],
        "tier": ["fast", "exact", "exact", "fast"],
        "has_auction": [True, False, True, False],
    }
)


@pytest.mark.parametrize(
    ("condition", "seeds"),
    [
        ("risk < 1", [10, 11]),
        ("risk <> 0.5", [10, 13]),
        ("has_auction", [10, 12]),
        ("NOT has_auction AND size >= 2", [11, 13]),
        ("size BETWEEN 2 AND 3", [11, 12]),
        ("tier = 'exact' OR risk == 2e0 -- a remark", [11, 12, 13]),
        ("risk IS NULL", [12]),
        ("size * size > 5 AND tier LIKE 'f%'", [13]),
        ("risk = (SELECT max(risk) FROM games)", [13]),
        ("risk < -1", []),
    ],
)
def test_a_condition_is_sql(condition: str, seeds: list[int]) -> None:
    assert sorted(fulfilling(condition, COLUMNS).tolist()) == seeds


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("", "Unimplemented type for cast"),
        ("risk <", "syntax error"),
        ("rsik < 3", 'Candidate bindings: "risk"'),
        ("tier < 3", "Cannot compare values of type VARCHAR"),
        ("true); COPY games TO 'pwned.csv'; SELECT (1", "disabled by configuration"),
        ("size = (SELECT count(*) FROM read_csv('secret.csv'))", "disabled"),
    ],
)
def test_what_is_no_condition_is_refused_in_a_sentence(
    condition: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_text("1\n2\n")
    with pytest.raises(UsageError) as refused:
        fulfilling(condition, COLUMNS)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_a_selection_keeps_its_limits() -> None:
    pool = open_pool(scored_pool())
    points = read_points(pool)
    whole = read_columns(pool, "fast")
    columns = {name: whole[name].to_numpy() for name in whole.column_names}
    assert columns["seed"].tolist() == points.seeds.tolist()
    assert columns["has_auction"].any()
    assert min(columns["rulebook_length"]) > 500
    assert all(name.isidentifier() for name in columns)
    able = np.flatnonzero(columns["state_space"] < 3)
    assert 3 < len(able) < len(points.seeds)
    out, pinned = int(points.seeds[able[0]]), int(points.seeds[np.argmax(columns["state_space"])])
    limits = Limits("state_space < 3", (pinned,), (out,))
    found = select_games(scored_pool(), 4, limits=limits)
    seeds = found["seed"].to_pylist()
    assert seeds[0] == pinned
    assert found["fast_state_space"].to_pylist()[0] >= 3
    assert all(value < 3 for value in found["fast_state_space"].to_pylist()[1:])
    assert out not in select_games(scored_pool(), 1000, limits=limits)["seed"].to_pylist()
    rest = np.flatnonzero((columns["state_space"] < 3) & (points.seeds != out) | (points.seeds == pinned))
    first = int(np.flatnonzero(points.seeds[rest] == pinned)[0])
    assert seeds == points.seeds[rest][farthest_points(points.values[rest], 4, pinned=[first])].tolist()


def test_pinned_games_come_first_and_the_others_stay_far_from_them() -> None:
    line = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    assert farthest_points(line, 3).tolist() == [2, 4, 0]  # 2 is nearest to the mean
    assert farthest_points(line, 3, pinned=[4, 3]).tolist() == [4, 3, 0]
    assert farthest_points(line, 2, seeds=[5, 4, 3, 2, 1], pinned=[0]).tolist() == [0, 4]


def test_the_command_pins_and_excludes_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = read_points(open_pool(scored_pool())).seeds.tolist()
    line = ["pool", "select", str(scored_pool()), "--count", "4", "-o", str(tmp_path / "some.parquet"), "--json"]
    assert run(line) == 0
    first, *others = json.loads(capsys.readouterr().out)["seeds"]
    assert run(["1" if word == "4" else word for word in line]) == 0
    assert json.loads(capsys.readouterr().out)["seeds"] == [first]
    pinned = [seed for seed in seeds if seed not in (first, *others)][:2]
    limits = [f"--pin={seed}" for seed in pinned] + [f"--exclude={seed}" for seed in (first, others[0])]
    assert run([*line, *limits]) == 0
    found = json.loads(capsys.readouterr().out)["seeds"]
    assert (found[:2], len(found), {first, others[0]} & {*found}) == (pinned, 4, set())
    assert run([*line, f"--pin={first}", f"--exclude={first}"]) == 2
    assert f"game {first} is pinned and excluded" in capsys.readouterr().err


def test_a_selection_is_written_as_its_suffix_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["pool", "select", str(scored_pool()), "--count", "4", "--where", "risk >= 0", "-o"]
    for suffix in ("parquet", "json", "csv"):
        assert run([*line, str(tmp_path / f"some.{suffix}")]) == 0
    games = read_benchmark(tmp_path / "some.parquet").to_pylist()
    in_json = json.loads((tmp_path / "some.json").read_text())
    with open(tmp_path / "some.csv", newline="") as file:
        in_csv = list(csv.DictReader(file))
    for row, other, text in zip(games, in_json, in_csv, strict=True):
        assert {name: row[name] for name in other} == other
        assert {"rank", "seed", "canonical_digest", "fast_risk", "constructs", "rulebook_length"} <= {*other}
        assert (int(text["rank"]), float(text["fast_risk"])) == (row["rank"], row["fast_risk"])
        assert text["constructs"].split(";") == row["constructs"]
    for name in ("some.txt", "some"):
        capsys.readouterr()
        assert run([*line, str(tmp_path / name)]) == 2
        assert f"name a .parquet or .json or .csv file, not {tmp_path / name}" in capsys.readouterr().err
