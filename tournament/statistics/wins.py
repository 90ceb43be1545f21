"""Ratings from wins, match by match: one fit, with draws of their own if asked (Davidson 1970).

    d = rating of a - rating of b;  a wins : draw : b wins  =  exp(d / 2) : nu : exp(-d / 2)

Without nu a draw is half a win for each, and the model is Bradley and Terry's. The likelihood has a finite maximum only
among players each of whom has beaten each other one, directly or along a chain of wins (Ford 1957). Where someone is
unbeaten, or has not won, every player is taken to have drawn one more match with a player of strength 0, so that each
has a rating and an interval.

The optimiser is Newton's method; with many players its steps are solved by conjugate gradients, whose cost grows with
the matches. The error of a rating is the larger of two: the sandwich of the units' scores, each over the root of
1 - leverage, and the curvature's (Fisher's) times the dispersion that draws leave, at most 1. Student's t has n - 1
degrees of freedom for a player of n units. A pair is compared by the likelihood ratio of a fit in which both are equal:
its signed root is taken for Student's t, and the error of the pair is the one that gives this t. Above COMPARED
players, and where units are not single matches, pairs have the sandwich's errors.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.errors import DENSE, Spread, freedom_of, inverse_of, left_of, sandwich
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable

COMPARED = 40  # players up to whom every pair has a likelihood ratio
_SOLVED = 400  # players up to whom a step is solved directly
_TOLERANCE = 1e-10  # of a player's gradient, as a share of its matches
_STEPS, _LONGEST = 200, 3.0  # of the optimiser; in log-odds
_PROBABLE = 12.0  # the logarithm of nu at which it is infinite


class Wins(Struct, frozen=True, eq=False):
    """A fit: ratings in log-odds with mean 0. prior: whether the extra draw was needed. draw: the chance of a draw
    between equals; 0 without nu. spread: of the ratings less their mean, weighted by information. pairs: errors of the
    differences, float64[players, players], None if the spread has them."""

    strengths: Floats
    prior: bool
    draw: float
    spread: Spread
    pairs: Floats | None


class _Side(Struct, frozen=True, eq=False):
    """Matches of the same two players with the same result, or single ones: players, score of a, weight."""

    a: Integers
    b: Integers
    score: Floats
    weight: Floats
    players: int

    def balance(self, values: Floats) -> Floats:
        """float64[players]: sums of what a gains and b loses."""
        return np.asarray(
            np.bincount(self.a, values, self.players) - np.bincount(self.b, values, self.players), np.float64
        )


def unbeaten(table: SlotTable) -> tuple[Flags, Flags]:
    """bool[players] twice: who of a connected table has no chain of wins to the largest group, and none from it."""
    size = len(table.models)
    won, drawn = table.margin > 0.0, table.margin == 0.0
    better = np.concatenate((np.where(won | drawn, table.alice, table.bob), table.bob[drawn]))
    worse = np.concatenate((np.where(won | drawn, table.bob, table.alice), table.alice[drawn]))
    beaten = csr_array((np.ones(len(better)), (better, worse)), shape=(size, size))
    label = connected_components(beaten, directed=True, connection="strong")[1]
    sizes = np.bincount(label)
    first = int(np.flatnonzero(sizes[label] == sizes.max())[0])
    below, above = (_reached(graph, first) for graph in (beaten, csr_array(beaten.T)))
    inside = label == label[first]
    return above & ~inside | ~(above | below), below & ~inside | ~(above | below)


def _reached(graph: csr_array, start: int) -> Flags:
    reached, new = np.zeros(graph.shape[0], bool), np.array([start])
    while len(new):
        reached[new] = True
        near = graph[new].indices
        new = np.unique(near[~reached[near]])
    return reached


def fit_wins(table: SlotTable, draws: bool = False, anchor: int | None = None) -> Wins:
    """Fit all players of a connected table, whose margins count by their sign.

    draws: fit nu. anchor: ratings are compared with this player's. Raises UsageError where all matches are draws and nu
    is asked for, or none is.
    """
    players, score = len(table.models), (np.sign(table.margin) + 1.0) / 2.0
    side = _Side(table.alice, table.bob, score, table.weight, players)
    up, down = unbeaten(table)
    prior = bool(up.any() or down.any())
    even = score == 0.5
    if draws and (even.all() or not even.any()):
        said = "all matches are draws" if even.all() else "no match is a draw"
        raise UsageError(f"{said}, so the chance of draws is unknown: use the method bradley-terry.")
    level, log_nu = _maximum(_merged(side), prior, draws)
    _, _, residual, curvature = _of(side, level, log_nu)
    ridge = expit(level) * expit(-level) if prior else None
    inverse = inverse_of(side.a, side.b, curvature, players, ridge)
    left = np.maximum(left_of(inverse, side.a, side.b, curvature), 1e-9)
    information = np.bincount(np.concatenate((side.a, side.b)), np.tile(curvature, 2), players)
    reference = information / information.sum() if anchor is None else np.eye(players)[anchor]
    found = sandwich(inverse, side.a, side.b, residual / np.sqrt(left), table.unit, reference)
    units = freedom_of(inverse, side.a, side.b, curvature, table.unit, reference)
    met = np.unique(np.concatenate((side.a, side.b)) * table.units + np.tile(table.unit, 2)) // table.units
    played = np.bincount(met, minlength=players).astype(np.float64)
    free = max(len(score) - players + 1.0, 1.0)
    # A draw that is half a win for each has less variance than a win or a loss, by a quarter.
    less = float((table.weight * (score == 0.5)).sum()) / 4.0 / float(curvature.sum()) if not draws else 0.0
    phi = min(1.0, max(1.0 - less, 1.0 / (len(score) + 1.0)) * len(score) / free)
    moved = inverse - reference @ inverse
    fisher = phi * np.maximum((moved - (moved @ reference)[:, None]).diagonal(), 0.0)
    own = found.diagonal() if found.ndim == 2 else found
    if table.units < len(score):  # clusters share much with the fit where they are few
        own = own * np.maximum(units, 2.0) / np.maximum(units - 1.0, 1.0)
        played = np.minimum(played, units)
    error = np.sqrt(np.maximum(np.maximum(own, fisher), 0.0))
    if anchor is not None:
        error[anchor] = 0.0
    spread = Spread(found, np.maximum(played - 1.0, 1.0)).scaled(error)
    pairs = None
    if players <= min(COMPARED, DENSE) and table.units == len(score):
        pairs = _pair_errors(_merged(side), level, log_nu, prior, spread, phi)
    nu = float(np.exp(log_nu)) if draws else 0.0
    return Wins(level - level.mean(), prior, nu / (2.0 + nu), spread, pairs)


def fit_matrix(wins: Floats, prior: bool = False) -> Floats:
    """float64[players]: log-odds with mean 0 from float64[players, players] wins of the row's player."""
    a, b = np.nonzero(wins)
    if not len(a):
        return np.zeros(len(wins))
    level = _maximum(_Side(a, b, np.ones(len(a)), wins[a, b], len(wins)), prior, False)[0]
    return np.asarray(level - level.mean(), np.float64)


