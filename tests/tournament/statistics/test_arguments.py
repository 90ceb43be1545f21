"""Statistics answer all arguments with a result or with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.axes.table import AXES as NAMED_AXES
from antemill.tournament import statistics
from antemill.tournament.charts.chart import Chart, Panel
from antemill.tournament.statistics import RatingOptions
from tests.odd import PLAIN, refusals

_N = 60
MATCHES = pa.table(
    {
        "game": [f"g{i % 5}" for i in range(_N)],
        "run": [str(i // 15) for i in range(_N)],
        "alice": ["abc"[i % 3] for i in range(_N)],
        "bob": ["bca"[i % 3] for i in range(_N)],
        "margin": np.sin(np.arange(_N)),
    }
)
RESULTS = pa.table(
    {"a": ["x", "y", "x"] * 4, "b": ["y", "z", "z"] * 4, "score_a": [1, 0, 1] * 4, "score_b": [0, 1, 0] * 4}
)
TABLE = statistics.slot_table(MATCHES)
AXES, PER_GAME = np.random.default_rng(0).normal(size=(8, 6)), np.random.default_rng(1).normal(size=(8, 3))
DRAWN = np.random.default_rng(2).normal(size=(20, 8, 3))
OURS = (MATCHES, RESULTS, TABLE, MATCHES.to_pandas(), RatingOptions(), statistics.leaderboard(TABLE))


def _options(**given: Any) -> list[statistics.Rating]:
    return statistics.rate(TABLE, RatingOptions(**given))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(MATCHES, "slots.parquet")
    pq.write_table(pa.table({"game": ["g0", "g1"], **{name: [0.5, 0.25] for name in NAMED_AXES}}), "axes.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("function", "good"),
    [
        (statistics.leaderboard, {"table": TABLE}),
        (statistics.head_to_head, {"table": TABLE}),
        (statistics.strengths, {"data": TABLE}),
        (statistics.game_strengths, {"data": TABLE}),
        (statistics.slot_table, {"rows": MATCHES}),
        (statistics.results_table, {"rows": RESULTS}),
        (statistics.rate, {"table": TABLE, "options": RatingOptions()}),
        (
            _options,
            {"method": "elo", "anchor": ("a", 1000), "scale": 400.0},
        ),
        (statistics.read_rows, {"path": "slots.parquet"}),
        (statistics.read_slots, {"path": "slots.parquet"}),
        (statistics.read_axes, {"path": "axes.parquet", "games": TABLE.games}),
        (statistics.capability_profile, {"axes": AXES, "strengths": PER_GAME, "replicates": DRAWN}),
        (
            statistics.local_jaggedness,
            {"z": PER_GAME, "axes": AXES, "noise": PER_GAME**2, "neighbours": 3},
        ),
    ],
)
@pytest.mark.usefixtures("files")
def test_odd_arguments(function: Callable[..., Any], good: dict[str, Any]) -> None:
    assert list(refusals(function, good, (*PLAIN, *OURS))) == []


@pytest.mark.usefixtures("files")
def test_matches_in_any_form_are_one_table() -> None:
    want = statistics.leaderboard(TABLE)
    for form in (MATCHES, MATCHES.to_pandas(), MATCHES.to_batches()[0], "slots.parquet", Path("slots.parquet")):
        assert np.array_equal(statistics.leaderboard(form).strengths, want.strengths)
        assert statistics.rate(form, RatingOptions()) == statistics.rate(TABLE, RatingOptions())
    assert [one.player for one in statistics.rate(RESULTS.to_pandas())] == ["x", "z", "y"]


@pytest.mark.usefixtures("files")
def test_an_analysis_needs_matches_and_a_folder_at_most(tmp_path: Path) -> None:
    summary = statistics.analyze("slots.parquet", out="res")
    assert (summary.players, summary.games_with_axes) == (3, 0)
    assert (tmp_path / "res" / "tables.md").exists()
    assert repr(summary).startswith("<AnalysisSummary: 60 matches of 3 players on 5 games; ")


def test_tables_and_figures_show_in_a_notebook() -> None:
    board = statistics.leaderboard(TABLE)
    best = board.models[int(board.order[0])]
    table = ElementTree.fromstring(board._repr_html_())
    heads = [str(cell.text) for cell in table.iter("th")]
    assert heads[:3] == ["player", "strength (margin)", "these games: low"]
    assert {"these games: P(best)", "games like these: worst rank"} < set(heads)
    assert next(table.iter("td")).text == best
    pairs = ElementTree.fromstring(statistics.head_to_head(TABLE)._repr_html_())
    assert [cell.text for cell in pairs.iter("td")].count("\N{EN DASH}") == 3
    rated = statistics.rate(TABLE)
    assert next(ElementTree.fromstring(rated._repr_html_()).iter("td")).text == rated[0].player
    chart = Chart("Two <lines>", (Panel(10.0, 10.0, ("<g/>",), "nothing"),))
    assert repr(chart) == "<Chart 'Two <lines>': 1 panels>"
    assert ElementTree.fromstring(chart._repr_svg_().encode()).tag.endswith("svg")
