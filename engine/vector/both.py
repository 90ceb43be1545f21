"""Lanes of one game for drivers that need the views of both seats, and that move some of the lanes at a time.

`antemill.engine.vector.play` shows only the view of the seat to move, and moves all lanes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine.branches import next_branch
from antemill.engine.machine.lanes import Dealer, Rows, go_on
from antemill.engine.machine.vm import UNANSWERED, menu_action
from antemill.engine.vector.state_observation import Frame, observe

IntArray = npt.NDArray[np.int64]
TAKEN, FULL = -1, -2  # returned in place of an index


class Shown(NamedTuple):
    """The views of both seats in k lanes."""

    vectors: npt.NDArray[np.float32]  # float32[k, 2, size]
    legal: npt.NDArray[np.int16]  # int16[k * actions] legal actions, lane by lane, ascending in each
    ends: IntArray  # int64[k] the end of each lane's part of `legal`


@kernel
def take(dealer: Dealer, rows: Rows, lanes: IntArray, actions: IntArray, taken: npt.NDArray[np.int16]) -> int:
    """Take an action in each of these lanes, and run to their next questions. Lanes that are over do not change.

    lanes, actions: int64[k]. taken: int16[n, most], written: the actions of each lane's episode. Returns `TAKEN`, or
    without playing anything `FULL` if `taken` is full, or the index of the first illegal action.
    """
    for i in range(len(lanes)):
        lane = lanes[i]
        if not rows.done[lane]:
            state = rows.states[lane]
            index = next_branch(dealer.code, state, 0)
            while index >= 0 and menu_action(state, index) != actions[i]:
                index = next_branch(dealer.code, state, index + 1)
            full = rows.made[lane] >= taken.shape[1]
            if index < 0 or full:
                for j in range(i):
                    rows.choices[lanes[j]] = UNANSWERED
                return FULL if full else i
            rows.choices[lane] = index
    for i in range(len(lanes)):
        lane = lanes[i]
        if not rows.done[lane]:
            taken[lane, rows.made[lane]] = actions[i]
            go_on(dealer, rows, lane)
    return TAKEN


@kernel
def show_both(
    code: npt.NDArray[np.int32],
    states: IntArray,
    lanes: IntArray,
    frame: Frame,
    mask: npt.NDArray[np.int8],
    shown: Shown,
) -> None:
    """Write the views of both seats in these lanes. lanes: int64[k]. mask: int8[actions], overwritten."""
    end = 0
    for i in range(len(lanes)):
        for seat in range(2):
            observe(code, states[lanes[i]], seat, frame, shown.vectors[i, seat], mask)
            for action in range(len(mask)):  # 0 except for the seat to move
                if mask[action]:
                    shown.legal[end] = action
                    end += 1
        shown.ends[i] = end
