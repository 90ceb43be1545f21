"""Playing many episodes together and logging them in columns. It is one of the machine's drivers (design decision D2).

Every draw has the address (seed, stream, episode, event). So the log of an episode does not depend on the other
episodes, on their order, or on the number of threads. The players' own randomisation has a stream per seat.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import BATCH, kept_batch, play
from antemill.engine.machine.chance import key_of, subkey
from antemill.engine.machine.policy import UNIFORM, Policy
from antemill.engine.machine.program import Program
from antemill.engine.machine.together import (
    ACTION,
    BITS,
    CONTEXT,
    DECISION,
    INFO,
    MADE,
    MENU,
    PARENT,
    PAYOFF,
    RECALL,
    SEAT,
    Batch,
    decisions_of,
)
from antemill.engine.machine.together import payoff as payoff
from antemill.engine.machine.words import unsigned
from antemill.engine.seeding import Domain

Array = npt.NDArray[Any]
_CHANCE, _ALICE, _BOB = int(Domain.CHANCE), int(Domain.ALICE), int(Domain.BOB)


class Log(NamedTuple):
    """Columns of a log: those up to `episode` have one entry per decision, in order of play, the others per episode."""

    seat: Array  # int8[rows] the seat that decided
    decision: Array  # int16[rows] decision type
    action: Array  # int16[rows] action taken: option number or amount
    menu: Array  # int16[rows] number of actions offered
    recall: Array  # int64[rows] perfect-recall key
    info: Array  # int64[rows] key of the paper's information state
    context: Array  # int64[rows] key of its coarse part (decision type, hand, action path, chip bin)
    episode: Array  # int32[rows] episode, from 0
    payoff: Array  # int32[episodes] Alice's payoff in chips
    fired: Array  # int64[episodes, PHASE_WORDS] bit set of phases
    taken: Array  # int64[episodes, BRANCH_WORDS] bit set of branches

    @property
    def rows(self) -> int:
        """Number of decisions."""
        return len(self.decision)

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return len(self.payoff)


class Streams(NamedTuple):
    """Keys of an episode's three streams."""

    chance: int
    alice: int
    bob: int


def streams(seed: int, *words: int) -> Streams:
    """The streams of a batch of episodes. words: numbers that identify the purpose of the batch."""
    return streams_below(key_of(seed, *words))


@kernel
def streams_below(key: int) -> Streams:
    """The streams derived from a key."""
    return Streams(subkey(key, _CHANCE), subkey(key, _ALICE), subkey(key, _BOB))


def empty_log(rows: int, episodes: int) -> Log:
    """A log with capacity for `rows` decisions and `episodes` episodes; its entries are undefined."""
    return Log(
        seat=np.empty(rows, np.int8),
        decision=np.empty(rows, np.int16),
        action=np.empty(rows, np.int16),
        menu=np.empty(rows, np.int16),
        recall=np.empty(rows, np.int64),
        info=np.empty(rows, np.int64),
        context=np.empty(rows, np.int64),
        episode=np.empty(rows, np.int32),
        payoff=np.empty(episodes, np.int32),
        fired=np.empty((episodes, at.PHASE_WORDS), np.int64),
        taken=np.empty((episodes, at.BRANCH_WORDS), np.int64),
    )


@kernel
def begin(batch: Batch, keys: Streams, first: int, episodes: int, place: int) -> None:
    """Put the episodes first, first + 1, ... of the streams into the batch as numbers place, place + 1, ...

    They play row 0 of their policies.
    """
    batch.rows[:, place : place + episodes] = 0
    for i in range(episodes):  # a signed index may count from the end, which would prevent vectorisation
        to, chance = unsigned(place + i), subkey(keys.chance, first + i)
        batch.keys[0, to] = subkey(keys.alice, first + i)
        batch.keys[1, to] = subkey(keys.bob, first + i)
        batch.keys[2, to] = chance if chance != 0 else 1


@kernel
def write_log(batch: Batch, first: int, episodes: int, log: Log, row: int) -> int:
    """Write a `logged` batch to a log, as episodes first, first + 1, ..., from `row` on; returns the next free row."""
    places = batch.places
    for i in range(episodes):
        end = batch.ends[unsigned(batch.end[i])]
        row += end[MADE]
        at_row, place, action = row, end[PARENT], end[ACTION]
        while place >= 0:
            at_row -= 1
            here, asked, to = places[unsigned(place)], batch.asked[unsigned(place)], unsigned(at_row)
            log.seat[to] = here[SEAT]
            log.decision[to] = here[DECISION]
            log.action[to] = action
            log.menu[to] = asked[MENU]
            log.recall[to] = asked[RECALL]
            log.info[to] = asked[INFO]
            log.context[to] = asked[CONTEXT]
            log.episode[to] = first + i
            place, action = here[PARENT], here[ACTION]
        log.payoff[first + i] = end[PAYOFF]
        for j in range(at.PHASE_WORDS):
            log.fired[first + i, j] = end[BITS + j]
        for j in range(at.BRANCH_WORDS):
            log.taken[first + i, j] = end[BITS + at.PHASE_WORDS + j]
    return row


_ROWS_PER_EPISODE = 12  # first guess; the log grows when it is too small


def rollout(
    program: Program,
    episodes: int,
    keys: Streams,
    alice: Policy = UNIFORM,
    bob: Policy = UNIFORM,
    buffers: Log | None = None,
    batch: Batch | None = None,
) -> Log:
    """Play `episodes` episodes and return their log. Raises ValueError for a negative number.

    buffers: arrays to reuse, from `empty_log`; the log is a view of them. batch: the buffers to play in, from
    `kept_batch` with `logged`.
    """
    if episodes < 0:
        raise ValueError(f"{episodes} episodes can not be played: ask for none or more.")
    batch = kept_batch(program, logged=True) if batch is None else batch
    log, rows = buffers, 0
    for first in range(0, max(episodes, 1), BATCH):
        count = min(BATCH, episodes - first)
        begin(batch, keys, first, count, 0)
        batch, ends = play(batch, count, alice, bob)
        more = decisions_of(batch, ends)
        if log is None:
            log = empty_log(more if count == episodes else episodes * _ROWS_PER_EPISODE, episodes)
        while rows + more > len(log.decision):
            log = _larger(log, rows)
        rows = write_log(batch, first, count, log, rows)
    assert log is not None
    if len(log.decision) == rows and len(log.payoff) == episodes:
        return log
    return Log(*(column[:rows] for column in log[:8]), *(column[:episodes] for column in log[8:]))


def _larger(log: Log, rows: int) -> Log:
    """The log with twice the capacity for decisions."""
    buffers = empty_log(2 * len(log.decision) + 64, 0)
    for old, new in zip(log[:8], buffers[:8], strict=True):
        new[:rows] = old[:rows]
    return Log(*buffers[:8], *log[8:])
