"""Ratings from wins, match by match: for many players, with draws of their own (Davidson) and with an advantage of a.

    d = rating of a - rating of b (+ advantage of a);  a wins : draw : b wins  =  exp(d / 2) : nu : exp(-d / 2)

Without nu a draw is half a win for each, and the model is Bradley and Terry's. nu is Davidson's (1970), the advantage
that of Davidson and Beaver (1977): who plays first, or at home. Both are estimated with the ratings.

The optimiser is Newton's method; with many players its steps are solved by conjugate gradients, whose cost grows with
the matches and not with the square of the players. Errors are cluster-robust: the inverse curvature about the products
of the units' scores. A unit's score is corrected for the part that the fit absorbs: by its leverage where units are
single matches, and by n / (n - 1) for a player of n units elsewhere; Student's t has n - 1 degrees of freedom.
`clustered` has the exact corrections, at the price of a cube of the players.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array, diags_array, hstack
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.bradley_terry import PRIOR_DEVIATION, Fit, curvature
from antemill.tournament.statistics.few import units_of_models
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Flags, SlotTable
from antemill.tournament.statistics.precision import Error

_DENSE = 400  # players up to whom a step is solved directly
_TOLERANCE = 1e-9  # of a player's gradient, as a share of its matches
_MOST_STEPS = 100
_LONGEST_STEP = 3.0  # in log-odds
_PROBABLE = 12.0  # log-odds of an advantage, or log of nu, at which it is infinite
_LEFT = 1e-6  # of a score's variance; where the fit takes more, next to nothing shows the noise


class Model(Struct, frozen=True):
    """What is fitted beside the ratings."""

    prior: str = "none"
    draws: bool = False  # nu; else half a win
    first: bool = False  # the advantage of a


class Wins(Struct, frozen=True, eq=False):
    """A fit: ratings in log-odds with mean 0, and for each match what errors are made of."""

    strengths: Floats  # float64[players]
    first: float  # log-odds that a has more; 0 if it is not fitted
    first_error: float
    draw: float  # the chance of a draw between equals; 0 if it is not fitted
    inverse: Floats  # float64[parameters, parameters], of the curvature
    corrected: csr_array  # float64[units, parameters]: scores with what the fit takes from them
    widened: Floats  # float64[players]: by what else errors are multiplied
    units: Floats  # float64[players]: in how many each plays

    def error(self, base: Flags) -> Error:
        """Errors of the ratings against the mean of those of `base`."""
        influence = self._influence(base)
        products = csr_array(self.corrected.T @ self.corrected)
        found = np.sqrt(np.maximum(((products @ influence.T).T * influence).sum(axis=1), 0.0))
        return Error(found * self.widened, np.maximum(self.units - 1.0, 1.0))

    def covariance(self, base: Flags) -> Floats:
        """float64[players, players] of the ratings against the mean of those of `base`."""
        influence = self._influence(base) * self.widened[:, None]
        return np.asarray(influence @ (csr_array(self.corrected.T @ self.corrected) @ influence.T), np.float64)

    def _influence(self, base: Flags) -> Floats:
        """float64[players, parameters]: the change of a rating by a unit of each score."""
        players = self.inverse[: len(self.strengths)]
        return np.asarray(players - players[base].mean(axis=0), np.float64)


def rated_group(table: SlotTable) -> Fit:
    """Statuses as of `bradley_terry.fit`, with NaN for the ratings of the largest group that chains of wins connect.

    table: of `bradley_terry.outcomes`, whose draws are half a win for each.
    """
    size = len(table.models)
    won, drawn = table.margin > 0.0, table.margin == 0.0
    better = np.concatenate((np.where(won | drawn, table.alice, table.bob), table.bob[drawn]))
    worse = np.concatenate((np.where(won | drawn, table.bob, table.alice), table.alice[drawn]))
    beaten = csr_array((np.ones(len(better)), (better, worse)), shape=(size, size))
    label = connected_components(beaten, directed=True, connection="strong")[1]
    sizes = np.bincount(label)
    first = int(np.flatnonzero(sizes[label] == sizes.max())[0])
    below, above = (_reached(graph, first) for graph in (beaten, csr_array(beaten.T)))
    limits = np.where(below, -np.inf, np.where(above, np.inf, np.nan))
    inside = label == label[first]
    names = {np.inf: "undefeated", -np.inf: "winless"}
    status = [
        "rated" if rated else names.get(float(value), "unconnected")
        for rated, value in zip(inside, limits, strict=True)
    ]
    return Fit(np.where(inside, np.nan, limits), tuple(status))


def _reached(graph: csr_array, start: int) -> Flags:
    reached = np.zeros(graph.shape[0], bool)
    new = np.array([start])
    while len(new):
        reached[new] = True
        near = graph[new].indices
        new = np.unique(near[~reached[near]])
    return reached


def fit_wins(table: SlotTable, model: Model) -> Wins:
    """Fit all players of the table, who must be connected by wins both ways unless there is a prior.

    table: of `bradley_terry.outcomes`. Raises UsageError where the matches do not determine what is asked for.
    """
    draw = table.margin == 0.0
    if model.draws and not draw.any():
        raise UsageError("no match of the rated players is a draw, so their chance is unknown: leave --draws out.")
    players, extra = len(table.models), int(model.first) + int(model.draws)
    rows = np.arange(len(draw))
    ends = np.repeat([1.0, -1.0], len(rows))
    where = (np.tile(rows, 2), np.concatenate((table.alice, table.bob)))
    side = csr_array((ends, where), shape=(len(rows), players))
    score, known = (np.sign(table.margin) + 1.0) / 2.0, np.zeros(players + extra)
    if model.draws:
        known[-1] = np.log(2.0 * max(draw.mean(), 0.01))
    matches = np.bincount(np.concatenate((table.alice, table.bob)), np.tile(table.weight, 2), players)
    value = _likelihood(table, side, known, score, model)
    for _ in range(_MOST_STEPS):
        parts = _Parts.of(table, side, known, score, model)
        gradient = parts.gradient(side, known, model)
        scale = np.concatenate((matches, np.full(extra, table.weight.sum())))
        if (np.abs(gradient) <= _TOLERANCE * scale).all():
            return _finished(table, side, known, parts, model)
        step = _step(parts, side, gradient, known, model)
        size = min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        while True:
            moved = known + size * step
            reached = _likelihood(table, side, moved, score, model)
            if reached >= value - 1e-12 * (1.0 + abs(value)) or size < 1e-9:
                break
            size /= 2.0
        known, value = moved, reached
        if extra and np.abs(known[players:]).max() > _PROBABLE:
            break
    raise UsageError(
        "the matches do not determine the chance of draws or the advantage of the first player: every match ended the "
        "same way; leave them out."
    )


class _Parts(Struct, frozen=True, eq=False):
    """Of every match: residuals, and the second derivatives by d and the logarithm of nu."""

    residual: Floats
    curvature: Floats
    draw_residual: Floats
    draw_curvature: Floats
    cross: Floats

    @classmethod
    def of(cls, table: SlotTable, side: csr_array, known: Floats, score: Floats, model: Model) -> _Parts:
        win, draw = _chances(side, known, model)
        w, mean = table.weight, win + draw / 2.0
        none = np.zeros(len(w))
        variance = win * (1.0 - win) if not model.draws else win + draw / 4.0 - mean**2
        if not model.draws:
            return cls(w * (score - mean), w * variance, none, none, none)
        seen = score == 0.5
        return cls(
            w * (score - mean), w * variance, w * (seen - draw), w * draw * (1.0 - draw), w * draw * (0.5 - mean)
        )

    def columns(self, model: Model) -> list[tuple[Floats, Floats]]:
        """Of each further parameter, its score by match and its second derivative with d by match."""
        found = [(self.residual, self.curvature)] if model.first else []
        return [*found, (self.draw_residual, self.cross)] if model.draws else found

    def gradient(self, side: csr_array, known: Floats, model: Model) -> Floats:
        players = side.shape[1]
        own = side.T @ self.residual - _prior_slope(known[:players], model.prior)
        return np.concatenate((own, [score.sum() for score, _ in self.columns(model)]))

    def further(self, side: csr_array, model: Model) -> tuple[Floats, Floats]:
        """The curvature of further parameters with players, float64[players, further], and among themselves."""
        columns = self.columns(model)
        with_players = np.array([side.T @ cross for _, cross in columns]).reshape(len(columns), side.shape[1]).T
        own = np.diag([self.curvature.sum()] * model.first + [self.draw_curvature.sum()] * model.draws)
        if len(columns) == 2:
            own[0, 1] = own[1, 0] = self.cross.sum()
        return with_players, own.reshape(len(columns), len(columns))


def _chances(side: csr_array, known: Floats, model: Model) -> tuple[Floats, Floats]:
    players = side.shape[1]
    d = side @ known[:players] + (known[players] if model.first else 0.0)
    half = np.abs(d) / 2.0
    nu = np.exp(known[-1] - half) if model.draws else np.zeros(len(d))  # all over exp(|d| / 2)
    total = 1.0 + np.exp(-2.0 * half) + nu
    return np.where(d >= 0.0, 1.0, np.exp(-2.0 * half)) / total, nu / total


def _likelihood(table: SlotTable, side: csr_array, known: Floats, score: Floats, model: Model) -> float:
    win, draw = _chances(side, known, model)
    lose = np.maximum(1.0 - win - draw, 1e-300)
    log_win, log_lose = np.log(np.maximum(win, 1e-300)), np.log(lose)
    even = np.log(np.maximum(draw, 1e-300)) if model.draws else (log_win + log_lose) / 2.0
    value = float((table.weight * np.where(score == 0.5, even, np.where(score > 0.5, log_win, log_lose))).sum())
    level = known[: side.shape[1]]
    if model.prior == "draw":
        value -= 0.5 * float((np.logaddexp(0.0, -level) + np.logaddexp(0.0, level)).sum())
    elif model.prior == "normal":
        value -= 0.5 * float((level**2).sum()) / PRIOR_DEVIATION**2
    return value


def _prior_slope(level: Floats, prior: str) -> Floats:
    if prior == "draw":
        return np.asarray(np.tanh(level / 2.0) / 2.0, np.float64)
    return level / PRIOR_DEVIATION**2 if prior == "normal" else np.zeros(len(level))


def _step(parts: _Parts, side: csr_array, gradient: Floats, known: Floats, model: Model) -> Floats:
    """Newton's step: curvature times step is the gradient, ratings with mean 0 unless a prior says where they are."""
    players = side.shape[1]
    ridge = curvature(known[:players], model.prior)
    with_players, own = parts.further(side, model)
    sides = np.column_stack((gradient[:players], with_players))
    solved = _solved(parts, side, ridge, sides)
    schur = own - with_players.T @ solved[:, 1:]
    further = np.linalg.solve(schur, gradient[players:] - with_players.T @ solved[:, 0]) if len(own) else np.zeros(0)
    return np.concatenate((solved[:, 0] - solved[:, 1:] @ further, further))


