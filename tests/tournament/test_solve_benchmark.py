"""A benchmark is solved: what is made, what is kept, and what is made again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import from_columns
from antemill.solver.policies.file import find_policy, read_policy, read_solution, write_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings
from antemill.tournament.pool.select import read_benchmark, select_games, write_benchmark
from antemill.tournament.pool.stats import examine_pool
from antemill.tournament.report import pool_report
from antemill.tournament.solving.benchmark import SolvedBenchmark, solve_benchmark
from antemill.tournament.solving.solved_games import (
    SCHEMA,
    read_solved,
    solved_beside,
    solved_path,
    solved_row,
    write_solved,
)
from tests.tournament.pool.pool_jobs import scored_pool
from tests.tournament.report.test_report import Page


def solve(benchmark: Path, folder: Path, **settings: Any) -> SolvedBenchmark:
    return solve_benchmark(benchmark, folder, Settings(**settings), 1, True)


@pytest.mark.slow
def test_a_benchmark_is_solved_game_by_game_and_resumed(tmp_path: Path) -> None:
    """A game whose tree fits is solved as it is, any other in the default abstraction; nothing is solved twice."""
    benchmark, folder = tmp_path / "bench.parquet", tmp_path / "policies"
    chosen = select_games(scored_pool(), 3)
    write_benchmark(benchmark, chosen)
    limits: dict[str, Any] = {"limit": 60_000, "seconds": 1.0}
    found = solve(benchmark, folder, **limits)
    assert (len(found.rows), found.solved, found.made, found.table) == (3, 3, 3, solved_path(benchmark))
    rows = read_solved(solved_path(benchmark))
    assert [row["digest"] for row in rows] == chosen["digest"].to_pylist()
    assert {row["abstraction"] for row in rows} == {"none", "default"}
    for row in rows:
        solution = read_solution(folder / f"{row['digest']}.parquet")
        assert solution.digest == row["digest"]
        assert (row["nodes"] is None) == (row["abstraction"] == "default") == (row["exploitability"] is None)
        assert (row["lower_bound"] is None) == (row["abstraction"] == "none")
        assert row["measured"] == ("sampled lower bound" if row["nodes"] is None else "exact, on the tree")
        assert row["reached"] == (row["exploitability"] is not None and row["exploitability"] <= 1e-3)
        assert row["problem"] is None
    (folder / f"{rows[0]['digest']}.parquet").unlink()
    again = solve(benchmark, folder, **limits)
    assert (again.solved, again.made) == (3, 1)
    assert find_policy(folder, compile_spec(generate(rows[1]["seed"]))).solution.digest == rows[1]["digest"]

    text = pool_report(examine_pool(scored_pool()), read_benchmark(benchmark), solved_beside(benchmark))
    page = Page(text)
    assert "Solved games" in page.text
    assert "Sampled, 95%" in page.text
    assert "3 of the 3 games have a policy" in page.text
    others = [row | {"digest": "of another benchmark"} for row in rows]
    assert "Solved games" not in pool_report(examine_pool(scored_pool()), read_benchmark(benchmark), others)


FAST: dict[str, Any] = {"seconds": 0.3, "episodes": 0, "target": 0.1}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of three games, of which some have more than 60,000 nodes; not to be changed."""
    path = tmp_path_factory.mktemp("three") / "bench.parquet"
    write_benchmark(path, select_games(scored_pool(), 3))
    return path


@pytest.mark.slow
def test_a_larger_limit_solves_what_has_a_tree_now(three: Path, tmp_path: Path) -> None:
    """What was solved without a tree is solved again once it has one, and otherwise counted once."""
    folder = tmp_path / "policies"
    least = min(count_nodes(from_columns(row), 60_000) for row in read_benchmark(three).to_pylist())
    assert solve(three, folder, limit=least - 1, **FAST).made == 3
    before = {path.name: read_solution(path) for path in folder.iterdir()}
    assert {(each.nodes, each.limit) for each in before.values()} == {(None, least - 1)}
    found = solve(three, folder, limit=60_000, **FAST)
    assert (found.made, found.solved) == (1, 3)
    after = {path.name: read_solution(path) for path in folder.iterdir()}
    assert sorted(each.nodes or 0 for each in after.values()) == [0, 0, least]
    for name, solution in after.items():
        if solution.nodes is None:
            assert solution == msgspec.structs.replace(before[name], limit=60_000)
    for limit in (60_000, 1):
        assert solve(three, folder, limit=limit, **FAST).made == 0
    assert {path.name: read_solution(path) for path in folder.iterdir()} == after


