"""One estimator of error: by hand, against statsmodels, where nothing varies, and in planted worlds."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from statsmodels.regression.linear_model import OLS

from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.errors import Error, Errors, errors_of, quadratic, robust
from antemill.tournament.statistics.game_axes import GameAxes
from antemill.tournament.statistics.leaderboards import leaderboard, pair_errors
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.strength import game_average, game_strengths, pair_margins, strengths
from tests.seeds import size
from tests.tournament.statistics.planted import Truth, play, truth


def found(table: SlotTable, once: bool = False) -> Errors:
    return errors_of(table, game_strengths(table), once)


def pair(*margins: float, game: str = "g") -> pa.Table:
    """Runs of a against b; the cards bring nothing, so that both seats say the same."""
    count = len(margins)
    return pa.table(
        {
            "game": [game] * 2 * count,
            "run": [*range(count), *range(count)],
            "alice": ["a"] * count + ["b"] * count,
            "bob": ["b"] * count + ["a"] * count,
            "margin": [*margins, *(-m for m in margins)],
        }
    )


def test_two_players_on_one_game_by_hand() -> None:
    """The mean of n differences: s / root(n) with n - 1 degrees of freedom; a strength is half of it."""
    margins = [3.0, 1.0, 2.0, 6.0, -1.0]
    e = found(slot_table(pair(*margins)))
    want = np.std(margins, ddof=1) / np.sqrt(5) / 2.0
    assert e.these.error.error == pytest.approx([want, want])
    assert e.these.freedom == pytest.approx([4.0, 4.0])
    assert np.isnan(e.like.error.error).all()  # one game
    assert e.games[0] == pytest.approx(want**2 * np.array([[1, -1], [-1, 1]]))


def test_games_like_these_by_hand_and_never_narrower() -> None:
    """The standard error of the games' means with n - 1 degrees of freedom, where the runs vary less."""
    steady = [pair(m + 0.01, m - 0.01, game=f"g{m}") for m in (1, 2, 4)]
    e = found(slot_table(pa.concat_tables(steady)))
    assert e.like.error.error[0] == pytest.approx(np.std([1, 2, 4], ddof=1) / np.sqrt(3) / 2.0)
    assert e.like.freedom[0] == 2.0
    wild = [pair(spread + 4.0, spread / 10 - 4.0, game=f"g{spread}") for spread in (8.0, 9.0, 10.0)]
    e = found(slot_table(pa.concat_tables(wild)))
    assert e.like.error.reach == pytest.approx(e.these.error.reach)


def test_errors_are_cluster_robust_ones_where_runs_are_many() -> None:
    """Against statsmodels' sandwich with the same clusters, within 3%."""
    table = slot_table(play(truth(4, 1, seed=3, slope=0.0), runs=150, seed=4, deal=3.0))
    design = np.zeros((len(table.margin), 4))
    design[np.arange(len(table.margin)), table.alice] = 1.0
    design[np.arange(len(table.margin)), table.bob] -= 1.0
    fitted = OLS(table.margin, design[:, 1:]).fit(cov_type="cluster", cov_kwds={"groups": table.cluster})
    full = np.zeros((4, 4))
    full[1:, 1:] = fitted.cov_params()
    centre = np.eye(4) - 0.25
    assert found(table).these.covariance == pytest.approx(centre @ full @ centre, rel=0.03, abs=1e-5)


def test_a_change_of_one_run_moves_the_estimate_by_its_influence() -> None:
    """Of the strengths, and of each game's own."""
    rows = play(truth(4, 3, seed=1), runs=2, seed=2, share=0.7)
    table = slot_table(rows)
    e = found(table)
    game, low, high = e.ends
    for run in (0, 5, 11):
        mine = table.unit == run
        moved = table.margin + np.where(mine, np.where(table.alice < table.bob, 1.0, -1.0), 0.0)
        after = slot_table(rows.set_column(rows.column_names.index("margin"), "margin", pa.array(moved)))
        weight = e.runs.weight[run]
        want = (strengths(after) - strengths(table)) / weight
        influence = e.runs.inverse[low[run]] - e.runs.inverse[high[run]]
        assert influence == pytest.approx(want, abs=1e-9)
        own = game_strengths(after)[game[run]] - game_strengths(table)[game[run]]
        assert e.influence[run] == pytest.approx(own, abs=1e-9)


