"""The sequence form of a game whose tree is too large to be kept: a walk adds up the payoffs without storing nodes.

Many ends of a tree share one entry of the payoff matrix, since neither player sees the difference between them, and
many others pay 0. So the matrix can be hundreds of times smaller than the tree. It has all that the algorithms need of
the game: information sets with the sequences that lead to them, and the payoffs of pairs of sequences.

The walk verifies what building a tree verifies (`antemill.solver.trees.numbering`). Sets are numbered depth first, in
the order in which the walk meets them where the forest of sets leaves it open.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse

from antemill.engine.errors import UsageError
from antemill.engine.execute import checkpoint
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import WALKED, branch_weight, next_child
from antemill.engine.machine.chance import mix64
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff
from antemill.engine.storage.memory import physical_memory
from antemill.solver.game import Array, InformationSets
from antemill.solver.trees.abstraction import Abstraction, menu_word, real_width
from antemill.solver.trees.numbering import (
    FAULTS,
    Met,
    contradiction,
    grown,
    is_full,
    meet,
    none_met,
    number_sets,
    players,
)
from antemill.solver.trees.sequence_form import Matrix, Sides, sides_of
from antemill.solver.trees.suits import Suits
from antemill.solver.trees.walk import JOURNAL_FULL, go_on, key_at, renaming, walk_with

PAUSED, SETS_FULL, ENTRIES_FULL = range(3)  # what a walk returns, beside what `walk_with` and `meet` do
_BYTES_AN_ENTRY = 120  # of the matrix, at the peak: in its hash table, and while it is sorted
_BYTES_A_SET = 150
_SLICE = 1_000_000  # nodes between two looks at the keyboard
_CAPACITY = 1 << 12  # entries at first


class StreamedForm(NamedTuple):
    """A game in the form that the algorithms need. Sets and sequences have the same numbers in both parts."""

    sides: Sides
    sets: tuple[InformationSets, InformationSets]
    nodes: int  # of the tree that was walked


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


def _new_entries(capacity: int) -> Entries:
    return Entries(np.zeros(capacity, np.int64), np.zeros(capacity), np.zeros(1, np.int64))


def _larger_entries(entries: Entries) -> Entries:
    larger = _new_entries(2 * len(entries.slots))
    _copy_entries(entries, larger)
    return larger


def streamed_form(
    program: Program, abstraction: Abstraction = Abstraction.NONE, memory: float | None = None
) -> StreamedForm:
    """The sequence form of a program's tree, or of its tree but for names of suits under `Abstraction.SUITS`.

    Raises UsageError if the sequence form needs more memory than the machine has, or than `memory`, bytes; RuntimeError
    if the keys do not give perfect recall, which would be a bug.
    """
    most = min(physical_memory(), math.inf if memory is None else memory)
    suits = renaming(program, abstraction)
    kept: list[tuple[Met, Entries, int]] = []

    def walk(stack: Array, ears: Array) -> int:
        levels, met, entries = len(stack), none_met(), _new_entries(_CAPACITY)
        path = Path(
            np.zeros((levels, 2), np.int32),
            np.zeros(levels, np.int32),
            np.ones(levels),
            np.zeros(2, np.int64),
        )
        while True:
            what = int(_walk_on(program.code, stack, ears, suits, met, entries, path, _SLICE))
            checkpoint()
            if what == SETS_FULL:
                met = grown(met)
            elif what == ENTRIES_FULL:
                entries = _larger_entries(entries)
            elif what in FAULTS:
                raise contradiction(program.names.game, met, what)
            elif what != PAUSED:
                if what == WALKED:
                    kept.append((met, entries, int(path.cursor[1])))
                return what
            if met.capacity * _BYTES_A_SET + len(entries.slots) // 2 * _BYTES_AN_ENTRY > most:
                raise UsageError(
                    f"the sequence form of {program.names.game} takes more than {most / 1e9:.1f} GB: solve an "
                    "abstraction of it (--abstraction default) or sample it (--algorithm mccfr)."
                )

    walk_with(program, suits, walk)
    return _arranged(*kept[0])


def _arranged(met: Met, entries: Entries, nodes: int) -> StreamedForm:
    """The sets of each player depth first, and the matrix in the order of their sequences."""
    seats = players(met)
    sets, number = number_sets(met)
    order = []  # of each player's sequences as they were met
    for seat, mine in enumerate(sets):
        met_as = number[seats == seat]
        width = np.diff(mine.start)[met_as]
        place = np.zeros(mine.sequences, np.int32)
        place[1:] = np.repeat(mine.start[met_as] - np.cumsum(width) + width, width) + np.arange(len(place) - 1)
        order.append(place)
    filled = np.flatnonzero(entries.slots)
    pairs = entries.slots[filled]
    rows, columns = order[0][(pairs >> 32) - 1], order[1][pairs & 0xFFFF_FFFF]
    shape = (len(order[0]), len(order[1]))
    matrix = sparse.csr_array(sparse.coo_array((entries.chips[filled], (rows, columns)), shape))
    matrix.eliminate_zeros()
    paid = Matrix(matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data)
    return StreamedForm(sides_of(sets, paid), sets, nodes)


# the walk


@kernel
def _copy_entries(old: Entries, new: Entries) -> None:
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
    ears: np.ndarray,
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
    key, menu = key_at(stack, ears, level, suits, 0), menu_word(state, 0)
    number = meet(met, seat, key, menu, state[at.DECISION], width, sequence[seat], known)
    path.number[level] = number
    return number


@kernel
def _walk_on(
    code: np.ndarray,
    stack: np.ndarray,
    ears: np.ndarray,
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
            if not go_on(code, stack, ears, level, suits, 0):
                return JOURNAL_FULL
        wrong = _open(stack, ears, level, suits, met, entries, path)
        if wrong < 0:
            return wrong
        nodes += 1