@pytest.mark.slow
def test_what_ended_by_its_iterations_or_beyond_the_limit_is_kept(three: Path, tmp_path: Path) -> None:
    """The same iterations would find the same, and without a tree nothing as good."""
    how: dict[str, Any] = {"episodes": 0, "target": 1e-9, "seconds": 60.0}
    assert solve(three, tmp_path, limit=60_000, iterations=3, **how).made == 3
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert solve(three, tmp_path, limit=60_000, iterations=3, **how).made == 0
    without = sum(read_solution(path).nodes is None for path in tmp_path.iterdir())
    assert 0 < without < 3
    assert solve(three, tmp_path, limit=1, iterations=4, **how).made == without
    exact = [path for path in tmp_path.iterdir() if read_solution(path).nodes is not None]
    assert len(exact) == 3 - without
    assert all(path.read_bytes() == before[path.name] for path in exact)


@pytest.mark.slow
def test_a_policy_that_says_no_limit_is_taken_if_no_tree_fits(three: Path, tmp_path: Path) -> None:
    assert solve(three, tmp_path, limit=1000, **FAST).made == 3
    for path in tmp_path.iterdir():
        saved = read_policy(path)
        write_policy(path, SavedPolicy(msgspec.structs.replace(saved.solution, limit=None), saved.table))
    assert solve(three, tmp_path, limit=1000, **FAST).made == 0
    assert sorted(read_solution(path).limit or 0 for path in tmp_path.iterdir()) == [0, 1000, 1000]


@pytest.mark.slow
def test_a_policy_with_an_unrequested_abstraction_is_solved_again_where_a_tree_fits(
    three: Path, tmp_path: Path
) -> None:
    how: dict[str, Any] = {"limit": 60_000, **FAST}
    solve(three, tmp_path, abstraction="default", **how)
    fitting = sum(read_solution(path).nodes is not None for path in tmp_path.iterdir())
    assert 0 < fitting < 3
    assert solve(three, tmp_path, **how).made == fitting


def test_a_damaged_policy_stops_its_game_alone(three: Path, tmp_path: Path) -> None:
    """It stays as it is."""
    rows = solve(three, tmp_path, limit=60_000, **FAST).rows
    paths = [tmp_path / f"{row['digest']}.parquet" for row in rows]
    paths[0].write_bytes(b"not a policy")
    paths[1].unlink()
    found = solve(three, tmp_path, limit=60_000, **FAST)
    assert found.made == 1
    problems = {row["digest"]: row["problem"] for row in found.rows}
    said = problems[paths[0].stem]
    assert re.fullmatch(rf"{paths[0]} is damaged.*; move the file away to solve the game again\.", said)
    assert problems[paths[1].stem] is None
    assert paths[0].read_bytes() == b"not a policy"


def test_the_table_of_figures_is_ours_and_whole(tmp_path: Path) -> None:
    benchmark = tmp_path / "bench.parquet"
    assert solved_beside(benchmark) is None
    path = solved_path(benchmark)
    assert path.name == "bench.solved.parquet"
    path.write_text("no")
    with pytest.raises(StorageError, match="is damaged"):
        solved_beside(benchmark)
    with pytest.raises(StorageError, match="there is no file"):
        read_solved(tmp_path / "missing.parquet")
    row = solved_row({"rank": 1, "seed": 7, "digest": "d"}, None)
    write_solved(path, [row])
    assert read_solved(path) == [dict.fromkeys(SCHEMA.names) | row]
