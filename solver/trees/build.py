"""Building the extensive form of a program: the machine that plays the game enumerates all ways to play it.

The order of nodes, information sets and sequences is that of `antemill.solver.game`. Outcomes that no rule
distinguishes are one branch (`antemill.engine.machine.branches`). Information sets are those of perfect recall: two
nodes are in the same set if the player has seen the same events (`antemill.engine.machine.observe.recall_key`).

Building verifies that the recall is perfect and that no two information sets share a key: see
`antemill.solver.trees.numbering`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from antemill.engine.arguments import whole
from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import (
    STACK_FULL,
    WALKED,
    branch_weight,
    count_nodes,
    next_branch,
    next_child,
    walk_tree,
)
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff
from antemill.engine.machine.vm import advance
from antemill.engine.storage.memory import free_memory
from antemill.solver.game import END, NATURE, Array, ExtensiveForm
from antemill.solver.trees.estimate import tree_size
from antemill.solver.trees.numbering import FAULTS, Met, contradiction, grown, is_full, meet, none_met, number_sets

NODE_LIMIT = 60_000_000  # largest tree, in nodes, that is built by default
_UNCOUNTED = 1 << 18  # nodes of a tree that is built without being counted first
# Bytes at the peak: of a set while sets are numbered, and afterwards; of an end that pays while the payoff matrix is
# made, and of one of its entries afterwards; of a sequence while it is solved.
_NUMBERING, _SET, _END, _MATRIX, _SEQUENCE = 16, 22, 28, 24, 44
_MARGIN = 1.15  # eight games took up to 1.11 times what their first 262,144 nodes say
MOST_NUMBERS = (1 << 31) - 1  # largest number of a node, which has 32 bits

_SETS_FULL, _NODES_FULL = -4, -7  # instead of the number of nodes, like the numbers below 0 of `walk` and `numbering`
_NEXT, _NODE, _FIRST, _BEFORE, _WORDS = 0, 1, 2, 3, 5  # of a row of the path, see `_walk`


class Columns(NamedTuple):
    """The records of the walk over a tree; each array has one entry per node."""

    player: Array  # int8
    content: Array  # int32 as in `ExtensiveForm`, but the number of a set as it was met, and at an END the chips
    weight: Array  # int16


@kernel(inline="late")
def _open(
    code: np.ndarray, stack: np.ndarray, level: int, columns: Columns, met: Met, path: np.ndarray, free: int
) -> int:
    """Write down the state in a row of the stack, and number its children from `free` on.

    Returns the next free number, _NODES_FULL, or what `meet` says is wrong.
    """
    state, node = stack[level], path[level, _NODE]
    path[level, _NEXT] = path[level, _FIRST] = free
    columns.player[node] = END
    if state[at.STOP] == OVER:
        columns.content[node] = payoff(state)
        return free
    child = free
    index = next_branch(code, state, 0)
    while index >= 0:
        if child >= len(columns.weight):
            return _NODES_FULL
        columns.weight[child] = branch_weight(code, state, index)
        child += 1
        index = next_branch(code, state, index + 1)
    columns.content[node] = child - free
    columns.player[node] = NATURE
    if state[at.STOP] == DECIDE:
        seat, mask = state[at.SEAT], state[at.MENU_MASK]
        menu = mask if mask != 0 else ~((state[at.MENU_LOW] << 32) | (child - free))
        key = recall_key(state, seat, state[at.DECISION])
        number = meet(met, seat, key, menu, state[at.DECISION], child - free, path[level, _BEFORE + seat], node)
        if number < 0:
            return number
        columns.content[node] = number
        columns.player[node] = seat
    return child


@kernel
def _walk(code: np.ndarray, stack: np.ndarray, path: np.ndarray, columns: Columns, met: Met, cursor: np.ndarray) -> int:
    """Write down the tree below the state in the stack's first row.

    Returns how many nodes it has; STACK_FULL; _NODES_FULL, if the columns are too short; what `meet` says is wrong; or
    _SETS_FULL: called with more capacity for sets, and all else as it is, it continues where it was.

    path: int64[rows of the stack, _WORDS] for each state on the current path the node of its next child, its node, its
    first child and each player's last sequence, as `met` numbers them. cursor: int64[2], zeros; the row of the stack
    and the next free number.
    """
    level, free = cursor[0], cursor[1]
    if free == 0:
        path[0] = 0
        free = _open(code, stack, 0, columns, met, path, 1)
        if free < 0:
            return free
    while True:
        if is_full(met):
            cursor[0], cursor[1] = level, free
            return _SETS_FULL
        level = next_child(code, stack, level)
        if level < 0:
            return free if level == WALKED else STACK_FULL
        above, here = path[level - 1], path[level]
        parent, node = above[_NODE], above[_NEXT]
        above[_NEXT] = node + 1
        here[_NODE], here[_BEFORE], here[_BEFORE + 1] = node, above[_BEFORE], above[_BEFORE + 1]
        who = columns.player[parent]
        if who < NATURE:
            here[_BEFORE + who] = met.first[columns.content[parent]] + node - above[_FIRST]
        advance(code, stack[level])
        stack[level, at.CHOICE] = 0
        free = _open(code, stack, level, columns, met, path, free)
        if free < 0:
            return free


def build_tree(program: Program, limit: int = NODE_LIMIT) -> ExtensiveForm:
    """A game's tree.

    Raises UsageError before anything is built if the tree has more than `limit` nodes. Raises it during building, as
    early as possible, if the tree would need more memory than the machine has. Raises RuntimeError if the keys do not
    give perfect recall, which would be a bug.
    """
    limit = whole(limit, "limit")
    part = _enumerate(program, min(limit, _UNCOUNTED), lambda _: None) if limit > 0 else None
    if part is None or not part.complete:
        nodes, free = count_nodes(program, limit), free_memory()
        _check_size(program, nodes, limit)

        def check(part: Part) -> None:
            _check_memory(program.names.game, part, nodes, free)

        if part is not None:
            check(part)
            del part  # frees its columns
        part = _enumerate(program, nodes, check)
        if not part.complete:
            raise RuntimeError(f"{program.names.game}: its tree has more nodes than were counted")
    columns, met = part.columns, part.met
    del part
    sets, number = number_sets(met)
    paid = np.zeros(2, np.int64)
    _range_of_payoffs(columns, paid)
    _renumber(columns, number, paid[0])
    payoffs = np.arange(paid[0], paid[1] + 1, dtype=np.float64)
    return ExtensiveForm(program.names.game, program.digest, *columns, payoffs, sets)


class Part(NamedTuple):
    """The part of a tree that has been built, or all of it."""

    columns: Columns
    met: Met
    nodes: int  # written
    complete: bool = False

    def bytes_a_node(self) -> float:
        """The bytes of a node at the peak of solving the tree, if all of it is like this part.

        While it is built: the columns, the sets that were met with their spare capacity, and their numbering. Then the
        sets, and either all ends that pay something, or the payoff matrix and the learners' numbers.
        """
        sets, sequences = self.met.sizes
        paying = _paying(self.columns, self.nodes)
        columns = sum(column.itemsize for column in self.columns) * self.nodes
        building = columns + sum(column.nbytes for column in self.met) + _NUMBERING * sets
        solving = _SET * sets + _MATRIX * paying + _SEQUENCE * sequences
        return _MARGIN * max(building, columns + _SET * sets + _END * paying, solving) / max(1, self.nodes)


@kernel
def _paying(columns: Columns, nodes: int) -> int:
    """How many of the first nodes are ends that pay something."""
    found = 0
    for node in range(nodes):
        found += columns.player[node] == END and columns.content[node] != 0
    return found


def _check_size(program: Program, nodes: int, limit: int) -> None:
    """Raise UsageError if a tree with this many nodes must not be built."""
    if nodes > min(limit, MOST_NUMBERS):
        raise UsageError(
            f"the tree of {program.names.game} has about {tree_size(program):.2g} nodes, and the limit is "
            f"{min(limit, MOST_NUMBERS):,}: {_INSTEAD}, or raise the limit."
        )


_INSTEAD = "solve an abstraction of it (--abstraction default) or sample it (--algorithm mccfr)"


def _check_memory(game: str, part: Part, nodes: int, free: int) -> None:
    """Raise UsageError if the whole tree would need more than the memory that was free, in bytes, when it was begun."""
    each = part.bytes_a_node()
    if nodes * each > free:
        raise UsageError(
            f"the tree of {game} has {nodes:,} nodes, and its first {part.nodes:,} take {each:.0f} bytes each: all "
            f"would take about {nodes * each / 1e9:.2g} GB of memory, and {free / 1e9:.2g} GB are free: {_INSTEAD}."
        )


def _enumerate(program: Program, capacity: int, check: Callable[[Part], None]) -> Part:
    """The program's tree, or the part of it that `capacity` nodes hold. check: called with the part so far whenever
    the sets need more memory."""
    columns = Columns(*(np.empty(capacity, kind) for kind in (np.int8, np.int32, np.int16)))
    columns.weight[:1] = 1
    met, cursor = none_met(), np.zeros(2, np.int64)

    def walk(stack: Array) -> int:
        nonlocal met
        met, path, found = none_met(), np.zeros((len(stack), _WORDS), np.int64), 0
        cursor[:] = 0
        while (found := _walk(program.code, stack, path, columns, met, cursor)) == _SETS_FULL:
            check(Part(columns, met, int(path[cursor[0], _NODE])))
            met = grown(met)
        return int(found)

    written = walk_tree(program, walk)
    if written in FAULTS:
        raise contradiction(program.names.game, met, written)
    if written == _NODES_FULL:
        return Part(columns, met, capacity)
    if written < capacity:
        columns = Columns(*(column[:written].copy() for column in columns))
    return Part(columns, met, written, complete=True)


@kernel
def _range_of_payoffs(columns: Columns, paid: np.ndarray) -> None:
    """Write the smallest payoff and the largest one to `paid`, int64[2], if one is below 0 and one above."""
    for node in range(len(columns.player)):
        if columns.player[node] == END:
            paid[0] = min(paid[0], columns.content[node])
            paid[1] = max(paid[1], columns.content[node])


@kernel
def _renumber(columns: Columns, number: np.ndarray, least: int) -> None:
    """Replace the numbers of sets, and count payoffs from `least` on."""
    for node in range(len(columns.player)):
        if columns.player[node] == END:
            columns.content[node] -= least
        elif columns.player[node] < NATURE:
            columns.content[node] = number[columns.content[node]]
