"""Pools: the same files after kills, with any number of workers, when extended; refusals in sentences (D7, D9)."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from antemill.axes import AXES
from antemill.axes import score as score_program
from antemill.axes.budgets import FAST
from antemill.axes.scores import axis_version, default_seed
from antemill.axes.scores import version as axes_version
from antemill.axes.select import farthest_points
from antemill.engine.builder.generate import default_complexity, generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import ExecutionError, SpecError, StorageError, UsageError
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.constructs import constructs
from antemill.engine.rules.spec import from_json
from antemill.engine.storage import store
from antemill.engine.storage.store import CANDIDATES, GAMES, HAS, programs, read, table
from antemill.tournament import pipeline
from antemill.tournament.pool import build, candidates, grid, layout, score, work
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.grid import Span, cell_size, cells
from antemill.tournament.pool.layout import Pool, open_pool
from antemill.tournament.pool.precise import score_benchmark
from antemill.tournament.pool.ranges import parse_complexity, parse_seeds
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.select import read_benchmark, read_points, select_games, write_benchmark
from antemill.tournament.pool.stats import as_document, examine_pool
from antemill.tournament.pool.work import score_game
from antemill.tournament.report.pool_tables import pool_axes
from tests.tournament.pool.pool_jobs import (
    SEEDS,
    TWO_CELLS,
    cells_of,
    content_of,
    die_at_the_second_cell,
    files_of,
    games_of,
    scored_pool,
)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A copy of a finished pool of 100 candidates with fast scores."""
    return Path(shutil.copytree(scored_pool(), tmp_path / "pool"))


def first_games(folder: Path) -> Path:
    return next((folder / "games").iterdir())


# ------------------------------------------------------------------------------------------------ seeds and blocks


@pytest.mark.parametrize(
    ("seeds", "size"),
    [(1, 64), (4_000, 64), (12_351, 256), (60_000, 1024), (1_000_000, 16_384), (10**9, 16_384)],
)
def test_a_pool_has_about_64_cells(seeds: int, size: int) -> None:
    assert cell_size((0, seeds)) == cell_size((7, seeds + 7)) == size


def test_cells_cover_the_seeds_and_start_at_fixed_places() -> None:
    assert list(cells((0, 64), 64)) == [Span(0, 64)]
    assert list(cells((100, 130), 64)) == [Span(100, 128), Span(128, 130)]
    assert list(cells((2**63 - 1, 2**63), 16_384)) == [Span(2**63 - 1, 2**63)]
    assert Span(100, 2**63).file == "0000000000000000100-9223372036854775808.parquet"


@pytest.mark.parametrize(
    "text",
    ["", "a:b", "5:5", "-1:5", "0:9223372036854775809", "1:2:3"],
)
def test_impossible_seed_ranges_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_seeds(text)


def test_seed_ranges_reach_up_to_the_last_seed() -> None:
    assert parse_seeds("0:12351") == (0, 12351)
    assert parse_seeds(f"0:{2**63}") == (0, 2**63)
    assert parse_seeds(f"{2**63 - 5}:{2**63}") == (2**63 - 5, 2**63)


@pytest.mark.parametrize("text", ["x", "1.1", "0.5:0.2", "0.1:nan"])
def test_impossible_complexities_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_complexity(text)


def test_complexities_are_a_number_a_range_or_the_seeds_own() -> None:
    assert parse_complexity(None) is None
    assert parse_complexity("0.3") == (0.3, 0.3)
    assert parse_complexity("0.2:0.6") == (0.2, 0.6)
    assert work.complexity_of(7, None) == default_complexity(7)
    assert work.complexity_of(7, (0.3, 0.3)) == 0.3
    assert work.complexity_of(7, (0.2, 0.6)) == pytest.approx(0.2 + 0.4 * default_complexity(7))


# ------------------------------------------------------------------------------------------------ building


def test_a_pool_holds_what_generator_and_gate_say() -> None:
    pool, games = open_pool(scored_pool()), games_of(scored_pool())
    assert cells_of(pool) == [(0, 64), (64, 100)]
    rows = {row["seed"]: row for row in games.to_pylist()}
    accepted = []
    for row in content_of(scored_pool())["candidates"].to_pylist():
        spec = generate(row["seed"])
        verdict = gate(compile_spec(spec), row["seed"])
        assert (row["accepted"], row["reason"], row["moves"]) == (verdict.accepted, verdict.reason, verdict.moves)
        assert {name: row[f"rare_phases_{name}"] for name in READINGS} == verdict.rare_by_reading
        assert (row["rare_phases"], tuple(row["accepted_by"])) == (verdict.rare_phases, verdict.accepted_by)
        assert row["complexity"] == default_complexity(row["seed"])
        assert {name for name, column in HAS.items() if row[column]} == constructs(spec)
        if verdict.accepted:
            assert from_json(rows[row["seed"]]["spec"]) == spec
            accepted.append(row["seed"])
    assert accepted == list(rows)
    assert len(accepted) >= 7  # the other tests need that many
    assert [program.digest for program in programs(games, "it")] == games["digest"].to_pylist()


