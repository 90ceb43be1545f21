"""`--dry-run` of work without models: it says what is left, for how long and in which files, and does nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.pool.select import select_games, write_benchmark
from tests.tournament.pool.pool_jobs import SEEDS, files_of, scored_pool

QUICK = ("--workers", "1")


def plan(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run([*map(str, arguments), "--dry-run", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def left(found: Any) -> list[tuple[int, int]]:
    return [(step["left"], step["total"]) for step in found["steps"]]


def test_a_pool_is_planned_from_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, pool = tmp_path / "new", tmp_path / "pool"
    shutil.copytree(scored_pool(), pool)
    before = files_of(pool)
    found = plan(capsys, "pool", "build", new, "--seeds", "0:300", *QUICK)
    assert left(found) == [(300, 300)]
    assert found["seconds"] > 0
    assert [file["path"] for file in found["files"]] == [f"{new}/candidates/", f"{new}/games/"]
    assert not new.exists()
    assert left(plan(capsys, "pool", "build", pool, "--seeds", "0:300", *QUICK)) == [(200, 300)]
    done = plan(capsys, "pool", "build", pool, "--seeds", "0:100", *QUICK)
    assert (left(done), done["files"], done["seconds"]) == ([(0, 100)], [], 0)
    few = plan(capsys, "pool", "build", new, "--seeds", "0:9000", "--accept", "20", *QUICK)
    assert 20 < few["steps"][0]["total"] < 400
    assert left(plan(capsys, "pool", "score", pool, *QUICK))[0][0] == 0
    ((scored, games),) = left(plan(capsys, "pool", "score", pool, "--tier", "precise", *QUICK))
    assert scored == games > 0
    some = left(plan(capsys, "run", "--seeds", "0:100", "--out", pool, "--count", "5", *QUICK))
    assert some == [(0, 100), (0, games), (5, 5)]
    assert files_of(pool) == before


def test_what_the_command_would_refuse_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["pool", "build", str(scored_pool()), "--seeds", "5:50"],
        ["pool", "score", str(tmp_path)],
        ["pool", "score", str(scored_pool()), "--only", "luck"],
        ["pool", "build", str(tmp_path / "x"), "--seeds", "0:9", "--workers", "0"],
        ["run", "--out", str(tmp_path / "x"), "--count", "0"],
        ["solve", "kuhn", "--target", "-1"],
        ["solve", str(tmp_path / "none.parquet"), "-o", str(tmp_path / "x")],
    ):
        assert run([*arguments, "--dry-run"]) == 2
        assert capsys.readouterr().out == ""
    assert not list(tmp_path.iterdir())


def test_sizes_are_of_the_right_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = {name.partition("/")[0]: len(data) for name, data in files_of(scored_pool()).items()}
    found = plan(capsys, "pool", "build", tmp_path / "new", "--seeds", f"{SEEDS[0]}:{SEEDS[1]}", *QUICK)
    for file in found["files"]:
        real = there[Path(file["path"]).name]
        assert real / 2 < file["bytes"] < 2 * real


def test_solving_is_planned_by_the_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = plan(capsys, "solve", "kuhn", "-o", tmp_path / "kuhn.parquet")
    assert "The tree has 58 nodes" in found["note"]
    assert found["seconds"] is None
    assert found["files"] == [{"path": str(tmp_path / "kuhn.parquet"), "bytes": None}]
    assert 0 < plan(capsys, "solve", "kuhn", "--iterations", "1000")["seconds"] < 10
    assert plan(capsys, "solve", "leduc", "--algorithm", "mccfr")["seconds"] == 60
    assert "would refuse it" in plan(capsys, "solve", "leduc", "--limit", "1000")["note"]
    write_benchmark(tmp_path / "bench.parquet", select_games(scored_pool(), 3))
    games = plan(capsys, "solve", tmp_path / "bench.parquet", "-o", tmp_path / "policies", "--seconds", "2", *QUICK)
    assert (left(games), games["seconds"]) == ([(3, 3)], 6)
    assert [path.name for path in tmp_path.iterdir()] == ["bench.parquet"]


def test_people_are_told_in_a_few_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pool", "build", str(tmp_path / "new"), "--seeds", "0:300", *QUICK, "--dry-run"]) == 0
    text = capsys.readouterr().out
    assert "300 of 300 candidates to draw and gate: about " in text
    assert "an estimate from a short sample" in text
    assert text.endswith("Nothing was done and nothing was written.\n")
    assert len(text.splitlines()) < 10
