"""Playing many episodes at once and logging them in columns (design decision D2: one more driver of `advance`).

Every draw is addressed by (seed, stream, episode, event): the log of an episode does not depend on which other episodes
are played, in what order, or on how many threads. The players' own randomisation has a stream per seat.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.chance import key_of, subkey
from engine.machine.policy import UNIFORM, Policy
from engine.machine.program import Program
from engine.machine.together import (
    ACTION,
    ASKED_WORDS,
    BITS,
    CONTEXT,
    DECISION,
    END_WORDS,
    GROUP_WORDS,
    INFO,
    MADE,
    MENU,
    PARENT,
    PAYOFF,
    PLACE_WORDS,
    RECALL,
    SEAT,
    Batch,
    decisions_of,
    stack_of,
    walk,
)
from engine.machine.together import payoff as payoff
from engine.machine.vm import advance
from engine.machine.words import named
from engine.seeding import Domain

Array = npt.NDArray[Any]
_CHANCE, _ALICE, _BOB = int(Domain.CHANCE), int(Domain.ALICE), int(Domain.BOB)


class Log(NamedTuple):
    """Columns of a log: one entry per decision, in order of play, and below one per episode."""

    seat: Array  # int8[rows] who decided
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
    """The streams of a batch of episodes, from a seed and what the batch is for."""
    return _streams(key_of(seed, *words))


@kernel
def _streams(key: int) -> Streams:
    """The streams below a key."""
    return Streams(subkey(key, _CHANCE), subkey(key, _ALICE), subkey(key, _BOB))


def empty_log(rows: int, episodes: int) -> Log:
    """Room for so many rows and episodes."""
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


@kernel(inline="always")
def reset(initial: Array, state: Array) -> None:
    """Back to `initial`, an `opening`: its piles other than the deck are empty, and their counts are registers."""
    for i in range(at.DECK + initial[at.CARDS]):
        state[i] = initial[i]


@kernel(inline="always")
def start(initial: Array, state: Array, chance: int) -> None:
    """Back to `initial`; from there on the machine draws chance from the stream `chance`.

    Whatever `initial` waits for, `advance` comes next: it goes on with a draw, and asks for a decision again.
    """
    reset(initial, state)
    state[at.CHANCE_KEY] = chance if chance != 0 else 1


def opening(program: Program, blind: bool = False) -> Array:
    """int64[layout.SIZE]: a state that every episode passes through, for `reset` to go back to.

    blind: whether cards are drawn when a rule reads them, and keys mean nothing (`engine.machine.instructions.unseen`).

    It is the game's first question, unless a call is under way there or cards lie outside of the deck; then it is the
    state before the first instruction.
    """
    initial = program.initial_state()
    initial[at.BLIND] = blind
    state = initial.copy()
    advance(program.code, state)
    counts = (at.CALL_N, at.HAND_N, at.HAND_N + 1, at.BOARD_N, at.DISCARD_N)
    return initial if any(state[count] for count in counts) else state


@kernel
def begin(batch: Batch, keys: Streams, first: int, episodes: int, place: int) -> None:
    """Let the episodes first, first + 1, ... of the streams be number place, place + 1, ... of the batch."""
    for i in range(episodes):  # an index that may count from the end would keep this from being vectorised
        to, chance = named(place + i), subkey(keys.chance, first + i)
        batch.keys[0, to] = subkey(keys.alice, first + i)
        batch.keys[1, to] = subkey(keys.bob, first + i)
        batch.keys[2, to] = chance if chance != 0 else 1


def batch_for(program: Program, episodes: int, logged: bool = False, blind: bool = False, noted: bool = True) -> Batch:
    """Room to play so many episodes together, for `play`. Each plays row 0 of its policies unless `rows` says else.

    logged: whether there is room for what `write_log` writes of the places. blind: as in `opening`, for players whose
    policies look up no keys; not with `logged`. noted: as in `Batch`.
    """
    initial = opening(program, blind)
    places, asked = _room_for_places(32 * episodes + 64 if noted else 0, logged)
    return Batch(
        code=program.code,
        initial=initial,
        stack=stack_of(initial, 32),
        groups=np.empty((1024, GROUP_WORDS), np.int64),
        keys=np.empty((3, episodes), np.int64),
        draws=2,
        noted=noted,
        rows=np.zeros((2, episodes), np.int32),
        order=np.empty(episodes, np.int32),
        answers=np.empty(episodes, np.int32),
        spare=np.empty((2, episodes + 1), np.int32),
        end=np.empty(episodes, np.int32),
        places=places,
        asked=asked,
        ends=np.empty((episodes, END_WORDS), np.int64),
    )


def _room_for_places(number: int, logged: bool) -> tuple[Array, Array]:
    """`Batch.places` and `Batch.asked`, which take memory only where they are written.

    They are one piece: several large ones that are freed together make the C library return their memory to the system,
    and writing to it anew then takes as long as playing.
    """
    words = PLACE_WORDS // 2  # of 64 bits
    room = np.empty(number * (words + (ASKED_WORDS if logged else 0)), np.int64)
    places, asked = room[: number * words], room[number * words :]
    return places.view(np.int32).reshape(-1, PLACE_WORDS), asked.reshape(-1, ASKED_WORDS)


def play(batch: Batch, episodes: int, alice: Policy, bob: Policy) -> tuple[Batch, int]:
    """Play the first episodes of a batch, whose keys are set; returns the batch, made larger if it had to be, and how
    many rows of its `ends` are in use.
    """
    while True:
        ends = walk(batch, episodes, alice, bob)
        if ends >= 0:
            return batch, ends
        places, asked = _room_for_places(2 * len(batch.places), len(batch.asked) > 0)
        batch = batch._replace(
            stack=stack_of(batch.initial, 2 * len(batch.stack)),
            groups=np.empty((2 * len(batch.groups), GROUP_WORDS), np.int64),
            places=places,
            asked=asked,
        )


@kernel
def write_log(batch: Batch, first: int, episodes: int, log: Log, row: int) -> int:
    """Log a `logged` batch's episodes as numbers first, first + 1, ..., from `row` on; returns the row after them."""
    places = batch.places
    for i in range(episodes):
        end = batch.ends[named(batch.end[i])]
        row += end[MADE]
        at_row, place, action = row, end[PARENT], end[ACTION]
        while place >= 0:
            at_row -= 1
            here, asked, to = places[named(place)], batch.asked[named(place)], named(at_row)
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


