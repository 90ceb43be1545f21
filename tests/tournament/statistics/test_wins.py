"""Bradley-Terry, Elo and the Token Games' ratings and rates: tables, other implementations, limits (N5, T7, T8, T9)."""

from __future__ import annotations

import choix
import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from antemill.engine.errors import UsageError
from antemill.tournament.statistics import elo
from antemill.tournament.statistics.bradley_terry import bradley_terry, outcomes
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.ranks import ranks
from antemill.tournament.statistics.win_rates import Rounds, count_rounds
from antemill.tournament.statistics.wins import fit_wins
from tests.tournament.statistics import statistics_tables as paper

COLUMN = {name: k for k, name in enumerate(("elo", "solv", "prop", "s", "f", "ps", "pu", "pu%", "pp", "pp%"))}


def figures(name: str) -> Floats:
    return np.asarray(paper.DUELS[:, COLUMN[name]], np.float64)


def random_wins(players: int, matches: int, seed: int) -> Floats:
    random = np.random.default_rng(seed)
    skill = random.normal(size=players)
    wins = np.zeros((players, players))
    for _ in range(matches):
        i, j = random.choice(players, 2, replace=False)
        first = random.random() < 1.0 / (1.0 + np.exp(skill[j] - skill[i]))
        wins[(i, j) if first else (j, i)] += 1.0
    return wins


# ------------------------------------------------------------------------------------------ Bradley-Terry


@pytest.mark.parametrize("seed", range(2))
def test_maximum_likelihood_agrees_with_choix(seed: int) -> None:
    """N5: an independent implementation on random sparse tournaments."""
    wins = random_wins(6, 120, seed)
    data = [(i, j) for i in range(6) for j in range(6) for _ in range(int(wins[i, j]))]
    found = bradley_terry(wins)
    assert set(found.status) == {"rated"}
    np.testing.assert_allclose(found.strengths, choix.opt_pairwise(6, data, tol=1e-12), atol=1e-5)


def test_the_gradient_is_zero_at_the_maximum() -> None:
    """Every player's expected wins are the wins there were; also far from even odds."""
    for wins in (random_wins(5, 200, 1), np.array([[0.0, 1e6, 3.0], [1.0, 0.0, 2.0], [1.0, 1e4, 0.0]])):
        strengths = bradley_terry(wins).strengths
        chance = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
        expected = ((wins + wins.T) * chance).sum(axis=1)
        np.testing.assert_allclose(expected, wins.sum(axis=1) + np.zeros(len(wins)), rtol=1e-8)


def test_players_outside_the_group_of_reference_are_reported_as_what_they_are() -> None:
    """T7, T9: 0 and 1 beat each other; 2 beat them, 3 lost to them, 4 beat 3 only, 5 never played."""
    wins = np.zeros((6, 6))
    wins[0, 1], wins[1, 0] = 3.0, 1.0
    wins[2, 0], wins[1, 3], wins[4, 3] = 1.0, 2.0, 1.0
    found = bradley_terry(wins)
    assert found.status == ("rated", "rated", "undefeated", "winless", "unconnected", "unconnected")
    assert found.strengths[2] == np.inf
    assert found.strengths[3] == -np.inf
    assert np.isnan(found.strengths[4:]).all()
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(3.0))


def duel_table(*rows: tuple[str, str, float], weight: list[float] | None = None) -> SlotTable:
    alice, bob, margin = (list(column) for column in zip(*rows, strict=True))
    columns = {"game": ["g"] * len(rows), "run": list(range(len(rows))), "alice": alice, "bob": bob, "margin": margin}
    return slot_table(pa.table(columns if weight is None else columns | {"weight": weight}))


