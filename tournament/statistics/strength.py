"""Additive paired-comparison strengths: margin = strength of one minus strength of the other (GENSTRAT section 6, N4).

    1. The normal equations are those of a weighted graph: L a = t, L the Laplacian of the rows played by each
       pair, t each model's summed margins.
    2. They fix the strengths up to a constant for each connected part of the graph. With one part, the sum-to-zero
       contrast fixes the rest; with several, the strengths cannot be compared, and are missing (NaN), all of them.
    3. A model that plays in none of the cells is missing, and the contrast runs over the others.

A replicate of a bootstrap is missing when its rows do not connect all the models that the data connect, because its
contrast would differ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from antemill.tournament.statistics.cells import Cells, cells_of, pair_codes, pair_table, sum_by
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Flags, Integers, Matches, SlotTable, slots_of

Fit = Callable[[SlotTable | Cells], Floats]  # float64[..., models]: `strengths` or `game_average`
MANY = 256  # models above whom a single fit goes by the pairs that met, not by all pairs
_CLOSE = 1e-14  # of the right side: what a fit of many models may leave of it


def strengths(data: Matches | Cells) -> Floats:
    """float64[..., models]: strengths over all games, in chips a game; NaN where they are not identified.

    data: a slot table, or what `slots_of` makes one of; or its sums.
    """
    cells = data if isinstance(data, Cells) else cells_of(slots_of(data, "data"))
    if cells.count.ndim == 1 and len(cells.models) > MANY and (found := _fit_many(cells)) is not None:
        return found
    pairs = len(pair_table(len(cells.models))[0])
    count, total = (sum_by(sums, cells.pair, pairs) for sums in (cells.count, cells.total))
    return _fit(count, total, _present(cells), len(cells.models))


def game_strengths(data: Matches | Cells) -> Floats:
    """float64[..., games, models]: the strengths of each game's own fit, sum zero over the models that play it.

    NaN for a model that does not play the game, and for the whole of a game whose models are not all connected.
    """
    cells = data if isinstance(data, Cells) else cells_of(slots_of(data, "data"))
    shape = (*cells.count.shape[:-1], len(cells.games), len(cells.models))
    found = np.full(shape, np.nan)
    for game in np.unique(cells.game):
        found[..., game, :] = strengths(cells.select(cells.game == game))
    return found


def game_average(data: SlotTable | Cells) -> Floats:
    """float64[..., models]: the mean over the games with matches of each game's own strengths.

    NaN for a model without a strength on one of these games.

    Every game counts once, however often it was played, and opponents are adjusted for by their strength on that game.
    On an even schedule this is `strengths`; on an uneven one, `strengths` leans toward the games played most.
    """
    cells = data if isinstance(data, Cells) else cells_of(data)
    return np.asarray(game_strengths(cells)[..., np.unique(cells.game), :].mean(axis=-2), np.float64)


def pair_margins(data: SlotTable | Cells, by_game: bool = False) -> Floats:
    """float64[..., models, models]: mean margin of the row's model over the column's (GENSTRAT appendix J).

    by_game: the mean over the games on which the pair met of its mean there, so that every game counts once. NaN on the
    diagonal and for a pair that never met.
    """
    cells = data if isinstance(data, Cells) else cells_of(data)
    if by_game:  # a cell that a replicate has not drawn has no mean
        share = np.where(cells.count > 0.0, 1.0 / np.where(cells.count > 0.0, cells.count, 1.0), 0.0)
        cells = cells.map(lambda sums: sums * share)
    low, high = pair_table(len(cells.models))
    count, total = (sum_by(sums, cells.pair, len(low)) for sums in (cells.count, cells.total))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
    matrix = np.full((*mean.shape[:-1], len(cells.models), len(cells.models)), np.nan)
    matrix[..., low, high] = mean
    matrix[..., high, low] = -mean
    return matrix


def laplacian(count: Floats, models: int) -> Floats:
    """float64[..., models, models]: degrees minus adjacency. count: float64[..., pairs], the edges' weights."""
    low, high = pair_table(models)
    matrix = np.zeros((*count.shape[:-1], models, models))
    matrix[..., low, high] = matrix[..., high, low] = -count
    matrix[..., np.arange(models), np.arange(models)] = -matrix.sum(axis=-1)
    return matrix


