"""An abstraction of a game tree: which information sets are one set.

The actions of a set are those of its abstract set, in the same order, so an abstract policy is a policy of the real
game: `lift` writes it out for the tree, where `antemill.solver.evaluation.measures` gives its real value and
exploitability. Without an abstraction each set is on its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import next_child, walk_tree
from antemill.engine.machine.observe import context_key, info_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance
from antemill.solver.game import ALICE, BOB, Array, ExtensiveForm, InformationSets, children
from antemill.solver.trees.abstraction import Abstraction, abstract_key

_SPLIT = -4  # instead of WALKED


class AbstractSets(NamedTuple):
    """One player's abstract information sets, numbered in order of appearance, or as the tree's are."""

    key: Array  # int64[abstract sets]
    decision: Array  # int16[abstract sets]
    start: Array  # int32[abstract sets + 1] the set's actions are start[i] .. start[i + 1] - 1
    action: Array  # int32[abstract actions] option number or amount
    of_set: Array  # int32[sets] the abstract set of an information set
    of_sequence: Array  # int32[sequences] the abstract action of a sequence; entry 0, the empty sequence, is 0

    @property
    def size(self) -> int:
        """Number of abstract sets."""
        return len(self.key)

    @property
    def actions(self) -> int:
        """Number of abstract actions."""
        return len(self.action)


AbstractSides = tuple[AbstractSets, AbstractSets]  # Alice's and Bob's


class Description(NamedTuple):
    """What the machine says in each information set of a player."""

    key: Array  # int64[sets] under the abstraction
    context: Array  # int64[sets] `observe.context_key`
    info: Array  # int64[sets] key of the paper's I
    offered: Array  # int32[sets] entries of the menu, bids above the stack among them; 0 before the walk meets the set


class _Shape(NamedTuple):
    """The parts of a tree that the walk reads."""

    player: Array
    content: Array
    start: tuple[Array, Array]


@kernel
def _walk(
    code: np.ndarray,
    stack: np.ndarray,
    path: np.ndarray,
    abstraction: int,
    shape: _Shape,
    found: tuple[Description, Description],
) -> int:
    """Visit all nodes. Returns WALKED or STACK_FULL, or _SPLIT if a set has nodes with different keys.

    path: int64[rows of the stack], overwritten: the number of the next child of each state on the current path.
    """
    level, node, free = 0, 0, 1
    while True:
        path[level], free = free, free + children(shape.player, shape.content, shape.start, node)
        if shape.player[node] <= BOB and not _visit(stack[level], abstraction, shape, found, node):
            return _SPLIT
        level = next_child(code, stack, level)
        if level < 0:
            return level
        node = path[level - 1]
        path[level - 1] += 1
        advance(code, stack[level])
        stack[level, at.CHOICE] = 0


@kernel
def _visit(
    state: np.ndarray, abstraction: int, shape: _Shape, found: tuple[Description, Description], node: int
) -> bool:
    """Write down the set of a node; False if the set has another key."""
    seat, i = shape.player[node], shape.content[node]
    mine, decision = found[seat], state[at.DECISION]
    key = abstract_key(state, seat, decision, abstraction)
    if mine.offered[i] == 0:
        mine.key[i], mine.offered[i] = key, state[at.MENU]
        mine.context[i] = context_key(state, seat, decision)
        mine.info[i] = info_key(state, seat, mine.context[i])
    return bool(mine.key[i] == key)


def describe_tree(
    program: Program, tree: ExtensiveForm, abstraction: Abstraction = Abstraction.NONE
) -> tuple[Description, Description]:
    """Walk the tree once more, and write down the keys and menus of its decisions.

    Raises UsageError if the tree is not the program's; RuntimeError if an information set has several keys, which would
    be a bug.
    """
    if tree.digest != program.digest:
        raise UsageError(f"the tree is not that of {program.names.game}: build it from the program.")
    shape = _Shape(tree.player, tree.content, (tree.sets[ALICE].start, tree.sets[BOB].start))
    alice, bob = (
        Description(*np.zeros((3, mine.size), np.int64), np.zeros(mine.size, np.int32))  # type: ignore[call-arg]
        for mine in tree.sets
    )

    def walk(stack: Array) -> int:
        return int(_walk(program.code, stack, np.zeros(len(stack), np.int64), int(abstraction), shape, (alice, bob)))

    if walk_tree(program, walk) == _SPLIT:
        raise RuntimeError(f"{tree.game}: an information set falls into several abstract sets")
    return alice, bob


def abstract_sets(program: Program, tree: ExtensiveForm, abstraction: Abstraction) -> AbstractSides:
    """Both players' abstract sets.

    Raises UsageError if the tree is not the program's; RuntimeError if an information set has several keys or an
    abstract set several menus, which would be a bug.
    """
    if abstraction == Abstraction.NONE and tree.digest == program.digest:
        return own_sets(tree.sets)
    alice, bob = (
        _merged(tree.game, mine, described.key)
        for mine, described in zip(tree.sets, describe_tree(program, tree, abstraction), strict=True)
    )
    return alice, bob


def own_sets(sets: tuple[InformationSets, InformationSets]) -> AbstractSides:
    """The sets of a program's tree, each on its own."""
    alice, bob = (
        AbstractSets(
            mine.key,
            mine.decision,
            mine.start - 1,
            actions(mine),
            np.arange(mine.size, dtype=np.int32),
            np.maximum(np.arange(-1, mine.sequences - 1, dtype=np.int32), 0),
        )
        for mine in sets
    )
    return alice, bob


