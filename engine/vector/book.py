"""All moments of a small game, computed once, so that a step of an episode is a look-up.

A moment is a node of the game's tree in the machine. Equivalent answers are not merged, so that draws have the same
numbers as in `antemill.engine.machine.lanes`. A moment at which a seat is asked, and an end, has a page: the
observation that `antemill.engine.vector.play` would show. The caller decides which games are small enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.events import EVENT_WIDTH
from antemill.engine.machine.lanes import Dealer, Rows, deal, go_on
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.rollout import Streams, payoff
from antemill.engine.machine.vm import advance
from antemill.engine.machine.words import unsigned
from antemill.engine.vector.event_observation import Form, write_events
from antemill.engine.vector.kept import Words, recall
from antemill.engine.vector.play import View
from antemill.engine.vector.state_observation import Frame, observe

_ASKED, _DRAWN = DECIDE, DECIDE + 1  # the driver decides, or a uniform policy does
_LEVELS = 256  # the most questions on a path of a small game

IntArray = npt.NDArray[np.int64]


class Book(NamedTuple):
    """The moments of a game, one entry each. The successors of a moment are adjacent, in the order of its answers."""

    stops: npt.NDArray[np.int8]  # int8[n] OVER, CHANCE, _ASKED or _DRAWN
    seats: npt.NDArray[np.int8]  # int8[n] the seat that decides; at the end the seat that sees the page
    menus: npt.NDArray[np.int32]  # int32[n] number of answers
    firsts: npt.NDArray[np.int32]  # int32[n] the moment after the first answer
    parents: npt.NDArray[np.int32]  # int32[n] the moment before, -1 for the first one
    draws: IntArray  # int64[n] index of the draw in its stream
    payoffs: npt.NDArray[np.int32]  # int32[n] Alice's in chips
    pages: npt.NDArray[np.int32]  # int32[n] the number of the page of a moment that has one
    vectors: npt.NDArray[np.float32]  # float32[pages, size]
    masks: npt.NDArray[np.int8]  # int8[pages, actions] all ones at an end
    starts: IntArray  # int64[pages + 1] the first of a page's events
    events: npt.NDArray[np.float32]  # float32[events, width]


class Path(NamedTuple):
    """The states from the first moment to the one being written, one entry per level."""

    states: IntArray  # int64[levels, words]
    tried: IntArray  # int64[levels] the next answer to try, -1 for a new moment
    made: IntArray  # int64[levels] decisions so far
    moments: IntArray  # int64[levels] numbers of the moments
    last: IntArray  # int64[levels] the seat that was asked last
    events_shown: IntArray  # int64[levels, 2] events of the journal that were shown to each seat


class Seats(NamedTuple):
    """Whether each seat is asked. A seat that is not asked draws uniformly."""

    alice: bool
    bob: bool
    unasked: int  # the seat that sees the page of an end if no seat was asked


@kernel
def _write(
    code: npt.NDArray[np.int32], path: Path, seats: Seats, frame: Frame, form: Form, most: int, book: Book
) -> tuple[int, int, int]:
    """Write all moments that fit. Returns the numbers of moments, pages and events.

    The arrays have capacity for at least one page and its events. With capacity for only one page, every page
    overwrites it, in order to count. The walk ends with the first moment that does not fit. most: the most events of a
    page, 0 without events.
    """
    moments, pages, events, level = 1, 0, 0, 0
    counting = len(book.vectors) == 1
    while level >= 0:
        state = path.states[level]
        if path.tried[level] < 0:  # a new moment
            path.tried[level] = 0
            advance(code, state)
            moment, stop, seat = path.moments[level], state[at.STOP], state[at.SEAT]
            if stop == DECIDE and not (seats.alice if seat == 0 else seats.bob):
                stop = _DRAWN
            if stop == OVER:
                seat = path.last[level]
            book.stops[moment] = stop
            book.seats[moment] = seat
            book.menus[moment] = 0 if stop == OVER else state[at.MENU]
            book.firsts[moment] = moments
            book.draws[moment] = state[at.ADDRESS] if stop == CHANCE else 2 * path.made[level]
            book.payoffs[moment] = payoff(state)
            moments += book.menus[moment]
            if stop in (OVER, _ASKED):
                page = 0 if counting else pages
                book.pages[moment] = page
                observe(code, state, seat, frame, book.vectors[page], book.masks[page])
                if stop == OVER:
                    book.masks[page] = 1
                if most > 0:
                    rows = book.events[:most] if counting else book.events[events : events + most]
                    events += write_events(state, seat, path.events_shown[level, seat], form, rows, 0)
                    path.events_shown[level, seat] = state[at.JOURNAL_N]
                pages += 1
                book.starts[page + 1] = events
                path.last[level] = seat
            path.made[level] += stop in (_ASKED, _DRAWN)
            if moments > len(book.stops) or level + 1 == len(path.states):
                return moments, 0, 0
        moment, choice = path.moments[level], path.tried[level]
        if choice == book.menus[moment]:
            level -= 1
            continue
        path.tried[level] += 1
        child = path.states[level + 1]
        for i in range(at.JOURNAL + state[at.JOURNAL_N] * EVENT_WIDTH if len(state) > at.JOURNAL else at.SIZE):
            child[i] = state[i]
        child[at.CHOICE] = choice
        path.made[level + 1] = path.made[level]
        path.last[level + 1] = path.last[level]
        path.events_shown[level + 1, 0] = path.events_shown[level, 0]
        path.events_shown[level + 1, 1] = path.events_shown[level, 1]
        path.tried[level + 1] = -1
        path.moments[level + 1] = book.firsts[moment] + choice
        book.parents[book.firsts[moment] + choice] = moment
        level += 1
    return moments, pages, events


def write_book(
    code: npt.NDArray[np.int32],
    initial: IntArray,
    seats: Seats,
    frame: Frame,
    form: Form,
    limit: int,
    shape: tuple[int, int, int, int],
) -> Book | None:
    """The book of a game; None if it has more moments than `limit`.

    initial: int64[words], the state before the first instruction, with a journal if events are shown.
    shape: of an observation: numbers in a vector, actions, most events (0: none are shown), numbers in an event.
    """
    size, actions, most, width = shape
    buffers = _new_book(limit, 1, max(most, 1), size, actions, width)
    moments, pages, events = _write(code, _path(initial, seats), seats, frame, form, most, buffers)
    if not pages:
        return None
    book = _new_book(moments, max(pages, 2), max(events, 1), size, actions, width)  # one page would mean counting
    _write(code, _path(initial, seats), seats, frame, form, most, book)
    return book


def _new_book(moments: int, pages: int, events: int, size: int, actions: int, width: int) -> Book:
    return Book(
        stops=np.zeros(moments, np.int8),
        seats=np.zeros(moments, np.int8),
        menus=np.zeros(moments, np.int32),
        firsts=np.zeros(moments, np.int32),
        parents=np.full(moments, -1, np.int32),
        draws=np.zeros(moments, np.int64),
        payoffs=np.zeros(moments, np.int32),
        pages=np.zeros(moments, np.int32),
        vectors=np.zeros((pages, size), np.float32),
        masks=np.zeros((pages, actions), np.int8),
        starts=np.zeros(pages + 1, np.int64),
        events=np.zeros((events, width), np.float32),
    )


def _path(initial: IntArray, seats: Seats) -> Path:
    states = np.zeros((_LEVELS, len(initial)), np.int64)
    states[0] = initial
    return Path(
        states=states,
        tried=np.full(_LEVELS, -1, np.int64),
        made=np.zeros(_LEVELS, np.int64),
        moments=np.zeros(_LEVELS, np.int64),
        last=np.full(_LEVELS, seats.unasked, np.int64),
        events_shown=np.zeros((_LEVELS, 2), np.int64),
    )


@kernel(inline="late")
def _number(book: Book, keys: Streams, moment: int, episode: int) -> int:
    """The draw at a moment in an episode: by chance, or by a seat's uniform policy."""
    if book.stops[unsigned(moment)] == CHANCE:
        key = subkey(keys.chance, episode)
        key = key if key != 0 else 1
    else:
        key = subkey(keys.alice if book.seats[unsigned(moment)] == 0 else keys.bob, episode)
    return below(key, int(book.draws[unsigned(moment)]), int(book.menus[unsigned(moment)]))