def test_the_prior_is_one_more_draw_with_an_average_player() -> None:
    """T7: against a general optimiser on the formula, for an undefeated player and one who never played."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 2], wins[2, 1] = 3.0, 2.0, 1.0

    def loss(s: Floats) -> float:
        value = (wins * np.logaddexp(0.0, s[None] - s[:, None])).sum()
        return float(value + 0.5 * (np.logaddexp(0.0, s) + np.logaddexp(0.0, -s)).sum())

    want = minimize(loss, np.zeros(4), tol=1e-12).x
    found = bradley_terry(wins, prior=True)
    assert set(found.status) == {"rated"}
    np.testing.assert_allclose(found.strengths, want - want.mean(), atol=1e-4)


def test_draws_are_half_a_win_or_not_won_by_alice() -> None:
    """N5: the second as the indicator is printed."""
    table = duel_table(("a", "b", 5.0), ("b", "a", 0.0), ("a", "b", 0.0))
    assert outcomes(table).margin.tolist() == [1.0, 0.0, 0.0]
    assert outcomes(table, "lost").margin.tolist() == [1.0, -1.0, -1.0]


def series(won: int, lost: int) -> SlotTable:
    return duel_table(*[("a", "b", 1.0)] * won, *[("b", "a", 1.0)] * lost)


def test_single_matches_are_fitted_as_the_matrix_of_their_wins() -> None:
    random = np.random.default_rng(3)
    pairs = [(f"p{i}", f"p{j}") for i, j in (random.choice(5, 2, replace=False) for _ in range(80))]
    table = duel_table(*((a, b, float(random.integers(-1, 2))) for a, b in pairs))
    wins = np.zeros((5, 5))
    share = (np.sign(table.margin) + 1.0) / 2.0
    np.add.at(wins, (table.alice, table.bob), share)
    np.add.at(wins, (table.bob, table.alice), 1.0 - share)
    np.testing.assert_allclose(fit_wins(table).strengths, bradley_terry(wins).strengths, atol=1e-7)


def test_ten_to_one_is_told_apart_and_ten_to_none_has_an_interval() -> None:
    """The exact p of 10 to 1 is .012, of 10 to 0 .002."""
    for lost, most, prior in ((1, 0.02, False), (0, 0.01, True)):
        found = fit_wins(series(10, lost))
        assert found.prior == prior
        compared = ranks(found.strengths, found.spread, None, found.pairs)
        assert 0.001 < compared.p[0, 1] < most
        assert compared.interval.low[0, 1] > 0.0
        assert compared.low.tolist() == [1, 2]
        reach = found.spread.error.reach
        assert np.isfinite(reach).all()
        assert (reach > 0.5).all()
    level = fit_wins(series(6, 5))
    assert ranks(level.strengths, level.spread, None, level.pairs).p[0, 1] > 0.7


def test_the_chance_of_draws_is_that_of_the_largest_likelihood() -> None:
    """Davidson's (1970) likelihood, written out and maximised by another program."""
    random = np.random.default_rng(3)
    level, nu = np.linspace(1.0, -1.0, 5), 0.8
    a = random.integers(0, 5, 400)
    b = (a + random.integers(1, 5, 400)) % 5
    d = (level[a] - level[b]) / 2.0
    place = random.random(400) * (np.exp(d) + np.exp(-d) + nu)
    margin = np.where(place < np.exp(d), 1.0, np.where(place < np.exp(d) + nu, 0.0, -1.0))
    table = duel_table(*((f"p{i}", f"p{j}", m) for i, j, m in zip(a, b, margin, strict=True)))

    def loss(x: Floats) -> float:
        s = np.append(x[:4], -x[:4].sum())
        d = (s[a] - s[b]) / 2.0
        total = np.exp(d) + np.exp(-d) + np.exp(x[4])
        chance = np.where(margin > 0, np.exp(d), np.where(margin < 0, np.exp(-d), np.exp(x[4]))) / total
        return -float(np.log(chance).sum())

    want = minimize(loss, np.zeros(5), tol=1e-12).x
    found = fit_wins(table, draws=True)
    assert found.strengths[:4] == pytest.approx(want[:4], abs=1e-4)
    assert found.draw == pytest.approx(np.exp(want[4]) / (2.0 + np.exp(want[4])), abs=1e-4)
    for drawn, said in ((series(3, 3), "no match is a draw"), (duel_table(("a", "b", 0.0)), "all matches are draws")):
        with pytest.raises(UsageError, match=said):
            fit_wins(drawn, draws=True)


