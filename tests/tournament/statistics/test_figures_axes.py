"""Figures 1, 2, 6 and 8, and the plot of appendix H, against the tables that they are beside."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antemill.tournament.charts.chart import Chart, to_svg
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.select import read_points
from antemill.tournament.statistics.game_axes import GameAxes, no_axes
from antemill.tournament.statistics.outputs import AnalysisResults, results
from tests.tournament.pool.pool_jobs import scored_pool
from tests.tournament.statistics.planted import Truth, play, truth


@pytest.fixture(scope="module")
def found() -> tuple[Truth, AnalysisResults]:
    """Games of which some order the players otherwise."""
    t = truth(6, 12, seed=1, slope=0.05, rough=0.3, gap=0.8)

    axes = GameAxes(t.axes, no_axes(t.games).rulebook_length, "planted", {})
    return t, results(play(t, runs=6, seed=2), bootstrap=60, axes_of=lambda _: axes, paper=True)


def titles(chart: Chart) -> list[str]:
    """What pointing at the parts of a chart says."""
    return re.findall(r"<title>([^<]*)</title>", to_svg(chart).decode())[1:]


def test_figure_8_has_the_bands_of_its_q(found: tuple[Truth, AnalysisResults]) -> None:
    (sheet,) = [one for one in found[1].sheets if one.name == "rank_stability_paper"]
    place = [one.key for one in sheet.columns].index("q")
    bands = {str(row[0]): row[place] for row in sheet.rows}
    want = {
        game: "q < 0.05" if q < 0.05 else "0.05 ≤ q < 0.10" if q < 0.1 else "q ≥ 0.10"
        for game, q in bands.items()
        if isinstance(q, float)
    }
    assert len(want) == 12
    assert len(set(want.values())) > 1
    shown = dict(unescape(told).split(": ") for told in titles(found[1].charts["games"]))
    assert shown == want


def test_the_summary_recounts_the_tables(found: tuple[Truth, AnalysisResults]) -> None:
    """Appendix P's sentences."""
    sheets = {sheet.name: sheet for sheet in found[1].sheets}
    whole = sheets["rank_stability_paper"]
    columns = zip(*whole.rows, strict=True)
    games: dict[str, Any] = {one.key: list(cells) for one, cells in zip(whole.columns, columns, strict=True)}
    said: dict[Any, Any] = {row[0]: row[1] for row in sheets["rank_stability_summary"].rows}
    observed, z = (np.array(games[key], float) for key in ("observed", "z"))
    expected = np.array(games["expected"], float)
    assert said["reversals of a game, mean"] == pytest.approx(observed.mean())
    assert said["most"] == observed.max()
    assert said["observed over expected"] == pytest.approx(observed.sum() / expected.sum())
    assert said["z, median"] == pytest.approx(np.median(z))
    assert said["share of games with z ≥ 2"] == pytest.approx((z >= 2).mean())
    assert said["share of games with z ≤ 0"] == pytest.approx((z <= 0).mean())
    assert said["games with q < 0.05"] == sum(q < 0.05 for q in games["q"]) > 0
    assert said["single reversals"] == len(sheets["reversals"].rows) == observed.sum()


def test_figure_6_marks_the_games_of_the_tournament_in_their_pool(found: tuple[Truth, AnalysisResults]) -> None:
    assert "pool" not in found[1].charts
    folder: Path = scored_pool()
    points = read_points(complete_pool(folder))
    chosen = [str(points.seeds[0]), f"{points.seeds[1]}@0.5"]
    rows = play(truth(4, 2, seed=3), runs=5, seed=4).to_pydict()
    names = dict(zip(sorted(set(rows["game"])), chosen, strict=True))
    rows["game"] = [names[game] for game in rows["game"]]
    chart = results(pa.table(rows), bootstrap=20, pool=folder, paper=True).charts["pool"]
    told = titles(chart)
    assert len(told) == len(points.seeds)
    assert told[-2:] == [f"seed {seed}" for seed in points.seeds[:2]]
    assert f"{len(points.seeds):,} accepted games, and 2 of this tournament" in chart.note
