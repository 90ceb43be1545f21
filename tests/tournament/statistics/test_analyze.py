"""`analyze`: all tables and figures from any tournament, large or small, sparse or disconnected."""

from __future__ import annotations

import csv
import fnmatch
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.axes import AXES
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.store import table as store_table
from antemill.tournament.charts.chart import to_svg
from antemill.tournament.pool.schemas import BENCHMARK
from antemill.tournament.pool.select import write_benchmark
from antemill.tournament.replies import CAUSES
from antemill.tournament.statistics import figures, sheets
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.contents import PAPER, STATISTICS
from antemill.tournament.statistics.game_axes import read_axes, scored
from antemill.tournament.statistics.intervals import Interval, percentile
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.outputs import AnalysisSummary, analyze
from antemill.tournament.statistics.strength import strengths
from tests.tournament.statistics.planted import Truth, play, truth

FIGURES = set(figures.FIGURES) - {"pool"}  # no pool is named
_ACROSS = ["state space (log10 information states)"]
LABELS = {"axis_correlations": ["state space"]} | dict.fromkeys(("benchmark", "axis_densities", "games"), _ACROSS)


def write_axes(path: Path, t: Truth) -> Path:
    columns = {axis: t.axes[:, i] for i, axis in enumerate(AXES)}
    lengths = np.random.default_rng(1).integers(8_600, 39_000, len(t.games))
    pq.write_table(pa.table({"game": t.games, **columns, "rulebook_length": lengths}), path)
    return path


def run(folder: Path, rows: pa.Table, axes: Path | None = None, **options: object) -> AnalysisSummary:
    pq.write_table(rows, folder / "slots.parquet")
    options = {"bootstrap": 60, "seed": 1, "paper": True} | options
    return analyze(folder / "slots.parquet", axes, folder, **options)  # type: ignore[arg-type]


