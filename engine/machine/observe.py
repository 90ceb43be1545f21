"""Telling players: one mechanism updates their information keys and, if the state has one, the journal (D4).

The perfect-recall digest of a seat consists of two hash chains. PUBLIC takes in every event shown to everyone.
PRIVATE[seat] takes in each event shown only to this seat, together with PUBLIC's value at that time. So the order of
all events that a seat saw is part of its digest, and a public event costs one step instead of two.

Keys depend on card classes, not cards: two cards that no rule tells apart give the same key (X2). The journal keeps the
cards. In a BLIND state no player is told anything and keys are undefined, which saves the hashing, a tenth of the work.
But if a seat looks up contexts, the action paths are kept: a context consists of them, the hand and the chips.
"""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import chain, mix64
from antemill.engine.machine.events import EVENT_WIDTH, EVERYONE, Event
from antemill.engine.machine.layout import NO_KEYS
from antemill.engine.machine.words import of_seat, set_of_seat, unsigned

_PEEK, _MOVE, _REVEAL, _BOARD, _DISCARD, _DRAW, _SIGNAL = (
    int(kind) for kind in (Event.PEEK, Event.MOVE, Event.REVEAL, Event.BOARD, Event.DISCARD, Event.DRAW, Event.SIGNAL)
)


@kernel(inline="late")
def token(kind: int, seat: int, x: int, y: int, z: int) -> int:
    """The part of an event that every told player sees, in one word. x and y take 16 bits, z 8."""
    return kind | (seat << 6) | (z << 8) | ((x & 0xFFFF) << 16) | ((y & 0xFFFF) << 32)


@kernel
def record(
    state: np.ndarray, kind: int, seat: int, x: int, y: int, z: int, content: int, told: int, shown: int
) -> None:
    """Append an event to the journal, if the state has one."""
    row = at.JOURNAL + state[at.JOURNAL_N] * EVENT_WIDTH
    if row < len(state):
        state[row] = kind
        state[row + 1] = seat
        state[row + 2] = x
        state[row + 3] = y
        state[row + 4] = z
        state[row + 5] = content
        state[row + 6] = told
        state[row + 7] = shown
        state[at.JOURNAL_N] += 1


@kernel(inline="late")
def extend(state: np.ndarray, digest: int, word: int) -> None:
    """Extend a digest by a word."""
    if state[at.BLIND]:
        return
    state[digest] = chain(state[digest], word)


@kernel(inline="late")
def tell(state: np.ndarray, kind: int, seat: int, x: int, y: int, z: int) -> None:
    """Tell everyone a public event without content."""
    if state[at.BLIND]:
        return
    state[at.PUBLIC] = chain(state[at.PUBLIC], token(kind, seat, x, y, z))
    if len(state) > at.JOURNAL:
        record(state, kind, seat, x, y, z, 0, EVERYONE, EVERYONE)


@kernel(inline="late")
def tell_privately(state: np.ndarray, viewer: int, word: int, content_key: int) -> None:
    """Tell one seat alone: its private chain takes in the present PUBLIC, the event and the content."""
    if state[at.BLIND]:
        return
    digest = chain(of_seat(state, at.PRIVATE, viewer), state[at.PUBLIC])
    set_of_seat(state, at.PRIVATE, viewer, chain(chain(digest, word), content_key))


@kernel(inline="late")
def show(
    state: np.ndarray, kind: int, seat: int, x: int, content: int, content_key: int, told: int, shown: int, signal: bool
) -> None:
    """Tell an event with content (cards or a number).

    As a signal it also extends the signals of the players who see the content.
    """
    if state[at.BLIND]:
        return
    word = token(kind, seat, x, 0, 0)
    if shown == EVERYONE:
        state[at.PUBLIC] = chain(chain(state[at.PUBLIC], word), content_key)
    else:
        viewer = shown - 1
        if told == EVERYONE:
            state[at.PUBLIC] = chain(state[at.PUBLIC], word)
        tell_privately(state, viewer, word, content_key)
    if signal:
        if shown & 1:
            state[at.SIGNALS] = chain(chain(state[at.SIGNALS], word), content_key)
        if shown & 2:
            state[at.SIGNALS + 1] = chain(chain(state[at.SIGNALS + 1], word), content_key)
    if len(state) > at.JOURNAL:
        record(state, kind, seat, x, 0, 0, content, told, shown)


@kernel(inline="late")
def tell_choice(state: np.ndarray, kind: int, seat: int, decision: int, action: int, private: bool) -> None:
    """Tell a choice, to everyone or to its player alone; it extends the action path of the players who know it."""
    if state[at.BLIND] == NO_KEYS:
        return
    step = (decision << 16) | action
    if private:
        path = chain(chain(of_seat(state, at.OWN_PATH, seat), state[at.PATH]), step)
        set_of_seat(state, at.OWN_PATH, seat, path)
    else:
        state[at.PATH] = chain(state[at.PATH], step)
    if state[at.BLIND]:
        return
    word = token(kind, seat, decision, action, 0)
    if private:
        tell_privately(state, seat, word, 0)
    else:
        state[at.PUBLIC] = chain(state[at.PUBLIC], word)
    if len(state) > at.JOURNAL:
        told = seat + 1 if private else EVERYONE
        record(state, kind, seat, decision, action, 0, 0, told, told)


@kernel(inline="late")
def context_key(state: np.ndarray, seat: int, decision: int) -> int:
    """Key of (decision type, hand, action path, chip bin): the coarse information state (X7)."""
    chips, width = (
        unsigned(of_seat(state, at.CHIPS, seat)),
        unsigned(state[at.CHIP_BIN]),
    )  # unsigned: a quarter of the work
    return coarse_key(state, seat, decision, int(chips // width))


@kernel(inline="late")
def coarse_key(state: np.ndarray, seat: int, decision: int, chip_bin: int) -> int:
    """`context_key`, given the chip bin."""
    digest = chain(of_seat(state, at.HAND_KEY, seat), state[at.PATH])
    return mix64(chain(digest, of_seat(state, at.OWN_PATH, seat)) + ((chip_bin << 16) | decision))


@kernel(inline="late")
def info_key(state: np.ndarray, seat: int, context: int) -> int:
    """Key of the paper's I = (context, signals, roles), from the context key (X2)."""
    return mix64(chain(context, of_seat(state, at.SIGNALS, seat)) + state[at.SEATS + 2])


@kernel(inline="late")
def recall_key(state: np.ndarray, seat: int, decision: int) -> int:
    """Key of the perfect-recall information set: everything that the seat was told, and the decision it faces."""
    return mix64(chain(state[at.PUBLIC], of_seat(state, at.PRIVATE, seat)) + ((state[at.MENU] << 16) | decision))