def _solved(parts: _Parts, side: csr_array, ridge: Floats, sides: Floats) -> Floats:
    """float64[players, sides]: solutions of the players' block. Without a ridge all sides sum to 0."""
    players = side.shape[1]
    block = csr_array(side.T @ csr_array(diags_array(parts.curvature) @ side)) + csr_array(diags_array(ridge))
    if players <= _DENSE:
        dense = block.toarray()
        dense += 0.0 if ridge.any() else np.trace(dense) / players**2
        return np.asarray(np.linalg.solve(dense, sides), np.float64)
    inverse = 1.0 / np.maximum(block.diagonal(), np.finfo(float).tiny)
    diagonal = LinearOperator((players, players), matvec=lambda x: inverse * x.ravel())
    found = [cg(block, column, rtol=1e-8, maxiter=20 * players, M=diagonal)[0] for column in sides.T]
    return np.array([x if ridge.any() else x - x.mean() for x in found]).T


def _finished(table: SlotTable, side: csr_array, known: Floats, parts: _Parts, model: Model) -> Wins:
    players, columns = side.shape[1], parts.columns(model)
    with_players, own = parts.further(side, model)
    whole = np.zeros((len(known), len(known)), order="F")
    ridge = curvature(known[:players], model.prior)
    whole[:players, :players] = (side.T @ csr_array(diags_array(parts.curvature) @ side)).toarray()
    whole[np.arange(players), np.arange(players)] += ridge
    whole[:players, players:], whole[players:, :players] = with_players, with_players.T
    whole[players:, players:] = own
    if not ridge.any():
        whole[:players, :players] += np.trace(whole[:players, :players]) / players**2
    factor, failed = dpotrf(whole, lower=1, overwrite_a=1)
    inverse, singular = dpotri(factor, lower=1, overwrite_c=1)
    if failed or singular:
        raise UsageError("the matches do not determine all ratings; use a prior.")
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    rows = np.arange(len(table.margin))
    each = side.multiply(parts.residual[:, None])
    if columns:
        each = hstack([each, csr_array(np.column_stack([score for score, _ in columns]))])
    of_unit = csr_array((np.ones(len(rows)), (table.unit, rows)), shape=(table.units, len(rows)))
    units = units_of_models(table).astype(np.float64)
    widened, kept = np.ones(players), np.ones(len(rows))
    if table.units == len(rows):
        kept = 1.0 - parts.curvature * _spread(table, inverse)
    else:
        widened = np.sqrt(units / np.maximum(units - 1.0, 1.0))
    corrected = csr_array(of_unit @ csr_array(diags_array(np.maximum(kept, _LEFT) ** -0.5) @ csr_array(each)))
    first = known[players] if model.first else 0.0
    nu = float(np.exp(known[-1])) if model.draws else 0.0
    return Wins(
        strengths=known[:players] - known[:players].mean(),
        first=float(first),
        first_error=float(np.sqrt(((corrected @ inverse[players]) ** 2).sum())) if model.first else 0.0,
        draw=nu / (2.0 + nu),
        inverse=inverse,
        corrected=corrected,
        widened=widened,
        units=units,
    )


def _spread(table: SlotTable, inverse: Floats) -> Floats:
    """float64[matches]: the variance of each match's difference of ratings, by the model alone."""
    own, a, b = np.diag(inverse), table.alice, table.bob
    return np.asarray(own[a] + own[b] - 2.0 * inverse[a, b], np.float64)
