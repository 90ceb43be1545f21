"""Ranks, the probability of being best, and pairs: against planted truths, and wherever they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.statistics.estimates import estimate, ranks_of
from antemill.tournament.statistics.game_axes import no_axes
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.outputs import results
from antemill.tournament.statistics.precision import Error
from antemill.tournament.statistics.ranks import drawn, ranks
from antemill.tournament.statistics.rating import RatingOptions, rate
from tests.tournament.statistics.planted import Truth, play, truth

TRUE = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0, -1.0])


def test_ranks_pairs_and_the_best_hold_together_where_players_are_tied() -> None:
    """Percentiles of resampled ranks hold the ranks of tied players in far less."""
    covariance = 0.04 * (np.eye(8) - 1.0 / 8.0)
    error = Error(np.sqrt(np.diag(covariance)), np.full(8, 1e9))
    low, high = 1 + (TRUE[:, None] < TRUE).sum(axis=1), 8 - (TRUE[:, None] > TRUE).sum(axis=1)
    held, together, alarms, best = [], [], [], []
    worlds = drawn(covariance, 99)
    for seed in range(60):
        found = ranks(TRUE + worlds[seed], error, drawn(covariance, seed)[:1000])
        held.append(((found.low <= low) & (high <= found.high)).all())
        gap = TRUE[:, None] - TRUE
        other = ~np.eye(8, dtype=bool)
        together.append(((found.interval.low <= gap) & (gap <= found.interval.high))[other].all())
        alarms.append((found.p[other & (gap == 0.0)] < 0.05).any())
        best.append(found.best)
    assert np.mean(held) >= 0.92
    assert 0.9 <= np.mean(together) <= 0.99
    assert np.mean(alarms) <= 0.08
    assert np.sum(best, axis=1) == pytest.approx(1.0)
    assert np.mean(best, axis=0)[:3] == pytest.approx(1 / 3, abs=0.08)


def test_far_players_have_ranks_of_their_own_and_equal_ones_share_one() -> None:
    error = Error(np.full(4, 0.1), np.full(4, 20.0))
    found = ranks(np.array([3.0, 1.0, 1.05, -2.0]), error, 0.1 * np.random.default_rng(1).normal(size=(2000, 4)))
    assert found.low.tolist() == [1, 2, 2, 4]
    assert found.high.tolist() == [1, 3, 3, 4]
    assert found.p[0, 3] == pytest.approx(found.floor)
    assert found.best.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_players_who_are_level_in_every_draw_are_equally_likely_the_best() -> None:
    found = ranks(np.array([0.0, 0.0, 0.0, -1.0]), Error(np.zeros(4), np.full(4, 9.0)), np.zeros((100, 4)))
    assert found.low.tolist()[:3] == [1, 1, 1]
    assert found.best == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])


def test_players_without_an_interval_have_no_rank() -> None:
    error = Error(np.array([0.1, np.nan, 0.1]), np.full(3, 9.0))
    found = ranks(np.array([0.0, 5.0, 1.0]), error, 0.1 * np.random.default_rng(1).normal(size=(100, 3)))
    assert found.low.tolist() == [2, 0, 1]
    assert np.isnan(found.best).tolist() == [False, True, False]


def tied_pair() -> Truth:
    """The second and the third are equal."""
    t = truth(4, 4, seed=5, slope=0.0)
    level = np.array([2.0, 0.0, 0.0, -2.0])
    return Truth(t.axes, level, t.slopes, np.tile(level, (4, 1)))


def test_the_leaderboard_the_rating_and_the_tables_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = play(tied_pair(), runs=10, seed=2)
    table = slot_table(rows)
    want = {"m0": (1, 1), "m1": (2, 3), "m2": (2, 3), "m3": (4, 4)}
    board = leaderboard(table, 300)
    assert {name: (int(board.ranks.low[k]), int(board.ranks.high[k])) for k, name in enumerate(board.models)} == want
    rated = rate(table, RatingOptions("margin"))
    assert {one.player: (one.rank_low, one.rank_high) for one in rated} == want
    assert [(pair.a, pair.b, pair.p < 0.05) for pair in rated.pairs if {pair.a, pair.b} & {"m1", "m2"} == {"m1", "m2"}]
    assert [pair.p < 0.05 for pair in rated.pairs].count(False) == 1
    e = estimate(table, no_axes(table.games), 300, 100)
    assert dict(zip(e.models, ranks_of(e).low.tolist(), strict=True)) == {name: low for name, (low, _) in want.items()}
    sheets = {sheet.name: sheet for sheet in results(rows, bootstrap=100).sheets}
    table1 = sheets["table1_leaderboard"]
    shown = zip(table1.column("model"), table1.column("rank"), table1.column("rank_high"), strict=True)
    assert {name: (low, high) for name, low, high in shown} == want
    assert table1.column("best")[0] == 1.0
    assert len(sheets["differences"].rows) == 6
    import pyarrow.parquet as pq

    pq.write_table(rows, tmp_path / "slots.parquet")
    assert run(["rate", str(tmp_path / "slots.parquet"), "--method", "margin", "--pairs"]) == 0
    out = capsys.readouterr().out
    assert "2–3" in out
    assert "share a rank" in out
    assert "corrected for all pairs" in out
