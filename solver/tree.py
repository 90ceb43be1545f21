"""The whole game tree of a program as flat arrays: one more driver of the machine.

Nodes are numbered depth first, the children of a node consecutively, so a child's number is above its parent's and one
loop over the numbers, up or down, is a traversal. Outcomes that no rule tells apart are one branch (`engine.branches`).
Information sets are those of perfect recall (`engine.observe.recall_key`). They form a forest per player, since each is
reached through one sequence of own choices, and are numbered depth first, by appearance where the forest leaves it
open: a set and those below it have consecutive numbers. A player's sequences are numbered from 1 on, set by set and
action by action; 0 is the empty sequence.

Building proves that the recall is perfect and that no two information sets share a key: all nodes of a set must have
the same decision type, the same menu and the same last own sequence.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine import layout as at
from engine.branches import branch_weight, count_nodes, next_branch, root_state
from engine.describe import SEATS
from engine.errors import UsageError
from engine.kernel import kernel
from engine.layout import DECIDE, OVER
from engine.observe import recall_key
from engine.program import Program
from engine.rollout import payoff
from engine.vm import advance

Array = npt.NDArray[Any]

ALICE, BOB, NATURE, END = 0, 1, 2, 3  # who acts at a node
NODE_LIMIT = 10_000_000
BYTES_A_NODE = 100  # at the peak, building and solving; 80 to 90 were seen with trees of 8 to 10 million nodes
_ROOM = 256  # questions in a row; a longer game is walked again with more room


class InformationSets(NamedTuple):
    """One player's information sets, numbered depth first: a set comes right before those that it leads to."""

    key: Array  # int64[sets] recall key
    decision: Array  # int16[sets] decision type
    head: Array  # int32[sets] first node
    past: Array  # int32[sets] the player's last sequence before the set
    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1

    @property
    def size(self) -> int:
        """Number of information sets."""
        return len(self.key)

    @property
    def sequences(self) -> int:
        """Number of sequences, the empty one included."""
        return int(self.start[-1])


@dataclass(frozen=True, eq=False)
class ExtensiveForm:
    """A game tree. Payoffs are Alice's chips; Bob's are the negative, so every tree is zero-sum."""

    game: str
    digest: str  # of the program
    player: Array  # int8[nodes] ALICE, BOB, NATURE or END
    first: Array  # int32[nodes] first child; the others follow
    width: Array  # int32[nodes] number of children
    weight: Array  # int32[nodes] how many equally likely outcomes lead here from a NATURE parent; else 1
    chance: Array  # float64[nodes] probability of all of nature's outcomes from the root to here
    payoff: Array  # int32[nodes] at an END Alice's chips, else 0
    information_set: Array  # int32[nodes] number among its player's sets; -1 at NATURE and END
    sequence: Array  # int32[2, nodes] each player's last sequence on the way to here
    sets: tuple[InformationSets, InformationSets]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.player)

    def count(self, player: int) -> int:
        """Number of nodes at which `player` (ALICE, BOB, NATURE, END) acts."""
        return int(np.count_nonzero(self.player == player))


class _Columns(NamedTuple):
    """What the walk writes down, one entry per node."""

    player: Array  # int8
    first: Array  # int32
    width: Array  # int32
    weight: Array  # int32
    chance: Array  # float64
    payoff: Array  # int32
    key: Array  # int64 at a decision: recall key
    menu: Array  # int64 at a decision: mask of the actions, or the complement of (lowest amount, number of amounts)
    decision: Array  # int16
    own: Array  # int32[2, nodes] each player: the child that the last own choice led to; 0 before the first one


@kernel
def _open(code: np.ndarray, state: np.ndarray, columns: _Columns, node: int, free: int) -> int:
    """Write down the stopped state `node` and number its children from `free` on; returns the next free number."""
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
        columns.key[node] = recall_key(state, player, state[at.DECISION])
        columns.menu[node] = mask if mask != 0 else ~((state[at.MENU_LOW] << 32) | (child - free))
        columns.decision[node] = state[at.DECISION]
    return child


@kernel
def _walk(code: np.ndarray, stack: np.ndarray, path: np.ndarray, columns: _Columns) -> int:
    """Write down the tree of the state in the stack's first row; returns its nodes, -1 if the stack is too small.

    A row is a state on the current path, stopped; its CHOICE is the answer to try next, its `path` the child's number.
    """
    level = 0
    path[0] = 1
    free = _open(code, stack[0], columns, 0, 1)
    while level >= 0:
        parent = stack[level]
        index = next_branch(code, parent, parent[at.CHOICE])
        if index < 0:
            level -= 1
            continue
        if level + 1 == len(stack):
            return -1
        node = path[level]
        path[level] += 1
        parent[at.CHOICE] = index + 1
        level += 1
        child = stack[level]
        for i in range(at.CARD_RANK):  # the constants of the game follow
            child[i] = parent[i]
        child[at.CHOICE] = index
        advance(code, child)
        child[at.CHOICE] = 0
        path[level] = free
        free = _open(code, child, columns, node, free)
    return free


