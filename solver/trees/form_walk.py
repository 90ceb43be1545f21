"""The walk that adds up a game's payoffs by pairs of sequences (`antemill.solver.trees.streamed_form`).

It is a module of its own because a kernel is compiled again when a module that its module imports changes: the driver
imports the execution layer, which no kernel needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branch_weight, next_child
from antemill.engine.machine.chance import mix64
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.rollout import payoff
from antemill.solver.game import Array
from antemill.solver.trees.abstraction import menu_word, real_width
from antemill.solver.trees.numbering import Met, is_full, meet
from antemill.solver.trees.suits import Suits
from antemill.solver.trees.walk import JOURNAL_FULL, go_on, key_at

PAUSED, SETS_FULL, ENTRIES_FULL = range(3)  # what a walk returns, beside what `walk_with` and `meet` do


class Entries(NamedTuple):
    """The payoff matrix during the walk, by sequences as `Met` numbers them."""

    slots: Array  # int64[power of two] Alice's sequence + 1 in the upper half, Bob's in the lower; 0 where empty
    chips: Array  # float64[power of two] Alice's, times the probability of chance
    used: Array  # int64[1]


class Path(NamedTuple):
    """The position of the walk: a level for each question on the current path."""

    sequence: Array  # int32[levels, 2] each player's last one, as `Met` numbers them
    number: Array  # int32[levels] the set at a decision
    reach: Array  # float64[levels] probability of chance
    cursor: Array  # int64[2] level, nodes


@kernel
def copy_entries(old: Entries, new: Entries) -> None:
    for slot in range(len(old.slots)):
        if old.slots[slot] != 0:
            _add(new, old.slots[slot], old.chips[slot])


@kernel
def _add(entries: Entries, pair: int, chips: float) -> None:
    """Add chips to the entry of a pair of sequences."""
    mask = len(entries.slots) - 1
    slot = mix64(pair) & mask
    while entries.slots[slot] != 0 and entries.slots[slot] != pair:
        slot = (slot + 1) & mask
    entries.used[0] += entries.slots[slot] == 0
    entries.slots[slot] = pair
    entries.chips[slot] += chips


@kernel(inline="late")
def _open(
    stack: np.ndarray,
    observed: np.ndarray,
    level: int,
    suits: Suits,
    met: Met,
    entries: Entries,
    path: Path,
) -> int:
    """Take in the state in a row of the stack. Returns what `meet` says is wrong, or a number that is not negative."""
    state, sequence = stack[level], path.sequence[level]
    if state[at.STOP] == OVER:
        chips = payoff(state)
        if chips != 0:
            _add(entries, ((sequence[0] + 1) << 32) | sequence[1], path.reach[level] * chips)
    if state[at.STOP] != DECIDE:
        return 0
    seat, known, width = state[at.SEAT], met.counters[0], real_width(state)
    key, menu = key_at(stack, observed, level, suits, 0), menu_word(state, 0)
    number = meet(met, seat, key, menu, state[at.DECISION], width, sequence[seat], known)
    path.number[level] = number
    return number


@kernel
def walk_on(
    code: np.ndarray,
    stack: np.ndarray,
    observed: np.ndarray,
    suits: Suits,
    met: Met,
    entries: Entries,
    path: Path,
    more: int,
) -> int:
    """Continue the walk by at most `more` nodes. Returns what ended the call."""
    level, nodes = path.cursor[0], path.cursor[1]
    last = nodes + more
    while True:
        full = SETS_FULL if is_full(met) else PAUSED
        full = ENTRIES_FULL if 2 * entries.used[0] >= len(entries.slots) else full
        if full != PAUSED or nodes == last:
            path.cursor[0], path.cursor[1] = level, nodes
            return full
        if nodes > 0:
            level = next_child(code, stack, level)
            if level < 0:
                path.cursor[1] = nodes
                return level
            before, index = stack[level - 1], stack[level, at.CHOICE]
            path.reach[level] = path.reach[level - 1]
            for seat in range(2):
                path.sequence[level, seat] = path.sequence[level - 1, seat]
            if before[at.STOP] == CHANCE:
                path.reach[level] *= branch_weight(code, before, index) / before[at.MENU]
            else:
                seat, number = before[at.SEAT], path.number[level - 1]
                path.sequence[level, seat] = met.first[number] + index
            if not go_on(code, stack, observed, level, suits, 0):
                return JOURNAL_FULL
        wrong = _open(stack, observed, level, suits, met, entries, path)
        if wrong < 0:
            return wrong
        nodes += 1
