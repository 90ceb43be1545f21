"""Exact random play of a tree: reach probabilities and payoffs, and the axes that follow from them.

    reach of an edge    the product of the players' probabilities on the way to it, 1 / menu for each entry
    value of an edge    the sum over the ends below of (chance to them) * (players' probabilities below) * payoff

So an episode passes an edge with probability reach * chance of its row, and its mean payoff there is value / chance of
the row. Sums over a group of rows are those of the paper's formulas, in the limit of infinitely many episodes.

Payoffs that are equal in exact arithmetic may differ in their last bits. Two means tie if they differ by at most `TIE`
times the largest payoff of the game.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from antemill.axes.exact.mixed import Merged, merged
from antemill.axes.exact.tree import Array, Tree
from antemill.axes.grouping import Decisions, Groups, decisions, group
from antemill.engine.kernel import kernel
from antemill.engine.machine.program import Program

TIE = 1e-9


class Figures(NamedTuple):
    """Reach and values of random play at each edge; the payoff is Alice's."""

    reach: Array  # float64[edges]
    value: Array  # float64[edges]
    square: Array  # float64[edges] as `value`, of the squared payoff
    alice: Array  # float64[edges] as `value`, of the number of Alice's later decisions
    bob: Array  # float64[edges] as `alice`, of Bob's


class Play(Struct, frozen=True, eq=False, dict=True):
    """A game with its tree, and its random play."""

    program: Program
    tree: Tree

    @cached_property
    def types(self) -> Decisions:
        """The decision types."""
        return decisions(self.program)

    @cached_property
    def figures(self) -> Figures:
        """Reach and values of all edges."""
        return _figures(self.tree, self.types.seats)

    @cached_property
    def merged(self) -> Merged:
        """The tree for players who do not look at cards."""
        return merged(self.tree)

    @cached_property
    def infos(self) -> Groups:
        """Rows by information state."""
        return group(self.tree.row_info)

    @cached_property
    def contexts(self) -> Groups:
        """Rows by context."""
        return group(self.tree.row_context)

    @cached_property
    def sigma(self) -> float:
        """The standard deviation of the payoff in chips."""
        mean = float(self.figures.value[0])
        variance = float(self.figures.square[0]) - mean * mean
        return math.sqrt(variance) if variance > (TIE * self.largest) ** 2 else 0.0

    @cached_property
    def largest(self) -> float:
        """The largest payoff of either player; 1 if all are 0."""
        return float(max(np.abs(self.tree.end_payoff).max(initial=0), 1))

    @cached_property
    def visits(self) -> Array:
        """float64[types]: how often an episode meets each decision type."""
        return _visits(self.tree, self.figures.reach, len(self.types.seats))

    @property
    def decisions_per_episode(self) -> float:
        """Of both seats."""
        return float(self.figures.alice[0] + self.figures.bob[0])


@kernel(allocates=True)
def _figures(tree: Tree, seats: Array) -> Figures:
    """As `Play.figures`."""
    edges, rows = len(tree.edge_row), len(tree.row_edge)
    reach, value, square = np.ones(edges), np.zeros(edges), np.zeros(edges)
    alice, bob = np.zeros(edges), np.zeros(edges)
    for i in range(len(tree.end_edge)):
        edge, chips = tree.end_edge[i], float(tree.end_payoff[i])
        value[edge] += tree.end_chance[i] * chips
        square[edge] += tree.end_chance[i] * chips * chips
    for row in range(rows - 1, -1, -1):
        v, q, a, b = 0.0, 0.0, 0.0, 0.0
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            weight = tree.edge_entries[edge] / tree.row_menu[row]
            v += weight * value[edge]
            q += weight * square[edge]
            a += weight * alice[edge]
            b += weight * bob[edge]
        above = tree.row_edge[row]
        first = seats[tree.row_type[row]] == 0
        value[above] += v
        square[above] += q
        alice[above] += a + (tree.row_chance[row] if first else 0.0)
        bob[above] += b + (0.0 if first else tree.row_chance[row])
    for row in range(rows):
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            reach[edge] = reach[tree.row_edge[row]] * tree.edge_entries[edge] / tree.row_menu[row]
    return Figures(reach, value, square, alice, bob)


@kernel(allocates=True)
def _visits(tree: Tree, reach: Array, types: int) -> Array:
    """As `Play.visits`."""
    found = np.zeros(types)
    for row in range(len(tree.row_edge)):
        found[tree.row_type[row]] += reach[tree.row_edge[row]] * tree.row_chance[row]
    return found


def states_met(play: Play, episodes: int) -> float:
    """The expected number of different information states in a number of episodes of random play.

    A state is met at most once in an episode, because the action path is part of it.
    """
    return float(_states_met(play.tree, play.infos, play.figures.reach, episodes))


@kernel
def _states_met(tree: Tree, infos: Groups, reach: Array, episodes: int) -> float:
    """As `states_met`."""
    found = 0.0
    for g in range(len(infos.starts) - 1):
        p = 0.0
        for row in infos.order[infos.starts[g] : infos.starts[g + 1]]:
            p += reach[tree.row_edge[row]] * tree.row_chance[row]
        found += 1.0 if p >= 1.0 else -math.expm1(episodes * math.log1p(-p))
    return found


