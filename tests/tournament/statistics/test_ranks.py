"""Ranks, the probability of being best, and pairs: against planted truths, and wherever they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import t as student

from antemill.tournament.cli.entry import run
from antemill.tournament.statistics.errors import Spread
from antemill.tournament.statistics.estimates import THESE, estimate
from antemill.tournament.statistics.game_axes import no_axes
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.outputs import results
from antemill.tournament.statistics.ranks import ranks, student_draws
from antemill.tournament.statistics.rating import RatingOptions, rate
from tests.tournament.statistics.planted import Truth, play, truth

TRUE = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0, -1.0])


def spread(errors: list[float], freedom: float) -> Spread:
    return Spread(np.diag(np.square(errors)), np.full(len(errors), freedom))


def test_ranks_pairs_and_the_best_hold_together_where_players_are_tied() -> None:
    known = Spread(0.04 * (np.eye(8) - 1.0 / 8.0), np.full(8, 1e9))
    low, high = 1 + (TRUE[:, None] < TRUE).sum(axis=1), 8 - (TRUE[:, None] > TRUE).sum(axis=1)
    held, together, alarms, best = [], [], [], []
    gap, other = TRUE[:, None] - TRUE, ~np.eye(8, dtype=bool)
    for moved in student_draws(known, 200):
        found = ranks(TRUE + moved, known)
        held.append(((found.low <= low) & (high <= found.high)).all())
        together.append(((found.interval.low <= gap) & (gap <= found.interval.high))[other].all())
        alarms.append((found.p[other & (gap == 0.0)] < 0.05).any())
        best.append(found.best)
    assert np.mean(held) >= 0.94
    assert 0.94 <= np.mean(together) <= 1.0
    assert np.mean(alarms) <= 0.06
    assert np.sum(best, axis=1) == pytest.approx(1.0)
    assert np.mean(best, axis=0)[:3] == pytest.approx(1 / 3, abs=0.08)


def test_p_and_interval_are_students_times_the_number_of_pairs() -> None:
    found = ranks(np.array([1.0, 0.2, -0.5]), spread([0.3, 0.4, 0.5], 7.0))
    error = np.hypot(0.3, 0.4)
    assert found.p[0, 1] == pytest.approx(3 * 2 * student(7).sf(0.8 / error))
    reach = student(7).ppf(1 - 0.025 / 3) * error
    assert (found.interval.low[0, 1], found.interval.high[0, 1]) == pytest.approx((0.8 - reach, 0.8 + reach))
    assert found.p[1, 0] == found.p[0, 1]
    assert found.difference[1, 0] == pytest.approx(-0.8)


def test_far_players_have_ranks_of_their_own_and_equal_ones_share_one() -> None:
    found = ranks(np.array([3.0, 1.0, 1.05, -2.0]), spread([0.1] * 4, 20.0))
    assert found.low.tolist() == [1, 2, 2, 4]
    assert found.high.tolist() == [1, 3, 3, 4]
    assert found.best.round(3).tolist() == [1.0, 0.0, 0.0, 0.0]


def test_the_best_of_few_degrees_of_freedom_is_less_sure() -> None:
    point = np.array([0.5, 0.0])
    sure, unsure = (ranks(point, spread([0.2, 0.2], freedom)).best[0] for freedom in (1e6, 2.0))
    assert sure == pytest.approx(0.961, abs=0.01)
    assert unsure == pytest.approx(float(student(2).cdf(0.5 / np.hypot(0.2, 0.2))), abs=0.02)


def test_players_who_are_marked_or_have_no_error_have_no_rank() -> None:
    found = ranks(np.array([0.0, 5.0, 1.0]), spread([0.1, np.nan, 0.1], 9.0))
    assert found.low.tolist() == [2, 0, 1]
    assert np.isnan(found.best).tolist() == [False, True, False]
    marked = ranks(np.array([0.0, 5.0, 1.0]), spread([0.1] * 3, 9.0), np.array([True, False, True]))
    assert marked.low.tolist() == [2, 0, 1]
    assert np.isnan(marked.p[1]).all()


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
    board = leaderboard(table)
    found = board.ranks_these
    assert {name: (int(found.low[k]), int(found.high[k])) for k, name in enumerate(board.models)} == want
    rated = rate(table, RatingOptions("margin"))
    assert {one.player: (one.rank_low, one.rank_high) for one in rated} == want
    assert [pair.p < 0.05 for pair in rated.pairs].count(False) == 1
    e = estimate(table, no_axes(table.games))
    assert dict(zip(e.models, e.ranks(THESE).low.tolist(), strict=True)) == {k: low for k, (low, _) in want.items()}
    sheets = {sheet.name: sheet for sheet in results(rows).sheets}
    table1 = sheets["table1_leaderboard"]
    shown = zip(*(table1.column(key) for key in ("model", "rank_these", "rank_high_these")), strict=True)
    assert {name: (low, high) for name, low, high in shown} == want
    assert table1.column("best_these")[0] == 1.0
    assert len(sheets["differences"].rows) == 6
    heads = [column.heading for column in table1.columns]
    assert {"these games: P(best)", "games like these: P(best)"} < set(heads)  # each says which question it answers
    without = results(rows, unranked=["m0"]).sheets[0]
    ranked = dict(zip(without.column("model"), without.column("rank_these"), strict=True))
    assert (ranked["m0"], ranked["m1"]) == (None, 1)
    pq.write_table(rows, tmp_path / "slots.parquet")
    assert run(["rate", str(tmp_path / "slots.parquet"), "--method", "margin", "--pairs"]) == 0
    out = capsys.readouterr().out
    assert "share a rank" in out
    assert "corrected for all pairs" in out
