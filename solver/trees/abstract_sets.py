"""An abstraction of a game tree: which information sets are one set, and which actions are one action.

The abstract policy is a policy of the real game: `lift` writes it out for the tree, where
`antemill.solver.evaluation.measures` gives its real value and exploitability. Building verifies that every information
set is in one abstract set, and that all sets of an abstract set have the same menu.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import next_child
from antemill.engine.machine.observe import context_key, info_key
from antemill.engine.machine.program import Program
from antemill.solver.game import ALICE, BOB, Array, ExtensiveForm, InformationSets, children
from antemill.solver.trees.abstraction import Abstraction, abstract_width, menu_word, real_span, wager_bin
from antemill.solver.trees.suits import NONE as NOTHING
from antemill.solver.trees.suits import Suits
from antemill.solver.trees.walk import JOURNAL_FULL, go_on, key_at, renaming, renaming_of, tree_digest, walk_with

_DEFAULT = int(Abstraction.DEFAULT)
_SPLIT = -4  # instead of WALKED


class AbstractSets(NamedTuple):
    """One player's abstract information sets, numbered in order of appearance, or as the tree's are.

    An abstract set is a group of information sets that the abstraction treats alike: they share one policy.
    """

    key: Array  # int64[abstract sets]
    decision: Array  # int16[abstract sets]
    start: Array  # int32[abstract sets + 1] the set's actions are start[i] .. start[i + 1] - 1
    action: Array  # int32[abstract actions] option number, amount or bin
    of_set: Array  # int32[sets] the abstract set of an information set
    of_sequence: Array  # int32[sequences] the abstract action of a sequence; entry 0, the empty sequence, is 0
    share: Array  # float64[sequences] its part of the abstract action's probability; entry 0 is 0

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
    """The records of the walk over a tree, per information set or sequence of a player."""

    key: tuple[Array, Array]  # int64[sets]
    context: tuple[Array, Array]  # int64[sets] `observe.context_key`, with the abstraction's action path
    info: tuple[Array, Array]  # int64[sets] key of the paper's I, likewise
    offered: tuple[Array, Array]  # int32[sets] entries of the menu, bids above the stack among them
    word: tuple[Array, Array]  # int64[sets] menu word
    width: tuple[Array, Array]  # int32[sets] number of abstract actions
    action: tuple[Array, Array]  # int32[sequences] option number, amount or bin
    place: tuple[Array, Array]  # int32[sequences] place of the abstract action in the menu
    share: tuple[Array, Array]  # float64[sequences]


class _Shape(NamedTuple):
    """The parts of a tree that the walk reads."""

    player: Array
    content: Array
    start: tuple[Array, Array]


@kernel
def _describe(state: np.ndarray, abstraction: int, found: Description, seat: int, mine: int, start: int) -> None:
    """Write down the menu of information set `mine`, whose sequences begin at `start`."""
    width = abstract_width(state, abstraction)
    found.word[seat][mine] = menu_word(state, abstraction)
    found.width[seat][mine] = width
    found.offered[seat][mine] = state[at.MENU]
    context = context_key(state, seat, state[at.DECISION])
    found.context[seat][mine] = context
    found.info[seat][mine] = info_key(state, seat, context)
    named = state[at.MENU_MASK] != 0
    option = 0
    for place in range(width):
        first, count = real_span(state, place, abstraction)
        while named and (state[at.MENU_MASK] >> option) & 1 == 0:
            option += 1
        for k in range(start + first, start + first + count):
            amount = state[at.MENU_LOW] + k - start
            number = wager_bin(amount) if abstraction == _DEFAULT else amount
            found.action[seat][k] = option if named else number
            found.place[seat][k] = place
            found.share[seat][k] = 1.0 / count
        option += 1


@kernel
def _walk(
    code: np.ndarray,
    stack: np.ndarray,
    observed: np.ndarray,
    path: np.ndarray,
    suits: Suits,
    abstraction: int,
    shape: _Shape,
    found: Description,
) -> int:
    """Visit all nodes. Returns WALKED, STACK_FULL or JOURNAL_FULL, or _SPLIT if a set has nodes with different keys.

    path: int64[rows of the stack], overwritten: the number of the next child of each state on the current path.
    """
    level, free = 0, 1 + children(shape.player, shape.content, shape.start, 0)
    path[0] = 1
    if not _visit(stack, observed, 0, suits, abstraction, shape, found, 0):
        return _SPLIT
    while True:
        level = next_child(code, stack, level)
        if level < 0:
            return level
        node = path[level - 1]
        path[level - 1] += 1
        path[level], free = free, free + children(shape.player, shape.content, shape.start, node)
        if not go_on(code, stack, observed, level, suits, abstraction):
            return JOURNAL_FULL
        if not _visit(stack, observed, level, suits, abstraction, shape, found, node):
            return _SPLIT


@kernel
def _visit(
    stack: np.ndarray,
    observed: np.ndarray,
    level: int,
    suits: Suits,
    abstraction: int,
    shape: _Shape,
    found: Description,
    node: int,
) -> bool:
    """Write down the set of a node, which is in a row of the stack; False if the set has another key."""
    seat = shape.player[node]
    if seat > 1:
        return True
    key, mine = key_at(stack, observed, level, suits, abstraction), shape.content[node]
    if found.width[seat][mine] == 0:
        found.key[seat][mine] = key
        _describe(stack[level], abstraction, found, seat, mine, shape.start[seat][mine])
    return bool(found.key[seat][mine] == key)


def abstract_sets(program: Program, tree: ExtensiveForm, abstraction: Abstraction) -> AbstractSides:
    """Both players' abstract sets.

    Raises UsageError if the tree is not the program's, or was built under `Abstraction.SUITS` and is read under another
    one; RuntimeError if an information set has several keys or an abstract set several menus, which would be a bug.
    """
    suits = renaming(program, abstraction)
    same_keys = abstraction == Abstraction.NONE or (abstraction == Abstraction.SUITS and suits.kind != NOTHING)
    if same_keys and tree.digest == tree_digest(program, suits):
        return own_sets(tree.sets)
    found = describe_tree(program, tree, abstraction)
    return _abstract_sets(tree, found, ALICE), _abstract_sets(tree, found, BOB)


def own_sets(sets: tuple[InformationSets, InformationSets]) -> AbstractSides:
    """The sets of a program's tree, each on its own, under the abstraction with which the tree was built."""
    return _own_sets(sets[ALICE]), _own_sets(sets[BOB])