@pytest.mark.parametrize(("wins", "told"), [(5, False), (8, True), (40, True)])
def test_without_spread_p_rank_interval_and_best_come_from_the_exchange_of_signs(wins: int, told: bool) -> None:
    """So many wins by the same margin: p is 2^(1 - n), and nothing contradicts it."""
    board = leaderboard(slot_table(pair(*[2.0] * wins)))
    ranks = board.ranks_these
    assert ranks.p[0, 1] == pytest.approx(2.0 ** (1 - wins), rel=1e-6)
    assert (ranks.p[0, 1] < 0.05) == told == (ranks.interval.low[0, 1] > 0.0)
    assert ranks.low.tolist() == ([1, 2] if told else [1, 1])
    assert ranks.best[0] == pytest.approx(1.0 - ranks.p[0, 1] / 2.0, abs=0.02)
    assert (board.these.high - board.these.low > 0.0).all()


def test_games_without_spread_are_as_many_as_they_are() -> None:
    """Forty equal runs on five games say much of these games, and what five say of others."""
    board = leaderboard(slot_table(pa.concat_tables([pair(*[2.0] * 8, game=f"g{k}") for k in range(5)])))
    assert board.ranks_these.p[0, 1] < 2.0**-36
    assert board.ranks_like.p[0, 1] == pytest.approx(2.0**-4, rel=1e-6)


def test_all_draws_tell_nobody_apart() -> None:
    board = leaderboard(slot_table(pair(0.0, 0.0, 0.0)))
    assert board.ranks_these.p[0, 1] == 1.0
    assert board.ranks_these.low.tolist() == [1, 1]
    assert board.ranks_these.best == pytest.approx([0.5, 0.5], abs=0.03)
    assert (board.these.high > board.these.low).all()


def test_one_match_shows_no_noise() -> None:
    e = found(slot_table(pair(3.0)))
    assert np.isnan(e.these.error.error).all()
    assert np.isnan(e.by_game.error).all()


def test_a_guest_with_one_run_has_the_noise_of_all_and_widens_nobody() -> None:
    """Its interval is wide; the others are against a mean in which it hardly counts."""
    t = truth(6, 4, seed=1, slope=0.0)
    rows = play(t, runs=8, seed=2, noise=1.0)
    guest = pa.array([("m5" in pair) for pair in zip(rows["alice"].to_pylist(), rows["bob"].to_pylist(), strict=True)])
    first = np.flatnonzero(np.asarray(guest) & (np.asarray(rows["run"]) == 0) & (np.asarray(rows["game"]) == "g000"))[0]
    alone = leaderboard(rows.filter(pa.array(~np.asarray(guest))))
    kept = ~np.asarray(guest)
    kept[first] = True
    both = leaderboard(rows.filter(pa.array(kept)))
    narrow, wide = (board.these.high - board.these.low for board in (alone, both))
    assert wide[:5] == pytest.approx(narrow, rel=0.1)
    assert wide[5] > 5.0 * narrow.max()


def test_slopes_have_statsmodels_robust_errors() -> None:
    random = np.random.default_rng(1)
    design = np.column_stack((np.ones(30), random.normal(size=(30, 3))))
    response = design @ random.normal(size=(4, 2)) + random.normal(size=(30, 2)) * (1.0 + np.abs(design[:, 1:2]))
    error = robust(design, response)
    for m in range(2):
        fitted = OLS(response[:, m], design).fit(cov_type="HC2")
        assert error.error[:, m] == pytest.approx(fitted.bse)
    assert ((error.freedom > 5.0) & (error.freedom <= 26.0)).all()
    assert np.isnan(robust(design[:4], response[:4]).error).all()


def test_a_quadratic_figure_is_without_its_noise_and_has_its_variance() -> None:
    random = np.random.default_rng(2)
    form, covariance, mean = np.diag([1.0, 2.0, 0.5]), np.diag([0.3, 0.1, 0.2]), np.array([0.5, -1.0, 0.0])
    draws = mean + random.normal(size=(20_000, 3)) * np.sqrt(np.diag(covariance))
    squares = np.array([quadratic(x, covariance, form) for x in draws])
    assert squares[:, 0].mean() == pytest.approx(mean @ form @ mean, abs=0.02)
    assert np.mean(squares[:, 1]) == pytest.approx(squares[:, 0].var(), rel=0.05)


