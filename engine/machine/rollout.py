"""Playing many episodes at once and logging them in columns (design decision D2: one more driver of `advance`).

Every draw is addressed by (seed, stream, episode, event): the log of an episode does not depend on which other episodes
are played, in what order, or on how many threads. The players' own randomisation has a stream per seat.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.chance import below, key_of, subkey
from engine.machine.layout import OVER
from engine.machine.observe import context_key, info_key, recall_key
from engine.machine.policy import UNIFORM, Policy, PolicyKind, pick
from engine.machine.program import Program
from engine.machine.vm import advance, menu_action
from engine.machine.words import named
from engine.seeding import Domain

Array = npt.NDArray[Any]
_UNIFORM = int(PolicyKind.UNIFORM)


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
    return Streams(
        key_of(seed, *words, Domain.CHANCE), key_of(seed, *words, Domain.ALICE), key_of(seed, *words, Domain.BOB)
    )


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


def opening(program: Program) -> Array:
    """int64[layout.SIZE]: a state that every episode passes through, for `reset` to go back to.

    It is the game's first question, unless a call is under way there or cards lie outside of the deck; then it is the
    state before the first instruction.
    """
    state = program.initial_state()
    advance(program.code, state)
    counts = (at.CALL_N, at.HAND_N, at.HAND_N + 1, at.BOARD_N, at.DISCARD_N)
    return program.initial_state() if state[list(counts)].any() else state


@kernel
def payoff(state: Array) -> int:
    """Alice's payoff: final stack minus starting chips, plus her score (X9, G14)."""
    return int(state[at.CHIPS] - state[at.START_CHIPS] + state[at.SCORE])


@kernel(inline="always")
def play(
    code: Array,
    initial: Array,
    state: Array,
    keys: Streams,
    episode: int,
    alice: Policy,
    bob: Policy,
    log: Log,
    row: int,
) -> int:
    """Play one episode and log its decisions from `row` on. `initial` is the program's `opening`.

    Returns the row after the last one, or -1 if the log is full; payoff and bit sets can then be read from `state`.
    """
    start(initial, state, subkey(keys.chance, episode))
    key_alice, key_bob = subkey(keys.alice, episode), subkey(keys.bob, episode)
    counter = 0
    while advance(code, state) != OVER:
        if row >= len(log.decision):
            row = -1
            break
        seat, decision = state[at.SEAT], state[at.DECISION]
        context = context_key(state, seat, decision)
        info = info_key(state, seat, context)
        recall = recall_key(state, seat, decision)
        key = key_alice if seat == 0 else key_bob
        if (alice.kind if seat == 0 else bob.kind) == _UNIFORM:  # spares the call below, which is not cheap
            index = below(key, counter, state[at.MENU])
        elif seat == 0:
            index = pick(alice, state, decision, recall, info, context, key, counter)
        else:
            index = pick(bob, state, decision, recall, info, context, key, counter)
        counter += 2
        state[at.CHOICE] = index
        at_row = named(row)
        log.seat[at_row] = seat
        log.decision[at_row] = decision
        log.action[at_row] = menu_action(state, index)
        log.menu[at_row] = state[at.MENU]
        log.recall[at_row] = recall
        log.info[at_row] = info
        log.context[at_row] = context
        log.episode[at_row] = episode
        row += 1
    return row


@kernel
def play_batch(
    code: Array,
    initial: Array,
    state: Array,
    keys: Streams,
    alice: Policy,
    bob: Policy,
    first: int,
    episodes: int,
    log: Log,
    row: int,
) -> tuple[int, int]:
    """Play episodes first..episodes-1, logging from `row` on; returns (first episode not played, next row)."""
    for episode in range(first, episodes):
        after = play(code, initial, state, keys, episode, alice, bob, log, row)
        if after < 0:
            return episode, row
        row = after
        log.payoff[episode] = payoff(state)
        for i in range(at.PHASE_WORDS):
            log.fired[episode, i] = state[at.FIRED + i]
        for i in range(at.BRANCH_WORDS):
            log.taken[episode, i] = state[at.TAKEN + i]
    return episodes, row


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
    initial = opening(program)
    state = initial.copy()
    played, rows = 0, 0
    while True:
        played, rows = play_batch(program.code, initial, state, keys, alice, bob, played, episodes, log, rows)
        if played == episodes:
            return Log(*(column[:rows] for column in log[:8]), *(column[:episodes] for column in log[8:]))
        log = _larger(log, rows)


def _larger(log: Log, rows: int) -> Log:
    """The log with twice the room for decisions."""
    room = empty_log(2 * len(log.decision) + 64, 0)
    for old, new in zip(log[:8], room[:8], strict=True):
        new[:rows] = old[:rows]
    return Log(*room[:8], *log[8:])