def cells(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table's CSV file."""
    with open(folder / "tables" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth, AnalysisSummary]:
    """A tournament with everything: axes, a reference player, a family of variants."""
    folder = tmp_path_factory.mktemp("whole")
    t = truth(6, 18, seed=1)
    rows = play(t, runs=4, seed=2, share=0.7, whole=True)
    summary = run(folder, rows, write_axes(folder / "axes.parquet", t), references=["m3"], families={"f": ("m0", "m5")})
    return folder, t, summary


def test_every_table_is_written_once_as_csv_and_in_one_page(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, summary = whole
    names = {path.stem for path in (folder / "tables").iterdir()}
    missing = [one for one in STATISTICS.names if not fnmatch.filter(names, one)]
    assert missing == ["disguises", "recognised"]
    assert {path.suffix for path in (folder / "tables").iterdir()} == {".csv"}
    page = (folder / "tables.md").read_text("utf-8")
    assert page.startswith("# Results\n\n## Overall leaderboard\n")
    assert page.count("\n## ") == len(names) == len(summary.tables)
    assert all(cells(folder, name) for name in names)  # a table without a row is not written


def test_without_paper_there_are_a_dozen_tables_and_no_bootstrap(tmp_path: Path) -> None:
    t = truth(5, 12, seed=1)
    summary = run(tmp_path, play(t, runs=3, seed=2), write_axes(tmp_path / "axes.parquet", t), paper=False)
    names = {Path(path).stem for path in summary.tables}
    assert names.isdisjoint(PAPER)
    assert 8 <= len(names) <= 12
    assert not [key for key in cells(tmp_path, "table1_leaderboard")[0] if key in ("low", "high")]
    run(tmp_path, play(t, runs=3, seed=2), tmp_path / "axes.parquet")
    assert "table5_pairwise.csv" in {path.name for path in (tmp_path / "tables").iterdir()}
    again = run(tmp_path, play(t, runs=3, seed=2), tmp_path / "axes.parquet", paper=False)
    assert {path.stem for path in (tmp_path / "tables").iterdir()} == {Path(path).stem for path in again.tables}
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {Path(path).stem for path in again.figures}


def test_no_heading_says_chips_without_saying_whose(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    """Strengths, slopes and the paper's tables are margins, and say so."""
    page = (whole[0] / "tables.md").read_text("utf-8")
    assert "chips a game" not in page
    assert page.count("strength (margin)") >= 5


def test_every_figure_is_an_image_with_its_labels(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, _ = whole
    assert {path.stem for path in (folder / "figures").iterdir()} == FIGURES
    for name in FIGURES:
        image = ElementTree.parse(folder / "figures" / f"{name}.svg").getroot()
        assert image.tag.endswith("svg")
        text = " ".join(part.strip() for part in image.itertext())
        for label in LABELS.get(name, ["m0", "m5"]):
            assert label in text


def test_the_leaderboard_is_that_of_the_functions(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, summary = whole
    table = slot_table(pq.read_table(folder / "slots.parquet")).without_models(["m3"])
    board, paper = leaderboard(table), percentile(strengths(cluster_bootstrap(table, 400, 1)))
    lines = cells(folder, "table1_leaderboard")
    assert [line["model"] for line in lines] == [table.models[m] for m in board.order]
    for key, want in (("alpha", board.strengths), ("low_these", board.these.low), ("high_like", board.like.high)):
        assert [float(line[key]) for line in lines] == pytest.approx(want[board.order])
    assert [float(line["low"]) for line in lines] == pytest.approx(paper.low[board.order], abs=0.3)
    assert [rank.player for rank in summary.leaderboard] == [line["model"] for line in lines]
    assert (summary.slots, summary.players, summary.games, summary.games_with_axes) == (len(table.margin), 5, 18, 18)


def test_a_reference_player_and_a_family_have_their_tables(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, _ = whole
    lines = cells(folder, "table6_against_m3")
    assert {line["model"] for line in lines} == {"m0", "m1", "m2", "m4", "m5"}
    assert "m3" not in {line["model"] for line in cells(folder, "table1_leaderboard")}
    (line,) = cells(folder, "table2_ablation")
    assert line["family"] == "f"
    assert int(line["pairs"]) > 10
    assert float(line["low"]) < float(line["delta"]) < float(line["high"])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_another_one_does_not(tmp_path: Path) -> None:
    t = truth(4, 9, seed=3)
    rows, files = play(t, runs=3, seed=4), []
    axes = write_axes(tmp_path / "axes.parquet", t)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / name).mkdir()
        run(tmp_path / name, rows, axes, seed=seed)
        parts = sorted(path for path in (tmp_path / name).rglob("*") if path.parent.name in ("tables", "figures"))
        files.append({path.name: path.read_bytes() for path in parts})
    assert files[0] == files[1]
    differing = {name for name, data in files[0].items() if data != files[2][name]}
    assert {"table1_leaderboard.csv", "game_strength_intervals.csv"} <= differing  # the paper's columns
    assert {"slopes.csv", "jaggedness.csv", "differences.csv"}.isdisjoint(differing)


def small(**columns: Sequence[object]) -> pa.Table:
    rows = len(columns["alice"])
    return pa.table(
        {"game": ["g"] * rows, "play_seed": [1] * rows, "run": [1] * rows, "margin": [0.0] * rows} | columns
    )


def test_one_match(tmp_path: Path) -> None:
    """The smallest tournament: strengths and nothing else."""
    summary = run(tmp_path, small(alice=["a"], bob=["b"], margin=[3.0]))
    assert [(rank.player, rank.strength, rank.low) for rank in summary.leaderboard] == [
        ("a", 1.5, None),
        ("b", -1.5, None),
    ]
    assert {Path(path).stem for path in summary.figures} == {"leaderboard", "game_strengths"}
    page = (tmp_path / "tables.md").read_text("utf-8")
    assert page.split("## ")[1].count("the matches do not determine it") == 1
    assert "table3_without_last" not in {Path(path).stem for path in summary.tables}


def test_a_game_whose_players_never_met_is_missing_and_the_rest_is_estimated(tmp_path: Path) -> None:
    t = truth(4, 12, seed=5)
    rows = play(t, runs=3, seed=6)
    game, alice, bob = (rows[name].to_pylist() for name in ("game", "alice", "bob"))
    apart = [g != "g003" or {a, b} in ({"m0", "m1"}, {"m2", "m3"}) for g, a, b in zip(game, alice, bob, strict=True)]
    summary = run(tmp_path, rows.filter(pa.array(apart)), write_axes(tmp_path / "axes.parquet", t))
    assert all(rank.strength is not None for rank in summary.leaderboard)
    by_game = {line["game"]: line for line in cells(tmp_path, "table9_game_strengths")}
    assert by_game["g003"]["m0"] == ""
    assert float(by_game["g004"]["m0"]) > float(by_game["g004"]["m3"])
    assert all(line["slope"] for line in cells(tmp_path, "slopes"))
    variance = cells(tmp_path, "variance")[0]
    assert (variance["cells"], variance["of"]) == ("44", "48")


@pytest.mark.parametrize("seed", range(3))
def test_sparse_random_designs_are_analysed(tmp_path: Path, seed: int) -> None:
    """For every set of matches: every cell is a number, a name or blank, and nothing is raised."""
    random = np.random.default_rng(seed)
    models, games, rows = (int(random.integers(low, high)) for low, high in ((2, 7), (1, 9), (1, 40)))
    t = truth(models, games, seed)
    alice = random.integers(0, models, rows)
    bob = (alice + random.integers(1, models, rows)) % models
    game = random.integers(0, games, rows)
    table = pa.table(
        {
            "game": [t.games[g] for g in game],
            "run": random.integers(0, 3, rows),
            "alice": [t.models[m] for m in alice],
            "bob": [t.models[m] for m in bob],
            "margin": random.integers(-3, 4, rows).astype(np.float64),
        }
    )
    run(tmp_path, table, write_axes(tmp_path / "axes.parquet", t), bootstrap=20)
    for path in (tmp_path / "tables").glob("*.csv"):
        assert "nan" not in path.read_text("utf-8").replace("unknown", "")
        assert "inf" not in path.read_text("utf-8").replace("information", "")


def test_matches_of_the_ablation_are_no_part_of_the_leaderboard(tmp_path: Path) -> None:
    """N14: rows with a text in `ablation` are siblings, and count for the fallbacks; the rest is the tournament."""
    rows = small(
        game=["g", "h", "g", "g", "h", "h"],
        play_seed=[1, 2, 9, 9, 9, 9],
        alice=["a", "b", "big", "small", "big", "small"],
        bob=["b", "a", "a", "a", "a", "a"],
        margin=[1.0, -2.0, 5.0, 1.0, 3.0, 1.0],
        ablation=[None, "", "x", "x", "x", "x"],
        moves_alice=[1] * 6,
        moves_bob=[2] * 6,
        fallbacks_alice=[0, 0, 1, 0, 0, 0],
        fallbacks_bob=[0] * 6,
        **{f"{cause}_{seat}": [0] * 6 for cause in CAUSES for seat in ("alice", "bob")},
    )
    summary = run(tmp_path, rows, families={"f": ("big", "small")})
    assert [rank.player for rank in summary.leaderboard] == ["a", "b"]
    (line,) = cells(tmp_path, "table2_ablation")
    assert (float(line["delta"]), line["pairs"], line["games"]) == (3.0, "2", "2")
    first = cells(tmp_path, "fallbacks")[0]
    assert (first["model"], first["slots"], first["move_rate"], first["slot_rate"]) == ("big", "2", "50", "50")
    assert {first[cause] for cause in CAUSES} == {"0"}


def test_wrong_input_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    rows = small(alice=["a", "a"], bob=["b", "c"], margin=[1.0, 2.0])
    with pytest.raises(UsageError, match="whole number from 2 to"):
        run(tmp_path, rows, bootstrap=1)
    with pytest.raises(UsageError, match="no player 'solver'"):
        run(tmp_path, rows, references=["solver"])
    with pytest.raises(UsageError, match="every match is against a reference player"):
        run(tmp_path, rows, references=["a"])
    with pytest.raises(StorageError, match="there is no file"):
        run(tmp_path, rows, tmp_path / "none.parquet")
    with pytest.raises(UsageError, match="has no column state_space, temporal_depth"):
        run(tmp_path, rows, tmp_path / "slots.parquet")
    assert not (tmp_path / "tables").exists()


def test_axes_come_from_a_benchmark_by_seed_complexity_or_digest(tmp_path: Path) -> None:
    """N7: the precise scores if all games that were found have them."""
    base = {"builder": "b", "accepted": True, "reason": "", "rulebook_length": 9000}
    rows = []
    for rank, (seed, complexity) in enumerate(((7, 0.4), (8, 0.25), (9, 0.5)), 1):
        fast = {f"fast_{axis}": rank + i / 10 for i, axis in enumerate(AXES)}
        precise = {f"precise_{axis}": 100.0 + rank for axis in AXES} if seed != 9 else {}
        rows.append(
            base | {"rank": rank, "seed": seed, "complexity": complexity, "digest": f"d{seed}"} | fast | precise
        )
    write_benchmark(tmp_path / "bench.parquet", store_table(BENCHMARK, rows))
    found = read_axes(tmp_path / "bench.parquet", ["7", "8@0.25", "kuhn"])
    assert found.values[:2, 0].tolist() == [101.0, 102.0]
    assert found.source.endswith("precise tier")
    assert found.reasons == {"kuhn": "the game is not in the file of axes"}
    assert found.rulebook_length[:2].tolist() == [9000.0, 9000.0]
    part = read_axes(tmp_path / "bench.parquet", ["d9", "7"])
    assert part.values[:, 1].tolist() == pytest.approx([3.1, 1.1])
    assert part.source.endswith("fast tier")


def test_games_with_a_missing_axis_take_no_part_in_tables_of_axes(tmp_path: Path) -> None:
    columns = {axis: [1.0, None, 3.0] for axis in AXES}
    pq.write_table(pa.table({"game": ["a", "b", "c"], **columns}), tmp_path / "axes.parquet")
    found = read_axes(tmp_path / "axes.parquet", ["c", "b", "x"])
    assert found.values[0, 0] == 3.0
    assert found.reasons == {"b": "an axis of the game is missing", "x": "the game is not in the file of axes"}


@pytest.mark.slow
def test_named_games_are_measured_and_unknown_ones_say_so() -> None:
    found = scored(["kuhn", "no-such-game", "leduc"])
    assert np.isfinite(found.values[[0, 2]]).all()
    assert np.isnan(found.values[1]).all()
    assert found.values[0, 0] == pytest.approx(np.log10(12))
    assert found.rulebook_length[2] > 1000
    assert list(found.reasons) == ["no-such-game"]


def test_figures_are_the_same_bytes_and_take_gaps() -> None:
    columns = [
        sheets.Column("name", "name", "text"),
        sheets.Column("n", "n"),
        *(sheets.Column(key, key, heat=0.3) for key in "xyz"),
    ]
    rows: list[list[sheets.Cell]] = [["a", 7.77, 0.1, -0.2, 0.3], ["b", 7.77, None, 0.0, 0.1]]
    drawing = figures.heat_map(sheets.Sheet("s", "S", columns, rows), "t", "u")
    assert to_svg(drawing) == to_svg(drawing)
    assert b"\xe2\x80\x93" in to_svg(drawing)  # a dash for the gap
    assert b"7.77" not in to_svg(drawing)
    assert b">b<" in to_svg(drawing)
    assert b">second<" in to_svg(figures.heat_map(sheets.Sheet("s", "S", columns, rows), "t", "u", ["first", "second"]))
    gap = Interval(np.full(2, np.nan), np.full(2, np.nan))
    values = np.array([0.2, np.nan])
    bars = figures.bars(["a", "b"], values, gap, "t", "u", "whiskers")
    for drawn in (bars, figures.strengths(["a", "b"], values, gap, "t", "u", "none")):
        image = to_svg(drawn)
        assert b">a<" in image
        assert b">b<" not in image
