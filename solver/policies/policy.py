"""Policies by information key: the form that is saved, and that kernels and players look up.

A row is one set of decisions that share a policy: its key under an abstraction (`antemill.solver.trees.abstraction`),
and a probability for each action in the order of the menu. Both seats share a table: a key contains the
decision type, which belongs to a seat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine.chance import below, uniform
from antemill.engine.machine.policy import find_slot, hash_table
from antemill.solver.game import Array
from antemill.solver.trees.abstraction import Abstraction, abstract_key, real_width

TOLERANCE = 1e-6  # of a row's sum


class Policy(NamedTuple):
    """A behaviour policy of both seats. Rows are in no particular order; keys are distinct."""

    abstraction: Abstraction
    key: Array  # int64[rows]
    seat: Array  # int8[rows]
    decision: Array  # int16[rows] decision type
    start: Array  # int64[rows + 1] row i has the actions start[i] .. start[i + 1] - 1
    action: Array  # int32[actions] option number or amount
    probability: Array  # float64[actions]

    def __repr__(self) -> str:
        return f"<Policy: {self.rows:,} sets of decisions, abstraction {self.abstraction.label}>"

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.key)

    def count(self, seat: int) -> int:
        """Number of a seat's rows."""
        return int(np.count_nonzero(self.seat == seat))


def check_table(table: Policy) -> Policy:
    """The table, if it is a behaviour policy. Raises UsageError, which says what is wrong, otherwise."""
    sizes = {len(table.seat), len(table.decision), len(table.start) - 1}
    if sizes != {table.rows} or table.start[0] != 0 or int(table.start[-1]) != len(table.probability):
        raise UsageError("its columns do not fit each other")
    if len(table.action) != len(table.probability) or bool(np.any(np.diff(table.start) < 1)):
        raise UsageError("a set of decisions has no action")
    if len(np.unique(table.key)) != table.rows or bool(np.any(table.key == 0)):
        raise UsageError("two of its keys are equal")
    if bool(np.any((table.seat != 0) & (table.seat != 1))):
        raise UsageError("it names a seat that does not exist")
    sums = np.add.reduceat(table.probability, table.start[:-1]) if table.rows else np.ones(0)
    finite = bool(np.all(np.isfinite(table.probability))) and bool(np.all(table.probability >= 0.0))
    if not finite or bool(np.any(np.abs(sums - 1.0) > TOLERANCE)):
        raise UsageError("its probabilities are not at least 0 with a sum of 1 in every set")
    return table


class Strategy(NamedTuple):
    """A policy table in the form in which kernels look it up."""

    abstraction: int
    slots: Array  # int64[power of two] hash table of the keys, 0 where empty
    start: Array  # int64[power of two] first probability of the slot's row
    weight: Array  # float64[actions] probabilities


def strategy_of(table: Policy) -> Strategy:
    """A policy in the form in which kernels look it up."""
    slots, start = hash_table(table.key, table.start[:-1])
    return Strategy(int(table.abstraction), slots, start, np.ascontiguousarray(table.probability, np.float64))


@kernel
def draw(strategy: Strategy, state: np.ndarray, seat: int, decision: int, stream: int, counter: int) -> int:
    """Draw a menu index, as `draw_at` does, with the keys of the state."""
    key = abstract_key(state, seat, decision, strategy.abstraction)
    return draw_at(strategy, state, key, stream, counter)


@kernel
def draw_at(strategy: Strategy, state: np.ndarray, key: int, stream: int, counter: int) -> int:
    """A menu index, drawn by its probability; at an unknown key all actions are equally likely.

    Takes the draw `counter` of the stream. Reads the state's menu, seat and stacks.
    """
    slot, width = find_slot(strategy.slots, key), real_width(state)
    if slot < 0:
        return below(stream, counter, width)
    return draw_row(strategy.weight, strategy.start[slot], width, uniform(stream, counter))


@kernel
def fill_menu(strategy: Strategy, state: np.ndarray, key: int, out: np.ndarray) -> bool:
    """Write each menu entry's probability to `out`; returns whether the key is known. Reads what `draw_at` reads."""
    slot, width = find_slot(strategy.slots, key), real_width(state)
    out[:] = 0.0
    for action in range(width):
        out[action] = strategy.weight[strategy.start[slot] + action] if slot >= 0 else 1.0 / width
    return bool(slot >= 0)


@kernel
def draw_row(weight: np.ndarray, start: int, width: int, u: float) -> int:
    """The action, of `width`, that a number u in [0, 1) selects. Never one of weight 0, in spite of rounding."""
    last = 0
    for i in range(width):
        u -= weight[start + i]
        if weight[start + i] > 0.0:
            last = i
            if u < 0.0:
                return i
    return last
