"""Risk from the exact distribution of the payoff given a context and an action.

It is the limit of `antemill.axes.risk` for infinitely many episodes, in which every context with a choice has 20 visits
and every offered action five tries. The ends below an edge are consecutive, so a distribution is a sum over ranges.
"""

from __future__ import annotations

import numpy as np

from antemill.axes.exact.tree import Array, Tree
from antemill.axes.exact.uniform import TIE, Figures, Play, add_row, highest_mean
from antemill.axes.grouping import Decisions, Groups, dense_ids
from antemill.axes.risk import SMALLEST
from antemill.engine.kernel import kernel

_DECILE = 0.1 * (1.0 - TIE)  # a tenth, with a tolerance for rounding


def risk(play: Play) -> float:
    """Risk of a game: the mean over seats, or 0 if that is below .01."""
    if play.sigma == 0.0:
        return 0.0
    costs, visits = _costs(play.tree, play.contexts, play.figures, play.types, TIE * play.largest)
    mean = float(np.divide(costs, visits, out=np.zeros(2), where=visits > 0).mean() / play.sigma)
    return mean if mean >= SMALLEST else 0.0


@kernel(allocates=True)
def _payoffs(tree: Tree, reach: Array) -> tuple[Array, Array, Array]:
    """The different payoffs, int64[.] in ascending order; the index of each end's payoff among them, int32[ends]; the
    probability of each end, float64[ends]."""
    ends = len(tree.end_edge)
    place, count = dense_ids(tree.end_payoff)
    found, odds = np.empty(count, np.int64), np.empty(ends)
    for i in range(ends):
        found[place[i]] = tree.end_payoff[i]
        odds[i] = reach[tree.end_edge[i]] * tree.end_chance[i]
    order, rank = np.argsort(found), np.empty(count, np.int64)
    for k in range(count):
        rank[order[k]] = k
    for i in range(ends):
        place[i] = rank[place[i]]
    return found[order], place, odds


@kernel(allocates=True)
def _costs(tree: Tree, contexts: Groups, found: Figures, types: Decisions, tie: float) -> tuple[Array, Array]:
    """float64[2] twice: visits times cost summed over each seat's contexts with a choice, and their visits."""
    payoffs, place, odds = _payoffs(tree, found.reach)
    most = 0
    for d in range(len(types.seats)):
        most = max(most, types.offsets[d + 1] - types.offsets[d])
    shares = np.zeros((most, len(payoffs)))
    sums, mass = np.zeros(types.offsets[-1]), np.zeros(types.offsets[-1])
    costs, visits = np.zeros(2), np.zeros(2)
    for g in range(len(contexts.starts) - 1):
        rows = contexts.order[contexts.starts[g] : contexts.starts[g + 1]]
        kind, p, choice = tree.row_type[rows[0]], 0.0, False
        low, high, seat = types.offsets[kind], types.offsets[kind + 1], types.seats[kind]
        for row in rows:
            choice |= tree.row_menu[row] > 1
        if not choice:
            continue
        for row in rows:
            add_row(tree, found, types, row, sums, mass)
            p += found.reach[tree.row_edge[row]] * tree.row_chance[row]
            _add_payoffs(tree, row, low, place, odds, shares)
        highest, floor, safe = highest_mean(sums, mass, low, high), -np.inf, -np.inf
        for i in range(low, high):
            if mass[i] > 0.0:
                own, mean = _floor(shares[i - low], payoffs, seat, mass[i]), sums[i] / mass[i]
                if own > floor or (own == floor and mean > safe):
                    floor, safe = own, mean
                shares[i - low, :] = 0.0
            sums[i], mass[i] = 0.0, 0.0
        visits[seat] += p
        if highest - safe > tie:
            costs[seat] += p * (highest - safe)
    return costs, visits


@kernel(inline="late")
def _add_payoffs(tree: Tree, row: int, low: int, place: Array, odds: Array, shares: Array) -> None:
    """Add a row's probabilities of each action and payoff. shares: float64[actions of the type, payoffs]."""
    for edge in range(tree.row_first[row], tree.row_first[row + 1]):
        first, entries = tree.edge_action[edge] - low, tree.edge_entries[edge]
        for end in range(tree.edge_end[edge], tree.edge_end[edge] + tree.edge_ends[edge]):
            for i in range(first, first + entries):
                shares[i, place[end]] += odds[end] / entries


@kernel(inline="late")
def _floor(shares: Array, payoffs: Array, seat: int, mass: float) -> float:
    """The smallest payoff of the seat that is not exceeded with a probability of at least a tenth."""
    below, n = 0.0, len(payoffs)
    for k in range(n):
        at = k if seat == 0 else n - 1 - k
        below += shares[at]
        if below >= _DECILE * mass:
            return float(payoffs[at] if seat == 0 else -payoffs[at])
    return float(payoffs[n - 1] if seat == 0 else -payoffs[0])