def _merged(game: str, mine: InformationSets, key: Array) -> AbstractSets:
    """The player's sets, those of the same key as one. key: int64[sets]."""
    keys, places, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(places)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    of_set, head = rank[inverse], places[order]
    width, chosen = np.diff(mine.start), actions(mine)
    assert mine.menus is not None, "only the trees of programs have menus"
    for column in (mine.menus[mine.menu], mine.decision):
        if bool(np.any(column != column[head[of_set]])):
            raise RuntimeError(f"{game}: two different menus have the same abstract key")
    start = np.concatenate((np.zeros(1, np.int32), np.cumsum(width[head], dtype=np.int32)))
    of_sequence = np.zeros(mine.sequences, np.int32)
    of_sequence[1:] = np.arange(1, mine.sequences) + np.repeat(start[of_set] - mine.start[:-1], width)
    action = np.empty(start[-1], np.int32)
    action[of_sequence[1:]] = chosen
    return AbstractSets(keys[order], mine.decision[head], start, action, of_set, of_sequence)


def actions(mine: InformationSets) -> Array:
    """int32[sequences - 1]: option number or amount of each sequence's last action but for the empty sequence's."""
    found = np.empty(mine.sequences - 1, np.int32)
    assert mine.menu is not None, "only the trees of programs have menus"
    assert mine.menus is not None
    _fill_actions(mine.menu, mine.menus, mine.start, found)
    return found


@kernel
def _fill_actions(menu: Array, menus: Array, start: Array, found: Array) -> None:
    for i in range(len(menu)):
        word, option = menus[menu[i]], 0
        for k in range(start[i], start[i + 1]):
            while word > 0 and (word >> option) & 1 == 0:
                option += 1
            found[k - 1] = option if word > 0 else (~word >> 32) + option
            option += 1


def lift(abstract: AbstractSets, policy: Array) -> Array:
    """float64[sequences]: the policy on the tree of an abstract policy, float64[abstract actions]."""
    if not abstract.actions:
        return np.ones(1)
    real: Array = policy[abstract.of_sequence]
    real[0] = 1.0
    return real


def normalised(abstract: AbstractSets, total: Array) -> Array:
    """float64[abstract actions]: weights scaled to probabilities in every set; uniform where they are all 0."""
    if not abstract.actions:
        return np.zeros(0)
    width = np.diff(abstract.start)
    sums = np.repeat(np.add.reduceat(total, abstract.start[:-1]), width)
    found: Array = np.divide(total, sums, out=np.repeat(1.0 / width, width), where=sums > 0)
    return found