@pytest.mark.slow
@pytest.mark.parametrize(("matches", "draw", "top"), [(4, 0.0, 0.0), (10, 0.5, 0.0), (6, 0.0, 3.0)])
def test_intervals_of_wins_hold_where_players_are_few_draws_many_and_one_unbeaten(
    matches: int, draw: float, top: float
) -> None:
    held, together = [], []
    level = np.linspace(1.0, -1.0, 5)
    level[0] += top
    low, high = np.triu_indices(5, 1)
    a, b = np.repeat(low, matches), np.repeat(high, matches)
    for seed in range(120):
        random = np.random.default_rng(seed)
        won = np.where(random.random(len(a)) < expit(level[a] - level[b]), 1.0, -1.0)
        won[random.random(len(a)) < draw] = 0.0
        found = fit_wins(duel_table(*((f"p{i}", f"p{j}", m) for i, j, m in zip(a, b, won, strict=True))))
        want = level if draw == 0.0 else _expected(level, a, b, draw)
        information = np.bincount(np.r_[a, b], np.tile(expit(level[a] - level[b]) * expit(level[b] - level[a]), 2))
        about = found.strengths - found.strengths @ information / information.sum()
        off = np.abs(about - (want - want @ information / information.sum()))
        held.append(off <= found.spread.error.reach)
        compared = ranks(found.strengths, found.spread, None, found.pairs)
        gap = want[:, None] - want
        inside = (compared.interval.low <= gap) & (gap <= compared.interval.high)
        together.append(inside[~np.eye(5, dtype=bool)].all())
    assert np.mean(held) >= 0.92
    assert np.mean(together) >= 0.90


def _expected(level: Floats, a: np.ndarray, b: np.ndarray, draw: float) -> Floats:
    """Ratings of the expected scores."""
    wins, share = np.zeros((5, 5)), draw / 2.0 + (1.0 - draw) * expit(level[a] - level[b])
    np.add.at(wins, (a, b), share)
    np.add.at(wins, (b, a), 1.0 - share)
    return bradley_terry(wins).strengths


# ------------------------------------------------------------------------------------------ Elo, rounds, roles


def test_four_hundred_points_are_odds_of_ten_to_one() -> None:
    """T7: with the anchor where it is put, also for replicates."""
    strengths = np.array([[0.0, np.log(10.0), np.inf], [0.0, -np.log(10.0), np.nan]])
    zero = [strengths[:, i, None] for i in (0, 1)]
    np.testing.assert_allclose(elo.on_scale(strengths, zero[0]), [[1000.0, 1400.0, np.inf], [1000.0, 600.0, np.nan]])
    np.testing.assert_allclose(elo.on_scale(strengths, zero[1], at=0.0, scale=100.0)[:, 0], [-100.0, 100.0])


def round_totals() -> Floats:
    """int[10]: rounds won in either role: not lost as solver, unsolved as proposer."""
    return 90.0 - figures("f") + figures("pu")


def spread_over_pairs(totals: Floats) -> Floats:
    """A matrix of wins with these totals, and 20 rounds for every pair."""
    lead = (totals - 90.0) / 10.0
    wins = ROUNDS / 2.0 + lead[:, None] - lead[None, :]
    np.fill_diagonal(wins, 0.0)
    return wins


ROUNDS = float(paper.ROUNDS_A_PAIR)


def test_the_printed_elo_column_is_the_rating_of_rounds() -> None:
    """T7: Table 5's totals -> Table 1's Elo, all ten within a point; gradient descent stopped a little early."""
    totals = round_totals()
    assert totals.sum() == 10 * 9 * 10
    wins = spread_over_pairs(totals)
    np.testing.assert_allclose(wins.sum(axis=1), totals)
    np.testing.assert_allclose(wins + wins.T + ROUNDS * np.eye(10), ROUNDS)
    found = bradley_terry(wins)
    assert elo.anchor_of(found) == 0
    ratings = elo.on_scale(found.strengths, found.strengths[0])
    assert np.abs(ratings - figures("elo")).max() < 1.0
    np.testing.assert_array_equal(np.argsort(-ratings), np.argsort(-figures("elo")))


