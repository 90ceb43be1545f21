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
from antemill.tournament.statistics.contents import STATISTICS
from antemill.tournament.statistics.estimates import estimate as estimate_all
from antemill.tournament.statistics.game_axes import GameAxes, no_axes, read_axes, scored
from antemill.tournament.statistics.intervals import Interval, percentile
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.outputs import AnalysisSummary, analyze
from antemill.tournament.statistics.strength import strengths
from tests.tournament.statistics.planted import Truth, play, truth

FIGURES = {
    "leaderboard",
    "coverage",
    "profile",
    "profile_levels",
    "jaggedness",
    "jaggedness_without_noise",
    "jaggedness_strength",
    "benchmark",
    "axis_densities",
    "games",
    "games_joint",
    "axis_correlations",
    "game_strengths",
}
_ACROSS = ["state space (log10 information states)"]
LABELS = {"axis_correlations": ["state space"]} | dict.fromkeys(
    ("benchmark", "axis_densities", "games", "games_joint"), _ACROSS
)


def write_axes(path: Path, t: Truth) -> Path:
    columns = {axis: t.axes[:, i] for i, axis in enumerate(AXES)}
    lengths = np.random.default_rng(1).integers(8_600, 39_000, len(t.games))
    pq.write_table(pa.table({"game": t.games, **columns, "rulebook_length": lengths}), path)
    return path


def run(folder: Path, rows: pa.Table, axes: Path | None = None, **options: object) -> AnalysisSummary:
    pq.write_table(rows, folder / "slots.parquet")
    options = {"bootstrap": 60, "seed": 1} | options
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


