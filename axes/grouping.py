"""What several axes share: gathering the rows of a log by key, and comparing the payoffs of actions in a group.

Keys are 64-bit digests, so their low bits index an open-addressing hash table directly. Payoffs are whole chips: sums
are exact, a mean is one correctly rounded division, and equal means compare equal. Ties are therefore exact.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel
from engine.machine.program import Program
from engine.machine.rollout import Log
from engine.machine.words import named

Array = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]


class Decisions(NamedTuple):
    """A program's decision types as arrays."""

    offsets: IntArray  # int64[types + 1] where each type's action ids start in a flat table over all of them
    seats: IntArray  # int64[types] who decides
    lows: IntArray  # int64[types] the smallest action id that can be taken


class Groups(NamedTuple):
    """Rows of a log by group. Groups are numbered by their first row."""

    order: IntArray  # int64[rows] rows of group 0, then of group 1, ..., each in order of play
    starts: IntArray  # int64[groups + 1] into `order`


def decisions(program: Program) -> Decisions:
    """The decision types of a program."""
    return Decisions(program.action_offsets, program.decision_seats, program.action_lows)


def utilities(log: Log) -> IntArray:
    """int64[rows]: the payoff of the episode for the player who decided: final minus starting chips (X9)."""
    return _utilities(log.seat, log.episode, log.payoff)


@kernel(allocates=True)
def _utilities(seat: Array, episode: Array, payoff: Array) -> IntArray:
    """As `utilities`."""
    found = np.empty(len(seat), np.int64)
    for row in range(len(seat)):
        alice = np.int64(payoff[named(episode[row])])
        found[row] = alice if seat[row] == 0 else -alice
    return found


def sigma_u(log: Log) -> float:
    """Population standard deviation of the payoff over episodes, the same for both seats (X9)."""
    return float(np.std(log.payoff)) if log.episodes else 0.0


def group(keys: Array) -> Groups:
    """Gather rows by key. keys: int64[rows]."""
    return Groups(*gather(*dense_ids(keys, _slots(len(keys)))))


def distinct(keys: Array) -> int:
    """How many different keys there are."""
    return dense_ids(keys, _slots(len(keys)))[1]


def _slots(rows: int) -> Array:
    """An empty hash table for at most so many keys, at most half full."""
    slots = np.empty(1 << (2 * rows).bit_length(), np.int32)
    slots.fill(-1)
    return slots


def action_table(log: Log, utility: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """int64[all actions] twice: the sum of payoffs and the number of tries of every action of every decision type."""
    sums, counts = np.zeros(offsets[-1], np.int64), np.zeros(offsets[-1], np.int64)
    add_rows(log.decision, log.action, utility, offsets, sums, counts)
    return sums, counts


@kernel(allocates=True)
def dense_ids(keys: Array, slots: Array) -> tuple[Array, int]:
    """Group number per row, and the number of groups. slots: int32[power of two > rows], all -1; it is used up."""
    mask = len(slots) - 1
    ids = np.empty(len(keys), np.int32)
    first = np.empty(len(keys), np.int64)
    count = 0
    for row in range(len(keys)):
        key = keys[row]
        slot = key & mask
        while slots[named(slot)] >= 0 and first[named(slots[named(slot)])] != key:
            slot = (slot + 1) & mask
        if slots[named(slot)] < 0:
            slots[named(slot)] = count
            first[named(count)] = key
            count += 1
        ids[row] = slots[named(slot)]
    return ids, count


@kernel(allocates=True)
def gather(ids: Array, count: int) -> tuple[IntArray, IntArray]:
    """The rows of the log in the order of their group numbers, and where each group starts (a counting sort)."""
    starts = np.zeros(count + 1, np.int64)
    for row in range(len(ids)):
        starts[ids[row] + 1] += 1
    for i in range(count):
        starts[i + 1] += starts[i]
    place = starts[:-1].copy()
    order = np.empty(len(ids), np.int64)
    for row in range(len(ids)):
        group = named(ids[row])
        order[named(place[group])] = row
        place[group] += 1
    return order, starts


@kernel
def add_rows(
    decision: Array, action: Array, utility: IntArray, offsets: IntArray, sums: IntArray, counts: IntArray
) -> None:
    """Add every row's payoff to its decision type's action."""
    for row in range(len(decision)):
        i = named(offsets[named(decision[row])] + action[row])
        sums[i] += utility[row]
        counts[i] += 1


@kernel
def tally(rows: IntArray, action: Array, utility: IntArray, sums: IntArray, counts: IntArray) -> int:
    """Payoff sums and tries per action of one group; returns one more than its largest action.

    sums, counts: scratch with room for every action; only the entries below the result are meaningful.
    """
    n = 0
    for row in rows:
        n = max(n, action[named(row)] + 1)
    sums[:n] = 0
    counts[:n] = 0
    for row in rows:
        tried = named(action[named(row)])
        sums[tried] += utility[named(row)]
        counts[tried] += 1
    return n


@kernel
def best_mean(sums: IntArray, counts: IntArray, n: int, tries: int) -> float:
    """The highest mean payoff among actions 0..n-1 with at least `tries` tries; minus infinity if there are none."""
    best = -np.inf
    for a in range(n):
        if counts[a] >= tries:
            best = max(best, sums[a] / counts[a])
    return best


@kernel
def first_best(sums: IntArray, counts: IntArray, n: int, tries: int) -> int:
    """The lowest action with the highest mean payoff among those with at least `tries` tries; -1 if there are none."""
    best = best_mean(sums, counts, n, tries)
    for a in range(n):
        if counts[a] >= tries and sums[a] / counts[a] == best:
            return a
    return -1


@kernel
def mark_best(sums: IntArray, counts: IntArray, types: Decisions, seat: int, best: Array) -> None:
    """Set best[i] to 1 for all actions of a seat that tie for the highest mean of their decision type."""
    for d in range(len(types.seats)):
        if types.seats[d] == seat:
            low, high = types.offsets[d], types.offsets[d + 1]
            mean = best_mean(sums[low:high], counts[low:high], high - low, 1)
            for i in range(low, high):
                if counts[i] > 0 and sums[i] / counts[i] == mean:
                    best[i] = 1
