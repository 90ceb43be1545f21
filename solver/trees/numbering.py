"""Information sets while a tree is walked, and the numbers that they get in the end.

A walk meets the nodes of a set one after the other. The first one makes the set; with each further one `meet` checks
that it has the same menu, and that the player has done the same before: perfect recall, and no two sets with one key.
Sets have numbers in the order in which they are met until `number_sets` numbers them as `solver.game` wants it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernel import kernel
from engine.text.labels import SEATS
from solver.game import ALICE, BOB, Array, InformationSets

MENUS_DIFFER, FORGETS = -5, -6  # what `meet` returns instead of a number
FAULTS = {MENUS_DIFFER: "has nodes with different menus", FORGETS: "forgets what the player did before"}
_ROOM = 1 << 10  # sets at first


class Met(NamedTuple):
    """Information sets of both players in the order in which they were met; the columns have room for more."""

    slots: Array  # int32[power of two] hash table by key: the number of a set, counted from 1; 0 where it is empty
    key: Array  # int64 recall key
    menu: Array  # int64 mask of the actions, or the complement of (lowest amount, number of amounts)
    before: Array  # int64 the player's last choice before the set, see `choice`
    head: Array  # int32 first node
    width: Array  # int32 number of actions
    decision: Array  # int16 decision type
    seat: Array  # int8
    counters: Array  # int64[2] how many sets there are; the one at which `meet` has found a difference

    @property
    def room(self) -> int:
        """How many sets there is room for."""
        return len(self.key)


def none_met() -> Met:
    """No set yet, and room for some."""
    return Met(
        slots=np.zeros(2 * _ROOM, np.int32),
        key=np.zeros(_ROOM, np.int64),
        menu=np.zeros(_ROOM, np.int64),
        before=np.zeros(_ROOM, np.int64),
        head=np.zeros(_ROOM, np.int32),
        width=np.zeros(_ROOM, np.int32),
        decision=np.zeros(_ROOM, np.int16),
        seat=np.zeros(_ROOM, np.int8),
        counters=np.zeros(2, np.int64),
    )


def grown(met: Met) -> Met:
    """The same sets with more room. The old columns must not be used any more."""
    _resize(met, met.room + met.room // 2)
    if 2 * met.room > len(met.slots):
        met = met._replace(slots=np.zeros(2 * len(met.slots), np.int32))
        _fill_slots(met)
    return met


def _resize(met: Met, room: int) -> None:
    for column in met[1:-1]:
        column.resize(room, refcheck=False)  # in place: at no time are there two of it


@kernel
def _fill_slots(met: Met) -> None:
    mask = len(met.slots) - 1
    for i in range(met.counters[0]):
        slot = met.key[i] & mask
        while met.slots[slot] != 0:
            slot = (slot + 1) & mask
        met.slots[slot] = i + 1


@kernel
def choice(number: int, action: int) -> int:
    """A choice in one word: action `action`, counted from 0, in the set with this number. 0 stands for none."""
    return ((number + 1) << 32) | action


@kernel(inline="late")
def meet(met: Met, seat: int, key: int, menu: int, decision: int, width: int, before: int, node: int) -> int:
    """The number of the set with this key of the player, to which the node belongs. There must be room for another one.

    Returns MENUS_DIFFER or FORGETS if the set has a node that differs.
    """
    mask = len(met.slots) - 1
    slot = key & mask
    while met.slots[slot] != 0:
        i = met.slots[slot] - 1
        if met.key[i] == key and met.seat[i] == seat:
            met.counters[1] = i
            if met.menu[i] != menu or met.decision[i] != decision or met.width[i] != width:
                return MENUS_DIFFER
            if met.before[i] != before:
                return FORGETS
            met.head[i] = min(met.head[i], node)
            return int(i)
        slot = (slot + 1) & mask
    i = met.counters[0]
    met.slots[slot] = i + 1
    met.key[i], met.menu[i], met.decision[i] = key, menu, decision
    met.before[i], met.head[i], met.width[i], met.seat[i] = before, node, width, seat
    met.counters[0] = i + 1
    return int(i)


def contradiction(game: str, met: Met, fault: int) -> RuntimeError:
    """The error that says what `meet` has found wrong, and where."""
    number = int(met.counters[1])
    return RuntimeError(f"{game}: information set {number + 1} of {SEATS[met.seat[number]]} {FAULTS[fault]}")


def number_sets(met: Met) -> tuple[tuple[InformationSets, InformationSets], Array]:
    """Both players' sets, and the number that each set of `met` has among its player's, int32[sets].

    The columns of `met` have no more room for others afterwards.
    """
    met.slots.resize(0, refcheck=False)
    _resize(met, int(met.counters[0]))
    number = np.empty(met.room, np.int32)
    alice, bob = (_of_player(met, seat, number) for seat in (ALICE, BOB))
    return (alice, bob), number


def _of_player(met: Met, seat: int, number: Array) -> InformationSets:
    found = np.flatnonzero(met.seat == seat).astype(np.int32)
    place = np.full(met.room + 1, -1, np.int32)  # by the number of a set, counted from 1
    place[1 + found] = np.arange(len(found), dtype=np.int32)
    before, action = place[met.before[found] >> 32], met.before[found].astype(np.int32)  # cuts off the upper half
    del place
    number[found], order, start, parent_sequence = arrange(met.head[found], met.width[found], before, action)
    found = found[order]
    key, decision, head, menu = (column[found] for column in (met.key, met.decision, met.head, met.menu))
    return InformationSets(key, decision, head, parent_sequence, start, menu)


def arrange(head: Array, width: Array, before: Array, action: Array) -> tuple[Array, Array, Array, Array]:
    """Number a player's information sets depth first, by appearance where the forest of sets leaves it open.

    head: int32[sets], the first node. width: int32[sets], the number of actions. before: int32[sets], the set before
    each on the player's way, or -1. action: int32[sets], what the player did there.
    Returns the number of each set; the sets in the order of their numbers, and in this order the `start` and the
    `parent_sequence` of `InformationSets`.
    """
    number, size = np.empty(len(head), np.int32), np.ones(len(head), np.int32)
    _number_depth_first(np.argsort(head), before, size, np.zeros(len(head) + 1, np.int32), number)
    order = np.empty(len(head), np.int32)
    order[number] = np.arange(len(head), dtype=np.int32)
    start = np.ones(len(head) + 1, np.int32)
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
