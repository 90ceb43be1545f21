"""A sampled lower bound of a policy's exploitability, for games whose tree does not fit.

1. A responder is learnt per seat: episodes are played against the policy, at first with uniform choices, later mostly
   with the best ones so far, and backward induction over the responder's own information keys in the log gives each
   action's value: the mean of what followed, the best action taken where the next key is known. This is done with the
   keys of every abstraction. At keys it has not learnt, a responder plays the policy. The responder with the best
   result in further episodes is kept; one candidate is the policy itself.
2. It plays fresh episodes, which were not used before: their mean payoff is an unbiased estimate of what this
   responder wins, and no responder wins more than a best response. So half of the two seats' sum is a *lower bound* of
   the exploitability, up to the sampling error that its confidence interval states.

With more episodes the bound approaches the exploitability from below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import opening, start
from antemill.engine.machine.chance import below, subkey, uniform
from antemill.engine.machine.layout import OVER
from antemill.engine.machine.policy import find_slot, hash_table
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, payoff, streams
from antemill.engine.machine.vm import advance
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy, Strategy, draw, strategy_of
from antemill.solver.policies.solution import Estimate, LowerBound
from antemill.solver.trees.abstraction import Abstraction, abstract_key, real_width

MIN_TRIES = 20  # an action that was tried less often is ignored
EXPLORE = 0.3  # share of uniform choices after the first round
ROUNDS = 4
Z95 = 1.959963984540054  # two-sided 95% of the normal distribution
_LEARN, _COMPARE, _TEST, _VALUE = 1, 2, 3, 4  # words of the streams


class Responder(NamedTuple):
    """A responder's play: one action per key; at other keys it plays the policy."""

    abstraction: int
    slots: Array  # int64[power of two]
    action: Array  # int64[power of two]


class _Log(NamedTuple):
    """The decisions that the responder made in some episodes, and the payoffs of the episodes."""

    key: Array  # int64[rows]
    action: Array  # int16[rows] place in the menu
    width: Array  # int16[rows]
    episode: Array  # int32[rows]
    payoff: Array  # int32[episodes] of the responder


@kernel
def _respond(responder: Responder, state: np.ndarray, key: int, explore: float, stream: int, counter: int) -> int:
    """The responder's action; -1 where it has none. It takes the draws `counter` and `counter + 1`."""
    slot = find_slot(responder.slots, key)
    if explore > 0.0 and (slot < 0 or uniform(stream, counter) < explore):
        return int(below(stream, counter + 1, real_width(state)))
    return int(responder.action[slot]) if slot >= 0 else -1


@kernel
def _play(
    code: np.ndarray,
    initial: np.ndarray,
    state: np.ndarray,
    keys: Streams,
    seat: int,
    responder: Responder,
    policy: Strategy,
    explore: float,
    first: int,
    last: int,
    log: _Log,
    row: int,
) -> tuple[int, int]:
    """Play the episodes first..last-1, the responder at `seat`. Returns the first one not played, and the next row."""
    for episode in range(first, last):
        start(initial, state, subkey(keys.chance, episode))
        own, other = subkey(keys.alice, episode), subkey(keys.bob, episode)
        counter, begun = 0, row
        while advance(code, state) != OVER:
            decision = state[at.DECISION]
            if state[at.SEAT] != seat:
                state[at.CHOICE] = draw(policy, state, 1 - seat, decision, other, counter)
                counter += 2
                continue
            if row >= len(log.key):
                return episode, begun
            key = abstract_key(state, seat, decision, responder.abstraction)
            action = _respond(responder, state, key, explore, own, 2 * counter)
            state[at.CHOICE] = draw(policy, state, seat, decision, own, 2 * counter) if action < 0 else action
            log.key[row] = key
            log.action[row] = action
            log.width[row] = real_width(state)
            log.episode[row] = episode
            row += 1
            counter += 2
        log.payoff[episode] = payoff(state) * (1 - 2 * seat)
    return last, row


