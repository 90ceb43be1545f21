"""A merged tree for policies that depend only on the decision type: histories that differ in chance alone become one.

A mixed policy has one distribution for each decision type, and random play has one for each menu. So histories with the
same decisions, menus and actions are played with the same probabilities, whatever the cards, and their payoffs can be
added up before any policy is evaluated. `merged` makes this tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.axes.exact.tree import Array, Tree
from antemill.engine.kernel import kernel
from antemill.engine.machine.chance import chain, mix64


class Merged(NamedTuple):
    """A tree in which histories that differ in chance alone are merged; columns as in `Tree`."""

    row_edge: Array
    row_first: Array
    row_type: Array
    row_menu: Array
    row_chance: Array  # the sum over the histories
    edge_action: Array
    edge_entries: Array
    edge_chips: Array  # float64[edges] the sum over the ends directly below of their chance times Alice's payoff


@kernel(allocates=True)
def merged(tree: Tree) -> Merged:
    """The tree in which histories that differ in chance alone are merged."""
    rows, edges, row_of, edge_of = _number(tree)
    found = Merged(
        np.empty(rows, np.int32),
        np.empty(rows + 1, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.zeros(rows),
        np.zeros(edges, np.int32),
        np.ones(edges, np.int32),
        np.zeros(edges),
    )
    found.row_first[rows] = edges
    for row in range(len(tree.row_edge)):
        new = row_of[row]
        if found.row_chance[new] == 0.0:
            first = edge_of[tree.row_first[row]]
            found.row_edge[new] = edge_of[tree.row_edge[row]]
            found.row_first[new] = first
            found.row_type[new] = tree.row_type[row]
            found.row_menu[new] = tree.row_menu[row]
            for edge in range(tree.row_first[row], tree.row_first[row + 1]):
                found.edge_action[edge_of[edge]] = tree.edge_action[edge]
                found.edge_entries[edge_of[edge]] = tree.edge_entries[edge]
        found.row_chance[new] += tree.row_chance[row]
    for i in range(len(tree.end_edge)):
        found.edge_chips[edge_of[tree.end_edge[i]]] += tree.end_chance[i] * tree.end_payoff[i]
    return found


@kernel(allocates=True)
def _number(tree: Tree) -> tuple[int, int, Array, Array]:
    """The numbers of rows and edges after merging; int32[rows] and int32[edges]: the new number of each."""
    size = 2
    while size <= 2 * len(tree.row_edge):
        size *= 2
    slots, keys = np.full(size, -1, np.int32), np.empty(len(tree.row_edge), np.int64)
    first = np.empty(len(tree.row_edge), np.int32)
    row_of, edge_of = np.empty(len(tree.row_edge), np.int32), np.zeros(len(tree.edge_row), np.int32)
    rows, edges = 0, 1
    for row in range(len(tree.row_edge)):
        low, high = tree.row_first[row], tree.row_first[row + 1]
        key = chain(tree.row_word[row], (edge_of[tree.row_edge[row]] << 32) | tree.row_type[row])
        key = mix64(chain(key, high - low))
        slot = key & (size - 1)
        while slots[slot] >= 0 and keys[slots[slot]] != key:
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot], keys[rows], first[rows] = rows, key, edges
            rows, edges = rows + 1, edges + high - low
        row_of[row] = slots[slot]
        for i in range(high - low):
            edge_of[low + i] = first[slots[slot]] + i
    return rows, edges, row_of, edge_of


@kernel(inline="late")
def play_mixed(tree: Tree | Merged, row: int, weights: Array, odds: Array, total: Array) -> None:
    """Write the probabilities with which mixed policies go on from a row; uniform where all their weights are 0.

    weights: float64[all actions, policies]. odds: float64[edges, policies]. total: workspace, float64[policies].
    """
    first, last, policies = tree.row_first[row], tree.row_first[row + 1], len(total)
    for k in range(policies):
        total[k] = 0.0
    for edge in range(first, last):
        action, entries = tree.edge_action[edge], tree.edge_entries[edge]
        for k in range(policies):
            odds[edge, k] = weights[action, k]
        for i in range(action + 1, action + entries):
            for k in range(policies):
                odds[edge, k] += weights[i, k]
        for k in range(policies):
            total[k] += odds[edge, k]
    for edge in range(first, last):
        alike = tree.edge_entries[edge] / tree.row_menu[row]
        for k in range(policies):
            odds[edge, k] = odds[edge, k] / total[k] if total[k] > 0.0 else alike