def test_every_table_of_the_paper_is_written_in_three_formats(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, summary = whole
    names = {path.stem for path in (folder / "tables").iterdir()}
    missing = [one for one in STATISTICS.names if not fnmatch.filter(names, one)]
    # None has too few matches; axes of one play; no disguises.
    of_disguises = ["disguises", "recognised", "disguise_variance"]
    assert missing == ["few_matches", "axis_errors", "slopes_corrected", *of_disguises]
    assert len(names) == len(STATISTICS.names) - len(missing)
    for name in names:
        assert {path.suffix for path in (folder / "tables").glob(f"{name}.*")} == {".parquet", ".csv", ".md", ".tex"}
        stored = pq.read_table(folder / "tables" / f"{name}.parquet")
        lines = cells(folder, name)
        assert len(lines) == stored.num_rows > 0
        assert list(lines[0]) == stored.column_names[:-1]
        text = (folder / "tables" / f"{name}.md").read_text("utf-8")
        assert text.count("\n|") == stored.num_rows + 2
        assert text in (folder / "tables.md").read_text("utf-8")
    assert {Path(path).stem for path in summary.tables} == names
    assert (folder / "tables.md").read_text("utf-8").startswith("# Results\n\n## Overall leaderboard\n")


def test_every_figure_is_an_image_with_its_labels(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, summary = whole
    assert {path.stem for path in (folder / "figures").iterdir()} == FIGURES
    assert set(summary.left_out) == {"pool"}  # no pool was named
    for name in FIGURES:
        image = ElementTree.parse(folder / "figures" / f"{name}.svg").getroot()
        assert image.tag.endswith("svg")
        text = " ".join(part.strip() for part in image.itertext())
        for label in LABELS.get(name, ["m0", "m5"]):
            assert label in text


def test_the_leaderboard_is_that_of_the_functions(whole: tuple[Path, Truth, AnalysisSummary]) -> None:
    folder, _, summary = whole
    table = slot_table(pq.read_table(folder / "slots.parquet")).without_models(["m3"])
    want, interval = strengths(table), percentile(strengths(cluster_bootstrap(table, 60, 1)))
    order = np.argsort(-want)
    lines = cells(folder, "table1_leaderboard")
    assert [line["model"] for line in lines] == [table.models[m] for m in order]
    assert [float(line["alpha"]) for line in lines] == pytest.approx(want[order])
    assert [float(line["low"]) for line in lines] == pytest.approx(interval.low[order])
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
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        folder = tmp_path / name
        folder.mkdir()
        run(folder, rows, write_axes(folder / "axes.parquet", t), seed=seed)
        parts = sorted(path for path in folder.rglob("*") if path.parent.name in ("tables", "figures"))
        files.append([(path.name, path.read_bytes()) for path in parts])
        # There is no reference player, no player has too few matches, the games were not scored twice, and the three
        # tables of disguises have none to compare.
        tables = len(STATISTICS.names) - 7
        assert len(parts) == len(sheets.FORMATS) * tables + len(FIGURES)
    assert [name for name, _ in files[0]] == [name for name, _ in files[1]]
    named = ("games", "axis_densities", "benchmark")  # they name the file of the axes
    pairs = zip(files[0], files[1], strict=True)
    assert [one[0] for one, two in pairs if one != two and not any(name in one[0] for name in named)] == []
    differing = {one[0] for one, two in zip(files[0], files[2], strict=True) if one != two}
    assert {"table1_leaderboard.csv", "profile.svg", "jaggedness.parquet"} <= differing


def small(**columns: Sequence[object]) -> pa.Table:
    rows = len(columns["alice"])
    return pa.table(
        {"game": ["g"] * rows, "play_seed": [1] * rows, "run": [1] * rows, "margin": [0.0] * rows} | columns
    )


def reasons(folder: Path) -> set[str]:
    """All reasons that the Markdown tables give."""
    found = set()
    for path in (folder / "tables").glob("*.csv"):
        for line in cells(folder, path.stem):
            found |= {cell.removeprefix("not estimated: ") for cell in line.values() if cell.startswith("not est")}
    return found


def test_one_match(tmp_path: Path) -> None:
    """The smallest tournament: strengths and nothing else."""
    summary = run(tmp_path, small(alice=["a"], bob=["b"], margin=[3.0]))
    assert [(rank.player, rank.strength) for rank in summary.leaderboard] == [("a", 1.5), ("b", -1.5)]
    lines = cells(tmp_path, "table1_leaderboard")
    assert lines[0]["low"] == "not estimated: fewer than 5 runs"
    assert {
        "no game has axes",
        "one game shows no interaction",
        "no match is without b",
        "the results do not count moves and fallbacks",
        "no family of variants was named",
        "a pair met in one run only: its noise is unknown",
        "a player has fewer than 5 runs on this game",
    } <= reasons(tmp_path)
    assert set(summary.left_out) == set(figures.FIGURES) - {"leaderboard", "coverage", "game_strengths"}


def test_a_game_whose_players_never_met_is_missing_and_the_rest_is_estimated(tmp_path: Path) -> None:
    t = truth(4, 12, seed=5)
    rows = play(t, runs=3, seed=6)
    game, alice, bob = (rows[name].to_pylist() for name in ("game", "alice", "bob"))
    apart = [g != "g003" or {a, b} in ({"m0", "m1"}, {"m2", "m3"}) for g, a, b in zip(game, alice, bob, strict=True)]
    summary = run(tmp_path, rows.filter(pa.array(apart)), write_axes(tmp_path / "axes.parquet", t))
    assert all(rank.strength is not None for rank in summary.leaderboard)
    by_game = {line["game"]: line for line in cells(tmp_path, "table9_game_strengths")}
    assert by_game["g003"]["m0"] == "not estimated: players of this game never met"
    assert float(by_game["g004"]["m0"]) > float(by_game["g004"]["m3"])
    assert all("not" not in line["slope"] for line in cells(tmp_path, "slopes"))
    variance = cells(tmp_path, "variance")[0]
    assert (variance["cells"], variance["of"]) == ("44", "48")
    assert set(summary.left_out) == {"pool"}  # no pool was named


@pytest.mark.parametrize("seed", range(3))
def test_sparse_random_designs_are_analysed(tmp_path: Path, seed: int) -> None:
    """For every set of matches: every cell is a number, a name or a reason, and nothing is raised."""
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
    with pytest.raises(UsageError, match="2 or more replicates"):
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
    assert found.again is None
    twice = [row | {f"precise_again_{axis}": 5.0 for axis in AXES} for row in rows]
    write_benchmark(tmp_path / "twice.parquet", store_table(BENCHMARK, twice))
    again = read_axes(tmp_path / "twice.parquet", ["7", "kuhn"]).again
    assert again is not None
    assert again[0].tolist() == [5.0] * len(AXES)
    assert read_axes(tmp_path / "twice.parquet", ["9"]).again is None  # of fast scores
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
def test_two_plays_of_the_axes_give_their_errors_and_corrected_slopes(tmp_path: Path) -> None:
    t = truth(3, 40, seed=2)
    noise = np.zeros((40, len(AXES)))
    noise[:, 5] = np.random.default_rng(3).normal(0, 0.3, 40)

    def by_name(_games: object) -> GameAxes:
        return GameAxes(t.axes, np.full(40, np.nan), "a test", {}, t.axes + noise)

    run(tmp_path, play(t, runs=2, seed=3), axes_of=by_name)
    errors = pq.read_table(tmp_path / "tables" / "axis_errors.parquet").to_pylist()
    assert [row["axis"] for row in errors] == list(AXES)
    assert [row["reliability"] for row in errors][:5] == [1.0] * 5
    assert errors[5]["standard_error"] == pytest.approx(0.3 / np.sqrt(2), rel=0.3)
    assert errors[5]["low"] < errors[5]["reliability"] < errors[5]["high"] < 1
    slopes = pq.read_table(tmp_path / "tables" / "slopes_corrected.parquet").to_pylist()
    assert len(slopes) == 3 * len(AXES)
    noisy = [row for row in slopes if row["axis"] == list(AXES)[5]]
    assert all(abs(row["corrected"]) > abs(row["slope"]) for row in noisy)
    plain = tmp_path / "plain"
    plain.mkdir()
    run(plain, play(t, runs=2, seed=3), axes_of=lambda _: GameAxes(t.axes, np.full(40, np.nan), "a test", {}))
    assert not (plain / "tables" / "axis_errors.parquet").exists()
    assert not (plain / "tables" / "slopes_corrected.parquet").exists()


@pytest.mark.slow
def test_named_games_are_measured_and_unknown_ones_say_so() -> None:
    found = scored(["kuhn", "no-such-game", "leduc"])
    assert np.isfinite(found.values[[0, 2]]).all()
    assert np.isnan(found.values[1]).all()
    assert found.values[0, 0] == pytest.approx(np.log10(12))
    assert found.rulebook_length[2] > 1000
    assert list(found.reasons) == ["no-such-game"]


def test_a_missing_cell_shows_its_reason_in_text_and_is_null_with_a_note_in_parquet() -> None:
    columns = [
        sheets.Column("name", "Name", "text"),
        sheets.Column("x", "X", "number", 1, True),
        sheets.Column("n", "N", "count"),
    ]
    lines: list[list[sheets.Cell]] = [
        ["a|b", -0.25, 1234],
        ["c", sheets.Missing("too few"), None],
        ["d", sheets.estimate(float("inf")), 0],
    ]
    sheet = sheets.Sheet("s", "Title", columns, lines, "A note.", frozenset({(0, 1)}))
    assert sheets.to_markdown(sheet).splitlines() == [
        "## Title",
        "",
        "A note.",
        "",
        "| Name | X | N |",
        "| :-- | --: | --: |",
        "| a\\|b | **−0.2** | 1,234 |",  # noqa: RUF001
        "| c | *too few* |  |",
        "| d | *cannot be estimated* | 0 |",
    ]
    assert sheets.to_csv(sheet).splitlines() == [
        "name,x,n",
        "a|b,-0.25,1234",
        "c,not estimated: too few,",
        "d,not estimated: cannot be estimated,0",
    ]
    stored = pq.read_table(pa.BufferReader(sheets.to_parquet(sheet)))
    assert stored["x"].to_pylist() == [-0.25, None, None]
    assert stored["note"].to_pylist() == ["", "x: too few", "x: cannot be estimated"]
    assert sheet.column("n") == [1234, None, 0]
    with pytest.raises(KeyError):
        sheet.column("y")


def test_figures_are_the_same_bytes_and_take_gaps() -> None:
    columns = [
        sheets.Column("name", "name", "text"),
        sheets.Column("n", "n"),
        *(sheets.Column(key, key, heat=0.3) for key in "xyz"),
    ]
    rows: list[list[sheets.Cell]] = [["a", 7.77, 0.1, -0.2, 0.3], ["b", 7.77, sheets.Missing("a gap"), 0.0, 0.1]]
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


def test_replicates_of_few_quantities_are_the_first_of_the_many() -> None:
    """N6: 500 of the 2,000."""
    t = truth(4, 5, seed=1)
    table = slot_table(play(t, runs=3, seed=2))
    many = estimate_all(table, no_axes(table.games), bootstrap=40, fewer=40, seed=3)
    few = estimate_all(table, no_axes(table.games), bootstrap=40, fewer=10, seed=3)
    assert np.array_equal(many.per_game_drawn[:10], few.per_game_drawn)
    assert np.array_equal(many.overall_drawn, few.overall_drawn)