def reachable(edges: npt.NDArray[np.float32], start: int) -> Flags:
    """bool[graphs, nodes]: what can be reached from `start`, itself included. edges: float32[graphs, nodes, nodes]."""
    reached = np.zeros(edges.shape[:2], np.float32)
    reached[:, start] = 1.0
    while True:
        grown = np.minimum(reached + (reached[:, None, :] @ edges)[:, 0, :], 1.0) > 0.0
        if not (grown > (reached > 0.0)).any():
            return np.asarray(grown, np.bool_)
        reached = grown.astype(np.float32)


def _present(cells: Cells) -> Integers:
    return np.unique(np.concatenate((cells.low, cells.high)))


def _fit(count: Floats, total: Floats, present: Integers, models: int) -> Floats:
    """Solve for the models `present`. count, total: float64[..., pairs of all models]."""
    found = np.full((*count.shape[:-1], models), np.nan)
    if len(present) < 2:
        return found
    low, high = pair_table(len(present))
    pairs = pair_codes(present[low], present[high], models)
    flat_count, flat_total = (np.reshape(sums[..., pairs], (-1, len(pairs))) for sums in (count, total))
    usable = _connected(flat_count > 0.0, len(present))
    fitted = np.full((len(flat_count), len(present)), np.nan)
    fitted[usable] = _solve(flat_count[usable], flat_total[usable], len(present))
    found[..., present] = fitted.reshape(*count.shape[:-1], len(present))
    return found


def _fit_many(cells: Cells) -> Floats | None:
    """`strengths` of single sums by conjugate gradients; None if these do not converge."""
    from scipy.sparse.csgraph import connected_components  # these take a sixth of a second to import
    from scipy.sparse.linalg import cg

    models, present = len(cells.models), _present(cells)
    found = np.full(models, np.nan)
    ends = np.concatenate((cells.low, cells.high)), np.concatenate((cells.high, cells.low))
    beside = csr_array((np.tile(cells.count, 2), ends), shape=(models, models))[present][:, present]
    beside.eliminate_zeros()
    if connected_components(beside, directed=False)[0] != 1:
        return found
    degree = np.asarray(beside.sum(axis=1))
    right = np.bincount(cells.low, cells.total, models) - np.bincount(cells.high, cells.total, models)
    inverse = diags_array(1.0 / degree)
    level, stopped = cg(diags_array(degree) - beside, right[present], rtol=_CLOSE, maxiter=models, M=inverse)
    found[present] = level - level.mean()
    return None if stopped else found


def _connected(edges: Flags, models: int) -> Flags:
    """bool[graphs]: whether all models hang together. edges: bool[graphs, pairs]."""
    low, high = pair_table(models)
    beside = np.zeros((len(edges), models, models), np.float32)
    beside[:, low, high] = beside[:, high, low] = edges
    return np.asarray(reachable(beside, 0).all(axis=1), np.bool_)


def _solve(count: Floats, total: Floats, models: int) -> Floats:
    """float64[graphs, models]: the sum-to-zero solutions. count, total: float64[graphs, pairs], graphs connected.

    Adding a constant to all of the Laplacian's entries makes it invertible and, as the right side sums to zero, leaves
    exactly the solution that sums to zero.
    """
    low, high = pair_table(models)
    rows = np.tile(np.arange(len(low)), 2)
    ends, players = np.repeat([1.0, -1.0], len(low)), np.concatenate((low, high))
    side = csr_array((ends, (rows, players)), shape=(len(low), models))
    matrix = laplacian(count, models)
    scale = np.trace(matrix, axis1=1, axis2=2) / models**2
    return np.asarray(np.linalg.solve(matrix + scale[:, None, None], (total @ side)[..., None])[..., 0], np.float64)
