"""Cards that are drawn only when a rule reads them, for drivers that keep no keys.

A driver that needs only the choices and the payoffs needs a card only when a rule reads it, or when a player looks up a
context, which includes the hand. Until then, episodes with different cards are the same. So in a BLIND state a card
that leaves the deck counts immediately at its target, but is unseen: it is drawn when an instruction needs the faces of
cards. Unseen cards are drawn in the order in which they left the deck, each from the deck at that time and from its own
address, so every episode gets the same cards as without BLIND. A card that a player merely looks at is never drawn.
Keys and the journal are then undefined, except the contexts of the seats that BLIND names.
"""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Chance
from antemill.engine.machine.hands import fill_board, fill_hand, leave_deck
from antemill.engine.machine.instructions.flow import ask, seat_of
from antemill.engine.machine.layout import CONTEXTS_OF_ALICE
from antemill.engine.machine.opcodes import Criterion, Op
from antemill.engine.machine.words import unsigned

BOARD = 2  # in UNSEEN_TO, where 0 and 1 are seats
CAPACITY = 31  # the most unseen cards, by the bits of UNSEEN_TO


@kernel(inline="late")
def set_aside(state: np.ndarray, to: int) -> None:
    """A card of the deck goes to a hand or to the board unseen."""
    unseen = state[at.UNSEEN]
    if unseen == 0:
        state[at.SEEN_N] = state[at.HAND_N]
        state[at.SEEN_N + 1] = state[at.HAND_N + 1]
        state[at.SEEN_N + BOARD] = state[at.BOARD_N]
    state[at.UNSEEN_TO] |= to << (2 * unseen)
    state[at.UNSEEN] = unseen + 1
    state[at.DECK_N] -= 1
    state[unsigned(at.BOARD_N if to == BOARD else at.HAND_N + to)] += 1


@kernel(inline="late")
def _turn_up(state: np.ndarray, game: np.ndarray) -> None:
    """Draw the first of the unseen cards: it is deck card CHOICE."""
    unseen, to = state[at.UNSEEN], state[at.UNSEEN_TO] & 3
    state[at.UNSEEN] = unseen - 1
    state[at.UNSEEN_TO] >>= 2
    state[at.DECK_N] += unseen
    card = leave_deck(state, state[at.CHOICE])
    state[at.DECK_N] -= unseen - 1
    place = state[unsigned(at.SEEN_N + to)]
    state[unsigned(at.SEEN_N + to)] = place + 1
    if to == BOARD:
        fill_board(state, game, place, card)
    else:
        fill_hand(state, game, to, place, card)


@kernel
def turn_up_all(state: np.ndarray, game: np.ndarray) -> bool:
    """Draw the unseen cards; returns whether all are drawn. Otherwise the driver is asked for the next one."""
    while state[at.UNSEEN] != 0:
        if state[at.UNSEEN_ASKED]:
            state[at.UNSEEN_ASKED] = 0
        elif ask(state, Chance.DRAW, 2, state[at.DECK_N] + state[at.UNSEEN], 0) < 0:
            state[at.UNSEEN_ASKED] = 1
            return False
        _turn_up(state, game)
    return True


@kernel(inline="late")
def is_look(kind: int) -> bool:
    """Whether a kind of chance draw only looks at a card."""
    return kind == Chance.PEEK or kind == Chance.REVEAL or kind == Chance.OBSERVE


@kernel
def needs_faces(state: np.ndarray, op: int, a: int) -> bool:
    """Whether all unseen cards must be drawn before an instruction with the first operand `a`.

    This is so if the instruction reads faces, moves cards that are not in the deck, or asks a seat that looks up
    contexts, and if UNSEEN_TO has no bits for another card.
    """
    if op == Op.CHOOSE or op == Op.AMOUNT:
        return bool(state[at.BLIND] & (CONTEXTS_OF_ALICE << seat_of(state, a)) != 0)
    if op == Op.PICK:
        return bool(state[at.UNSEEN] == CAPACITY or state[at.UNSEEN_ASKED] != 0)
    if op == Op.RANK_SEATS:
        return a == Criterion.HIGHER_CARD or a == Criterion.LOWER_CARD
    if op == Op.ASK_HAND:
        return not is_look(a)
    if op == Op.SHUFFLE:
        return a != 0
    return (
        op == Op.TEST_HIGHER
        or op == Op.TEST_RANKS
        or op == Op.TEST_SUIT
        or op == Op.AWARD
        or op == Op.DISCARD
        or op == Op.ASK_SWAP
    )
