"""Information sets during the walk of a tree, and their final numbers.

A walk meets the nodes of a set one after the other. The first one creates the set. For each further one `meet` checks
that it has the same menu and the same last sequence of the player: this verifies perfect recall, and that no two sets
share a key. Sets have numbers in the order in which they are met until `number_sets` numbers them as
`antemill.solver.game` wants it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.text.labels import SEATS
from antemill.solver.game import ALICE, BOB, Array, InformationSets

MENUS_DIFFER, FORGETS = -5, -6  # what `meet` returns instead of a number
FAULTS = {MENUS_DIFFER: "has nodes with different menus", FORGETS: "forgets what the player did before"}
_CAPACITY = 1 << 10  # sets at first
_KINDS = 1 << 6  # kinds at first
_MENU, _DECISION, _SEAT, _WIDTH = range(4)  # of a kind
_SETS, _FAULTY, _KINDS_MET, _SEQUENCES = range(4)  # counters; one of the sequences for each player


class Met(NamedTuple):
    """Information sets of both players in the order in which they were met; the columns have spare capacity.

    What many sets have in common is their kind: the player, the decision type and the menu. Each player's sequences are
    numbered from 1 on, set by set as they were met; 0 is the empty sequence.
    """

    slots: Array  # int32[power of two] hash table by key: the number of a set, counted from 1; 0 where it is empty
    kind_slots: Array  # int32[power of two] hash table by `_kind_slot`: the number of a kind, likewise
    kinds: Array  # int64[capacity, 4] mask of the actions, or the complement of (lowest amount, number of amounts);
    # decision type; player; number of actions
    key: Array  # int64[capacity] recall key
    head: Array  # int32[capacity] first node
    before: Array  # int32[capacity] the player's last sequence before the set
    first: Array  # int32[capacity] the first one of the set's own sequences
    kind: Array  # int32[capacity]
    counters: Array  # int64[5] how many sets there are; the one at which `meet` has found a difference; how many kinds
    # there are; each player's next sequence

    @property
    def capacity(self) -> int:
        """The capacity in sets."""
        return len(self.key)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many sets were met, and how many sequences of both players."""
        return int(self.counters[_SETS]), int(self.counters[_SEQUENCES : _SEQUENCES + 2].sum())


def none_met() -> Met:
    """Empty, with some initial capacity."""
    return Met(
        slots=np.zeros(2 * _CAPACITY, np.int32),
        kind_slots=np.zeros(2 * _KINDS, np.int32),
        kinds=np.zeros((_KINDS, 4), np.int64),
        key=np.zeros(_CAPACITY, np.int64),
        head=np.zeros(_CAPACITY, np.int32),
        before=np.zeros(_CAPACITY, np.int32),
        first=np.zeros(_CAPACITY, np.int32),
        kind=np.zeros(_CAPACITY, np.int32),
        counters=np.array([0, 0, 0, 1, 1], np.int64),
    )


@kernel(inline="late")
def is_full(met: Met) -> bool:
    """Whether the capacity for another set may be missing."""
    return bool(met.counters[_SETS] == len(met.key) or met.counters[_KINDS_MET] == len(met.kinds))