def _own_sets(mine: InformationSets) -> AbstractSets:
    return AbstractSets(
        mine.key,
        mine.decision,
        mine.start - 1,
        actions(mine),
        np.arange(mine.size, dtype=np.int32),
        np.maximum(np.arange(-1, mine.sequences - 1, dtype=np.int32), 0),
        np.minimum(np.arange(mine.sequences, dtype=np.float64), 1.0),
    )


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


def describe_tree(program: Program, tree: ExtensiveForm, abstraction: Abstraction) -> Description:
    """Walk the tree once more, and write down the keys and menus of its decisions.

    Raises UsageError and RuntimeError as above.
    """
    suits = renaming_of(program, abstraction, tree.digest)
    first, second = tree.sets
    shape = _Shape(tree.player, tree.content, (first.start, second.start))

    def of_sets(kind: type) -> tuple[Array, Array]:
        return np.zeros(first.size, kind), np.zeros(second.size, kind)

    def of_sequences(kind: type) -> tuple[Array, Array]:
        return np.zeros(first.sequences, kind), np.zeros(second.sequences, kind)

    found = Description(
        key=of_sets(np.int64),
        context=of_sets(np.int64),
        info=of_sets(np.int64),
        offered=of_sets(np.int32),
        word=of_sets(np.int64),
        width=of_sets(np.int32),
        action=of_sequences(np.int32),
        place=of_sequences(np.int32),
        share=of_sequences(np.float64),
    )

    def walk(stack: Array, observed: Array) -> int:
        path = np.zeros(len(stack), np.int64)
        return int(_walk(program.code, stack, observed, path, suits, int(abstraction), shape, found))

    if walk_with(program, suits, walk) == _SPLIT:
        raise RuntimeError(f"{tree.game}: an information set falls into several abstract sets")
    return found


def _abstract_sets(tree: ExtensiveForm, found: Description, seat: int) -> AbstractSets:
    mine = tree.sets[seat]
    keys, places, inverse = np.unique(found.key[seat], return_index=True, return_inverse=True)
    order = np.argsort(places)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    of_set, head = rank[inverse], places[order]
    for column in (found.word[seat], found.width[seat], mine.decision):
        if bool(np.any(column != column[head[of_set]])):
            raise RuntimeError(f"{tree.game}: two different menus have the same abstract key")
    start = np.zeros(len(head) + 1, np.int32)
    np.cumsum(found.width[seat][head], out=start[1:])
    of_sequence = np.zeros(mine.sequences, np.int32)
    sets = np.repeat(np.arange(mine.size), np.diff(mine.start))
    of_sequence[1:] = start[of_set[sets]] + found.place[seat][1:]
    action = np.zeros(start[-1], np.int32)
    action[of_sequence[1:]] = found.action[seat][1:]
    return AbstractSets(keys[order], mine.decision[head], start, action, of_set, of_sequence, found.share[seat])


def lift(abstract: AbstractSets, policy: Array) -> Array:
    """float64[sequences]: the policy on the tree of an abstract policy, float64[abstract actions]."""
    if not abstract.actions:
        return np.ones(1)
    real: Array = policy[abstract.of_sequence] * abstract.share
    real[0] = 1.0
    return real


def uniform_abstract(abstract: AbstractSets) -> Array:
    """float64[abstract actions]: every abstract action of a set with the same probability."""
    width = np.diff(abstract.start)
    return np.repeat(1.0 / width, width)


def normalised(abstract: AbstractSets, total: Array) -> Array:
    """float64[abstract actions]: weights scaled to probabilities in every set; uniform where they are all 0."""
    if not abstract.actions:
        return np.zeros(0)
    width = np.diff(abstract.start)
    sums = np.repeat(np.add.reduceat(total, abstract.start[:-1]), width)
    found: Array = np.divide(total, sums, out=np.repeat(1.0 / width, width), where=sums > 0)
    return found
