"""The sequence form of a game whose tree is too large to be kept: a walk adds the payoffs up, and forgets the nodes.

Many ends of a tree meet in one entry of the payoff matrix, since neither player has been told what sets them apart, and
at many others nothing is won. So the matrix can be hundreds of times smaller than the tree, and all that the algorithms
need of the game is there: information sets with the sequences that lead to them, and the payoffs of pairs of sequences.

The walk proves what building a tree proves: all histories of an information set have the same decision type, the same
menu and the same last sequence of the player. Sets are numbered depth first, in the order in which the walk meets them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from engine.errors import UsageError
from engine.execute import checkpoint
from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.branches import WALKED, branch_weight, next_child
from engine.machine.chance import mix64
from engine.machine.layout import CHANCE, DECIDE, OVER
from engine.machine.policy import fill_table
from engine.machine.program import Program
from engine.machine.rollout import payoff
from solver.game import Array
from solver.trees.abstract_sets import AbstractSets, AbstractSides
from solver.trees.abstraction import Abstraction, real_width
from solver.trees.build import physical_memory
from solver.trees.sequence_form import Side, Sides
from solver.trees.suits import Suits
from solver.trees.walk import JOURNAL_FULL, go_on, key_at, renaming, walk_with

_BYTES_AN_ENTRY = 120  # of the matrix, at the peak: in its hash table, and while it is sorted
_BYTES_A_SET = 150
_SLICE = 1_000_000  # nodes between two looks at the keyboard
_ROOM = 1 << 12  # sets and entries at first
_PAUSED, _SETS_FULL, _ENTRIES_FULL, _COLLISION = range(4)  # what a walk returns, beside those of `walk_with`


class StreamedForm(NamedTuple):
    """A game as the algorithms need it. Sets and sequences have the same numbers in both."""

    sides: Sides
    sets: AbstractSides  # every information set is a set of its own
    nodes: int  # of the tree that was walked


class _Sets(NamedTuple):
    """Information sets of both players in the order in which they were met. Sequences are those of their player."""

    slots: Array  # int64[power of two] hash table of the keys, 0 where empty
    number: Array  # int64[power of two] the set in the slot
    key: Array  # int64[room]
    seat: Array  # int8[room]
    decision: Array  # int16[room]
    menu: Array  # int64[room] mask of the options, or the complement of (lowest amount, number of amounts)
    width: Array  # int32[room]
    parent: Array  # int32[room] the player's sequence before the set
    start: Array  # int32[room] the first of its own
    used: Array  # int64[3] sets, and the next sequence of each player


class _Entries(NamedTuple):
    """The payoff matrix under way."""

    slots: Array  # int64[power of two] Alice's sequence + 1 in the upper half, Bob's in the lower; 0 where empty
    chips: Array  # float64[power of two] Alice's, times the probability of chance
    used: Array  # int64[1]


class _Path(NamedTuple):
    """Where the walk is: a level for each question on the current path."""

    sequence: Array  # int32[levels, 2] each player's last one
    first: Array  # int32[levels] the first sequence of the set at a decision
    reach: Array  # float64[levels] probability of chance
    cursor: Array  # int64[2] level, nodes


def _new_sets(room: int) -> _Sets:
    return _Sets(
        slots=np.zeros(2 * room, np.int64),
        number=np.zeros(2 * room, np.int64),
        key=np.zeros(room, np.int64),
        seat=np.zeros(room, np.int8),
        decision=np.zeros(room, np.int16),
        menu=np.zeros(room, np.int64),
        width=np.zeros(room, np.int32),
        parent=np.zeros(room, np.int32),
        start=np.zeros(room, np.int32),
        used=np.array([0, 1, 1]),
    )


def _larger_sets(sets: _Sets) -> _Sets:
    room, used = _new_sets(2 * len(sets.key)), int(sets.used[0])
    for old, new in zip(sets[2:], room[2:], strict=True):
        new[: len(old)] = old
    fill_table(room.slots, room.number, room.key[:used], np.arange(used))
    return room


def _new_entries(room: int) -> _Entries:
    return _Entries(np.zeros(room, np.int64), np.zeros(room), np.zeros(1, np.int64))


def _larger_entries(entries: _Entries) -> _Entries:
    room = _new_entries(2 * len(entries.slots))
    _copy_entries(entries, room)
    return room


@kernel
def _copy_entries(old: _Entries, new: _Entries) -> None:
    for slot in range(len(old.slots)):
        if old.slots[slot] != 0:
            _add(new, old.slots[slot], old.chips[slot])


@kernel
def _add(entries: _Entries, pair: int, chips: float) -> None:
    """Add chips to the entry of a pair of sequences."""
    mask = len(entries.slots) - 1
    slot = mix64(pair) & mask
    while entries.slots[slot] != 0 and entries.slots[slot] != pair:
        slot = (slot + 1) & mask
    entries.used[0] += entries.slots[slot] == 0
    entries.slots[slot] = pair
    entries.chips[slot] += chips


@kernel
def _meet(sets: _Sets, state: np.ndarray, key: int, parent: int) -> int:
    """The number of the set at which the state stopped, made if it is new; -1 if it contradicts what was met."""
    key = key if key != 0 else 1  # 0 marks an empty slot
    seat, decision, width = state[at.SEAT], state[at.DECISION], real_width(state)
    options = state[at.MENU_MASK]
    menu = options if options != 0 else ~((state[at.MENU_LOW] << 32) | width)
    mask = len(sets.slots) - 1
    slot = key & mask
    while sets.slots[slot] != 0:
        if sets.slots[slot] == key:
            i = sets.number[slot]
            same = sets.seat[i] == seat and sets.decision[i] == decision and sets.menu[i] == menu
            return int(i) if same and sets.parent[i] == parent else -1
        slot = (slot + 1) & mask
    i = sets.used[0]
    sets.slots[slot], sets.number[slot], sets.key[i] = key, i, key
    sets.seat[i], sets.decision[i], sets.menu[i], sets.width[i] = seat, decision, menu, width
    sets.parent[i], sets.start[i] = parent, sets.used[1 + seat]
    sets.used[0] += 1
    sets.used[1 + seat] += width
    return int(i)


@kernel
def _open(
    stack: np.ndarray, ears: np.ndarray, level: int, suits: Suits, sets: _Sets, entries: _Entries, path: _Path
) -> bool:
    """Take in the state in a row of the stack. Returns False if it contradicts what was met."""
    state, sequence = stack[level], path.sequence[level]
    if state[at.STOP] == OVER:
        chips = payoff(state)
        if chips != 0:
            _add(entries, ((sequence[0] + 1) << 32) | sequence[1], path.reach[level] * chips)
    elif state[at.STOP] == DECIDE:
        number = _meet(sets, state, key_at(stack, ears, level, suits, 0), sequence[state[at.SEAT]])
        if number < 0:
            return False
        path.first[level] = sets.start[number]
    return True


@kernel
def _walk(
    code: np.ndarray,
    stack: np.ndarray,
    ears: np.ndarray,
    suits: Suits,
    sets: _Sets,
    entries: _Entries,
    path: _Path,
    more: int,
) -> int:
    """Walk on by at most so many more nodes. Returns what has ended the call."""
    level, nodes = path.cursor[0], path.cursor[1]
    last = nodes + more
    while True:
        full = _SETS_FULL if sets.used[0] == len(sets.key) else _PAUSED
        full = _ENTRIES_FULL if 2 * entries.used[0] >= len(entries.slots) else full
        if full != _PAUSED or nodes == last:
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
                path.sequence[level, before[at.SEAT]] = path.first[level - 1] + index
            if not go_on(code, stack, ears, level, suits, 0):
                return JOURNAL_FULL
        nodes += 1
        if not _open(stack, ears, level, suits, sets, entries, path):
            return _COLLISION


def streamed_form(program: Program, abstraction: Abstraction = Abstraction.NONE) -> StreamedForm:
    """The sequence form of a program's tree, or of its tree but for names of suits under `Abstraction.SUITS`.

    Raises UsageError if the sequence form needs more memory than the machine has; RuntimeError if the keys do not give
    perfect recall, which would be a mistake of ours.
    """
    suits, kept = renaming(program, abstraction), [_new_sets(_ROOM), _new_entries(_ROOM)]
    path = _Path(np.zeros((0, 2), np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(2, np.int64))

    def walk(stack: Array, ears: Array) -> int:
        nonlocal path
        levels = len(stack)
        sets, entries = _new_sets(_ROOM), _new_entries(_ROOM)
        i32 = np.zeros((levels, 2), np.int32), np.zeros(levels, np.int32)
        path = _Path(*i32, np.ones(levels), np.zeros(2, np.int64))
        while True:
            what = int(_walk(program.code, stack, ears, suits, sets, entries, path, _SLICE))
            checkpoint()
            if what == _SETS_FULL:
                sets = _larger_sets(sets)
            elif what == _ENTRIES_FULL:
                entries = _larger_entries(entries)
            elif what == _COLLISION:
                raise RuntimeError(f"{program.names.game}: an information set has several menus or pasts")
            elif what != _PAUSED:
                kept[:] = [sets, entries]
                return what
            _check_memory(program, len(sets.key), len(entries.slots) // 2)

    assert walk_with(program, suits, walk) == WALKED
    return _arranged(kept[0], kept[1], int(path.cursor[1]))


def _check_memory(program: Program, sets: int, entries: int) -> None:
    if sets * _BYTES_A_SET + entries * _BYTES_AN_ENTRY > physical_memory():
        raise UsageError(
            f"the sequence form of {program.names.game} does not fit into this machine's memory: solve an abstraction "
            "of it (--abstraction default) or sample it (--algorithm mccfr)."
        )


def _arranged(sets: Any, entries: Any, nodes: int) -> StreamedForm:
    """The sets of each player depth first, and the matrix in the order of their sequences."""
    used = int(sets.used[0])
    both, order = [], []
    for seat in (0, 1):
        mine = np.flatnonzero(sets.seat[:used] == seat)
        width, start, parent = sets.width[mine], sets.start[mine], sets.parent[mine]
        of_sequence = np.zeros(int(sets.used[1 + seat]), np.int64)  # the set of each sequence as it was met, from 1
        of_sequence[1:] = np.repeat(np.arange(1, len(mine) + 1), width)
        place = np.empty(len(mine), np.int64)
        size, free = np.ones(len(mine), np.int64), np.zeros(len(mine) + 1, np.int64)
        _number_depth_first(of_sequence[parent] - 1, size, free, place)
        by_place = np.argsort(place)
        starts = np.ones(len(mine) + 1, np.int32)
        starts[1:] += np.cumsum(width[by_place], dtype=np.int32)
        number = np.zeros(len(of_sequence), np.int32)  # of each sequence as it was met
        number[1:] = np.repeat(starts[place] - start, width) + np.arange(1, len(number))
        order.append(number)
        mine = mine[by_place]
        both.append((mine, starts, number[parent[by_place]]))
    found = np.flatnonzero(entries.slots)
    pairs = entries.slots[found]
    rows, columns = order[0][(pairs >> 32) - 1], order[1][pairs & 0xFFFF_FFFF]
    shape = (len(order[0]), len(order[1]))
    matrix = sparse.csr_array(sparse.coo_array((entries.chips[found], (rows, columns)), shape))
    matrix.eliminate_zeros()
    alice, bob = (
        Side(starts, parent, turned.indptr.astype(np.int32), turned.indices.astype(np.int32), turned.data)
        for (_, starts, parent), turned in zip(both, (matrix, sparse.csr_array(-matrix.T)), strict=True)
    )
    own = [_own_sets(sets, mine, starts) for mine, starts, _ in both]
    return StreamedForm((alice, bob), (own[0], own[1]), nodes)


@kernel
def _number_depth_first(parent: np.ndarray, size: np.ndarray, free: np.ndarray, number: np.ndarray) -> None:
    """Write the number of each set to `number`, int64[sets].

    parent: the set before each set on the player's way, which was met earlier, or -1. size: ones, for the sets of each
    subtree. free: the next free number in each subtree; its last entry, which index -1 reaches, is that of the roots.
    """
    for i in range(len(parent) - 1, -1, -1):
        if parent[i] >= 0:
            size[parent[i]] += size[i]
    for i in range(len(parent)):
        number[i] = free[parent[i]]
        free[parent[i]] += size[i]
        free[i] = number[i] + 1


def _own_sets(sets: Any, mine: Array, starts: Array) -> AbstractSets:
    """A player's sets, each alone, and the actions of its menu."""
    sequences = int(starts[-1])
    action, share = np.empty(sequences - 1, np.int32), np.ones(sequences)
    share[0] = 0.0
    _fill_actions(sets.menu[mine], starts, action)
    of_sequence = np.maximum(np.arange(sequences, dtype=np.int32) - 1, 0)
    of_set = np.arange(len(mine), dtype=np.int32)
    return AbstractSets(sets.key[mine], sets.decision[mine], starts - 1, action, of_set, of_sequence, share)


@kernel
def _fill_actions(menu: np.ndarray, starts: np.ndarray, action: np.ndarray) -> None:
    """Write the option number or amount of each action, int32[sequences - 1]."""
    for i in range(len(menu)):
        option = 0
        for k in range(starts[i] - 1, starts[i + 1] - 1):
            if menu[i] < 0:
                action[k] = (~menu[i] >> 32) + k - starts[i] + 1
                continue
            while (menu[i] >> option) & 1 == 0:
                option += 1
            action[k] = option
            option += 1