def grown(met: Met) -> Met:
    """The same sets with more capacity. The old columns must not be used afterwards."""
    if met.counters[_KINDS_MET] == len(met.kinds):
        met.kinds.resize((2 * len(met.kinds), 4), refcheck=False)
        met = met._replace(kind_slots=np.zeros(2 * len(met.kinds), np.int32))
        _fill_kind_slots(met)
    if met.counters[_SETS] == met.capacity:
        _resize(met, met.capacity + (met.capacity + 1) // 2)
        if 2 * met.capacity > len(met.slots):
            capacity = 2 * len(met.slots)
            met.slots.resize(0, refcheck=False)
            met = met._replace(slots=np.zeros(capacity, np.int32))
            _fill_slots(met)
    return met


def _resize(met: Met, capacity: int) -> None:
    for column in (met.key, met.head, met.before, met.first, met.kind):
        column.resize(capacity, refcheck=False)  # in place: at no time are there two of it


@kernel
def _fill_slots(met: Met) -> None:
    mask = len(met.slots) - 1
    for i in range(met.counters[_SETS]):
        slot = met.key[i] & mask
        while met.slots[slot] != 0:
            slot = (slot + 1) & mask
        met.slots[slot] = i + 1


@kernel
def _fill_kind_slots(met: Met) -> None:
    mask = len(met.kind_slots) - 1
    for i in range(met.counters[_KINDS_MET]):
        row = met.kinds[i]
        slot = _kind_slot(row[_MENU], row[_DECISION], row[_SEAT]) & mask
        while met.kind_slots[slot] != 0:
            slot = (slot + 1) & mask
        met.kind_slots[slot] = i + 1


@kernel(inline="late")
def _kind_slot(menu: int, decision: int, seat: int) -> int:
    """A kind's slot before the table's mask is applied: cheaper than a hash, for few keys that differ little."""
    return menu ^ (menu >> 32) ^ (5 * (2 * decision + seat))


@kernel(inline="late")
def _same_kind(met: Met, kind: int, menu: int, decision: int, seat: int, width: int) -> bool:
    row = met.kinds[kind]
    return bool(row[_MENU] == menu and row[_DECISION] == decision and row[_SEAT] == seat and row[_WIDTH] == width)


@kernel(inline="late")
def _kind(met: Met, menu: int, decision: int, seat: int, width: int) -> int:
    """The number of a kind, which is created if it is new."""
    mask = len(met.kind_slots) - 1
    slot = _kind_slot(menu, decision, seat) & mask
    while met.kind_slots[slot] != 0:
        if _same_kind(met, met.kind_slots[slot] - 1, menu, decision, seat, width):
            return int(met.kind_slots[slot] - 1)
        slot = (slot + 1) & mask
    kind = met.counters[_KINDS_MET]
    row = met.kinds[kind]
    row[_MENU], row[_DECISION], row[_SEAT], row[_WIDTH] = menu, decision, seat, width
    met.kind_slots[slot] = kind + 1
    met.counters[_KINDS_MET] = kind + 1
    return int(kind)


@kernel(inline="late")
def meet(met: Met, seat: int, key: int, menu: int, decision: int, width: int, before: int, node: int) -> int:
    """The number of the player's set with this key, to which the node belongs. The caller ensures capacity for a set.

    before: the player's last sequence, as `Met` numbers them.
    Returns MENUS_DIFFER or FORGETS if the set has a node that differs.
    """
    mask = len(met.slots) - 1
    slot = key & mask
    while met.slots[slot] != 0:
        i = met.slots[slot] - 1
        if met.key[i] == key and met.kinds[met.kind[i], _SEAT] == seat:
            met.counters[_FAULTY] = i
            if not _same_kind(met, met.kind[i], menu, decision, seat, width):
                return MENUS_DIFFER
            if met.before[i] != before:
                return FORGETS
            met.head[i] = min(met.head[i], node)
            return int(i)
        slot = (slot + 1) & mask
    i = met.counters[_SETS]
    met.slots[slot] = i + 1
    met.key[i], met.head[i], met.before[i] = key, node, before
    met.kind[i] = _kind(met, menu, decision, seat, width)
    met.first[i] = met.counters[_SEQUENCES + seat]
    met.counters[_SEQUENCES + seat] += width
    met.counters[_SETS] = i + 1
    return int(i)


def contradiction(game: str, met: Met, fault: int) -> RuntimeError:
    """The error that says what `meet` found to be wrong, and where."""
    number = int(met.counters[_FAULTY])
    return RuntimeError(
        f"{game}: information set {number + 1} of {SEATS[met.kinds[met.kind[number], _SEAT]]} {FAULTS[fault]}"
    )


def players(met: Met) -> Array:
    """int8[sets]: the player of each set."""
    found: Array = met.kinds[:, _SEAT].astype(np.int8)[met.kind[: met.counters[_SETS]]]
    return found


def number_sets(met: Met) -> tuple[tuple[InformationSets, InformationSets], Array]:
    """Both players' sets, and the number that each set of `met` has among its player's, int32[sets].

    The columns of `met` are freed one after the other; only the kinds remain.
    """
    met.slots.resize(0, refcheck=False)
    _resize(met, int(met.counters[_SETS]))
    number, seats = np.empty(met.capacity, np.int32), players(met)
    places = tuple(np.flatnonzero(seats == seat).astype(np.int32) for seat in (ALICE, BOB))
    del seats
    forests = [_forest(met, found, number) for found in places]
    for column in (met.head, met.before, met.first):
        column.resize(0, refcheck=False)
    orders = []
    for found in places:
        order = np.empty_like(found)
        order[number[found]] = found
        orders.append(order)
    del places
    keys = [met.key[order] for order in orders]
    met.key.resize(0, refcheck=False)
    kinds = [met.kind[order] for order in orders]
    met.kind.resize(0, refcheck=False)
    met_kinds = met.kinds[: met.counters[_KINDS_MET]]
    decision, menus = met_kinds[:, _DECISION].astype(np.int16), met_kinds[:, _MENU].copy()
    alice, bob = (
        InformationSets(key, decision[kind], parent_sequence, start, kind, menus)
        for key, kind, (start, parent_sequence) in zip(keys, kinds, forests, strict=True)
    )
    return (alice, bob), number


def _forest(met: Met, found: Array, number: Array) -> tuple[Array, Array]:
    """`start` and `parent_sequence` of a player's sets, whose places in `met` are `found`; writes their numbers."""
    first = met.first[found]
    before = (np.searchsorted(first, met.before[found], side="right") - 1).astype(np.int32)
    action = met.before[found]
    action[before >= 0] -= first[before[before >= 0]]
    del first
    width = met.kinds[:, _WIDTH].astype(np.int32)[met.kind[found]]
    number[found], _, start, parent_sequence = arrange(met.head[found], width, before, action)
    return start, parent_sequence


def arrange(head: Array, width: Array, before: Array, action: Array) -> tuple[Array, Array, Array, Array]:
    """Number a player's information sets depth first, by appearance where the forest of sets leaves it open.

    head: int32[sets], the first node. width: int32[sets], the number of actions. before: int32[sets], the set before
    each on the player's way, or -1. action: int32[sets], what the player did there.
    Returns the number of each set; the sets in the order of their numbers, and in this order the `start` and the
    `parent_sequence` of `InformationSets`.
    """
    sets, order = len(head), np.argsort(head).astype(np.int32)
    del head  # of large games little may be there at a time
    number = np.empty(sets, np.int32)
    _number_depth_first(order, before, np.ones(sets, np.int32), np.zeros(sets + 1, np.int32), number)
    order[number] = np.arange(sets, dtype=np.int32)
    start = np.ones(sets + 1, np.int32)
    start[1:] += np.cumsum(width[order], dtype=np.int32)
    parent_sequence = np.where(before < 0, 0, start[number[before]] + action)[order]
    return number, order, start, parent_sequence.astype(np.int32)


@kernel
def _number_depth_first(order: Array, parent: Array, size: Array, free: Array, number: Array) -> None:
    """Write the numbers to `number`, int32[sets].

    order: the sets in the order in which they appear. parent: the set before each set on the player's way, or -1.
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
