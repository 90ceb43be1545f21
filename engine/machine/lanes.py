"""Lanes: episodes of one game played side by side, each up to its next question. It is one of the machine's drivers.

    lanes = Lanes(program, 256)
    lanes.reset(streams(7))
    while not lanes.done.all():
        lanes.choices[:] = ...                  an index into the menu of each lane that is not done
        lanes.advance()
    lanes.payoffs

Lane i plays the episode `episodes[i]` of the streams. It has the cards of that episode of
`antemill.engine.machine.rollout`, and with the same choices its keys and payoff, whatever the number of lanes. A policy
plays the seat that it is given for, with the same draws as in a rollout; the lanes then stop only at the other seat's
decisions.

A state is one row of an array, and one compiled loop runs the machine over the rows. Running each instruction over
columns of lanes was less than twice as fast when measured, and it would need the rules a second time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import antemill.engine.arguments as arguments
from antemill.engine.arguments import wrong_type, wrong_value
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import opening, start
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.events import EVENT_WIDTH
from antemill.engine.machine.given import policy_of, streams_of
from antemill.engine.machine.layout import OVER
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.policy import UNIFORM, KeyKind, Policy, PolicyKind, pick
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, payoff
from antemill.engine.machine.vm import UNANSWERED, advance, new_state

IntArray = npt.NDArray[np.int64]

ASKED = UNIFORM._replace(kind=-1)  # in place of a policy: the driver of the lanes answers for the seat
_ASKED, _UNIFORM = ASKED.kind, int(PolicyKind.UNIFORM)
_MOST, _LAST = 1 << 24, np.iinfo(np.int64).max
_RECALL, _INFO = int(KeyKind.RECALL), int(KeyKind.INFO)


class Rows(NamedTuple):
    """Arrays with an entry per lane, as kernels take them."""

    states: IntArray  # int64[n, words] states of the machine (`antemill.engine.machine.layout`), with their journals
    episodes: IntArray  # int64[n] the number of the episode in the streams
    made: IntArray  # int64[n] decisions of both seats so far
    choices: IntArray  # int64[n] answer: an index into the menu; UNANSWERED once it is taken
    seats: npt.NDArray[np.int8]  # int8[n] the seat that is asked; at the end the seat asked last, -1 if none was
    decisions: npt.NDArray[np.int16]  # int16[n] decision type
    menus: npt.NDArray[np.int16]  # int16[n] the number of possible answers; 0 at the end
    payoffs: npt.NDArray[np.int32]  # int32[n] Alice's payoff in chips; 0 before the end
    done: npt.NDArray[np.bool_]  # bool[n] whether the episode is over


class Dealer(NamedTuple):
    """Data that all lanes share."""

    code: npt.NDArray[np.int32]
    initial: IntArray  # int64[words] the state at the beginning of every episode
    keys: Streams
    alice: Policy
    bob: Policy


@kernel
def _answer(dealer: Dealer, state: IntArray, episode: int, made: int) -> int:
    """The answer of the policy of the seat to move, as an index into the menu."""
    seat, decision, counter = state[at.SEAT], state[at.DECISION], 2 * made
    key = subkey(dealer.keys.alice if seat == 0 else dealer.keys.bob, episode)
    if (dealer.alice.kind if seat == 0 else dealer.bob.kind) == _UNIFORM:
        return below(key, counter, state[at.MENU])
    context = context_key(state, seat, decision)
    info, recall = info_key(state, seat, context), recall_key(state, seat, decision)
    if seat == 0:
        return pick(dealer.alice, state, decision, recall, info, context, key, counter)
    return pick(dealer.bob, state, decision, recall, info, context, key, counter)


@kernel(inline="late")
def go_on(dealer: Dealer, rows: Rows, lane: int) -> None:
    """Take a lane's answer, if there is one, and run to the next question for the driver or to the end."""
    state, made = rows.states[lane], rows.made[lane]
    choice = rows.choices[lane]
    if 0 <= choice < rows.menus[lane]:
        state[at.CHOICE] = choice
        made += 1
    rows.choices[lane] = UNANSWERED
    while advance(dealer.code, state) != OVER:
        seat = state[at.SEAT]
        if (dealer.alice.kind if seat == 0 else dealer.bob.kind) == _ASKED:
            rows.seats[lane] = seat
            rows.decisions[lane] = state[at.DECISION]
            rows.menus[lane] = state[at.MENU]
            rows.made[lane] = made
            return
        state[at.CHOICE] = _answer(dealer, state, rows.episodes[lane], made)
        made += 1
    rows.menus[lane] = 0
    rows.payoffs[lane] = payoff(state)
    rows.done[lane] = True
    rows.made[lane] = made


