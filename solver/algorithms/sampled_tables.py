"""The state of the solver without a tree: a hash table of information sets that grows as play meets them.

Both seats share it, because a key contains the decision type, which belongs to a seat. A key that recurs with another
seat, decision type or number of actions is detected as a collision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.policy import fill_table
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy
from antemill.solver.trees.abstraction import Abstraction, real_width

FULL, COLLISION = -1, -2  # instead of a row


class Tables(NamedTuple):
    """Rows are information sets in the order in which they were met."""

    slots: Array  # int64[power of two] key, 0 where empty
    number: Array  # int64[power of two] the slot's row
    key: Array  # int64[rows]
    seat: Array  # int8[rows]
    decision: Array  # int16[rows] decision type
    start: Array  # int64[rows + 1] row i has the actions start[i] .. start[i + 1] - 1
    action: Array  # int32[actions] option number or amount
    regret: Array  # float64[actions]
    total: Array  # float64[actions] weighted sum of the policies played
    used: Array  # int64[1] rows in use


def new_tables(rows: int, actions: int) -> Tables:
    """Empty tables with capacity for these numbers of rows and actions."""
    slots = 1 << (2 * rows - 1).bit_length()
    return Tables(
        slots=np.zeros(slots, np.int64),
        number=np.zeros(slots, np.int64),
        key=np.zeros(rows, np.int64),
        seat=np.zeros(rows, np.int8),
        decision=np.zeros(rows, np.int16),
        start=np.zeros(rows + 1, np.int64),
        action=np.zeros(actions, np.int32),
        regret=np.zeros(actions),
        total=np.zeros(actions),
        used=np.zeros(1, np.int64),
    )


def larger(tables: Tables) -> Tables:
    """The same tables with twice the capacity."""
    larger = new_tables(2 * len(tables.key), 2 * len(tables.regret))
    for old, new in zip(tables[2:], larger[2:], strict=True):
        new[: len(old)] = old
    rows = int(tables.used[0])
    fill_table(larger.slots, larger.number, larger.key[:rows], np.arange(rows))
    return larger


@kernel
def find_row(tables: Tables, state: np.ndarray, key: int) -> int:
    """The row of the decision at which the state stopped, created if it is new; or FULL or COLLISION."""
    seat, decision, width = state[at.SEAT], state[at.DECISION], real_width(state)
    key = key if key != 0 else 1  # 0 marks an empty slot
    mask = len(tables.slots) - 1
    slot = key & mask
    while tables.slots[slot] != 0:
        if tables.slots[slot] == key:
            row = tables.number[slot]
            same = tables.seat[row] == seat and tables.decision[row] == decision
            return int(row) if same and tables.start[row + 1] - tables.start[row] == width else COLLISION
        slot = (slot + 1) & mask
    row = tables.used[0]
    if row == len(tables.key) or tables.start[row] + width > len(tables.regret):
        return FULL
    tables.slots[slot] = key
    tables.number[slot] = row
    tables.key[row], tables.seat[row], tables.decision[row] = key, seat, decision
    tables.start[row + 1] = tables.start[row] + width
    _name_actions(state, tables.action, tables.start[row], width)
    tables.used[0] = row + 1
    return int(row)


@kernel
def _name_actions(state: np.ndarray, action: np.ndarray, start: int, width: int) -> None:
    option = 0
    low = state[at.MENU_LOW]
    for k in range(width):
        if state[at.MENU_MASK] == 0:
            action[start + k] = low + k
            continue
        while (state[at.MENU_MASK] >> option) & 1 == 0:
            option += 1
        action[start + k] = option
        option += 1


@kernel
def match_regrets(tables: Tables, row: int, policy: np.ndarray, base: int) -> int:
    """Write the row's current policy to `policy` from `base` on; returns its width."""
    low, high = tables.start[row], tables.start[row + 1]
    total = 0.0
    for k in range(low, high):
        policy[base + k - low] = max(0.0, tables.regret[k])
        total += policy[base + k - low]
    for i in range(base, base + high - low):
        policy[i] = policy[i] / total if total > 0.0 else 1.0 / (high - low)
    return int(high - low)


def average_table(tables: Tables, abstraction: Abstraction) -> Policy:
    """The average policy; uniform where nothing was averaged yet."""
    rows = int(tables.used[0])
    start = tables.start[: rows + 1].copy()
    width = np.diff(start)
    sums = np.add.reduceat(tables.total[: start[-1]], start[:-1]) if rows else np.zeros(0)
    policy = np.repeat(1.0 / width, width)
    np.divide(tables.total[: start[-1]], np.repeat(sums, width), out=policy, where=np.repeat(sums > 0.0, width))
    kept = tables.key[:rows].copy(), tables.seat[:rows].copy(), tables.decision[:rows].copy()
    return Policy(abstraction, *kept, start, tables.action[: start[-1]].copy(), policy)
