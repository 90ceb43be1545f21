"""The paper's sentences about refits of the leaderboard, from its own tables."""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.intervals import Interval
from antemill.tournament.statistics.sentences import cells_left, order_kept, sign_changes, top_and_bottom, widths
from tests.tournament.statistics import genstrat_tables as paper

SHORT = [name.removesuffix("-preview") for name in paper.MODELS]


def test_without_llama_the_order_stays_and_models_change_sides() -> None:
    """Table 3."""
    refit = paper.column("table3_llama_excluded", "alpha")
    full = paper.OVERALL[:-1]
    assert order_kept(full, refit) == "The order of the 8 models is that of the whole leaderboard."
    assert sign_changes(SHORT[:-1], full, refit).count(",") == 1  # gemma and deepseek
    turned = refit.copy()
    turned[[0, 1]] = turned[[1, 0]]
    assert order_kept(full, turned) == "1 of 28 pairs of models are in the other order."
    assert order_kept(full[:1], refit[:1]) == ""


def test_unidentified_cells_are_counted() -> None:
    """Appendix G: 394 of 400."""
    full = paper.strengths()[:, :-1]
    refit = full.copy()
    refit[:6, 2] = np.nan
    assert cells_left(full, refit) == " 394 of 400 strengths by game are determined."


def test_the_first_and_the_last_three_of_each_third() -> None:
    """Table 4: claude and qwen leave them on the easiest third, and nothing else happens."""
    thirds = [paper.column("table4_tertiles", name) for name in ("T1", "T2", "T3")]
    said = top_and_bottom(SHORT, paper.OVERALL, thirds)
    assert said.startswith(
        " The first and the last 3 are those of the leaderboard, but on T1 gemini-2.5-pro for claude-sonnet-4-6"
    )
    assert "deepseek" in said
    assert said.count(" for ") == 2
    assert said.endswith(": 1.83, 3.03, 4.45.")
    assert top_and_bottom(SHORT, paper.OVERALL, [paper.OVERALL] * 3).startswith(
        " The first and the last 3 are those of the leaderboard in every third."
    )
    assert top_and_bottom(SHORT[:3], paper.OVERALL[:3], [paper.OVERALL[:3]] * 3) == ""


def test_widths_of_intervals() -> None:
    low, high = np.zeros(3), np.array([0.2, 0.4, np.nan])
    said = widths(["a", "b", "c"], [Interval(low, high), Interval(low, high * 2), Interval(low, high)])
    assert said == " 95% intervals are at most 0.80 wide over 6 cells (b, T2), in the median 0.40."
    assert widths(["a"], [Interval(np.array([np.nan]), np.array([np.nan]))] * 3) == ""
