"""The branches of a state: the driver's distinct answers to the question at which the machine stopped.

Answers that no rule tells apart are one branch: cards of one class (equal CARD_KEY, X2), the draws that make a cost
due, and bids above the stack, which the machine clamps to the stack. If such bids were not merged, perfect recall would
fail, since the player is told only the clamped bid. The probability of a chance branch is exactly `weight / MENU`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.events import Chance
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.opcodes import WIDTH, Look
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, menu_action
from antemill.engine.rules.limits import MAX_CARDS

Array = npt.NDArray[Any]

_DRAW, _COST, _OBSERVE = int(Chance.DRAW), int(Chance.COST), int(Chance.OBSERVE)
_PEEK, _STEAL, _SWAP_TAKE = int(Chance.PEEK), int(Chance.STEAL), int(Chance.SWAP_TAKE)
_SWAP_GIVE, _DISCARD, _REVEAL = int(Chance.SWAP_GIVE), int(Chance.DISCARD), int(Chance.REVEAL)
_OPPONENT_SUIT = int(Look.OPPONENT_SUIT)
_LEVELS = 64  # the initial size of a walk's stack: questions on one path
WALKED, STACK_FULL = -1, -2  # instead of a row of the stack


class Branch(NamedTuple):
    """One branch of a state."""

    choice: int  # the value to write to CHOICE
    number: int  # the action; or the lowest card of its class; or the number of another chance outcome
    weight: int  # the number of equally likely outcomes, of MENU, that it stands for; 1 for a decision


@kernel
def _pile(code: np.ndarray, state: np.ndarray) -> int:
    """The offset in the state of the pile from which the pending chance draw takes a card; -1 if it takes none."""
    place = state[at.ADDRESS] >> 16
    kind, seat = place // 3, place % 3
    if kind == _DRAW:
        return at.DECK
    if kind == _OBSERVE and code[state[at.PC] * WIDTH + 3] > _OPPONENT_SUIT:  # PC is at the OBSERVE
        return at.DECK
    if kind in (_PEEK, _STEAL, _SWAP_TAKE, _OBSERVE):
        return int(at.HANDS + (1 - seat) * MAX_CARDS)
    if kind in (_SWAP_GIVE, _DISCARD, _REVEAL):
        return int(at.HANDS + seat * MAX_CARDS)
    return -1


@kernel
def outcome_card(code: np.ndarray, state: np.ndarray, index: int) -> int:
    """The card of outcome `index` of the pending chance draw; -1 if the outcomes are not cards."""
    pile = _pile(code, state)
    return int(state[pile + index]) if pile >= 0 else -1


@kernel
def _class_at(code: np.ndarray, state: np.ndarray, pile: int, index: int) -> int:
    """A number for the meaning of a chance outcome, equal for outcomes that no rule tells apart. pile: from `_pile`."""
    if pile >= 0:
        return int(state[at.CARD_KEY + state[pile + index]])
    if (state[at.ADDRESS] >> 16) // 3 == _COST:
        return 0 if index < code[state[at.PC] * WIDTH + 3] else 1  # PC is at the COST, due below its operand k
    return index


@kernel
def _outcome_class(code: np.ndarray, state: np.ndarray, index: int) -> int:
    return int(_class_at(code, state, _pile(code, state), index))


@kernel(inline="late")
def fill_outcomes(code: np.ndarray, state: np.ndarray, outcome: np.ndarray, probability: np.ndarray) -> int:
    """Write the branches of the pending chance draw, in order, to arrays of MAX_CARDS entries; returns their number.

    outcome: the first answer of each branch. probability: the probability of each.
    """
    pile, n, found = _pile(code, state), state[at.MENU], 0
    for index in range(n):
        kind, place = _class_at(code, state, pile, index), 0
        while place < found and _class_at(code, state, pile, outcome[place]) != kind:
            place += 1
        if place == found:
            outcome[place], probability[place] = index, 0.0
            found += 1
        probability[place] += 1.0
    for place in range(found):
        probability[place] /= n
    return found


@kernel
def next_branch(code: np.ndarray, state: np.ndarray, index: int) -> int:
    """The first answer from `index` on that begins a new branch; -1 if there is none, or if the game is over."""
    if state[at.STOP] == OVER:
        return -1
    n = state[at.MENU]
    if state[at.STOP] == DECIDE:
        if state[at.MENU_MASK] == 0:
            n = min(n, max(1, state[at.CHIPS + state[at.SEAT]] - state[at.MENU_LOW] + 1))
        return index if index < n else -1
    while index < n:
        kind = _outcome_class(code, state, index)
        seen = False
        for other in range(index):
            seen = seen or _outcome_class(code, state, other) == kind
        if not seen:
            return index
        index += 1
    return -1


@kernel
def branch_weight(code: np.ndarray, state: np.ndarray, index: int) -> int:
    """The number of outcomes of the chance draw in the branch of outcome `index`; 1 at a decision."""
    if state[at.STOP] != CHANCE:
        return 1
    kind = _outcome_class(code, state, index)
    count = 0
    for other in range(state[at.MENU]):
        count += _outcome_class(code, state, other) == kind
    return count


@kernel
def next_child(code: np.ndarray, stack: np.ndarray, level: int) -> int:
    """One step of a depth-first walk through the tree: from the node in row `level` of the stack to the next new one.

    A row is a stopped state on the current path; its CHOICE is the answer to try next. Returns the row of the new
    child, a copy of its parent with the answer in CHOICE: the caller advances it and sets CHOICE to 0. Returns `WALKED`
    if the walk is complete, `STACK_FULL` if the child needs another row.
    """
    while level >= 0:
        parent = stack[level]
        index = next_branch(code, parent, parent[at.CHOICE])
        if index < 0:
            level -= 1
            continue
        if level + 1 == len(stack):
            return STACK_FULL
        parent[at.CHOICE] = index + 1
        child = stack[level + 1]
        copy_state(parent, child)
        child[at.CHOICE] = index
        return level + 1
    return WALKED


@kernel
def _count(code: np.ndarray, stack: np.ndarray, limit: int) -> int:
    """The number of nodes of the tree below the stack's first row, at most `limit + 1`; or STACK_FULL."""
    level, nodes = 0, 1
    while nodes <= limit:
        level = next_child(code, stack, level)
        if level < 0:
            return nodes if level == WALKED else STACK_FULL
        nodes += 1
        advance(code, stack[level])
        stack[level, at.CHOICE] = 0
    return nodes


