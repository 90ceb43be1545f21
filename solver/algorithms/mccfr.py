"""External-sampling MCCFR (Lanctot, Waugh, Zinkevich and Bowling 2009) with linear weighting, on the machine itself.

One iteration walks the game once per player, the traverser:
1. Chance and the other player's choices are sampled; at the traverser's decisions every action is tried.
2. There the regrets grow by the iteration's number times (value of the action - value of the set), unclipped.
3. At the other player's decisions the policy that was sampled from enters that player's average, also with the
   iteration's number as its weight (linear CFR, Brown and Sandholm 2019, as weights instead of discounts).

No tree is built, so it runs on games whose tree does not fit: memory grows with the information sets that were met.
Keys are those of perfect recall or of an abstraction (`antemill.solver.trees.abstraction`). A walk draws from its own
streams (seed, iteration, traverser). A chance draw depends only on its address, so the actions that a walk compares
face the same cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import opening, start
from antemill.engine.machine.chance import subkey, uniform
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.layout import OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, payoff, streams
from antemill.engine.machine.vm import advance
from antemill.solver.algorithms.loop import Limits, Record, Stopped, Trace, Watch, check_positive, iterate
from antemill.solver.algorithms.sampled_tables import (
    COLLISION,
    Tables,
    average_table,
    find_row,
    larger,
    match_regrets,
    new_tables,
)
from antemill.solver.algorithms.table import SAMPLING
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy, draw_row
from antemill.solver.trees.abstraction import Abstraction, abstract_key

_STREAM = 0x3CCF  # the purpose of the streams
_DONE, _TABLES_FULL, _FRAMES_FULL, _COLLISION, _PAUSED = 0, 1, 2, 3, 4
_LEVEL, _DRAWS = 0, 1  # places in Frames.cursor
_FIRST_MEASURE, _GROWTH = 1_000, 0.2  # iterations before the first measurement; and between later ones, in parts
_STEPS = 200_000  # decisions after which a walk pauses, because one walk of a long game may take very long
_ROWS, _LEVELS, _PLACES = 4_096, 64, 8  # initial capacity; places per level


class SampledRun(NamedTuple):
    """The policy of a run, and its measurements."""

    table: Policy  # the best average policy that was measured, else the last one
    exploitability: float  # as measured; nan if it was not
    iterations: int
    seconds: float
    trace: list[Trace]  # empty without measurements
    stopped: Stopped


class _Frames(NamedTuple):
    """A walk that can be paused and resumed: one level for each decision of the traverser on its path."""

    state: Array  # int64[levels, layout.SIZE]
    row: Array  # int64[levels] the decision's row in the tables
    base: Array  # int64[levels + 1] its first place in the two below; after the last level, the first free one
    tried: Array  # int64[levels] actions whose values are known
    policy: Array  # float64[places] when the walk came here
    value: Array  # float64[places] of each action tried
    cursor: Array  # int64[2] level, and draws made


@kernel
def _walk(
    code: np.ndarray, abstraction: int, seat: int, weight: float, key: int, frames: _Frames, tables: Tables, limit: int
) -> int:
    """Continue a walk of the traverser `seat` by at most `limit` decisions.

    Returns _DONE, or a code for the obstacle; then the state is as it was before the decision that could not be made.
    """
    level, draws, steps = frames.cursor[_LEVEL], frames.cursor[_DRAWS], 0
    while True:
        state = frames.state[level]
        if state[at.STOP] != OVER:
            frames.cursor[_LEVEL], frames.cursor[_DRAWS] = level, draws
            steps += 1
            if steps > limit:
                return _PAUSED
            base = frames.base[level]
            who = abstract_key(state, state[at.SEAT], state[at.DECISION], abstraction)
            row = find_row(tables, state, who)
            if row < 0:
                return _COLLISION if row == COLLISION else _TABLES_FULL
            width = tables.start[row + 1] - tables.start[row]
            if level + 1 == len(frames.state) or base + width > len(frames.policy):
                return _FRAMES_FULL
            match_regrets(tables, row, frames.policy, base)
            draws += 2
            if state[at.SEAT] != seat:
                for k in range(width):
                    tables.total[tables.start[row] + k] += weight * frames.policy[base + k]
                state[at.CHOICE] = draw_row(frames.policy, base, width, uniform(key, draws - 1))
                advance(code, state)
                continue
            frames.row[level], frames.tried[level], frames.base[level + 1] = row, 0, base + width
        else:
            value = float(payoff(state) * (1 - 2 * seat))
            level = _return(frames, tables, level, weight, value)
            if level < 0:
                return _DONE
            draws += 2
        child = frames.state[level + 1]
        copy_state(frames.state[level], child)
        child[at.CHOICE] = frames.tried[level]
        level += 1
        advance(code, child)


@kernel
def _return(frames: _Frames, tables: Tables, level: int, weight: float, value: float) -> int:
    """Pass the value of `level` up to the decisions that it completes. Returns the level to continue with, or -1."""
    while level > 0:
        level -= 1
        base = frames.base[level]
        frames.value[base + frames.tried[level]] = value
        frames.tried[level] += 1
        width = frames.base[level + 1] - base
        if frames.tried[level] < width:
            return level
        value = 0.0
        for k in range(base, base + width):
            value += frames.policy[k] * frames.value[k]
        first = tables.start[frames.row[level]]
        for k in range(width):
            tables.regret[first + k] += weight * (frames.value[base + k] - value)
    return -1


@kernel
def _iterate(
    code: np.ndarray,
    initial: np.ndarray,
    abstraction: int,
    keys: Streams,
    frames: _Frames,
    tables: Tables,
    walk: int,
    stop: int,
    limit: int,
) -> tuple[int, int]:
    """Make the walks walk..stop-1, counted from 0. Returns the first walk that is not complete, and its obstacle.

    Alice is the traverser of even walks, Bob of odd ones. A walk that was begun, as its cursor says, is resumed.
    """
    while walk < stop:
        if frames.cursor[_LEVEL] < 0:
            start(initial, frames.state[0], subkey(keys.chance, walk))
            advance(code, frames.state[0])
            frames.cursor[_LEVEL], frames.cursor[_DRAWS] = 0, 0
        key, weight = subkey(keys.alice, walk), float(walk // 2 + 1)
        what = _walk(code, abstraction, walk & 1, weight, key, frames, tables, limit)
        if what != _DONE:
            return walk, what
        frames.cursor[_LEVEL] = -1
        walk += 1
    return walk, _DONE


class _Sampler:
    """The arrays and the progress of a run. paused: called now and then with `done`; returns whether to continue."""

    def __init__(self, program: Program, abstraction: Abstraction, seed: int, paused: Callable[[int], bool]) -> None:
        self.done = 0  # complete iterations
        self._walk = 0  # the next one, or the one in progress
        self._program, self._abstraction, self._paused = program, abstraction, paused
        self._initial, self._keys = opening(program), streams(seed, _STREAM)
        self._tables, self._frames = new_tables(_ROWS, 4 * _ROWS), _new_frames(self._initial, _LEVELS)

    def advance(self, iterations: int) -> None:
        """Make this many more iterations, or as many as `paused` allows. An unfinished iteration is resumed the next
        time. Raises RuntimeError if two information sets share a key, which would be a bug.
        """
        stop, what, going = 2 * (self.done + iterations), _DONE, True
        program, abstraction = self._program, int(self._abstraction)
        while self._walk < stop and going:
            args = program.code, self._initial, abstraction, self._keys, self._frames, self._tables
            self._walk, what = _iterate(*args, self._walk, stop, _STEPS)
            self.done = self._walk // 2
            if what == _PAUSED:
                going = self._paused(self.done)
            elif what == _TABLES_FULL:
                self._tables = larger(self._tables)
            elif what == _FRAMES_FULL:
                self._frames = _larger_frames(self._initial, self._frames)
            elif what == _COLLISION:
                raise RuntimeError(f"{program.names.game}: two information sets share a key")

    def average(self) -> Policy:
        """The average policy."""
        return average_table(self._tables, self._abstraction)


def _new_frames(initial: Array, levels: int) -> _Frames:
    frames = _Frames(
        state=np.empty((levels, len(initial)), np.int64),
        row=np.zeros(levels, np.int64),
        base=np.zeros(levels + 1, np.int64),
        tried=np.zeros(levels, np.int64),
        policy=np.zeros(levels * _PLACES),
        value=np.zeros(levels * _PLACES),
        cursor=np.array([-1, 0]),
    )
    frames.state[:] = initial
    return frames


def _larger_frames(initial: Array, frames: _Frames) -> _Frames:
    """Copies of the frames, with twice as many levels."""
    larger = _new_frames(initial, 2 * len(frames.row))
    for old, new in zip(frames, larger, strict=True):
        new[: len(old)] = old
    return larger


def solve_sampled(
    program: Program,
    abstraction: Abstraction = Abstraction.NONE,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    measured: Callable[[Policy], float] | None = None,
    target: float = 0.0,
) -> SampledRun:
    """Iterate until a limit is reached, or until Ctrl-C or a `watch` that returns False.

    measured: gives a policy's exploitability, if there is a tree. Then the run also ends at `target`, and returns the
    best measured policy. The same seed and number of iterations give the same policy. Raises UsageError if neither
    limit is given, or one is not positive.
    """
    if iterations is None and seconds is None:
        raise UsageError("sampling never ends by itself: limit the iterations or the seconds.")
    check_positive(iterations=iterations, seconds=seconds)
    limits = Limits(target, iterations, seconds)
    record = Record[Policy](SAMPLING, limits, watch, measured, tell_batches=True)
    sampler = _Sampler(program, abstraction, seed, record.batch_over)
    with record.interruptible():
        iterate(sampler, record, _points())
    table = sampler.average() if record.policy is None else record.policy
    return SampledRun(table, record.best, sampler.done, record.elapsed(), record.trace, record.stopped())


def _points() -> Iterator[int]:
    """The numbers of iterations after which to measure."""
    done = _FIRST_MEASURE
    while True:
        yield done
        done = int(done * (1 + _GROWTH))
