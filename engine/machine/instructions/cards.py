"""Moves of cards: deals, draws, the board, swaps, thefts, discards, and the shuffling of the deck."""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVERYONE, Chance, Event
from antemill.engine.machine.hands import extreme_card, join_board, join_hand, leave_deck, leave_hand
from antemill.engine.machine.instructions.flow import POT, ask
from antemill.engine.machine.instructions.unseen import BOARD, is_look, set_aside
from antemill.engine.machine.observe import show, tell
from antemill.engine.machine.opcodes import Tell
from antemill.engine.machine.words import unsigned

_DEAL, _PUBLIC, _OCCURRENCE = int(Tell.DEAL), int(Tell.DRAW_PUBLIC), int(Tell.DRAW_OCCURRENCE)


@kernel(inline="late")
def pick(state: np.ndarray, pc: int, empty: int) -> int:
    """PICK: ask for a deck card; with an empty deck go on at `empty`."""
    n = state[at.DECK_N]
    if n == 0:
        return empty
    if state[at.BLIND]:
        return pc
    return ask(state, Chance.DRAW, 2, n, pc)


@kernel(inline="late")
def gather(state: np.ndarray, game: np.ndarray, card: int) -> None:
    """Add a card to those that the current step has taken."""
    state[at.PICKED] |= 1 << card
    state[at.PICKED_KEY] += game[unsigned(at.CARD_KEY + card)]
    state[at.PICKED_N] += 1


@kernel(inline="late")
def gathered(state: np.ndarray) -> tuple[int, int, int]:
    """Return the cards that the current step has taken as (mask, key, number), and clear them."""
    cards, key, n = state[at.PICKED], state[at.PICKED_KEY], state[at.PICKED_N]
    state[at.PICKED] = 0
    state[at.PICKED_KEY] = 0
    state[at.PICKED_N] = 0
    return cards, key, n


@kernel(inline="late")
def take_card(state: np.ndarray, game: np.ndarray, seat: int) -> None:
    """TAKE: deck card CHOICE goes to the hand."""
    if state[at.BLIND]:
        set_aside(state, seat)
        return
    card = leave_deck(state, state[at.CHOICE])
    join_hand(state, game, seat, card)
    gather(state, game, card)


@kernel(inline="late")
def tell_taken(state: np.ndarray, seat: int, how: int) -> None:
    """TAKE: the cards that a deal or a draw has taken are told as one event."""
    cards, key, n = gathered(state)
    if how == _DEAL:
        show(state, Event.DEAL, seat, n, cards, key, EVERYONE, seat + 1, False)
    elif how == _PUBLIC:
        show(state, Event.DRAW, seat, n, cards, key, EVERYONE, EVERYONE, True)
    elif how == _OCCURRENCE:
        show(state, Event.DRAW, seat, n, cards, key, EVERYONE, seat + 1, True)
    else:
        show(state, Event.DRAW, seat, n, cards, key, seat + 1, seat + 1, True)
        if n > 0:
            tell(state, Event.DECK, POT, state[at.DECK_N], 0, 0)


@kernel(inline="late")
def turn_card(state: np.ndarray, game: np.ndarray) -> None:
    """TURN: deck card CHOICE goes to the board."""
    if state[at.BLIND]:
        set_aside(state, BOARD)
        return
    card = leave_deck(state, state[at.CHOICE])
    join_board(state, game, card)
    gather(state, game, card)


@kernel(inline="late")
def tell_turned(state: np.ndarray) -> None:
    """TURN: the cards that were turned up are told as one event."""
    cards, key, n = gathered(state)
    show(state, Event.BOARD, POT, n, cards, key, EVERYONE, EVERYONE, True)


@kernel
def shuffle(state: np.ndarray, discards: int) -> None:
    """SHUFFLE: with the discard pile or without. The order is drawn card by card, when cards leave the deck."""
    if discards:
        for i in range(state[at.DISCARD_N]):
            state[at.DECK + state[at.DECK_N]] = state[at.DISCARDS + i]
            state[at.DECK_N] += 1
        state[at.DISCARD_N] = 0
    tell(state, Event.SHUFFLE, POT, state[at.DECK_N], 0, 0)