def _episodes(
    program: Program, keys: Streams, seat: int, responder: Responder, policy: Strategy, explore: float, episodes: int
) -> _Log:
    """Play this many episodes, and return their log."""
    log = _Log(*_rows(8 * episodes), np.empty(episodes, np.int32))
    initial = opening(program)
    state = initial.copy()
    played, row = 0, 0
    while True:
        played, row = _play(
            program.code, initial, state, keys, seat, responder, policy, explore, played, episodes, log, row
        )
        if played == episodes:
            return _Log(log.key[:row], log.action[:row], log.width[:row], log.episode[:row], log.payoff)
        larger = _rows(2 * len(log.key) + 1024)
        for old, new in zip(log[:4], larger, strict=True):
            new[:row] = old[:row]
        log = _Log(*larger, log.payoff)


def _rows(n: int) -> tuple[Array, Array, Array, Array]:
    return np.empty(n, np.int64), np.empty(n, np.int16), np.empty(n, np.int16), np.empty(n, np.int32)


def _join(logs: list[_Log]) -> _Log:
    """Several logs as one, in which the episodes are numbered consecutively."""
    shift = np.cumsum([0] + [len(log.payoff) for log in logs])
    episode = np.concatenate([log.episode + shift[i] for i, log in enumerate(logs)]).astype(np.int32)
    key, action, width = (np.concatenate([log[i] for log in logs]) for i in range(3))
    return _Log(key, action, width, episode, np.concatenate([log.payoff for log in logs]))


@kernel(allocates=True)
def _induce(log: _Log, ids: np.ndarray, offset: np.ndarray, depth: np.ndarray, deepest: int, best: np.ndarray) -> None:
    """Backward induction: best[i] becomes the best action at key i, -1 if none was tried often enough."""
    total, tries = np.zeros(offset[-1]), np.zeros(offset[-1], np.int64)
    value = np.zeros(len(offset) - 1)
    for level in range(deepest, -1, -1):
        for row in range(len(ids)):
            if depth[row] == level:
                last = row + 1 == len(ids) or log.episode[row + 1] != log.episode[row]
                place = offset[ids[row]] + log.action[row]
                total[place] += log.payoff[log.episode[row]] if last else value[ids[row + 1]]
                tries[place] += 1
        for row in range(len(ids)):
            if depth[row] == level:
                i = ids[row]
                found, chosen, everything, count = -np.inf, -1, 0.0, 0
                for place in range(offset[i], offset[i + 1]):
                    everything += total[place]
                    count += tries[place]
                    if tries[place] >= MIN_TRIES and total[place] / tries[place] > found:
                        found, chosen = total[place] / tries[place], place - offset[i]
                best[i] = chosen
                value[i] = found if chosen >= 0 else everything / count


def _learn(log: _Log, abstraction: int) -> Responder:
    """Learn a responder from a log."""
    if not len(log.key):
        return _no_responder(abstraction)
    keys, place, ids = np.unique(log.key, return_index=True, return_inverse=True)
    offset = np.concatenate((np.zeros(1, np.int64), np.cumsum(log.width[place], dtype=np.int64)))
    new = np.flatnonzero(np.concatenate((np.ones(1, bool), np.diff(log.episode) != 0)))
    depth = np.arange(len(ids)) - np.repeat(new, np.diff(np.append(new, len(ids))))
    best = np.full(len(keys), -1, np.int64)
    _induce(log, ids.astype(np.int64), offset, depth, int(depth.max()), best)
    return Responder(abstraction, *hash_table(keys[best >= 0], best[best >= 0]))


def _no_responder(abstraction: int) -> Responder:
    nothing = np.zeros(0, np.int64)
    return Responder(abstraction, *hash_table(nothing, nothing))