@kernel(inline="late")
def _turn(book: Book, keys: Streams, moment: int, episode: int) -> int:
    """This moment, or the next one, that has a page."""
    while book.stops[unsigned(moment)] == CHANCE or book.stops[unsigned(moment)] == _DRAWN:
        moment = int(book.firsts[unsigned(moment)]) + _number(book, keys, moment, episode)
    return moment


@kernel(inline="late")
def _show(book: Book, moment: int, lane: int, news: bool, view: View) -> None:
    """Copy a moment's page. news: whether its events are new."""
    page = int(book.pages[unsigned(moment)])
    view.seats[lane] = book.seats[unsigned(moment)]
    view.asked[lane] = book.stops[unsigned(moment)] != OVER
    vector, mask = view.vectors[lane], view.masks[lane]
    for i in range(len(vector)):
        vector[unsigned(i)] = book.vectors[unsigned(page), unsigned(i)]
    for i in range(len(mask)):
        mask[unsigned(i)] = book.masks[unsigned(page), unsigned(i)]
    if view.events.shape[1] > 0:
        rows, width = view.events[lane], view.events.shape[2]
        first = book.starts[unsigned(page)]
        count = book.starts[unsigned(page + 1)] - first if news else 0
        for i in range(count):
            for j in range(width):
                rows[unsigned(i), unsigned(j)] = book.events[unsigned(first + i), unsigned(j)]
        for i in range(count, view.counts[lane]):
            for j in range(width):
                rows[unsigned(i), unsigned(j)] = 0.0
        view.counts[lane] = count