BATCH = 4096  # episodes that are played together: more share more, until what they need is too large for a cache
_ROWS_PER_EPISODE = 12  # first guess; the log grows when it is too small


def rollout(
    program: Program,
    episodes: int,
    keys: Streams,
    alice: Policy = UNIFORM,
    bob: Policy = UNIFORM,
    room: Log | None = None,
) -> Log:
    """Play `episodes` episodes and return their log.

    `room`: arrays to reuse from `empty_log` (the log is a view of them).
    """
    log = room if room is not None else empty_log(episodes * _ROWS_PER_EPISODE, episodes)
    batch, rows = batch_for(program, min(episodes, BATCH), logged=True), 0
    for first in range(0, episodes, BATCH):
        count = min(BATCH, episodes - first)
        begin(batch, keys, first, count, 0)
        batch, ends = play(batch, count, alice, bob)
        while rows + decisions_of(batch, ends) > len(log.decision):
            log = _larger(log, rows)
        rows = write_log(batch, first, count, log, rows)
    return Log(*(column[:rows] for column in log[:8]), *(column[:episodes] for column in log[8:]))


def _larger(log: Log, rows: int) -> Log:
    """The log with twice the room for decisions."""
    room = empty_log(2 * len(log.decision) + 64, 0)
    for old, new in zip(log[:8], room[:8], strict=True):
        new[:rows] = old[:rows]
    return Log(*room[:8], *log[8:])
