"""The decisions and ends of a game's tree, enumerated by the machine that plays it.

Rows are decisions in the order of a depth-first walk. An edge is one of a row's distinct branches, and the edges of a
row have consecutive numbers above those of every row before it. So a loop over the rows, up or down, is a traversal.
Chance has no nodes: the probability of its outcomes is stored at the row or end to which they lead.

Bids above the stack lead to the same play, so they are one edge with several entries: random play chooses each entry of
a menu with the same probability, and an axis that compares actions counts each of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import (
    STACK_FULL,
    branch_weight,
    fill_outcomes,
    next_branch,
    next_child,
    root_state,
)
from antemill.engine.machine.chance import below, key_of
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.observe import context_key, info_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.together import payoff
from antemill.engine.machine.vm import advance, menu_action
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.seeding import Domain

Array = npt.NDArray[Any]
_TOO_LARGE, _BUFFERS_FULL = -3, -4  # in place of the number of nodes
_LEVELS, _NODES = 64, 1 << 15  # initial capacity of the buffers, for the tree of a small game
_PLAYS = 128  # random plays of an estimate


class Tree(NamedTuple):
    """Rows, edges and ends. Edge 0 is the way to the game's first decision, which belongs to no row."""

    row_edge: Array  # int32[rows] the last edge on the way here
    row_first: Array  # int32[rows + 1] the row's edges are row_first[i] .. row_first[i + 1] - 1
    row_type: Array  # int32[rows] decision type
    row_menu: Array  # int32[rows] entries of the menu
    row_word: Array  # int64[rows] the menu in a word: a mask of options, or a negative number for amounts
    row_chance: Array  # float64[rows] the probability of the chance outcomes on the way here
    row_info: Array  # int64[rows] key of the information state
    row_context: Array  # int64[rows] key of its coarse part
    edge_row: Array  # int32[edges] the row; -1 for edge 0
    edge_action: Array  # int32[edges] index of its first entry in the flat table of all actions
    edge_entries: Array  # int32[edges] the number of entries of the menu that it merges
    edge_end: Array  # int32[edges] the first end below
    edge_ends: Array  # int32[edges] the number of ends below
    end_edge: Array  # int32[ends] the last edge on the way here
    end_payoff: Array  # int64[ends] Alice's payoff in chips
    end_chance: Array  # float64[ends] the probability of the chance outcomes on the way here
    nodes: int  # of the whole tree, including those of chance

    def __repr__(self) -> str:
        return f"<Tree: {self.nodes:,} nodes, {len(self.row_edge):,} of them decisions>"


def tree_of(program: Program, limit: int) -> Tree | None:
    """The tree of a game; None if it has more than `limit` nodes, chance and ends among them.

    Entries of menus that lead to the same node (bids above the stack) each count towards the limit. The tree is not
    enumerated if an estimate from 128 plays is above twice the limit, since a walk up to the limit takes longer than
    all episodes of the precise tier.
    """
    root = root_state(program)
    root[at.CHOICE] = 0
    likely = _estimate(program.code, root, _PLAYS, key_of(0, Domain.GATE))
    if likely > 2 * limit:
        return None
    levels, room = _LEVELS, min(_NODES if 2 * likely < _NODES else limit, limit)
    while True:
        stack = np.empty((levels, at.SIZE), np.int64)
        stack[:] = root
        tree, path = _empty(room), np.zeros((levels, 2), np.int64)
        nodes, rows, edges, ends = _enumerate(
            program.code, program.action_offsets, stack, path, np.ones(levels), tree, room, room < limit
        )
        if nodes == STACK_FULL:
            levels *= 4
        elif nodes == _BUFFERS_FULL:
            room = limit
        else:
            return None if nodes == _TOO_LARGE else _cut(tree, nodes, rows, edges, ends)


@kernel(allocates=True)
def _estimate(code: Array, root: Array, plays: int, key: int) -> float:
    """About how many nodes the tree has (Knuth, "Estimating the efficiency of backtrack programs", 1975).

    A play takes every branch with equal probability. Each of its nodes counts with the product of the numbers of
    branches on the way to it.
    """
    state, outcome, probability = root.copy(), np.empty(MAX_CARDS, np.int64), np.empty(MAX_CARDS)
    total, draw = 0.0, 0
    for _ in range(plays):
        copy_state(root, state)
        alike = 1.0
        while state[at.STOP] != OVER:
            entries, width = state[at.MENU], 0
            if state[at.STOP] == CHANCE:
                entries = width = fill_outcomes(code, state, outcome, probability)
                state[at.CHOICE] = outcome[below(key, draw, width)]
            else:
                while next_branch(code, state, width) >= 0:
                    width += 1
                state[at.CHOICE] = below(key, draw, width)
            total, alike, draw = total + alike * entries, alike * width, draw + 1
            advance(code, state)
    return 1.0 + total / plays


