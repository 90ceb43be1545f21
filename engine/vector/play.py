"""Many episodes of one game, a step at a time, with the observations of the seat to move.

A step follows the rules of `next-step` autoreset (`gymnasium.vector.AutoresetMode`): the step after an end begins the
lane's next episode. An episode that ends before a seat is asked has one step, whose action is ignored. The mask of a
lane that is not asked is all ones, so that a policy can draw from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.lanes import Dealer, Rows, deal, go_on
from antemill.engine.machine.policy import action_index
from antemill.engine.vector.event_observation import Form, write_events
from antemill.engine.vector.state_observation import Frame, observe


class View(NamedTuple):
    """The result of a step, one entry per lane."""

    vectors: npt.NDArray[np.float32]  # float32[n, size]
    masks: npt.NDArray[np.int8]  # int8[n, actions] the legal actions; all ones if the lane waits for none
    events: npt.NDArray[np.float32]  # float32[n, most, width]; float32[n, 0, 0] without events
    counts: npt.NDArray[np.int64]  # int64[n] rows of events
    events_shown: npt.NDArray[np.int64]  # int64[n, 2] events of the journal that were shown to each seat
    seats: npt.NDArray[np.int8]  # int8[n] the seat that observes
    episodes: npt.NDArray[np.int64]  # int64[n] the number of the episode
    asked: npt.NDArray[np.bool_]  # bool[n] whether the lane waits for an action
    masked: npt.NDArray[np.bool_]  # bool[n] whether the lane's action was illegal and replaced by a random one
    rewards: npt.NDArray[np.float32]  # float32[n] chips won by the observing seat at the end, else 0
    ended: npt.NDArray[np.bool_]  # bool[n] whether the step ended the episode

    def part(self, first: int, last: int) -> View:
        """The entries of the lanes first..last-1."""
        return View._make(column[first:last] for column in self)


@kernel(inline="late")
def _observe(dealer: Dealer, rows: Rows, lane: int, unasked: int, frame: Frame, form: Form, view: View) -> None:
    """Write the view of the seat to move; at the end, that of the seat asked last, or of `unasked` if none was."""
    state = rows.states[lane]
    seat = unasked if rows.seats[lane] < 0 else int(rows.seats[lane])
    view.seats[lane] = seat
    view.episodes[lane] = rows.episodes[lane]
    view.asked[lane] = not rows.done[lane]
    observe(dealer.code, state, seat, frame, view.vectors[lane], view.masks[lane])
    if rows.done[lane]:
        view.masks[lane] = 1
    if view.events.shape[1] > 0:
        first = view.events_shown[lane, seat]
        view.counts[lane] = write_events(state, seat, first, form, view.events[lane], view.counts[lane])
        view.events_shown[lane, seat] = state[at.JOURNAL_N]


@kernel(inline="late")
def _pay(rows: Rows, lane: int, view: View) -> None:
    """The end of a lane's episode."""
    view.ended[lane] = True
    view.rewards[lane] = rows.payoffs[lane] * (1 - 2 * view.seats[lane])


@kernel
def deal_some(
    dealer: Dealer,
    rows: Rows,
    which: npt.NDArray[np.bool_],
    skip: int,
    unasked: int,
    frame: Frame,
    form: Form,
    view: View,
) -> None:
    """Begin the next episode of the marked lanes. skip: the distance between the numbers of successive episodes."""
    for lane in range(len(which)):
        if which[lane]:
            rows.episodes[lane] = view.episodes[lane] + skip
            deal(dealer, rows, lane)
            view.events_shown[lane] = 0
            view.ended[lane] = False
            view.masked[lane] = False
            _observe(dealer, rows, lane, unasked, frame, form, view)


@kernel
def step_all(
    dealer: Dealer,
    rows: Rows,
    actions: npt.NDArray[np.int64],
    skip: int,
    unasked: int,
    frame: Frame,
    form: Form,
    view: View,
) -> None:
    """Make one step of every lane. skip: the distance between the numbers of a lane's successive episodes."""
    for lane in range(len(actions)):
        view.rewards[lane] = 0.0
        view.masked[lane] = False
        if view.ended[lane]:
            view.ended[lane] = False
            rows.episodes[lane] += skip
            view.events_shown[lane] = 0
            deal(dealer, rows, lane)
        elif rows.done[lane]:  # over before a seat was asked
            _pay(rows, lane, view)
        else:
            action = actions[lane]
            if 0 <= action < view.masks.shape[1] and view.masks[lane, action] == 1:
                rows.choices[lane] = action_index(rows.states[lane], action)
            else:
                view.masked[lane] = True
                key = dealer.keys.alice if rows.seats[lane] == 0 else dealer.keys.bob
                rows.choices[lane] = below(subkey(key, rows.episodes[lane]), 2 * rows.made[lane], int(rows.menus[lane]))
            go_on(dealer, rows, lane)
            if rows.done[lane]:
                _pay(rows, lane, view)
        _observe(dealer, rows, lane, unasked, frame, form, view)


@kernel
def first_illegal(actions: npt.NDArray[np.int64], view: View) -> int:
    """The first lane with an illegal action, or -1."""
    for lane in range(len(actions)):
        action = actions[lane]
        legal = 0 <= action < view.masks.shape[1] and view.masks[lane, action] == 1
        if view.asked[lane] and not legal:
            return lane
    return -1