def test_rounds_are_won_by_whom_the_rating_says() -> None:
    """T7: solved and penalty are the solver's, unsolved is the proposer's."""
    wins = elo.round_wins(
        3, np.array([0, 0, 1, 2]), np.array([1, 1, 2, 0]), [elo.SOLVED, elo.PENALTY, elo.UNSOLVED, elo.UNSOLVED]
    )
    assert wins.tolist() == [[0.0, 2.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    with pytest.raises(UsageError, match="there is no outcome 'won'"):
        elo.round_wins(2, np.array([0]), np.array([1]), ["won"])


def test_a_drawn_duel_is_half_a_win_for_each() -> None:
    """T7, T2: duels are won by points."""
    wins = elo.duel_wins(
        3, np.array([0, 0, 1]), np.array([1, 1, 2]), np.array([5.0, 2.0, 0.0]), np.array([3.0, 2.0, 4.0])
    )
    assert wins.tolist() == [[0.0, 1.5, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_roles_are_rated_apart_on_one_scale() -> None:
    """T7: planted strengths of solvers and proposers are recovered from their expected wins."""
    random = np.random.default_rng(1)
    solver, proposer = random.normal(size=5), random.normal(size=5) - 1.0
    i, j = np.nonzero(~np.eye(5, dtype=bool))
    chance = 1.0 / (1.0 + np.exp(proposer[j] - solver[i]))
    wins = np.zeros((10, 10))
    wins[i, 5 + j], wins[5 + j, i] = 100.0 * chance, 100.0 * (1.0 - chance)
    _, ratings = elo.role_ratings(wins)
    scale = 400.0 / np.log(10.0)
    np.testing.assert_allclose(ratings[0], 1000.0 + scale * (solver - solver.mean()), atol=1e-4)
    np.testing.assert_allclose(ratings[1], 1000.0 + scale * (proposer - solver.mean()), atol=1e-4)


def test_a_proposer_whom_everybody_solves_is_winless() -> None:
    """T7: as one model of the paper is, with 0 of 90."""
    solver, proposer = np.nonzero(~np.eye(3, dtype=bool))
    rounds = [(s, p, elo.SOLVED) for s, p in zip(solver, proposer, strict=True)]
    rounds += [(s, p, elo.UNSOLVED) for s, p in zip(solver, proposer, strict=True) if p != 2]
    s, p, outcome = zip(*rounds, strict=True)
    wins = elo.role_wins(3, np.array(s), np.array(p), outcome)
    fitted, ratings = elo.role_ratings(wins)
    assert fitted.status == ("rated",) * 5 + ("winless",)
    assert ratings[1, 2] == -np.inf


# ------------------------------------------------------------------------------------------ rates


def paper_rounds() -> Rounds:
    """Table 5's counts; rounds that a proposer's failure spared the solver make up the 90."""
    s, f, ps, pu, pp = (figures(name).astype(np.int64) for name in ("s", "f", "ps", "pu", "pp"))
    return Rounds(s, f, 90 - s - f, ps, pu, pp)


@pytest.mark.parametrize(
    ("rate", "column"),
    [("solver_rate", "solv"), ("proposer_rate", "prop"), ("hard_share", "pu%"), ("penalty_rate", "pp%")],
)
def test_the_printed_rates_are_reproduced(rate: str, column: str) -> None:
    """T8: Table 5's counts -> Tables 1 and 5, to the printed digit."""
    np.testing.assert_allclose(100.0 * getattr(paper_rounds(), rate), figures(column), atol=0.05 + 1e-9)


def test_the_text_s_solver_rate_counts_failures_of_the_proposer() -> None:
    """T8: section 3.3 is not Table 1; for the best solver 97.8 in place of 97.2."""
    best = paper.DUELISTS.index("gpt-5.5")
    assert 100.0 * paper_rounds().solver_success[best] == pytest.approx(100.0 * 88.0 / 90.0)
    assert 100.0 * paper_rounds().solver_rate[best] == pytest.approx(100.0 * 69.0 / 71.0)


def test_rounds_are_counted_by_role() -> None:
    """T8; a model without rounds has no rate."""
    rounds = count_rounds(
        4, np.array([0, 0, 1, 0]), np.array([1, 1, 0, 2]), [elo.SOLVED, elo.UNSOLVED, elo.PENALTY, elo.SOLVED]
    )
    assert rounds.solved.tolist() == [2, 0, 0, 0]
    assert rounds.failed.tolist() == [1, 0, 0, 0]
    assert rounds.spared.tolist() == [0, 1, 0, 0]
    assert rounds.proposed_solved.tolist() == [0, 1, 1, 0]
    assert rounds.proposed_unsolved.tolist() == [0, 1, 0, 0]
    assert rounds.penalties.tolist() == [1, 0, 0, 0]
    assert rounds.solver_rate[0] == pytest.approx(2.0 / 3.0)
    assert np.isnan(rounds.solver_rate[1:]).all()
    assert rounds.solver_success[1] == 1.0
    assert np.isnan(rounds.proposer_rate[3])