def learn_response(program: Program, policy: Strategy, seat: int, episodes: int, seed: int) -> Responder:
    """The best responder found for `seat`: of one learnt with each abstraction's keys, the one that does best."""
    found = [(_trial(program, policy, seat, _no_responder(0), episodes // 10, seed), _no_responder(0))]
    share = max(ROUNDS, episodes // (len(Abstraction) * (ROUNDS + 1)))
    for abstraction in Abstraction:
        responder, logs = _no_responder(int(abstraction)), []
        for i in range(ROUNDS):
            keys = streams(seed, seat, _LEARN, int(abstraction), i)
            explore = 1.0 if i == 0 else EXPLORE
            logs.append(_episodes(program, keys, seat, responder, policy, explore, share))
            responder = _learn(_join(logs), int(abstraction))
        found.append((_trial(program, policy, seat, responder, episodes // 10, seed), responder))
    return max(found, key=lambda pair: pair[0])[1]


def _trial(program: Program, policy: Strategy, seat: int, responder: Responder, episodes: int, seed: int) -> float:
    """The responder's mean payoff on the episodes by which responders are compared."""
    log = _episodes(program, streams(seed, seat, _COMPARE), seat, responder, policy, 0.0, episodes)
    return float(log.payoff.mean())


def response_value(
    program: Program, policy: Strategy, seat: int, responder: Responder, episodes: int, seed: int
) -> Estimate:
    """What the responder wins at `seat` against the policy, on episodes that serve only this estimate."""
    log = _episodes(program, streams(seed, seat, _TEST), seat, responder, policy, 0.0, episodes)
    return _estimate(log.payoff)


def _estimate(payoffs: Array) -> Estimate:
    return Estimate(float(payoffs.mean()), float(payoffs.std(ddof=1)) / math.sqrt(len(payoffs)), len(payoffs))


def lower_bound(program: Program, table: Policy, episodes: int = 1_000_000, seed: int = 0) -> LowerBound:
    """A sampled lower bound of the policy's exploitability; half of the episodes learn, half of them measure.

    Raises UsageError for fewer than 1,000 episodes.
    """
    if episodes < 1_000:
        raise UsageError(f"{episodes} episodes are too few for a lower bound: use at least 1,000.")
    policy, each = strategy_of(table), episodes // 4
    won = []
    for seat in (0, 1):
        responder = learn_response(program, policy, seat, each, seed)
        won.append(response_value(program, policy, seat, responder, each, seed))
    mean = (won[0].mean + won[1].mean) / 2
    half = Z95 * math.hypot(won[0].error, won[1].error) / 2
    return LowerBound(mean, mean - half, mean + half, 2 * each)


@kernel
def _self_play(
    code: np.ndarray, initial: np.ndarray, state: np.ndarray, keys: Streams, policy: Strategy, out: np.ndarray
) -> None:
    """Alice's payoff in each episode when both seats play the policy, with the draws that matches take."""
    for episode in range(len(out)):
        start(initial, state, subkey(keys.chance, episode))
        alice, bob = subkey(keys.alice, episode), subkey(keys.bob, episode)
        counter = 0
        while advance(code, state) != OVER:
            seat = state[at.SEAT]
            state[at.CHOICE] = draw(policy, state, seat, state[at.DECISION], alice if seat == 0 else bob, counter)
            counter += 2
        out[episode] = payoff(state)


def self_play(program: Program, policy: Strategy, keys: Streams, episodes: int) -> Array:
    """int32[episodes]: Alice's payoffs when both seats play the policy."""
    out = np.empty(episodes, np.int32)
    initial = opening(program)
    _self_play(program.code, initial, initial.copy(), keys, policy, out)
    return out


def sampled_value(program: Program, table: Policy, episodes: int = 50_000, seed: int = 0) -> Estimate:
    """Alice's expected payoff when both seats play the policy."""
    return _estimate(self_play(program, strategy_of(table), streams(seed, _VALUE), episodes))