@kernel(inline="late")
def deal(dealer: Dealer, rows: Rows, lane: int) -> None:
    """Begin the lane's episode, and run to the first question for the driver or to the end."""
    start(dealer.initial, rows.states[lane], subkey(dealer.keys.chance, rows.episodes[lane]))
    rows.choices[lane] = UNANSWERED
    rows.seats[lane] = -1
    rows.menus[lane] = 0
    rows.made[lane] = 0
    rows.payoffs[lane] = 0
    rows.done[lane] = False
    go_on(dealer, rows, lane)


@kernel
def _deal_all(dealer: Dealer, rows: Rows, wanted: npt.NDArray[np.bool_]) -> None:
    for lane in range(len(wanted)):
        if wanted[lane]:
            deal(dealer, rows, lane)


@kernel
def _advance_all(dealer: Dealer, rows: Rows, step: int) -> None:
    """Advance every lane; a lane that is over deals the episode `step` after its last, if `step` is not 0."""
    for lane in range(len(rows.done)):
        if not rows.done[lane]:
            go_on(dealer, rows, lane)
        elif step:
            rows.episodes[lane] += step
            deal(dealer, rows, lane)


@kernel
def _keys(rows: Rows, kind: int, out: IntArray) -> None:
    for lane in range(len(out)):
        out[lane] = 0
        if not rows.done[lane]:
            state, seat, decision = rows.states[lane], rows.seats[lane], rows.decisions[lane]
            context = context_key(state, seat, decision)
            if kind == _RECALL:
                out[lane] = recall_key(state, seat, decision)
            else:
                out[lane] = info_key(state, seat, context) if kind == _INFO else context


def _opening(program: Program, events: int) -> IntArray:
    """int64[words]: the state at the beginning of every episode, as `opening`, with a journal of the events before it.

    Every journal begins with these events, so a lane keeps them from one episode to the next.
    """
    state, first = new_state(program.initial_state(), events), opening(program)
    if first[at.PC] != state[at.PC]:
        advance(program.code, state)
    return state[: at.JOURNAL + int(state[at.JOURNAL_N]) * EVENT_WIDTH] if events else first


