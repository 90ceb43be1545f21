"""Playouts whose decisions are counted on the spot instead of being logged, for the axes that simulate opponents."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from axes.grouping import Array, IntArray
from axes.simplex import FloatArray
from engine.kernel import kernel
from engine.machine.chance import subkey
from engine.machine.policy import Policy, PolicyKind
from engine.machine.program import Program
from engine.machine.rollout import Log, Streams, empty_log, opening, payoff, play
from engine.machine.words import named

_MIXED = int(PolicyKind.MIXED)
_ROOM = 128  # decisions of one episode; made larger where a game needs it


class Machine(NamedTuple):
    """What a kernel needs to play a game one episode at a time."""

    code: Array
    initial: Array  # `engine.machine.rollout.opening`
    state: Array  # scratch
    log: Log  # room for the decisions of one episode
    offsets: IntArray  # Program.action_offsets


def with_machine(program: Program, run: Callable[[Machine], bool]) -> None:
    """Call `run` with a machine; as long as it returns False, call it again with room for longer episodes."""
    initial, offsets, room = opening(program), program.action_offsets, _ROOM
    while not run(Machine(program.code, initial, initial.copy(), empty_log(room, 0), offsets)):
        room *= 2


def visits(program: Program, keys: Streams, alice: Policy, bob: Policy, episodes: int, focal: int) -> IntArray:
    """int64[decision types]: how often the focal seat met each of them."""
    offsets = program.action_offsets
    sums, counts = np.zeros(offsets[-1], np.int64), np.zeros(offsets[-1], np.int64)
    with_machine(program, lambda machine: count_batch(machine, keys, alice, bob, episodes, focal, sums, counts))
    return np.add.reduceat(counts, offsets[:-1])


@kernel
def substreams(keys: Streams, word: int) -> Streams:
    """The streams for one numbered part of a batch, such as the episodes against one opponent."""
    return Streams(subkey(keys.chance, word), subkey(keys.alice, word), subkey(keys.bob, word))


@kernel
def mixed_row(weights: FloatArray, row: int, offsets: IntArray, like: Policy) -> Policy:
    """The mixed policy in a row of weights. like: the uniform policy, for all that a mixed one does not use."""
    return Policy(
        _MIXED, weights[row], offsets, like.keys, like.values, like.fallback, like.key_kind, like.shifted,
        like.shift,
    )  # fmt: skip


@kernel
def count_batch(
    machine: Machine,
    keys: Streams,
    alice: Policy,
    bob: Policy,
    episodes: int,
    focal: int,
    sums: IntArray,
    counts: IntArray,
) -> bool:
    """Sum the focal seat's payoff over episodes 0, 1, ... and count them, for every action that it took in them.

    sums, counts: int64[all actions], written anew. False if an episode does not fit into the machine's log.
    """
    sums[:] = 0
    counts[:] = 0
    state, log = machine.state, machine.log
    for episode in range(episodes):
        rows = play(machine.code, machine.initial, state, keys, episode, alice, bob, log, 0)
        if rows < 0:
            return False
        utility = payoff(state) if focal == 0 else -payoff(state)
        for row in range(rows):
            if log.seat[row] == focal:
                i = named(machine.offsets[named(log.decision[row])] + log.action[row])
                sums[i] += utility
                counts[i] += 1
    return True
