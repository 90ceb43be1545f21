"""Building the extensive form of a program: the machine that plays the game enumerates all ways to play it.

The order of nodes, information sets and sequences is that of `solver.game`. Outcomes that no rule tells apart are one
branch (`engine.machine.branches`). Information sets are those of perfect recall: two nodes are in the same set if the
player has been told the same (`engine.machine.observe.recall_key`), or if asked for the same but for names of suits
(`solver.trees.suits`).

Building proves that the recall is perfect and that no two information sets share a key. For that it checks that all
nodes of a set have the same decision type, the same menu and the same last sequence of the player.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from engine.errors import UsageError
from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.branches import STACK_FULL, WALKED, branch_weight, next_branch, next_child
from engine.machine.layout import DECIDE, OVER
from engine.machine.program import Program
from engine.machine.rollout import payoff
from engine.text.labels import SEATS
from solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets
from solver.trees.abstraction import Abstraction
from solver.trees.suits import Suits
from solver.trees.walk import JOURNAL_FULL, count_with, go_on, key_at, renaming, tree_digest, walk_with

NODE_LIMIT = 10_000_000
BYTES_A_NODE = 100  # at the peak, building and solving; 70 to 90 were seen with trees of 6 to 10 million nodes


class Columns(NamedTuple):
    """What the walk over a tree writes down; each array has one entry per node."""

    player: Array  # int8
    first: Array  # int32
    width: Array  # int32
    weight: Array  # int16
    chance: Array  # float64
    payoff: Array  # int32
    key: Array  # int64 at a decision: recall key
    menu: Array  # int64 at a decision: mask of the actions, or the complement of (lowest amount, number of amounts)
    decision: Array  # int16
    own: Array  # int32[2, nodes] for each player the child that the player's last choice led to; 0 before the first one


@kernel
def _open(
    code: np.ndarray,
    stack: np.ndarray,
    ears: np.ndarray,
    level: int,
    suits: Suits,
    columns: Columns,
    node: int,
    free: int,
) -> int:
    """Write down the state in a row of the stack as `node`, and number its children from `free` on.

    Returns the next free number.
    """
    state = stack[level]
    columns.first[node] = free
    columns.width[node] = 0
    columns.payoff[node] = 0
    columns.player[node] = END
    if state[at.STOP] == OVER:
        columns.payoff[node] = payoff(state)
        return free
    player = state[at.SEAT] if state[at.STOP] == DECIDE else NATURE
    child = free
    index = next_branch(code, state, 0)
    while index >= 0:
        weight = branch_weight(code, state, index)
        columns.weight[child] = weight
        columns.chance[child] = columns.chance[node] * (weight / state[at.MENU] if player == NATURE else 1.0)
        for seat in range(2):
            columns.own[seat, child] = child if player == seat else columns.own[seat, node]
        child += 1
        index = next_branch(code, state, index + 1)
    columns.player[node] = player
    columns.width[node] = child - free
    if player != NATURE:
        mask = state[at.MENU_MASK]
        columns.key[node] = key_at(stack, ears, level, suits, 0)
        columns.menu[node] = mask if mask != 0 else ~((state[at.MENU_LOW] << 32) | (child - free))
        columns.decision[node] = state[at.DECISION]
    return child


@kernel
def _walk(
    code: np.ndarray, stack: np.ndarray, ears: np.ndarray, path: np.ndarray, suits: Suits, columns: Columns
) -> int:
    """Write down the tree below the state in the stack's first row.

    Returns how many nodes it has, or STACK_FULL or JOURNAL_FULL.

    path: int64[rows of the stack], room for the number of the next child of each state on the current path.
    """
    level, free = 0, _open(code, stack, ears, 0, suits, columns, 0, 1)
    path[0] = 1
    while True:
        level = next_child(code, stack, level)
        if level < 0:
            return free if level == WALKED else STACK_FULL
        node = path[level - 1]
        path[level - 1] += 1
        path[level] = free
        if not go_on(code, stack, ears, level, suits, 0):
            return JOURNAL_FULL
        free = _open(code, stack, ears, level, suits, columns, node, free)


def build_tree(program: Program, limit: int = NODE_LIMIT, abstraction: Abstraction = Abstraction.NONE) -> ExtensiveForm:
    """The program's game tree; under `Abstraction.SUITS` with histories as one that differ in names of suits alone.
    Any other abstraction is laid over the tree later, and changes nothing here.

    Raises UsageError, before anything is built, if the tree has more than `limit` nodes, or would need more memory than
    the machine has; RuntimeError if the keys do not give perfect recall, which would be a mistake of ours.
    """
    suits = renaming(program, abstraction)
    nodes = count_with(program, suits, limit)
    _check_size(program, nodes, limit)
    columns = _enumerate(program, nodes, suits)
    information_set = np.full(nodes, -1, np.int32)
    sets = []
    for seat in (ALICE, BOB):
        mine = information_sets(columns, seat, information_set)
        _check(f"{program.names.game}: %s of {SEATS[seat]} %s", columns, seat, mine, information_set)
        sets.append(mine)
    return ExtensiveForm(
        program.names.game,
        tree_digest(program, suits),
        *(columns.player, columns.first, columns.width, columns.weight, columns.chance, columns.payoff),
        information_set,
        columns.own,
        (sets[0], sets[1]),
    )


def _check_size(program: Program, nodes: int, limit: int) -> None:
    """Raise UsageError if a tree of so many nodes is not to be built."""
    instead = "solve an abstraction of it (--abstraction default) or sample it (--algorithm mccfr)"
    if nodes > limit:
        raise UsageError(
            f"the tree of {program.names.game} has more than {limit:,} nodes: {instead}, or raise the limit "
            f"(a million nodes take about {BYTES_A_NODE} MB)."
        )
    if nodes * BYTES_A_NODE > physical_memory():
        raise UsageError(
            f"the tree of {program.names.game} has {nodes:,} nodes, which take about "
            f"{nodes * BYTES_A_NODE / 1e9:.1f} GB of memory, more than this machine has: {instead}."
        )


def physical_memory() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _enumerate(program: Program, nodes: int, suits: Suits) -> Columns:
    """The columns of the program's tree, which has so many nodes."""
    i32 = [np.ones(nodes, np.int32) for _ in range(3)]
    own = np.zeros((2, nodes), np.int32)
    columns = Columns(
        player=np.empty(nodes, np.int8),
        first=i32[0],
        width=i32[1],
        weight=np.ones(nodes, np.int16),
        chance=np.ones(nodes),
        payoff=i32[2],
        key=np.zeros(nodes, np.int64),
        menu=np.zeros(nodes, np.int64),
        decision=np.zeros(nodes, np.int16),
        own=own,
    )

    def walk(stack: Array, ears: Array) -> int:
        return int(_walk(program.code, stack, ears, np.zeros(len(stack), np.int64), suits, columns))

    written = walk_with(program, suits, walk)
    if written != nodes:
        raise RuntimeError(f"{program.names.game}: {nodes} nodes were counted and {written} found")
    return columns