def _empty(room: int) -> Tree:
    """Buffers for a tree. room: their capacity in nodes."""

    def of(kind: type, extra: int = 0) -> Array:
        return np.empty(room + extra, kind)

    return Tree(
        row_edge=of(np.int32),
        row_first=of(np.int32, 1),
        row_type=of(np.int32),
        row_menu=of(np.int32),
        row_word=of(np.int64),
        row_chance=of(np.float64),
        row_info=of(np.int64),
        row_context=of(np.int64),
        edge_row=of(np.int32, 1),
        edge_action=of(np.int32, 1),
        edge_entries=of(np.int32, 1),
        edge_end=of(np.int32, 1),
        edge_ends=of(np.int32, 1),
        end_edge=of(np.int32),
        end_payoff=of(np.int64),
        end_chance=of(np.float64),
        nodes=0,
    )


def _cut(tree: Tree, nodes: int, rows: int, edges: int, ends: int) -> Tree:
    """The used parts of the buffers."""
    sizes = [rows, rows + 1, *[rows] * 6, *[edges] * 5, *[ends] * 3]
    columns = [column[:size] for column, size in zip(tree[:-1], sizes, strict=True)]
    return Tree._make([*columns, nodes])


@kernel(inline="late")
def _row(tree: Tree, row: int, edges: int, state: Array, offsets: Array, edge: int, chance: float) -> int:
    """Record the decision at which the state has stopped; returns the next free edge, or -1 if the buffers are full."""
    seat, decision, menu, mask = state[at.SEAT], state[at.DECISION], state[at.MENU], state[at.MENU_MASK]
    ways = menu
    if mask == 0:
        ways = min(menu, max(1, state[at.CHIPS + seat] - state[at.MENU_LOW] + 1))
    if edges + ways > len(tree.edge_row):
        return -1
    context = context_key(state, seat, decision)
    tree.row_edge[row] = edge
    tree.row_first[row] = edges
    tree.row_type[row] = decision
    tree.row_menu[row] = menu
    tree.row_word[row] = mask if mask != 0 else ~((state[at.MENU_LOW] << 32) | menu)
    tree.row_chance[row] = chance
    tree.row_context[row] = context
    tree.row_info[row] = info_key(state, seat, context)
    for i in range(ways):
        tree.edge_row[edges + i] = row
        tree.edge_action[edges + i] = offsets[decision] + menu_action(state, i)
        tree.edge_entries[edges + i] = 1 if i < ways - 1 else menu - ways + 1
        tree.edge_ends[edges + i] = 0
    return int(edges + ways)


@kernel
def _enumerate(
    code: Array, offsets: Array, stack: Array, path: Array, chances: Array, tree: Tree, limit: int, more: bool
) -> tuple[int, int, int, int]:
    """Record the tree below the stack's first row; returns the numbers of nodes, rows, edges and ends.

    In place of the number of nodes it returns STACK_FULL, _BUFFERS_FULL, or _TOO_LARGE for more than `limit` nodes.
    path: int64[levels, 2], for each state on the path its last edge and its row. chances: float64[levels], the
    probability of the chance outcomes on the way to each state.
    """
    level, nodes, rows, edges, ends, merged = 0, 0, 0, 1, 0, 0
    tree.edge_row[0], tree.edge_action[0], tree.edge_entries[0], tree.edge_end[0], tree.edge_ends[0] = -1, 0, 1, 0, 0
    path[0, 0] = 0
    full = _BUFFERS_FULL if more else _TOO_LARGE
    while True:
        state, nodes = stack[level], nodes + 1
        if nodes + merged > limit:
            return full, 0, 0, 0
        if state[at.STOP] == OVER:
            tree.end_edge[ends] = path[level, 0]
            tree.end_payoff[ends] = payoff(state)
            tree.end_chance[ends] = chances[level]
            ends += 1
        elif state[at.STOP] != CHANCE:
            path[level, 1] = rows
            edges = _row(tree, rows, edges, state, offsets, path[level, 0], chances[level])
            if edges < 0:
                return full, 0, 0, 0
            merged += state[at.MENU] - edges + tree.row_first[rows]
            rows += 1
        level = next_child(code, stack, level)
        if level < 0:
            break
        parent, child = stack[level - 1], stack[level]
        index = child[at.CHOICE]
        if parent[at.STOP] == CHANCE:
            path[level, 0] = path[level - 1, 0]
            chances[level] = chances[level - 1] * branch_weight(code, parent, index) / parent[at.MENU]
        else:
            edge = tree.row_first[path[level - 1, 1]] + index
            tree.edge_end[edge] = ends
            path[level, 0], chances[level] = edge, chances[level - 1]
        advance(code, child)
        child[at.CHOICE] = 0
    if level == STACK_FULL:
        return STACK_FULL, 0, 0, 0
    tree.row_first[rows] = edges
    for i in range(ends):
        tree.edge_ends[tree.end_edge[i]] += 1
    for row in range(rows - 1, -1, -1):
        below = 0
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            below += tree.edge_ends[edge]
        tree.edge_ends[tree.row_edge[row]] += below
    return nodes, rows, edges, ends
