"""Opponent modeling with exact payoffs against each opponent.

The opponents are those of `antemill.axes.opponent_modeling`, points of a scrambled Sobol sequence, and the score is
computed as there. Only the payoffs are exact, which playouts estimate there. The choice of the opponents remains
random. Neither they nor the focal player look at cards, so the merged tree of `antemill.axes.exact.mixed` suffices; it
is walked for several opponents at once.
"""

from __future__ import annotations

import numpy as np

from antemill.axes.exact.mixed import Merged, play_mixed
from antemill.axes.exact.tree import Array
from antemill.axes.exact.uniform import TIE, Play, highest_mean
from antemill.axes.grouping import Decisions
from antemill.axes.opponent_modeling import NEW_SHARE, flip_rates, instability, systematic
from antemill.axes.simplex import directions_for, legal_actions, require_points, sobol_weights
from antemill.engine.kernel import kernel
from antemill.engine.machine.chance import key_of
from antemill.engine.seeding import Domain

_LANES = 8  # the fewest opponents at once: their numbers fill one or two vector registers
_HELD = 1 << 14  # numbers of a column for all opponents at once, so that they stay in the processor's caches


def opponent_modeling(play: Play, opponents: int, focused: int, seed: int) -> float:
    """Opponent modeling of a game, between 0 and 1.

    opponents: of the first pass. focused: of the second one. Raises ValueError for more than the sequence has points.
    """
    require_points(opponents + focused)
    types = play.types
    total = float(play.visits.sum())
    if total == 0.0:
        return 0.0
    shares = play.visits / total
    rates = np.zeros(len(shares))
    for focal in range(2):
        key = key_of(seed, Domain.SOBOL, focal, Domain.SOBOL)
        columns = legal_actions(types, 1 - focal)
        directions = directions_for(len(columns))
        first = sobol_weights(types.offsets, columns, directions, np.arange(opponents), key)
        best = _best(play, first, focal)
        if focused:
            numbers = np.arange(opponents, opponents + focused)
            weights = sobol_weights(types.offsets, columns, directions, numbers, key)
            parents = systematic(instability(best, types.offsets, shares), focused)
            if len(parents):
                weights = (1.0 - NEW_SHARE) * first[parents] + NEW_SHARE * weights
            best = np.concatenate([best, _best(play, weights, focal)])
        rates += flip_rates(best, types.offsets)
    return float(shares @ rates)


def _best(play: Play, weights: Array, focal: int) -> Array:
    """uint8[opponents, all actions]: 1 for each best action of the focal seat against each opponent.

    weights: float64[opponents, all actions], mixed policies of the other seat.
    """
    types, tree = play.types, play.merged
    best = np.zeros((len(weights), int(types.offsets[-1])), np.uint8)
    step = max(_LANES, _HELD // len(tree.edge_chips) // _LANES * _LANES)
    for low in range(0, len(weights), step):
        part = np.ascontiguousarray(weights[low : low + step].T)
        _mark(tree, types, part, focal, TIE * play.largest, best[low : low + step])
    return best


@kernel(allocates=True)
def _mark(tree: Merged, types: Decisions, weights: Array, focal: int, tie: float, best: Array) -> None:
    """As `_best`. weights: float64[all actions, opponents]. best: zeros."""
    edges, rows, size, lanes = len(tree.edge_chips), len(tree.row_edge), types.offsets[-1], weights.shape[1]
    value, reach, odds = np.empty((edges, lanes)), np.ones((edges, lanes)), np.empty((edges, lanes))
    sums, mass, total = np.zeros((size, lanes)), np.zeros((size, lanes)), np.empty(lanes)
    sign = 1.0 if focal == 0 else -1.0
    for edge in range(edges):
        for k in range(lanes):
            value[edge, k] = sign * tree.edge_chips[edge]
    for row in range(rows - 1, -1, -1):
        first, last, above = tree.row_first[row], tree.row_first[row + 1], tree.row_edge[row]
        if types.seats[tree.row_type[row]] == focal:
            for edge in range(first, last):
                weight = tree.edge_entries[edge] / tree.row_menu[row]
                for k in range(lanes):
                    value[above, k] += weight * value[edge, k]
        else:
            play_mixed(tree, row, weights, odds, total)
            for edge in range(first, last):
                for k in range(lanes):
                    value[above, k] += odds[edge, k] * value[edge, k]
    for row in range(rows):
        first, last, above = tree.row_first[row], tree.row_first[row + 1], tree.row_edge[row]
        if types.seats[tree.row_type[row]] != focal:
            for edge in range(first, last):
                for k in range(lanes):
                    reach[edge, k] = reach[above, k] * odds[edge, k]
            continue
        each, chance = 1.0 / tree.row_menu[row], tree.row_chance[row]
        for edge in range(first, last):
            entries, action = tree.edge_entries[edge], tree.edge_action[edge]
            for i in range(action, action + entries):
                for k in range(lanes):
                    sums[i, k] += each * reach[above, k] * value[edge, k]
                    mass[i, k] += each * reach[above, k] * chance
            for k in range(lanes):
                reach[edge, k] = each * entries * reach[above, k]
    for d in range(len(types.seats)):
        if types.seats[d] == focal:
            low, high = types.offsets[d], types.offsets[d + 1]
            for k in range(lanes):
                highest = highest_mean(sums[:, k], mass[:, k], low, high)
                for i in range(low, high):
                    best[k, i] = mass[i, k] > 0.0 and sums[i, k] / mass[i, k] >= highest - tie