def test_a_rejected_game_counts_under_every_rule_that_it_breaks() -> None:
    """In what was built, in what is read back, and in the document of `pool stats`."""
    pool = open_pool(scored_pool())
    verdicts = [gate(compile_spec(generate(seed)), seed) for seed in range(*SEEDS)]
    want = Counter(reason for verdict in verdicts for reason in verdict.broken)
    first = Counter(verdict.reason for verdict in verdicts if not verdict.accepted)
    assert want.total() > first.total()
    report = examine_pool(pool.folder)
    assert (report.built.broken, report.built.rejected) == (want, first)
    assert build_pool(pool.folder, SEEDS, workers=1) == report.built
    assert as_document(report)["broken"] == want
    assert as_document(report)["rejected"] == first


def test_a_pool_is_counted_by_the_gate_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constants are those of the pool's settings; what could not be played counts, too."""
    rows: list[dict[str, object]] = [
        {"moves": 3.0, "rare_phases": 0.2, "dead_branches": 0.5, "reason": "rare phases"},
        {"moves": 3.0, "rare_phases": 0.1, "dead_branches": 0.1, "reason": ""},
        {"reason": candidates.TOO_LARGE},
    ]
    known: dict[str, object] = {"complexity": 0.0, "accepted": False}
    games = table(CANDIDATES, [row | known | {"seed": seed} for seed, row in enumerate(rows)])
    pool = open_pool(scored_pool())
    gate = pool.settings.gate | {"most_rare_phases": 0.15}
    monkeypatch.setattr(Pool, "candidates", lambda *_: games)
    one = Pool(pool.folder, msgspec.structs.replace(pool.settings, seeds=(0, 3), gate=gate))
    found = build.acceptance(one)
    assert (found.accepted, found.rejected) == (1, {"rare phases": 1, "too large": 1})
    assert found.broken == {"rare phases": 1, "dead branches": 1, "too large": 1}


def test_a_game_that_the_machine_can_not_hold_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object) -> None:
        raise SpecError("the game has too many decision types")

    monkeypatch.setattr(candidates, "compile_table", too_large)
    (row,) = candidates.table_of(candidates.judged([(3, 0.5)])).to_pylist()
    assert (row["accepted"], row["reason"]) == (False, "too large")
    assert row["moves"] is row["accepted_by"] is row["code"] is row["spec"] is None
    assert {name for name, column in HAS.items() if row[column]} == constructs(generate(3, 0.5))


def test_files_are_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        built = build_pool(tmp_path / name, TWO_CELLS, workers=workers)
        score_pool(tmp_path / name, "fast", workers=workers)
        assert built.candidates == 50
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_an_extended_pool_is_the_pool_of_the_longer_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At both ends; only the cells at the edges are drawn again."""
    drawn: list[tuple[int, int]] = []

    def noted(start: int, stop: int, order: work.Order) -> int:
        drawn.append((start, stop))
        return work.draw_cell(start, stop, order)

    monkeypatch.setattr(build, "draw_cell", noted)
    for seeds in ((110, 120), (110, 140), TWO_CELLS, (50, 260)):
        build_pool(tmp_path / "grown", seeds, workers=1)
        score_pool(tmp_path / "grown", "fast", workers=1)
    assert drawn == [
        *((110, 120), (110, 128), (128, 140), (100, 128), (128, 150)),
        *((50, 64), (64, 128), (128, 192), (192, 256), (256, 260)),
    ]
    build_pool(tmp_path / "at once", (50, 260), workers=1)
    score_pool(tmp_path / "at once", "fast", workers=1)
    assert files_of(tmp_path / "grown") == files_of(tmp_path / "at once")


def test_a_pool_keeps_the_size_of_its_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far it is extended; it holds the same."""
    build_pool(tmp_path / "grown", (0, 20), (0.0, 0.0), workers=1)
    with monkeypatch.context() as patch:
        patch.setattr(grid, "SMALLEST", 128)
        for name in ("grown", "at once"):
            build_pool(tmp_path / name, (0, 160), (0.0, 0.0), workers=1)
            score_pool(tmp_path / name, "fast", workers=1)
    assert cells_of(open_pool(tmp_path / "grown")) == [(0, 64), (64, 128), (128, 160)]
    assert cells_of(open_pool(tmp_path / "at once")) == [(0, 128), (128, 160)]
    assert content_of(tmp_path / "grown") == content_of(tmp_path / "at once")


