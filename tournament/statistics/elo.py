"""Ratings of the Token Games: of duels, of rounds, and of the two roles (Token Games section 3.2, T7).

The paper describes one rating and prints another. Described: Bradley-Terry on the outcomes of duels, a draw half a win.
Printed: the column "Elo" of its Table 1 is reproduced, to a point, by Bradley-Terry on single rounds, in which the
solver wins when the puzzle is solved or the proposer's own solution is wrong, and the proposer wins when the
puzzle stays unsolved. They rank models differently, so both are here, named for what they are, and with them the
ratings of the two roles apart:

    duel_wins    who won the duel
    round_wins   who won the round, a model's rounds as solver and as proposer alike
    role_wins    the same rounds, with two strengths for each model: as solver, as proposer

All are fitted by `bradley_terry` and put on the Elo scale, where 400 points are odds of ten to one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.bradley_terry import Fit, bradley_terry
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Integers

SCALE = 400.0
ANCHOR = 1000.0

SOLVED, UNSOLVED, PENALTY = "solved", "unsolved", "penalty"  # penalty: the proposer's own solution is wrong, or missing
OUTCOMES = (SOLVED, UNSOLVED, PENALTY)


def on_scale(strengths: Floats, zero: Floats | float, at: float = ANCHOR, scale: float = SCALE) -> Floats:
    """Log-odds on the Elo scale, with the log-odds `zero` at `at`."""
    with np.errstate(invalid="ignore"):
        return np.asarray(at + scale / np.log(10.0) * (strengths - zero), np.float64)


def anchor_of(fitted: Fit, wanted: int = 0) -> int:
    """Who is put at the anchor's rating: the player wanted if its rating is finite, else the first whose rating is."""
    finite = np.flatnonzero(np.isfinite(fitted.strengths))
    return wanted if wanted in finite else int(finite[0])


def duel_wins(players: int, a: Integers, b: Integers, score_a: Floats, score_b: Floats) -> Floats:
    """float64[players, players]: duels won by the row's player over the column's; a draw is half a win for each.

    a, b: int64[duels]; score_a, score_b: float64[duels], the points at the end (T2).
    """
    wins = np.zeros((players, players))
    share = (np.sign(score_a - score_b) + 1.0) / 2.0
    np.add.at(wins, (a, b), share)
    np.add.at(wins, (b, a), 1.0 - share)
    return wins


def round_wins(players: int, solver: Integers, proposer: Integers, outcome: Sequence[str]) -> Floats:
    """float64[players, players]: rounds won by the row's model over the column's, in either role.

    solver, proposer: int64[rounds]; outcome: one of OUTCOMES for each round, else UsageError.
    """
    wins = np.zeros((players, players))
    won = _solver_won(outcome)
    np.add.at(wins, (solver, proposer), won)
    np.add.at(wins, (proposer, solver), 1.0 - won)
    return wins


def role_wins(players: int, solver: Integers, proposer: Integers, outcome: Sequence[str]) -> Floats:
    """float64[2 * players, 2 * players]: as `round_wins`, with index p for p as solver and players + p as proposer."""
    return round_wins(2 * players, solver, players + proposer, outcome)


def role_ratings(wins: Floats) -> tuple[Fit, Floats]:
    """The fit of `role_wins`, and float64[2, players]: solver and proposer ratings on one Elo scale.

    A solver and a proposer of equal rating win equally often. The scale is fixed by the mean of the finite ratings of
    solvers, at `ANCHOR`: no single model needs a finite rating in either role. Solvers meet proposers only, so groups
    of roles may have nothing to do with each other: with two players they never do.
    """
    players = len(wins) // 2
    fitted = bradley_terry(wins)
    solvers = fitted.strengths[:players]
    known = solvers if np.isfinite(solvers).any() else fitted.strengths
    return fitted, on_scale(fitted.strengths, known[np.isfinite(known)].mean()).reshape(2, players)


def _solver_won(outcome: Sequence[str]) -> Floats:
    wrong = sorted(set(outcome) - set(OUTCOMES))
    if wrong:
        raise UsageError(f"there is no outcome '{wrong[0]}' of a round: use {', '.join(OUTCOMES)}.")
    return np.array([1.0 if name != UNSOLVED else 0.0 for name in outcome])