def temporal_depth(play: Play) -> float:
    """The limit of `antemill.axes.temporal_depth` for infinitely many episodes: the mean over seats."""
    return float(_depth(play.tree, play.figures, play.types, (TIE * play.largest) ** 2)) / 2


@kernel(allocates=True)
def _depth(tree: Tree, found: Figures, types: Decisions, least: float) -> float:
    """The sum of f * eta2 * r over all decision types. least: variances up to it are rounding errors."""
    n = len(types.seats)
    sums, mass = np.zeros(types.offsets[-1]), np.zeros(types.offsets[-1])
    squares, ahead = np.zeros(n), np.zeros(n)
    for row in range(len(tree.row_edge)):
        kind = tree.row_type[row]
        later = found.alice if types.seats[kind] == 0 else found.bob
        above = found.reach[tree.row_edge[row]]
        each = above / tree.row_menu[row]
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            entries, first = tree.edge_entries[edge], tree.edge_action[edge]
            squares[kind] += each * entries * found.square[edge]
            ahead[kind] += each * entries * later[edge]
            for i in range(first, first + entries):
                sums[i] += each * found.value[edge]
                mass[i] += each * tree.row_chance[row]
    total = 0.0
    for d in range(n):
        visits, chips, between = 0.0, 0.0, 0.0
        for i in range(types.offsets[d], types.offsets[d + 1]):
            visits += mass[i]
            chips += sums[i]
        if visits > 0.0:
            centre = chips / visits
            for i in range(types.offsets[d], types.offsets[d + 1]):
                if mass[i] > 0.0:
                    between += mass[i] * (sums[i] / mass[i] - centre) ** 2
            spread = squares[d] - visits * centre * centre
            if spread > least * visits:
                total += between / spread * ahead[d]
    return total


def information_sensitivity(play: Play) -> tuple[float, float]:
    """The limit of `antemill.axes.information_sensitivity`: over all visits, and the mean over seats.

    Means tie within the tolerance of this module. Tied sets differ if they have no action in common.
    """
    visits, differing = _sensitive(play.tree, play.infos, play.figures, play.types, TIE * play.largest)
    shares = np.divide(differing, visits, out=np.zeros(2), where=visits > 0)
    return float(differing.sum() / max(visits.sum(), np.finfo(float).tiny)), float(shares.mean())


@kernel(allocates=True)
def _sensitive(tree: Tree, infos: Groups, found: Figures, types: Decisions, tie: float) -> tuple[Array, Array]:
    """float64[2] twice: each seat's visits per episode, and those to states whose best action differs."""
    size = types.offsets[-1]
    sums, mass, best = np.zeros(size), np.zeros(size), np.zeros(size, np.uint8)
    visits, differing = np.zeros(2), np.zeros(2)
    for row in range(len(tree.row_edge)):
        add_row(tree, found, types, row, sums, mass)
    for d in range(len(types.seats)):
        mark_highest(sums, mass, types.offsets[d], types.offsets[d + 1], tie, best)
    sums[:] = 0.0
    mass[:] = 0.0
    for g in range(len(infos.starts) - 1):
        rows = infos.order[infos.starts[g] : infos.starts[g + 1]]
        kind, p = tree.row_type[rows[0]], 0.0
        low, high = types.offsets[kind], types.offsets[kind + 1]
        for row in rows:
            add_row(tree, found, types, row, sums, mass)
            p += found.reach[tree.row_edge[row]] * tree.row_chance[row]
        highest, shared = highest_mean(sums, mass, low, high), False
        for i in range(low, high):
            shared |= best[i] == 1 and mass[i] > 0.0 and sums[i] / mass[i] >= highest - tie
            sums[i], mass[i] = 0.0, 0.0
        seat = types.seats[kind]
        visits[seat] += p
        if not shared:
            differing[seat] += p
    return visits, differing


@kernel(inline="late")
def add_row(tree: Tree, found: Figures, types: Decisions, row: int, sums: Array, mass: Array) -> None:
    """Add a row's probability of each action to `mass`, and its product with the deciding player's payoff to `sums`."""
    sign = 1.0 if types.seats[tree.row_type[row]] == 0 else -1.0
    each = found.reach[tree.row_edge[row]] / tree.row_menu[row]
    for edge in range(tree.row_first[row], tree.row_first[row + 1]):
        first = tree.edge_action[edge]
        for i in range(first, first + tree.edge_entries[edge]):
            sums[i] += sign * each * found.value[edge]
            mass[i] += each * tree.row_chance[row]


@kernel(inline="late")
def highest_mean(sums: Array, mass: Array, low: int, high: int) -> float:
    """The highest mean of the actions low..high-1; minus infinity if none of them occurs."""
    highest = -np.inf
    for i in range(low, high):
        if mass[i] > 0.0:
            highest = max(highest, sums[i] / mass[i])
    return highest


@kernel(inline="late")
def mark_highest(sums: Array, mass: Array, low: int, high: int, tie: float, best: Array) -> None:
    """Set best[i] to 1 for the actions low..high-1 that tie for the highest mean."""
    highest = highest_mean(sums, mass, low, high)
    for i in range(low, high):
        best[i] = mass[i] > 0.0 and sums[i] / mass[i] >= highest - tie
