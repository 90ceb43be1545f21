"""Looks at cards: peeks, reveals, observations, and the hands at the showdown."""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVERYONE, Event
from antemill.engine.machine.hands import extreme_card, hand_mask
from antemill.engine.machine.observe import show
from antemill.engine.machine.opcodes import Look, Visibility
from antemill.engine.rules.limits import MAX_CARDS

_PUBLIC, _OCCURRENCE = int(Visibility.PUBLIC), int(Visibility.OCCURRENCE)


@kernel(inline="late")
def masks(seat: int, visibility: int) -> tuple[int, int]:
    """(told, shown) of an event whose content belongs to a seat."""
    if visibility == _PUBLIC:
        return EVERYONE, EVERYONE
    if visibility == _OCCURRENCE:
        return EVERYONE, seat + 1
    return seat + 1, seat + 1


@kernel
def show_cards(state: np.ndarray, kind: int, seat: int, count: int, mask: int, key: int, signals: bool) -> None:
    """Show cards to everyone."""
    show(state, kind, seat, count, mask, key, EVERYONE, EVERYONE, signals)


@kernel(inline="late")
def show_hand(state: np.ndarray, seat: int) -> None:
    """SHOW: a hand is shown to everyone."""
    cards = 0
    if len(state) > at.JOURNAL:  # only a journal keeps the cards
        cards = hand_mask(state, seat)
    key = state[at.HAND_KEY + seat]
    show(state, Event.SHOW, seat, state[at.HAND_N + seat], cards, key, EVERYONE, EVERYONE, False)


@kernel
def peek(state: np.ndarray, game: np.ndarray, seat: int, visibility: int, done: int) -> None:
    """PEEK: look at CHOICE of the opponent's hand; if not `done`, see that it is empty."""
    told, shown = masks(seat, visibility)
    if done:
        card = state[at.HANDS + (1 - seat) * MAX_CARDS + state[at.CHOICE]]
        show(state, Event.PEEK, seat, 0, 1 << card, game[at.CARD_KEY + card], told, shown, True)
    else:
        show(state, Event.PEEK, seat, 0, 0, 0, told, shown, True)


@kernel
def reveal(state: np.ndarray, game: np.ndarray, seat: int, which: int) -> None:
    """REVEAL: show hand card CHOICE (0), the first highest (1), all (2), nothing (3)."""
    if which == 3 or state[at.HAND_N + seat] == 0:
        show_cards(state, Event.REVEAL, seat, 0, 0, 0, True)
    elif which == 2:
        n = state[at.HAND_N + seat]
        show_cards(state, Event.REVEAL, seat, n, hand_mask(state, seat), state[at.HAND_KEY + seat], True)
    else:
        index = extreme_card(state, game, seat, True) if which == 1 else state[at.CHOICE]
        card = state[at.HANDS + seat * MAX_CARDS + index]
        show_cards(state, Event.REVEAL, seat, 1, 1 << card, game[at.CARD_KEY + card], True)


@kernel
def observe(state: np.ndarray, game: np.ndarray, seat: int, phase: int, what: int, visibility: int) -> None:
    """OBSERVE: receive a signal about the chosen card or the opponent's hand. what: a `Look`."""
    told, shown = masks(seat, visibility)
    content = 0
    key = 0
    if what <= Look.DECK_SUIT:
        if what <= Look.OPPONENT_SUIT:
            card = state[at.HANDS + (1 - seat) * MAX_CARDS + state[at.CHOICE]]
        else:
            card = state[at.DECK + state[at.CHOICE]]
        if what == Look.OPPONENT_CARD or what == Look.DECK_CARD:
            content = 1 << card
            key = game[at.CARD_KEY + card]
        else:
            content = game[at.CARD_SUIT + card] + 1
            key = content
    elif what == Look.TOP_RANK:
        if state[at.HAND_N + 1 - seat] > 0:
            index = extreme_card(state, game, 1 - seat, True)
            content = game[at.CARD_VALUE + state[at.HANDS + (1 - seat) * MAX_CARDS + index]]
        key = content
    elif what == Look.SIZE:
        content = state[at.HAND_N + 1 - seat]
        key = content
    show(state, Event.SIGNAL, seat, phase, content, key, told, shown, True)
