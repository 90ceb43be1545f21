"""Kuhn poker without a machine: a function that knows the game, and logs what `rollout` logs of it.

It is the lower bound for the machine: the same draws and the same columns, and nothing else. Nothing is hashed but the
draws: a decision's keys depend on the own card and on the decision alone, so they are looked up in a table of twelve
entries, which a few episodes of the machine fill beforehand. `tests/engine/machine/test_straight_line.py` compares
every column with the machine's.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.events import Chance
from antemill.engine.machine.rollout import Log, Streams, empty_log, rollout, streams
from antemill.engine.machine.words import unsigned
from antemill.engine.rules.named import NAMED

CARDS = 3
DECISIONS = 4
OPTIONS = 2  # at every decision
BET, FOLD = 0, 0  # the first of them
RECALL, INFO, CONTEXT = range(3)  # rows of the table of keys
LEARNT = 300  # episodes from which the keys are taken; each of the twelve is met in more than a dozen
_DRAW = (3 * int(Chance.DRAW) + 2) << 16  # address of the first card
_OPENED, _SHOWN = 0b111, 0b1000  # bits of phases: setup, ante and betting; the showdown
_FIRST, _RESPONSE, _SECOND, _LAST = 1 << 2, 1 << 4, 1 << 5, 1 << 6  # those of the four decisions
Keys = npt.NDArray[np.int64]  # [3, CARDS * DECISIONS], by card, then by decision


@kernel(inline="late")
def _write(log: Log, row: int, episode: int, seat: int, decision: int, action: int, card: int, known: Keys) -> int:
    """Log a decision with its keys; returns the next row."""
    here, key = unsigned(row), unsigned(card * DECISIONS + decision)
    log.seat[here] = seat
    log.decision[here] = decision
    log.action[here] = action
    log.menu[here] = OPTIONS
    log.recall[here] = known[RECALL, key]
    log.info[here] = known[INFO, key]
    log.context[here] = known[CONTEXT, key]
    log.episode[here] = episode
    return row + 1


@kernel
def _play(keys: Streams, episodes: int, known: Keys, log: Log) -> int:
    """Play all episodes; returns the number of rows. Cards are numbered from the lowest to the highest."""
    row = 0
    for episode in range(episodes):
        chance = subkey(keys.chance, episode)
        key_alice, key_bob = subkey(keys.alice, episode), subkey(keys.bob, episode)
        alice = below(chance, _DRAW, CARDS)
        bob = below(chance, _DRAW + 1, CARDS - 1)
        bob = CARDS - 1 if bob == alice else bob  # the last card fills the gap
        higher = 1 if alice > bob else -1
        fired = _OPENED | _FIRST

        opened = below(key_alice, 0, OPTIONS)
        row = _write(log, row, episode, 0, 0, opened, alice, known)
        answered = below(key_bob, 2, OPTIONS)
        if opened == BET:
            row = _write(log, row, episode, 1, 1, answered, bob, known)
            fired |= _RESPONSE
            won = 1 if answered == FOLD else 2 * higher
            fired |= 0 if answered == FOLD else _SHOWN
        else:
            row = _write(log, row, episode, 1, 2, answered, bob, known)
            fired |= _SECOND
            if answered == BET:
                last = below(key_alice, 4, OPTIONS)
                row = _write(log, row, episode, 0, 3, last, alice, known)
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
def _known() -> Keys:
    """The table of keys: played with the entries' numbers for keys, the log says which entry stands in which row."""
    entries = CARDS * DECISIONS
    numbers, keys = np.tile(np.arange(entries), (3, 1)), streams(0)
    log = empty_log(3 * LEARNT, LEARNT)
    rows = _play(keys, LEARNT, numbers, log)
    met = log.recall[:rows]
    logged = rollout(compile_spec(NAMED["kuhn"]()), LEARNT, keys)
    known = np.zeros((3, entries), np.int64)
    for row, column in zip((RECALL, INFO, CONTEXT), (logged.recall, logged.info, logged.context), strict=True):
        known[row, met] = column
    return known


def straight_line_kuhn(episodes: int, keys: Streams, buffers: Log | None = None) -> Log:
    """What `rollout` returns for uniform play of Kuhn poker. buffers: as there, with three rows an episode."""
    log = buffers if buffers is not None else empty_log(3 * episodes, episodes)
    rows = _play(keys, episodes, _known(), log)
    return Log(*(column[:rows] for column in log[:8]), *(column[:episodes] for column in log[8:]))