def _merged(side: _Side) -> _Side:
    """One row for all matches of the same two players with the same result."""
    key = (side.a * side.players + side.b) * 3 + np.round(2.0 * side.score).astype(np.int64)
    found, which = np.unique(key, return_inverse=True)
    pair, result = np.divmod(found, 3)
    a, b = np.divmod(pair, side.players)
    return _Side(a, b, result / 2.0, np.bincount(which, side.weight).astype(np.float64), side.players)


def _of(side: _Side, level: Floats, log_nu: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Of every row: chances of a win and a draw, the residual of the score and the curvature, by weight."""
    d = level[side.a] - level[side.b]
    half = np.abs(d) / 2.0
    nu = np.exp(log_nu - half)  # all over exp(|d| / 2)
    total = 1.0 + np.exp(-2.0 * half) + nu
    win, draw = np.where(d >= 0.0, 1.0, np.exp(-2.0 * half)) / total, nu / total
    mean = win + draw / 2.0
    return win, draw, side.weight * (side.score - mean), side.weight * (win + draw / 4.0 - mean**2)


def _maximum(side: _Side, prior: bool, draws: bool, equal: tuple[int, int] | None = None, start: Floats | None = None,
             log_nu: float = -np.inf) -> tuple[Floats, float]:  # fmt: skip
    """Ratings and the logarithm of nu at the maximum. equal: two players who have one rating, that of the first."""
    players, level = side.players, np.zeros(side.players) if start is None else start.copy()
    if equal is not None:
        level[list(equal)] = level[list(equal)].mean()
    if draws and start is None:
        even = side.weight[side.score == 0.5].sum() / side.weight.sum()
        log_nu = float(np.log(2.0 * max(even, 0.01)))
    matches = np.bincount(np.concatenate((side.a, side.b)), np.tile(side.weight, 2), players)
    won = np.bincount(side.a, side.weight * side.score, players)
    won += np.bincount(side.b, side.weight * (1.0 - side.score), players)
    enough = _TOLERANCE * np.minimum(won, matches - won) + 64.0 * np.finfo(float).eps * (1.0 + matches)
    value = _likelihood(side, level, log_nu, prior)
    for _ in range(_STEPS):
        win, draw, residual, curvature = _of(side, level, log_nu)
        ridge = expit(level) * expit(-level) if prior else np.zeros(players)
        gradient = side.balance(residual) - (np.tanh(level / 2.0) / 2.0 if prior else 0.0)
        drawn = side.weight * ((side.score == 0.5) - draw) if draws else np.zeros(1)
        cross = side.balance(side.weight * draw * (0.5 - win - draw / 2.0)) if draws else np.zeros(players)
        own = float((side.weight * draw * (1.0 - draw)).sum()) if draws else 1.0
        if equal is not None:
            gradient, cross = _joined(gradient, equal), _joined(cross, equal)
        if (np.abs(gradient) <= enough).all() and abs(float(drawn.sum())) <= _TOLERANCE * matches.sum() + 1e-12:
            return level, log_nu
        step, moved = _solved(side, curvature, ridge, np.column_stack((gradient, cross)), equal).T
        more = 0.0
        if draws:
            more = float((drawn.sum() - cross @ step) / (own - cross @ moved))
            step = step - more * moved
        size = min(1.0, _LONGEST / max(float(np.abs(step).max()), abs(more), 1e-300))
        while True:
            reached = _likelihood(side, level + size * step, log_nu + size * more, prior)
            if reached >= value - 1e-12 * (1.0 + abs(value)) or size < 1e-9:
                break
            size /= 2.0
        level, log_nu, value = level + size * step, log_nu + size * more, reached
        if draws and abs(log_nu) > _PROBABLE:
            break
    return level, log_nu


def _likelihood(side: _Side, level: Floats, log_nu: float, prior: bool) -> float:
    win, draw, _, _ = _of(side, level, log_nu)
    lose = np.maximum(1.0 - win - draw, 1e-300)
    log_win, log_lose = np.log(np.maximum(win, 1e-300)), np.log(lose)
    even = np.log(np.maximum(draw, 1e-300)) if log_nu > -np.inf else (log_win + log_lose) / 2.0
    value = float(
        (side.weight * np.where(side.score == 0.5, even, np.where(side.score > 0.5, log_win, log_lose))).sum()
    )
    return value - 0.5 * float((np.logaddexp(0.0, -level) + np.logaddexp(0.0, level)).sum()) * prior


def _joined(values: Floats, equal: tuple[int, int]) -> Floats:
    """The sum of both in the place of the first, 0 in that of the second."""
    found = values.copy()
    found[equal[0]], found[equal[1]] = values[list(equal)].sum(), 0.0
    return found


def _solved(side: _Side, curvature: Floats, ridge: Floats, sides: Floats, equal: tuple[int, int] | None) -> Floats:
    """float64[players, sides]: solutions of the players' block. Without a ridge all sides sum to 0."""
    players = side.players
    ends = np.concatenate((side.a, side.b)), np.concatenate((side.b, side.a))
    beside = csr_array((np.tile(curvature, 2), ends), shape=(players, players))
    block = diags_array(np.asarray(beside.sum(axis=1)) + ridge) - beside
    if players <= _SOLVED:
        dense = np.asarray(block.todense(), np.float64)
        if equal is not None:
            kept, gone = equal
            dense[kept] += dense[gone]
            dense[:, kept] += dense[:, gone]
            dense[gone] = dense[:, gone] = 0.0
            dense[gone, gone] = 1.0
        if not ridge.any():
            dense += np.trace(dense) / players**2
        found = np.asarray(np.linalg.solve(dense, sides), np.float64)
        if equal is not None:
            found[equal[1]] = found[equal[0]]
        return found
    inverse = 1.0 / np.maximum(block.diagonal(), np.finfo(float).tiny)
    diagonal = LinearOperator((players, players), matvec=lambda x: inverse * x.ravel())
    if not ridge.any():
        sides = sides - sides.mean(axis=0)  # rounding leaves a part that no step can undo
    solutions = [
        cg(block, column, rtol=1e-6, maxiter=1_000, M=diagonal)[0] if column.any() else column for column in sides.T
    ]
    return np.array([x if ridge.any() else x - x.mean() for x in solutions]).T


def _pair_errors(side: _Side, level: Floats, log_nu: float, prior: bool, spread: Spread, phi: float) -> Floats:
    """float64[players, players]: errors with which the differences have the likelihood ratios' t."""
    own = spread.covariance.diagonal()
    found = np.sqrt(np.maximum(own[:, None] + own[None] - 2.0 * spread.covariance, 0.0))
    best, draws = _likelihood(side, level, log_nu, prior), log_nu > -np.inf
    for a, b in zip(*np.triu_indices(len(level), 1), strict=True):
        gap = abs(float(level[a] - level[b]))
        equal = (int(a), int(b))
        less = _likelihood(side, *_maximum(side, prior, draws, equal, level, log_nu), prior)
        root = np.sqrt(max(2.0 * (best - less), 0.0) / max(phi, 1e-12))
        if root > 1e-6 and gap > 1e-9:
            found[a, b] = found[b, a] = gap / root
    return found