@kernel
def open_some(
    book: Book, keys: Streams, moments: IntArray, which: npt.NDArray[np.bool_], skip: int, view: View
) -> None:
    """Begin the next episode of the marked lanes, as `antemill.engine.vector.play.deal_some` does.

    moments: int64[n], written: the moment of each lane.
    """
    for lane in range(len(which)):
        if which[lane]:
            view.episodes[lane] += skip
            moments[lane] = _turn(book, keys, 0, view.episodes[lane])
            view.ended[lane] = False
            view.masked[lane] = False
            _show(book, moments[lane], lane, True, view)


@kernel
def turn_all(book: Book, keys: Streams, moments: IntArray, actions: IntArray, skip: int, view: View) -> None:
    """Make one step of every lane, as `antemill.engine.vector.play.step_all` does."""
    for lane in range(len(actions)):
        moment = moments[lane]
        view.rewards[lane] = 0.0
        view.masked[lane] = False
        ends = told = False
        if view.ended[lane]:
            view.ended[lane] = False
            view.episodes[lane] += skip
            moment = _turn(book, keys, 0, view.episodes[lane])
        elif book.stops[unsigned(moment)] == OVER:  # over before a seat was asked
            ends = told = True
        else:
            action, choice = actions[lane], 0
            mask = book.masks[unsigned(book.pages[unsigned(moment)])]
            if 0 <= action < len(mask) and mask[unsigned(action)] == 1:
                for other in range(action):
                    choice += mask[unsigned(other)]
            else:
                view.masked[lane] = True
                choice = _number(book, keys, moment, view.episodes[lane])
            moment = _turn(book, keys, int(book.firsts[unsigned(moment)]) + choice, view.episodes[lane])
            ends = book.stops[unsigned(moment)] == OVER
        if ends:
            view.ended[lane] = True
            view.rewards[lane] = book.payoffs[unsigned(moment)] * (1 - 2 * view.seats[lane])
        moments[lane] = moment
        _show(book, moment, lane, not told, view)


class Volume(NamedTuple):
    """The lanes of one game among those of several games."""

    book: Book
    moments: IntArray
    shown: View


@kernel
def turn_volumes(volumes: Words, like: Volume, firsts: IntArray, keys: Streams, actions: IntArray, skip: int) -> None:
    """Make one step of every lane of several games. volumes: `kept` items like `like`. firsts: their first lanes."""
    for i in range(len(volumes)):
        volume = recall(volumes, i, like)
        chosen = actions[firsts[i] : firsts[i] + len(volume.moments)]
        turn_all(volume.book, keys, volume.moments, chosen, skip, volume.shown)


@kernel
def open_volumes(
    volumes: Words, like: Volume, firsts: IntArray, keys: Streams, which: npt.NDArray[np.bool_], skip: int
) -> None:
    """Begin the next episode of the marked lanes of several games; arguments as for `turn_volumes`."""
    for i in range(len(volumes)):
        volume = recall(volumes, i, like)
        marked = which[firsts[i] : firsts[i] + len(volume.moments)]
        open_some(volume.book, keys, volume.moments, marked, skip, volume.shown)


@kernel
def play_out(book: Book, moments: IntArray, dealer: Dealer, rows: Rows, unasked: int, view: View) -> None:
    """Bring the machine's lanes to the moments of the book's lanes: play the same answers from each episode's start."""
    for lane in range(len(moments)):
        rows.episodes[lane] = view.episodes[lane]
        view.events_shown[lane] = 0
        deal(dealer, rows, lane)
        here = _next(book, -1, moments[lane])
        while True:
            seat = unasked if rows.seats[lane] < 0 else int(rows.seats[lane])
            view.events_shown[lane, seat] = rows.states[lane, at.JOURNAL_N]
            if here == moments[lane]:
                break
            child = moments[lane]
            while book.parents[child] != here:
                child = book.parents[child]
            rows.choices[lane] = child - book.firsts[here]
            go_on(dealer, rows, lane)
            here = _next(book, here, moments[lane])


@kernel
def _next(book: Book, here: int, goal: int) -> int:
    """The first moment with a page after `here` (-1: before the first one) on the way to `goal`, which has one."""
    found = moment = goal
    while moment != here:
        if book.stops[moment] == OVER or book.stops[moment] == _ASKED:
            found = moment
        moment = book.parents[moment]
    return found