def test_a_wider_error_widens_and_one_that_is_missing_stays_so() -> None:
    mine, other = (
        Error(np.array([1.0, 1.0, np.nan]), np.full(3, 9.0)),
        Error(np.array([0.5, 2.0, 1.0]), np.full(3, 2.0)),
    )
    joined = mine.at_least(other)
    assert joined.reach[:2] == pytest.approx([mine.reach[0], other.reach[1]])
    assert np.isnan(joined.error[2])
    assert joined.freedom.tolist() == [9.0] * 3


def test_pairs_have_the_error_of_their_own_runs() -> None:
    margins = [3.0, 1.0, 2.0, 6.0, -1.0]
    table = slot_table(pair(*margins))
    error = pair_errors(table)
    assert pair_margins(table)[0, 1] == pytest.approx(np.mean(margins))
    assert error.error[0, 1] == pytest.approx(np.std(margins, ddof=1) / np.sqrt(5))
    assert error.freedom[0, 1] == 4.0
    assert pair_errors(slot_table(pair(*[2.0] * 9))).p(np.array(2.0))[0, 1] == pytest.approx(2.0**-8)


# ------------------------------------------------------------------------------------------ planted worlds


def share(intervals: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> float:
    return float(np.mean([(low <= want) & (want <= high) for low, high, want in intervals]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "games", "runs", "more"),
    [
        (3, 4, 1, {}),
        (6, 10, 3, {"share": 0.5}),
        (5, 8, 8, {"uneven": True}),
        (4, 8, 6, {"shape": "95% ties"}),
    ],
)
def test_intervals_of_both_questions_hold(players: int, games: int, runs: int, more: dict[str, object]) -> None:
    these, like, one, pairs = [], [], [], []
    fit = game_average if more.get("uneven") else strengths
    for seed in range(size(60, 200)):
        t = truth(players, games, seed, slope=0.1, rough=0.4)
        table = slot_table(play(t, runs, seed, deal=3.0, **more))  # type: ignore[arg-type]
        e, point = found(table, fit is game_average), fit(table)
        here = fit(_exact(table, t))
        around = e.these.error.interval(point)
        these.append((around.low, around.high, here - e.reference @ here + e.reference @ point))
        around = e.like.error.interval(point)
        like.append((around.low, around.high, t.overall - e.reference @ t.overall + e.reference @ point))
        around = e.by_game.interval(e.per_game)
        one.append((around.low.ravel(), around.high.ravel(), t.strengths.ravel()))
        ranks = leaderboard(table, fit).ranks_these
        gap, other = here[:, None] - here, ~np.eye(players, dtype=bool)
        pairs.append(((ranks.interval.low <= gap) & (gap <= ranks.interval.high))[other].all())
    assert min(share(these), share(like), share(one)) >= 0.92
    assert np.mean(pairs) >= 0.92


def _exact(table: SlotTable, t: Truth) -> SlotTable:
    """The same schedule without noise."""
    from dataclasses import replace

    gap = t.strengths[table.game, table.alice] - t.strengths[table.game, table.bob]
    return replace(table, margin=gap)


def _given(axes: GameAxes, _: object) -> GameAxes:
    return axes


@pytest.mark.slow
def test_slopes_of_both_questions_hold() -> None:
    held: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {"these": [], "like": []}
    for seed in range(size(40, 100)):
        t = truth(4, 16, seed, slope=0.3, rough=0.5)
        axes = GameAxes(t.axes, np.full(16, np.nan), "planted", {})
        a = examine(play(t, 3, seed), axes_of=partial(_given, axes))
        exact = examine(play(t, 1, seed, noise=0.0, deal=0.0), axes_of=partial(_given, axes))
        place = [t.models.index(name) for name in a.e.models]
        here = exact.profile.slopes[[exact.e.models.index(name) for name in a.e.models]]
        for kind, error, want in zip(held, a.slope_errors, (here, t.slopes[place]), strict=True):
            interval = error.interval(a.profile.slopes)
            held[kind].append((interval.low, interval.high, want))
    assert all(0.92 <= share(part) <= 0.99 for part in held.values())