def count_nodes(program: Program, limit: int) -> int:
    """The number of nodes of the game tree (chance, decisions, ends), with branches merged; at most `limit + 1`."""
    return walk_tree(program, lambda stack: int(_count(program.code, stack, limit)))


def walk_tree(program: Program, walk: Callable[[Array], int]) -> int:
    """Run a depth-first walk with `next_child`; returns its result.

    walk: takes a stack, int64[rows, layout.SIZE], with the game's first question in every row. It is called again with
    a larger stack while it returns STACK_FULL.
    """
    root = root_state(program)
    root[at.CHOICE] = 0
    rows, found = _LEVELS, STACK_FULL
    while found == STACK_FULL:
        stack = np.empty((rows, at.SIZE), np.int64)
        stack[:] = root
        found = walk(stack)
        rows *= 4
    return found


def root_state(program: Program) -> Array:
    """int64[layout.SIZE]: the state at the game's first question."""
    state = program.initial_state()
    advance(program.code, state)
    return state


def branches(program: Program, state: Array) -> list[Branch]:
    """The branches of a stopped state by ascending number; none if the game is over."""
    code, found = program.code, []
    deciding = state[at.STOP] == DECIDE
    index = int(next_branch(code, state, 0))
    while index >= 0:
        number = int(menu_action(state, index)) if deciding else outcome_number(program, state, index)
        found.append(Branch(index, number, int(branch_weight(code, state, index))))
        index = int(next_branch(code, state, index + 1))
    return sorted(found, key=lambda branch: branch.number)


def outcome_number(program: Program, state: Array, index: int) -> int:
    """The number of the branch that outcome `index` of the chance draw belongs to."""
    card = int(outcome_card(program.code, state, index))
    if card < 0:
        return int(_outcome_class(program.code, state, index))
    suits = len(program.names.suits)
    return card if program.suited else card // suits * suits