def build_tree(program: Program, limit: int = NODE_LIMIT) -> ExtensiveForm:
    """The program's game tree.

    Raises UsageError, before anything is built, if the tree has more than `limit` nodes, or would need more memory than
    the machine has; RuntimeError if the keys do not give perfect recall, which would be a mistake of ours.
    """
    nodes = count_nodes(program, limit)
    _check_size(program, nodes, limit)
    columns = _enumerate(program, nodes)
    information_set = np.full(nodes, -1, np.int32)
    sequence = np.zeros((2, nodes), np.int32)
    sets = []
    for seat in (ALICE, BOB):
        mine = _information_sets(columns, seat, information_set, sequence[seat])
        _check(f"{program.names.game}: %s of {SEATS[seat]} %s", columns, seat, mine, information_set, sequence[seat])
        sets.append(mine)
    return ExtensiveForm(
        program.names.game,
        program.digest,
        *(columns.player, columns.first, columns.width, columns.weight, columns.chance, columns.payoff),
        information_set,
        sequence,
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


def _enumerate(program: Program, nodes: int) -> _Columns:
    """The walk's columns of a tree of so many nodes."""
    i32 = [np.ones(nodes, np.int32) for _ in range(4)]
    own = np.zeros((2, nodes), np.int32)
    columns = _Columns(
        player=np.empty(nodes, np.int8),
        first=i32[0],
        width=i32[1],
        weight=i32[2],
        chance=np.ones(nodes),
        payoff=i32[3],
        key=np.zeros(nodes, np.int64),
        menu=np.zeros(nodes, np.int64),
        decision=np.zeros(nodes, np.int16),
        own=own,
    )
    room, written = _ROOM, -1
    while written < 0:
        stack = np.empty((room, at.SIZE), np.int64)
        stack[:] = root_state(program)
        stack[0, at.CHOICE] = 0
        written = _walk(program.code, stack, np.zeros(room, np.int64), columns)
        room *= 4
    if written != nodes:
        raise RuntimeError(f"{program.names.game}: {nodes} nodes were counted and {written} found")
    return columns


def _information_sets(columns: _Columns, seat: int, information_set: Array, sequence: Array) -> InformationSets:
    """A player's sets; writes each node's set to `information_set`, and to `sequence` the player's last sequence."""
    found = np.flatnonzero(columns.player == seat).astype(np.int32)
    keys, places, sets = np.unique(columns.key[found], return_index=True, return_inverse=True)
    heads, sets, own = found[places], sets.astype(np.int32), columns.own[seat]
    led = np.zeros(len(sequence), np.int32)  # per node: what is asked for, if the player's choice leads here, else 0
    _mark_choices(columns, found, sets, np.arange(1, len(keys) + 1, dtype=np.int32), 0, led)
    number = _depth_first(np.argsort(heads), led[own[heads]] - 1)
    order = np.argsort(number)
    heads = heads[order]
    start = np.ones(len(keys) + 1, np.int32)
    start[1:] += np.cumsum(columns.width[heads], dtype=np.int32)
    information_set[found] = number[sets]
    _mark_choices(columns, found, information_set[found], start, 1, led)
    np.take(led, own, out=sequence)
    return InformationSets(keys[order], columns.decision[heads], heads, sequence[heads], start)


@kernel
def _mark_choices(columns: _Columns, found: Array, sets: Array, marks: Array, step: int, led: Array) -> None:
    """Mark the children of all nodes `found`: the first one with the mark of the node's set, the next `step` higher."""
    for i in range(len(found)):
        for k in range(columns.width[found[i]]):
            led[columns.first[found[i]] + k] = marks[sets[i]] + step * k


def _depth_first(order: Array, parent: Array) -> Array:
    """int32[sets]: new numbers, depth first. order: by appearance; parent: the set passed through before, or -1."""
    number, size = np.empty(len(order), np.int32), np.ones(len(order), np.int32)
    _number_depth_first(order, parent, size, np.zeros(len(order) + 1, np.int32), number)
    return number


@kernel
def _number_depth_first(order: Array, parent: Array, size: Array, free: Array, number: Array) -> None:
    """`free`: the next number below each set, last below none of them."""
    for j in range(len(order) - 1, -1, -1):
        if parent[order[j]] >= 0:
            size[parent[order[j]]] += size[order[j]]
    for i in order:
        number[i] = free[parent[i]]
        free[parent[i]] += size[i]
        free[i] = number[i] + 1


def _check(
    message: str, columns: _Columns, seat: int, mine: InformationSets, information_set: Array, sequence: Array
) -> None:
    """Raise RuntimeError if the nodes of an information set differ in what the player faces or has done before."""
    found = np.flatnonzero(columns.player == seat).astype(np.int32)
    sets = information_set[found]
    head = mine.head[sets]
    checks = (
        ("has nodes with different menus", (columns.menu, columns.decision, columns.width)),
        ("forgets what the player did before", (sequence,)),
    )
    for what, compared in checks:
        for column in compared:
            wrong = np.flatnonzero(column[found] != column[head])
            if len(wrong):
                raise RuntimeError(message % (f"information set {sets[wrong[0]] + 1}", what))
