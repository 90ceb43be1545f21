"""Bradley-Terry, Elo and the Token Games' ratings and rates: tables, other implementations, limits (N5, T7, T8, T9)."""

from __future__ import annotations

import choix
import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize

from antemill.engine.errors import UsageError
from antemill.tournament.statistics import elo
from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.bradley_terry import (
    PRIOR_DEVIATION,
    bradley_terry,
    fit,
    interval,
    outcomes,
    win_matrix,
)
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.sheets import Missing, Placed
from antemill.tournament.statistics.tables_strength import bradley_terry_table
from antemill.tournament.statistics.win_rates import Rounds, count_rounds
from tests.tournament.statistics import planted
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


@pytest.mark.parametrize("prior", ["draw", "normal"])
def test_priors_give_the_maximum_of_the_penalised_likelihood(prior: str) -> None:
    """T7: against a general optimiser on the formula, for an undefeated player and one who never played."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 2], wins[2, 1] = 3.0, 2.0, 1.0

    def loss(s: Floats) -> float:
        gap = s[:, None] - s[None, :]
        value = (wins * np.logaddexp(0.0, -gap)).sum()
        if prior == "draw":
            return float(value + 0.5 * (np.logaddexp(0.0, s) + np.logaddexp(0.0, -s)).sum())
        return float(value + (s**2).sum() / 2.0 / PRIOR_DEVIATION**2)

    want = minimize(loss, np.zeros(4), tol=1e-12).x
    found = bradley_terry(wins, prior)
    assert set(found.status) == {"rated"}
    np.testing.assert_allclose(found.strengths, want - want.mean(), atol=1e-4)


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


def test_a_reference_chooses_the_group_that_is_rated() -> None:
    """T7: of two groups, one above the other, either can be the finite one."""
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = 1.0
    wins[3, 2], wins[0, 2] = 2.0, 1.0
    assert bradley_terry(wins).status == ("rated", "rated", "winless", "winless")
    below = bradley_terry(wins, reference=3)
    assert below.status == ("undefeated", "undefeated", "rated", "rated")
    assert below.strengths[3] - below.strengths[2] == pytest.approx(np.log(2.0))


def test_a_batch_is_fitted_as_each_of_its_members() -> None:
    """N6: replicates with other groups than their neighbours."""
    batch = np.stack([random_wins(4, n, s) for s, n in enumerate((2, 4, 8, 16, 32, 64))])
    together = fit(batch, reference=1)
    for wins, row in zip(batch, together, strict=True):
        np.testing.assert_allclose(bradley_terry(wins, reference=1).strengths, row, atol=1e-9)


def test_an_unknown_prior_or_rule_for_draws_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no prior 'flat'"):
        bradley_terry(np.ones((2, 2)), "flat")
    table = slot_table(planted.play(planted.truth(3, 1, seed=1), runs=1, seed=1))
    with pytest.raises(UsageError, match="there is no rule 'won'"):
        outcomes(table, "won")


def duel_table(*rows: tuple[str, str, float], weight: list[float] | None = None) -> SlotTable:
    alice, bob, margin = (list(column) for column in zip(*rows, strict=True))
    columns = {"game": ["g"] * len(rows), "run": list(range(len(rows))), "alice": alice, "bob": bob, "margin": margin}
    return slot_table(pa.table(columns if weight is None else columns | {"weight": weight}))


def test_draws_are_counted_by_the_rule_that_is_named() -> None:
    """N5: half a win each; not won by Alice's seat, as the indicator is printed; or left out."""
    table = duel_table(("a", "b", 5.0), ("b", "a", 0.0), ("a", "b", 0.0), ("b", "a", 2.0), ("a", "b", 0.0))
    wins = {draws: win_matrix(cells_of(outcomes(table, draws))) for draws in ("half", "lost", "drop")}
    assert wins["half"].tolist() == [[0.0, 2.5], [2.5, 0.0]]
    assert wins["lost"].tolist() == [[0.0, 2.0], [3.0, 0.0]]
    assert wins["drop"].tolist() == [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(UsageError, match="all matches are draws"):
        outcomes(duel_table(("a", "b", 0.0)), "drop")


def test_replicates_resample_matches_and_bounds_may_be_infinite() -> None:
    """N6, T9: a player who lost once in ten is undefeated in a third of the resamples, and has no upper bound."""
    table = outcomes(duel_table(*[("a", "b", 1.0)] * 9, ("b", "a", 1.0)))
    replicates = fit(win_matrix(cluster_bootstrap(table, 400, seed=1)), reference=1)
    bounds = interval(replicates)
    share = (replicates[:, 0] == np.inf).mean()
    assert share == pytest.approx(0.9**10, abs=0.08)
    assert bounds.high[0] == np.inf
    assert 0.0 < bounds.low[0] - bounds.low[1] < np.log(9.0) * 2.0


def test_the_table_of_wins_has_the_best_on_top_and_says_where_who_has_no_figure_stands() -> None:
    """Two above each other, three in the middle, a pair below, one beyond comparison, and two that are set apart."""
    won = [("m", "n"), ("n", "o"), ("o", "m"), ("y", "z"), ("z", "x"), ("y", "x"), ("z", "m"), ("z", "m"), ("m", "p")]
    won += [("p", "q"), ("p", "q"), ("q", "p"), ("u", "v"), ("v", "u")]
    columns = [[pair[i] for pair in won] for i in (0, 1)]
    rows = {"alice": columns[0], "bob": columns[1], "margin": [1.0] * len(won), "game": ["g"] * len(won)}
    analysis = examine(pa.table(rows | {"run": list(range(len(won)))}), None, 20)
    sheet = bradley_terry_table(analysis)
    names, told = sheet.column("model"), sheet.column("strength")
    assert [*names[:2], {*names[2:5]}, *names[5:7]] == ["y", "z", {"m", "n", "o"}, "p", "q"]
    assert [cell.reason if isinstance(cell, Placed) else "" for cell in told[:7]] == [
        *("∞ above z", "∞ above m", "", "", ""),
        *("∞ below m (+0.35 in its own group)", "∞ below m (\N{MINUS SIGN}0.35 in its own group)"),
    ]
    beyond = {"x": "no chain of wins leads to m or back"}
    assert analysis.apart.models == ("u", "v")
    assert dict(zip(names[7:], told[7:], strict=True)) == {name: Placed(why) for name, why in beyond.items()}
    assert dict(zip(names[7:], sheet.column("rank")[7:], strict=True)) == {n: Missing(w) for n, w in beyond.items()}
    assert sheet.column("rank")[:7] == [1, 2, 3, 4, 5, 6, 7]


def test_an_interval_needs_half_of_the_replicates() -> None:
    replicates = np.array([[1.0, 1.0], [2.0, np.nan], [3.0, np.nan], [np.inf, 4.0], [5.0, np.nan]])
    bounds = interval(replicates)
    assert bounds.low[0] == 1.0
    assert bounds.high[0] == np.inf
    assert np.isnan([bounds.low[1], bounds.high[1]]).all()


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
