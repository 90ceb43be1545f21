"""Kuhn poker without a machine: a function that knows the game, and logs what `rollout` logs of it.

It is the lower bound for the machine: the same draws, all hashing that enters a logged key, the same columns, and
nothing else (what happens after the last decision enters no key, so it is not hashed). The digests of the opening are
arguments, so that the compiler folds none of the hashing away. `tests/engine/machine/test_straight_line.py` compares
every column with the machine's.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from engine.compiler.compile import compile_spec
from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.chance import below, chain, mix64, subkey
from engine.machine.events import Chance, ChipReason, Event
from engine.machine.observe import token
from engine.machine.rollout import Log, Streams, empty_log
from engine.machine.room import opening
from engine.machine.words import named
from engine.rules.named import NAMED

POT = 2
CARDS = 3
OPTIONS = 2  # at every decision
BET, FOLD = 0, 0  # the first of them
_DRAW = (3 * int(Chance.DRAW) + 2) << 16  # address of the first card
_PHASE, _DEAL, _CHIPS, _CHOICE = int(Event.PHASE), int(Event.DEAL), int(Event.CHIPS), int(Event.CHOICE)
_ANTE, _BET = int(ChipReason.ANTE), int(ChipReason.BET)
_OPENED, _SHOWN = 0b111, 0b1000  # bits of phases: setup, ante and betting; the showdown
_FIRST, _RESPONSE, _SECOND, _LAST = 1 << 2, 1 << 4, 1 << 5, 1 << 6  # those of the four decisions
Words = npt.NDArray[np.int64]


@kernel(inline="late")
def _write(
    log: Log,
    row: int,
    episode: int,
    seat: int,
    decision: int,
    action: int,
    hand: int,
    path: int,
    stack: int,
    public: int,
    private: int,
    start: Words,
) -> int:
    """Log a decision with its keys; returns the next row."""
    context = mix64(chain(chain(hand, path), start[at.OWN_PATH + seat]) + ((stack << 16) | decision))
    here = named(row)
    log.seat[here] = seat
    log.decision[here] = decision
    log.action[here] = action
    log.menu[here] = OPTIONS
    log.recall[here] = mix64(chain(public, private) + ((OPTIONS << 16) | decision))
    log.info[here] = mix64(chain(context, start[at.SIGNALS + seat]) + start[at.SEATS + 2])
    log.context[here] = context
    log.episode[here] = episode
    return row + 1


@kernel(inline="late")
def _chosen(public: int, seat: int, decision: int, action: int) -> int:
    """The public digest after a choice."""
    return chain(public, token(_CHOICE, seat, decision, action, 0))


@kernel(inline="late")
def _paid(public: int, seat: int, reason: int) -> int:
    """The public digest after a chip has gone to the pot."""
    return chain(public, token(_CHIPS, seat, 1, POT, reason))


@kernel
def _play(start: Words, keys: Streams, episodes: int, log: Log) -> int:
    """Play all episodes; returns the number of rows. start: the game's opening."""
    row = 0
    for episode in range(episodes):
        chance = subkey(keys.chance, episode)
        key_alice, key_bob = subkey(keys.alice, episode), subkey(keys.bob, episode)
        first = below(chance, _DRAW, CARDS)
        second = below(chance, _DRAW + 1, CARDS - 1)
        alice = start[named(at.DECK + first)]
        bob = start[named(at.DECK + (CARDS - 1 if second == first else second))]  # the last card fills the gap
        hand_alice, hand_bob = start[named(at.CARD_KEY + alice)], start[named(at.CARD_KEY + bob)]
        higher = 1 if start[named(at.CARD_RANK + alice)] > start[named(at.CARD_RANK + bob)] else -1

        dealt = token(_DEAL, 0, 1, 0, 0)
        public = chain(start[at.PUBLIC], dealt)
        private_alice = chain(chain(chain(start[at.PRIVATE], public), dealt), hand_alice)
        dealt = token(_DEAL, 1, 1, 0, 0)
        public = chain(public, dealt)
        private_bob = chain(chain(chain(start[at.PRIVATE + 1], public), dealt), hand_bob)
        public = chain(public, token(_PHASE, POT, 1, 0, 0))
        public = _paid(_paid(public, 0, _ANTE), 1, _ANTE)
        public = chain(public, token(_PHASE, POT, 2, 0, 0))
        path = start[at.PATH]
        fired = _OPENED | _FIRST

        opened = below(key_alice, 0, OPTIONS)
        row = _write(log, row, episode, 0, 0, opened, hand_alice, path, 1, public, private_alice, start)
        public, path = _chosen(public, 0, 0, opened), chain(path, opened)
        answered = below(key_bob, 2, OPTIONS)
        if opened == BET:
            public = _paid(public, 0, _BET)
            row = _write(log, row, episode, 1, 1, answered, hand_bob, path, 1, public, private_bob, start)
            fired |= _RESPONSE
            won = 1 if answered == FOLD else 2 * higher
            fired |= 0 if answered == FOLD else _SHOWN
        else:
            row = _write(log, row, episode, 1, 2, answered, hand_bob, path, 1, public, private_bob, start)
            fired |= _SECOND
            if answered == BET:
                public, path = _paid(_chosen(public, 1, 2, BET), 1, _BET), chain(path, (2 << 16) | BET)
                last = below(key_alice, 4, OPTIONS)
                row = _write(log, row, episode, 0, 3, last, hand_alice, path, 1, public, private_alice, start)
                fired |= _LAST
                won = -1 if last == FOLD else 2 * higher
                fired |= 0 if last == FOLD else _SHOWN
            else:
                won = higher
                fired |= _SHOWN
        log.payoff[episode] = won
        log.fired[episode, 0] = fired
        for i in range(1, at.PHASE_WORDS):
            log.fired[episode, i] = 0
        for i in range(at.BRANCH_WORDS):
            log.taken[episode, i] = 0
    return row


@cache
def _start() -> Words:
    return opening(compile_spec(NAMED["kuhn"]()))


def straight_line_kuhn(episodes: int, keys: Streams, room: Log | None = None) -> Log:
    """What `rollout` returns for uniform play of Kuhn poker. room: as there, with three rows an episode."""
    log = room if room is not None else empty_log(3 * episodes, episodes)
    rows = _play(_start(), keys, episodes, log)
    return Log(*(column[:rows] for column in log[:8]), *(column[:episodes] for column in log[8:]))