class Lanes:
    """`n` episodes of a program side by side.

    All arrays belong to the lanes: they are written in place, never replaced or copied.

    states: int64[n, words], the states of the machine. episodes: int64[n], the number of each lane's episode. choices:
    int64[n], to be filled with an index into each menu; any other number leaves the lane at its question. seats:
    int8[n], the seat that is asked; in a lane that is done, the seat asked last, -1 if none was. decisions: int16[n],
    decision types. menus: int16[n], numbers of possible answers, 0 for a lane that is done. made: int64[n], decisions
    so far. payoffs: int32[n], Alice's in chips, 0 before the end. done: bool[n].
    """

    def __init__(
        self,
        program: Program,
        n: int,
        *,
        alice: Policy | str = ASKED,
        bob: Policy | str = ASKED,
        automatic: bool = False,
        events: int = 0,
    ) -> None:
        """Lanes for `n` episodes at a time; `reset` begins.

        program: from `compile_spec`. alice, bob: policies for seats that are not asked; "random" is the uniform one.
        automatic: whether `advance` makes a lane that is done begin the episode `n` after its last one; otherwise such
        a lane stays as it is. events: capacity of each state's journal (`antemill.engine.machine.events`); events of an
        episode that do not fit are not recorded. Raises UsageError for fewer than one lane and for a policy of another
        game or of several rows, and TypeError (also a UsageError) for arguments of other kinds.
        """
        program = arguments.kind(program, "program", Program, "make one by compile_spec(generate(9))")
        n, events = arguments.whole(n, "n", 1, _MOST), arguments.whole(events, "events", 0, _MOST)
        alice, bob = (
            player if isinstance(player, Policy) and player.kind == _ASKED else policy_of(player, name, program)
            for name, player in (("alice", alice), ("bob", bob))
        )
        automatic = arguments.truth(automatic, "automatic")
        self.program = program
        self.automatic = automatic
        initial = _opening(program, events)
        self.dealer = Dealer(program.code, initial[: at.SIZE].copy(), Streams(0, 0, 0), alice, bob)
        self.rows = Rows(
            states=np.zeros((n, at.state_size(events)), np.int64),
            episodes=np.zeros(n, np.int64),
            made=np.zeros(n, np.int64),
            choices=np.full(n, UNANSWERED, np.int64),
            seats=np.full(n, -1, np.int8),
            decisions=np.zeros(n, np.int16),
            menus=np.zeros(n, np.int16),
            payoffs=np.zeros(n, np.int32),
            done=np.ones(n, np.bool_),
        )
        self.rows.states[:, : len(initial)] = initial
        self.states, self.episodes, self.made, self.choices = self.rows[:4]
        self.seats, self.decisions, self.menus, self.payoffs, self.done = self.rows[4:]

    def __len__(self) -> int:
        return len(self.done)

    def reset(
        self, keys: Streams | int, episodes: npt.ArrayLike | None = None, where: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Begin an episode in every lane, or in those where `where` is True, and run to its first question.

        keys: from `antemill.engine.streams`, or a seed. episodes: int[n], the number of each lane's episode; by default
        lane i plays episode i. where: bool[n]. Raises TypeError or ValueError (both also UsageError) for other
        arguments.
        """
        dealt = streams_of(keys)
        wanted = np.ones(len(self), np.bool_) if where is None else self._column(where, "where", "b", "truth values")
        numbers = (
            np.arange(len(self)) if episodes is None else self._column(episodes, "episodes", "iu", "whole numbers")
        )
        self.episodes[wanted] = numbers[wanted]
        self.dealer = self.dealer._replace(keys=dealt)
        _deal_all(self.dealer, self.rows, wanted)

    def advance(self) -> None:
        """Take `choices`, and run every lane to its next question or to its end."""
        _advance_all(self.dealer, self.rows, len(self) if self.automatic else 0)

    def keys(self, kind: KeyKind = KeyKind.RECALL) -> IntArray:
        """int64[n], a new array: an information key of each lane's seat to move, 0 for a lane that is done."""
        found = np.empty(len(self), np.int64)
        _keys(self.rows, arguments.whole(kind, "kind", 0, len(KeyKind) - 1), found)
        return found

    def _column(self, given: npt.ArrayLike, name: str, kinds: str, wanted: str) -> npt.NDArray[Any]:
        """An argument as an array of these kinds of numbers with an entry for each lane."""
        wanted = f"{wanted}, one for each of {len(self)} lanes"
        try:
            found = np.asarray(given)
        except ValueError:  # rows of different lengths
            wrong_type(name, given, wanted)
        if found.dtype.kind not in kinds:
            wrong_type(name, given, wanted)
        if found.shape not in ((), (len(self),)) or (found.dtype == np.uint64 and bool(np.any(found > _LAST))):
            wrong_value(name, given, wanted)
        return np.broadcast_to(found, len(self))