def information_sets(columns: Columns, seat: int, information_set: Array) -> InformationSets:
    """A player's information sets, numbered depth first.

    Writes the number of each node's set to `information_set`, int32[nodes], where the player acts. What `columns.own`
    has of the player becomes the player's last sequence on the way to each node.
    """
    found = np.flatnonzero(columns.player == seat).astype(np.int32)
    keys, places, sets = np.unique(columns.key[found], return_index=True, return_inverse=True)
    heads, sets, own = found[places], sets.astype(np.int32), columns.own[seat]
    led = np.zeros(len(own), np.int32)  # per node a mark, if a choice of the player leads here, else 0
    _mark_choices(columns, found, sets, np.arange(1, len(keys) + 1, dtype=np.int32), 0, led)
    number = _depth_first(np.argsort(heads), led[own[heads]] - 1)
    order = np.argsort(number)
    heads = heads[order]
    start = np.ones(len(keys) + 1, np.int32)
    start[1:] += np.cumsum(columns.width[heads], dtype=np.int32)
    information_set[found] = number[sets]
    _mark_choices(columns, found, information_set[found], start, 1, led)
    _replace(own, led)
    return InformationSets(keys[order], columns.decision[heads], heads, own[heads], start)


@kernel
def _replace(places: Array, values: Array) -> None:
    """Replace each place by the value that stands there."""
    for i in range(len(places)):
        places[i] = values[places[i]]


@kernel
def _mark_choices(columns: Columns, found: Array, sets: Array, marks: Array, step: int, led: Array) -> None:
    """Mark the children of the nodes `found` in `led`, int32[nodes].

    The first child of a node gets the mark of the node's set, each further one a mark that is `step` higher.
    """
    for i in range(len(found)):
        for k in range(columns.width[found[i]]):
            led[columns.first[found[i]] + k] = marks[sets[i]] + step * k


def _depth_first(order: Array, parent: Array) -> Array:
    """int32[sets]: the number of each set when they are numbered depth first.

    order: the sets in the order in which they appear. parent: the set before each set on the player's way, or -1.
    """
    number, size = np.empty(len(order), np.int32), np.ones(len(order), np.int32)
    _number_depth_first(order, parent, size, np.zeros(len(order) + 1, np.int32), number)
    return number


@kernel
def _number_depth_first(order: Array, parent: Array, size: Array, free: Array, number: Array) -> None:
    """Write the numbers to `number`, int32[sets].

    size: ones; it becomes the number of sets in the subtree of each set. free: the next free number in the subtree of
    each set; its last entry, which index -1 reaches, is that of the sets without a parent.
    """
    for j in range(len(order) - 1, -1, -1):
        if parent[order[j]] >= 0:
            size[parent[order[j]]] += size[order[j]]
    for i in order:
        number[i] = free[parent[i]]
        free[parent[i]] += size[i]
        free[i] = number[i] + 1


def _check(message: str, columns: Columns, seat: int, mine: InformationSets, information_set: Array) -> None:
    """Raise RuntimeError if the nodes of an information set differ in what the player faces or has done before."""
    found = np.flatnonzero(columns.player == seat).astype(np.int32)
    sets = information_set[found]
    head = mine.head[sets]
    checks = (
        ("has nodes with different menus", (columns.menu, columns.decision, columns.width)),
        ("forgets what the player did before", (columns.own[seat],)),
    )
    for what, compared in checks:
        for column in compared:
            wrong = np.flatnonzero(column[found] != column[head])
            if len(wrong):
                raise RuntimeError(message % (f"information set {sets[wrong[0]] + 1}", what))