@kernel(inline="late")
def ask_hand(state: np.ndarray, kind: int, seat: int, opponent: int, pc: int, empty: int) -> int:
    """ASK_HAND: ask for a card of the seat's own (0) or the opponent's (1) hand; if it is empty, go on at `empty`."""
    n = state[unsigned(at.HAND_N + (1 - seat if opponent else seat))]
    if n == 0:
        return empty
    if state[at.BLIND] and is_look(kind):
        state[at.CHOICE] = 0
        return pc
    return ask(state, kind, seat, n, pc)


@kernel(inline="late")
def ask_deck(state: np.ndarray, kind: int, seat: int, pc: int, empty: int) -> int:
    """ASK_DECK: ask for a deck card to look at; with an empty deck go on at `empty`."""
    n = state[at.DECK_N]
    if n == 0:
        return empty
    if state[at.BLIND]:
        state[at.CHOICE] = 0
        return pc
    return ask(state, kind, seat, n, pc)


@kernel(inline="late")
def ask_swap(state: np.ndarray, seat: int, pc: int, empty: int) -> int:
    """ASK_SWAP: ask for the card to give; if a hand is empty, go on at `empty`."""
    if state[at.HAND_N] == 0 or state[at.HAND_N + 1] == 0:
        return empty
    return ask(state, Chance.SWAP_GIVE, seat, state[unsigned(at.HAND_N + seat)], pc)


@kernel(inline="late")
def hold(state: np.ndarray, seat: int, pc: int) -> int:
    """HOLD: hold CHOICE as the card to give, and ask for the card to take."""
    state[at.HELD] = state[at.CHOICE]
    return ask(state, Chance.SWAP_TAKE, seat, state[at.HAND_N + 1 - seat], pc)


@kernel
def move_card(state: np.ndarray, game: np.ndarray, seat: int, card: int) -> None:
    """Give a card that has left the seat's hand to the opponent."""
    join_hand(state, game, 1 - seat, card)
    show(state, Event.MOVE, seat, 0, 1 << card, game[unsigned(at.CARD_KEY + card)], EVERYONE, EVERYONE, True)


@kernel
def swap(state: np.ndarray, game: np.ndarray, seat: int, done: int) -> None:
    """SWAP: exchange HELD and CHOICE; if not `done`, only tell."""
    tell(state, Event.SWAP, seat, done, 0, 0)
    if done:
        given = leave_hand(state, game, seat, state[at.HELD])
        taken = leave_hand(state, game, 1 - seat, state[at.CHOICE])
        move_card(state, game, seat, given)
        move_card(state, game, 1 - seat, taken)


@kernel
def steal(state: np.ndarray, game: np.ndarray, seat: int, done: int) -> None:
    """STEAL: take CHOICE from the opponent; if not `done`, only tell."""
    tell(state, Event.STEAL, seat, done, 0, 0)
    if done:
        move_card(state, game, 1 - seat, leave_hand(state, game, 1 - seat, state[at.CHOICE]))


@kernel
def discard(state: np.ndarray, game: np.ndarray, seat: int, which: int, face_up: int) -> None:
    """DISCARD: discard hand card CHOICE (0), the first lowest (1) or the first highest (2)."""
    if state[unsigned(at.HAND_N + seat)] > 0:
        index = state[at.CHOICE] if which == 0 else extreme_card(state, game, seat, which == 2)
        card = leave_hand(state, game, seat, index)
        state[at.DISCARDS + state[at.DISCARD_N]] = card
        state[at.DISCARD_N] += 1
        key, shown = game[unsigned(at.CARD_KEY + card)], EVERYONE if face_up else seat + 1
        show(state, Event.DISCARD, seat, 0, 1 << card, key, EVERYONE, shown, True)