def test_finished_blocks_are_not_done_again(pool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "draw_cell", None)
    monkeypatch.setattr(score, "score_cell", None)
    before = files_of(pool)
    build_pool(pool, SEEDS, workers=1)
    assert score_pool(pool, "fast", workers=1).scored == 0
    assert files_of(pool) == before


def test_another_request_on_the_same_folder_says_what_differs(pool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_of(pool)
    with pytest.raises(StorageError, match=r"has the complexity of the seeds' own, not 0\.5:0\.5: use another folder"):
        build_pool(pool, SEEDS, (0.5, 0.5), workers=1)
    with pytest.raises(StorageError, match="has the seeds 0:100, which 0:99 does not contain"):
        build_pool(pool, (0, 99), workers=1)
    with pytest.raises(StorageError, match="has the seeds 0:100, which 1:120 does not contain"):
        build_pool(pool, (1, 120), workers=1)
    with pytest.raises(StorageError, match="has as its end its last seed, not 7 accepted games: use another folder"):
        build_pool(pool, SEEDS, accept=7, workers=1)
    monkeypatch.setattr(work, "gate_constants", lambda: {"episodes": 10})
    with pytest.raises(StorageError, match=r"a gate with episodes 2000, .*, not episodes 10:"):
        build_pool(pool, SEEDS, workers=1)
    monkeypatch.setattr(work, "builder_hash", lambda: "feedbeef")
    with pytest.raises(StorageError, match=r"games by builder [0-9a-f]+, not feedbeef"):
        build_pool(pool, SEEDS, workers=1)
    assert files_of(pool) == before


# ------------------------------------------------------------------------------------------------ kills and failures


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a build that nothing disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed") / "pool"
    build_pool(folder, (0, 500), workers=1)
    return files_of(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "written"), [(1, 1), (2, 2)])
