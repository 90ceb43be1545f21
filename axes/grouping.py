"""Functions for several axes: gathering the rows of a log by key, and comparing the payoffs of actions in a group.

Keys are 64-bit digests, so their low bits index an open-addressing hash table directly. Payoffs are whole chips. So
sums are exact, a mean is one correctly rounded division, equal means compare equal, and ties are exact.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log
from antemill.engine.machine.words import unsigned

Array = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Decisions(NamedTuple):
    """A program's decision types as arrays."""

    offsets: IntArray  # int64[types + 1] where each type's action ids start in a flat table over all of them
    seats: IntArray  # int64[types] the seat that decides
    lows: IntArray  # int64[types] the smallest action id that can be taken


class Groups(NamedTuple):
    """Rows of a log by group. Groups are numbered by their first row."""

    order: IntArray  # int64[rows] rows of group 0, then of group 1, ..., each in order of play
    starts: IntArray  # int64[groups + 1] into `order`


class Gathered(NamedTuple):
    """Groups of a log's rows that several axes share."""

    utility: IntArray  # int64[rows], see `utilities`
    infos: Groups  # rows by information state
    contexts: Groups  # rows by context
    sums: IntArray  # int64[all actions] payoffs of each action, see `action_table`
    counts: IntArray  # int64[all actions] tries of each action


def decisions(program: Program) -> Decisions:
    """The decision types of a program."""
    return Decisions(program.action_offsets, program.decision_seats, program.action_lows)


def gathered(log: Log, program: Program) -> Gathered:
    """The groups of a log, computed together."""
    return _gathered(log, program.action_offsets)


@kernel(allocates=True)
def _gathered(log: Log, offsets: IntArray) -> Gathered:
    """As `gathered`."""
    utility = utilities(log)
    sums, counts = action_table(log, utility, offsets)
    return Gathered(utility, group(log.info), group(log.context), sums, counts)


@kernel(allocates=True)
def utilities(log: Log) -> IntArray:
    """int64[rows]: the episode's payoff for the player who decided: final minus starting chips (X9)."""
    seat, episode, payoff = log.seat, log.episode, log.payoff
    found = np.empty(len(seat), np.int64)
    for row in range(len(seat)):
        alice = np.int64(payoff[unsigned(episode[row])])
        found[row] = alice if seat[row] == 0 else -alice
    return found


def sigma_u(log: Log) -> float:
    """Population standard deviation of the payoff over episodes, the same for both seats (X9)."""
    return _deviation(log.payoff)


@kernel(allocates=True)
def _deviation(values: Array) -> float:
    """The population standard deviation, equal to numpy's to the bit; 0 without values."""
    n = len(values)
    if n == 0:
        return 0.0
    total, squares = 0, np.empty(n)
    for i in range(n):
        total += values[i]  # whole chips: the sum is exact
    mean = total / n
    for i in range(n):
        squares[i] = (values[i] - mean) * (values[i] - mean)
    return math.sqrt(pairwise_sum(squares) / n)


@kernel
def pairwise_sum(values: FloatArray) -> float:
    """The sum of the values, added in the order of numpy's `pairwise_sum`, so that it is equal to the bit."""
    n = len(values)
    if n > 128:
        half = n // 2 - n // 2 % 8
        return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
    total, done = 0.0, 0
    if n >= 8:
        a, b, c, d, e, f, g, h = values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]
        done = n - n % 8
        for i in range(8, done, 8):
            a, b, c, d = a + values[i], b + values[i + 1], c + values[i + 2], d + values[i + 3]
            e, f, g, h = e + values[i + 4], f + values[i + 5], g + values[i + 6], h + values[i + 7]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(done, n):
        total += values[i]
    return total


@kernel(allocates=True)
def group(keys: Array) -> Groups:
    """Gather rows by key. keys: int64[rows]."""
    ids, count = dense_ids(keys)
    order, starts = gather(ids, count)
    return Groups(order, starts)


@kernel(allocates=True)
def distinct(keys: Array) -> int:
    """The number of different keys."""
    return dense_ids(keys)[1]


@kernel(allocates=True)
def action_table(log: Log, utility: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """int64[all actions] twice: the sum of payoffs and the number of tries of every action of every decision type."""
    sums, counts = np.zeros(offsets[-1], np.int64), np.zeros(offsets[-1], np.int64)
    for row in range(len(log.decision)):
        i = unsigned(offsets[unsigned(log.decision[row])] + log.action[row])
        sums[i] += utility[row]
        counts[i] += 1
    return sums, counts


@kernel(allocates=True)
def dense_ids(keys: Array) -> tuple[Array, int]:
    """Group number per row, and the number of groups."""
    size = 2
    while size <= 2 * len(keys):  # at most half full
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = size - 1
    ids = np.empty(len(keys), np.int32)
    first = np.empty(len(keys), np.int64)
    count = 0
    for row in range(len(keys)):
        key = keys[row]
        slot = key & mask
        while slots[unsigned(slot)] >= 0 and first[unsigned(slots[unsigned(slot)])] != key:
            slot = (slot + 1) & mask
        if slots[unsigned(slot)] < 0:
            slots[unsigned(slot)] = count
            first[unsigned(count)] = key
            count += 1
        ids[row] = slots[unsigned(slot)]
    return ids, count


@kernel(allocates=True)
def gather(ids: Array, count: int) -> tuple[IntArray, IntArray]:
    """The rows of the log in the order of their group numbers, and the start of each group (a counting sort)."""
    starts = np.zeros(count + 1, np.int64)
    for row in range(len(ids)):
        starts[ids[row] + 1] += 1
    for i in range(count):
        starts[i + 1] += starts[i]
    place = starts[:-1].copy()
    order = np.empty(len(ids), np.int64)
    for row in range(len(ids)):
        group = unsigned(ids[row])
        order[unsigned(place[group])] = row
        place[group] += 1
    return order, starts


@kernel
def tally(rows: IntArray, action: Array, utility: IntArray, sums: IntArray, counts: IntArray) -> int:
    """Payoff sums and tries per action of one group; returns one more than its largest action.

    sums, counts: workspace with an entry for every action; only the entries below the result are valid.
    """
    n = 0
    for row in rows:
        n = max(n, action[unsigned(row)] + 1)
    sums[:n] = 0
    counts[:n] = 0
    for row in rows:
        tried = unsigned(action[unsigned(row)])
        sums[tried] += utility[unsigned(row)]
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
def means(sums: IntArray, counts: IntArray, mean: FloatArray) -> None:
    """Write the mean payoff of every action; minus infinity where it was never tried."""
    for i in range(len(mean)):
        mean[i] = sums[i] / counts[i] if counts[i] > 0 else -np.inf


@kernel
def mark_best(mean: FloatArray, types: Decisions, seat: int, best: Array) -> None:
    """Set best[i] to 1 for all actions of a seat that tie for the highest mean of their decision type.

    mean: float64[all actions], see `means`. best: uint8[all actions], zeros.
    """
    for d in range(len(types.seats)):
        if types.seats[d] == seat:
            low, high = types.offsets[d], types.offsets[d + 1]
            highest = -np.inf
            for i in range(low, high):
                highest = max(highest, mean[unsigned(i)])
            if highest > -np.inf:
                for i in range(low, high):
                    best[unsigned(i)] = mean[unsigned(i)] == highest