def test_a_killed_build_is_finished_by_the_same_command(
    tmp_path: Path, undisturbed: dict[str, bytes], workers: int, written: int
) -> None:
    command = [sys.executable, "-m", "antemill.tournament.cli", "pool", "build", str(tmp_path / "killed")]
    command += ["--seeds", "0:500", "--workers", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        there = tmp_path / "killed" / "candidates"
        while process.poll() is None and not (there.exists() and len(list(there.glob("*.parquet"))) >= written):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    left = {name: data for name, data in files_of(tmp_path / "killed").items() if name.endswith(".parquet")}
    assert left.items() <= undisturbed.items()
    build_pool(tmp_path / "killed", (0, 500), workers=1)
    assert files_of(tmp_path / "killed") == undisturbed


@pytest.mark.slow
def test_a_run_stopped_at_any_write_is_finished_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.run_pipeline(tmp_path / "undisturbed" / "run", SEEDS, 6, workers=1)
    want = files_of(tmp_path / "undisturbed" / "run")
    replace, stops = os.replace, 0
    while stops < 60:
        allowed = stops

        def stop(source: str, target: str) -> None:
            nonlocal allowed
            if allowed == 0:
                raise KeyboardInterrupt
            allowed -= 1
            replace(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", stop)
            try:
                pipeline.run_pipeline(tmp_path / "stopped" / "run", SEEDS, 6, workers=1)
                break
            except KeyboardInterrupt:
                stops += 1
    assert stops >= 5
    assert files_of(tmp_path / "stopped" / "run") == want


def test_a_worker_that_dies_is_a_sentence_and_the_good_cell_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(build, "draw_cell", die_at_the_second_cell)
        kept = r"^a worker process died: .*; what was finished is kept, run the same command again to continue\.$"
        with pytest.raises(ExecutionError, match=kept):
            build_pool(tmp_path / "a", TWO_CELLS, workers=2)
    build_pool(tmp_path / "a", TWO_CELLS, workers=1)
    build_pool(tmp_path / "b", TWO_CELLS, workers=1)
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_a_full_disk_is_a_sentence_and_the_good_cell_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, fsync = 0, os.fsync

    def full(handle: int) -> None:
        nonlocal synced
        synced += 1
        if synced > 6:  # a file and its folder each: pool.json and the first cell fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        full_disk = r"^the work on seeds 128:150 failed: no space left on the disk of .*the same command again\.$"
        with pytest.raises(ExecutionError, match=full_disk):
            build_pool(tmp_path / "a", TWO_CELLS, workers=1)
    build_pool(tmp_path / "b", TWO_CELLS, workers=1)
    want = files_of(tmp_path / "b")
    assert len(want) == 6
    first = Span(100, 128).file
    assert set(files_of(tmp_path / "a")) == {"pool.json", f"games/{first}", f"candidates/{first}"}
    build_pool(tmp_path / "a", TWO_CELLS, workers=1)
    assert files_of(tmp_path / "a") == want


def test_a_pool_of_another_schema_version_is_refused(pool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, later = store.VERSION, store.VERSION + 1
    monkeypatch.setattr(store, "VERSION", later)
    with pytest.raises(StorageError, match=f"has schema version {now}, this antemill reads version {later}"):
        examine_pool(pool)


def test_an_unfinished_pool_is_not_scored(tmp_path: Path) -> None:
    build_pool(tmp_path, TWO_CELLS, workers=1)
    first_games(tmp_path).unlink()
    for command in (lambda: score_pool(tmp_path, "fast", workers=1), lambda: select_games(tmp_path)):
        with pytest.raises(StorageError, match="is not finished"):
            command()


# ------------------------------------------------------------------------------------------------ scores


def test_scores_are_those_of_the_stored_programs_and_need_no_generator(
    pool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generator(*_: object) -> None:
        raise AssertionError("the generator was run")

    monkeypatch.setattr(candidates, "draw_game", generator)
    shutil.rmtree(pool / "scores")
    scored = score_pool(pool, "fast", workers=1)
    assert files_of(pool) == files_of(scored_pool())
    assert scored.games == scored.scored == len(read_points(open_pool(pool)).seeds)
    program = next(programs(read(first_games(pool), GAMES), "it"))
    points = read_points(open_pool(pool))
    assert points.digests[0] == program.digest
    assert tuple(points.values[0]) == score_program(program, FAST).point()


def test_after_a_change_of_one_axis_that_one_is_scored_anew(pool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are copied, and both versions stand side by side."""
    before, version = files_of(pool), axes_version()
    asked: list[tuple[str, ...]] = []

    def record(
        program: Program, tier: str, wanted: tuple[str, ...] = tuple(AXES), seed: int | None = None
    ) -> dict[str, Any]:
        if seed is None:
            asked.append(wanted)
        return score_game(program, tier, wanted, seed) | {"risk": 7.0}

    for module in (score, work, layout):
        monkeypatch.setattr(module, "version_of", lambda _tier: "another")
    monkeypatch.setattr(work, "axis_version_of", lambda _tier, axis: "edited" if axis == "risk" else axis_version(axis))
    monkeypatch.setattr(work, "score_game", record)
    done = score_pool(pool, "fast", workers=1)
    assert (done.scored, asked) == (done.games, [("risk",)] * done.games)
    assert before.items() <= files_of(pool).items()
    for path in (pool / "scores" / "fast" / version).glob("*.parquet"):
        old, new = read(path, SCORES), read(pool / "scores" / "fast" / "another" / path.name, SCORES)
        for name in SCORES.schema.names:
            if name not in ("risk", "axes_version", *AXES["risk"].also):
                assert new[name].equals(old[name]), name
        assert set(new["risk"].to_pylist()) == {7.0}
    assert set(read_points(open_pool(pool)).values[:, list(AXES).index("risk")]) == {7.0}
    assert score_pool(pool, "fast", workers=1).scored == 0


# ------------------------------------------------------------------------------------------------ selection, statistics


def test_a_benchmark_is_self_contained(pool: Path, tmp_path: Path) -> None:
    path = tmp_path / "bench.parquet"
    write_benchmark(path, select_games(pool, 4))
    shutil.rmtree(pool)
    benchmark = read_benchmark(path)
    assert benchmark["rank"].to_pylist() == [1, 2, 3, 4]
    for row, program in zip(benchmark.to_pylist(), programs(benchmark, "it"), strict=True):
        assert compile_spec(from_json(row["spec"])) == program
        assert compile_spec(generate(row["seed"], row["complexity"])) == program
        assert tuple(row[f"fast_{axis}"] for axis in AXES) == score_program(program, FAST).point()
        assert all(row[f"precise_{axis}"] is None for axis in AXES)


def test_a_selection_starts_near_the_centroid_and_spreads_out(pool: Path) -> None:
    points = read_points(open_pool(pool))
    unit = (points.values - points.values.min(axis=0)) / np.ptp(points.values, axis=0)
    distances = np.linalg.norm(unit - unit.mean(axis=0), axis=1)
    seeds = select_games(pool, 2)["seed"].to_pylist()
    first = int(np.argmin(distances))
    second = int(np.argmax(np.linalg.norm(unit - unit[first], axis=1)))
    assert seeds == [points.seeds[first], points.seeds[second]]


def test_fewer_games_than_asked_for_are_all_selected(pool: Path) -> None:
    points = read_points(open_pool(pool))
    assert sorted(select_games(pool, 1000)["seed"].to_pylist()) == points.seeds.tolist()
    with pytest.raises(UsageError, match="cannot select 0 games"):
        select_games(pool, 0)


def test_an_exact_pool_says_which_games_were_too_large(pool: Path) -> None:
    """Their rows are those of the precise tier; a selection by exact scores goes by them."""
    score_pool(pool, "exact", workers=1)
    score_pool(pool, "precise", workers=1)
    by_tier = {tier: read_points(open_pool(pool), tier) for tier in ("exact", "precise")}
    tiers = by_tier["exact"].tiers
    assert set(tiers) == {"exact", "precise"}
    for i, tier in enumerate(tiers):
        same = bool((by_tier["exact"].values[i] == by_tier["precise"].values[i]).all())
        assert same == (tier == "precise"), i
    seed = tiers.index("exact")
    whole = score_program(int(by_tier["exact"].seeds[seed]), "exact")
    assert tuple(by_tier["exact"].values[seed]) == whole.point()
    benchmark = select_games(pool, 4, "exact")
    chosen = farthest_points(by_tier["exact"].values, 4, by_tier["exact"].seeds)
    assert benchmark["seed"].to_pylist() == by_tier["exact"].seeds[chosen].tolist()
    assert benchmark["exact_tier"].to_pylist() == [tiers[i] for i in chosen]
    assert benchmark["exact_risk"].to_pylist() == by_tier["exact"].values[chosen, list(AXES).index("risk")].tolist()
    too_large = tiers.count("precise")
    report = examine_pool(pool, "exact")
    assert report.stats is not None
    assert f" {too_large} games are too large for the exact tier" in pool_axes(report, report.stats).note
    with pytest.raises(UsageError, match="no tier 'quick': use fast or precise or exact"):
        select_games(pool, 4, "quick")


def test_precise_scores_are_taken_over_from_an_earlier_file(
    pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bench.parquet"
    whole = score_benchmark(path, select_games(pool, 3), workers=1)
    assert all(whole[f"precise_{axis}"].null_count == 0 for axis in AXES)
    program = compile_spec(generate(whole["seed"][1].as_py()))
    second = score_program(program, "precise", default_seed(program) ^ 1)
    assert [whole[f"precise_again_{axis}"][1].as_py() for axis in AXES] == list(second.point())
    want = path.read_bytes()
    monkeypatch.setattr("antemill.tournament.pool.precise.score_row", None)  # nothing is left to be scored
    score_benchmark(path, select_games(pool, 3), workers=1)
    assert path.read_bytes() == want
    path.write_bytes(want[:100])
    with pytest.raises(StorageError, match="damaged"):
        score_benchmark(path, select_games(pool, 3), workers=1)


def test_statistics_are_those_of_the_points(pool: Path) -> None:
    points = read_points(open_pool(pool)).values
    document = as_document(examine_pool(pool))
    assert document["accepted_share"] == document["accepted"] / 100 == len(points) / 100
    want = np.asarray(np.corrcoef(points.T), np.float64)
    for i, axis in enumerate(AXES):
        figures = document["axes"][axis]
        assert [figures[name] for name in ("min", "median", "max")] == [
            points[:, i].min(),
            np.median(points[:, i]),
            points[:, i].max(),
        ]
        assert (figures["p10"], figures["p90"]) == pytest.approx(tuple(np.percentile(points[:, i], (10, 90))))
        assert list(document["correlation"][axis].values()) == pytest.approx(want[i].tolist())
    inverse = np.asarray(np.linalg.inv(want), np.float64)
    assert list(document["vif"].values()) == pytest.approx(inverse.diagonal().tolist(), rel=1e-6)


def test_a_pool_without_scores_has_acceptance_only(pool: Path) -> None:
    shutil.rmtree(pool / "scores")
    document = as_document(examine_pool(pool))
    assert (document["candidates"], document["scored"], document["axes"], document["vif"]) == (100, False, {}, {})
    with pytest.raises(StorageError, match="have no fast scores"):
        select_games(pool)


def test_precise_scores_of_the_pool_go_into_its_benchmarks(pool: Path) -> None:
    score_pool(pool, "precise", workers=1)
    benchmark = select_games(pool, 3)
    assert benchmark["precise_risk"].null_count == 0
    assert benchmark["exact_risk"].null_count == 3
