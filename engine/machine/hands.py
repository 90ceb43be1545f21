"""Hands and piles: moving cards, and comparing hands at the showdown (G37 to G39).

A hand's ranks are counts packed in four bits each, the lowest rank in the lowest bits. Two such words compare as
integers exactly as the hands compare card by card from the highest rank down: at the first difference the larger word
has more cards of the higher rank, also when one hand runs out first. Suits are packed in eight bits each.
"""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import Metric
from antemill.engine.machine.words import unsigned
from antemill.engine.rules.limits import MAX_CARDS, MAX_RANKS, MAX_SUITS

_LOW, _SUM, _SUITS, _PAIRS = int(Metric.LOW), int(Metric.SUM), int(Metric.SUITS), int(Metric.PAIRS)
_TWO_OR_MORE = 0x0EEE_EEEE_EEEE_EEEE


@kernel(inline="late")
def join_hand(state: np.ndarray, game: np.ndarray, seat: int, card: int) -> None:
    """Append a card to a hand."""
    n = state[unsigned(at.HAND_N + seat)]
    state[unsigned(at.HAND_N + seat)] = n + 1
    fill_hand(state, game, seat, n, card)


@kernel(inline="late")
def fill_hand(state: np.ndarray, game: np.ndarray, seat: int, place: int, card: int) -> None:
    """Put a card at an index of a hand whose size counts it already."""
    state[unsigned(at.HANDS + seat * MAX_CARDS + place)] = card
    state[unsigned(at.RANKS + seat)] += 1 << (4 * game[unsigned(at.CARD_RANK + card)])
    state[unsigned(at.SUITS + seat)] += 1 << (8 * game[unsigned(at.CARD_SUIT + card)])
    state[unsigned(at.HAND_KEY + seat)] += game[unsigned(at.CARD_KEY + card)]


@kernel
def leave_hand(state: np.ndarray, game: np.ndarray, seat: int, index: int) -> int:
    """Remove the card at `index`, close the gap, return the card."""
    first = at.HANDS + seat * MAX_CARDS
    card = state[unsigned(first + index)]
    n = state[unsigned(at.HAND_N + seat)] - 1
    for i in range(index, n):
        state[unsigned(first + i)] = state[unsigned(first + i + 1)]
    state[unsigned(at.HAND_N + seat)] = n
    state[unsigned(at.RANKS + seat)] -= 1 << (4 * game[unsigned(at.CARD_RANK + card)])
    state[unsigned(at.SUITS + seat)] -= 1 << (8 * game[unsigned(at.CARD_SUIT + card)])
    state[unsigned(at.HAND_KEY + seat)] -= game[unsigned(at.CARD_KEY + card)]
    return int(card)


@kernel(inline="late")
def leave_deck(state: np.ndarray, index: int) -> int:
    """Take the deck card at `index`; the deck's last card fills the gap."""
    n = state[at.DECK_N] - 1
    card = state[unsigned(at.DECK + index)]
    state[unsigned(at.DECK + index)] = state[unsigned(at.DECK + n)]
    state[at.DECK_N] = n
    return int(card)


@kernel
def join_board(state: np.ndarray, game: np.ndarray, card: int) -> None:
    """Turn a card up onto the board."""
    n = state[at.BOARD_N]
    state[at.BOARD_N] = n + 1
    fill_board(state, game, n, card)


@kernel(inline="late")
def fill_board(state: np.ndarray, game: np.ndarray, place: int, card: int) -> None:
    """Put a card at an index of the board, whose size counts it already."""
    state[unsigned(at.BOARD + place)] = card
    state[at.BOARD_RANKS] += 1 << (4 * game[unsigned(at.CARD_RANK + card)])
    state[at.BOARD_SUITS] += 1 << (8 * game[unsigned(at.CARD_SUIT + card)])


@kernel(inline="late")
def top_rank(ranks: int) -> int:
    """Index of the highest rank present, -1 for none."""
    top = -1
    if ranks >> 32:
        ranks >>= 32
        top += 8
    if ranks >> 16:
        ranks >>= 16
        top += 4
    if ranks >> 8:
        ranks >>= 8
        top += 2
    if ranks >> 4:
        ranks >>= 4
        top += 1
    return top + 1 if ranks else top


@kernel
def extreme_card(state: np.ndarray, game: np.ndarray, seat: int, highest: bool) -> int:
    """Hand index of the first card of the highest (or lowest) rank; the hand is not empty."""
    first = at.HANDS + seat * MAX_CARDS
    best = 0
    for i in range(1, state[unsigned(at.HAND_N + seat)]):
        new = game[at.CARD_RANK + state[unsigned(first + i)]]
        old = game[at.CARD_RANK + state[unsigned(first + best)]]
        if (new > old) if highest else (new < old):
            best = i
    return best


@kernel
def hand_mask(state: np.ndarray, seat: int) -> int:
    """The hand as a bit mask of cards."""
    mask = 0
    for i in range(state[unsigned(at.HAND_N + seat)]):
        mask |= 1 << state[unsigned(at.HANDS + seat * MAX_CARDS + i)]
    return mask


@kernel
def _reversed(ranks: int) -> int:
    """The counts with the lowest rank in the highest bits, so that a larger word means a lower hand."""
    out = 0
    for i in range(MAX_RANKS):
        out |= ((ranks >> (4 * i)) & 15) << (4 * (MAX_RANKS - 1 - i))
    return out


@kernel
def _largest_suit(suits: int) -> int:
    """The number of cards of the most frequent suit."""
    best = 0
    for i in range(MAX_SUITS):
        best = max(best, (suits >> (8 * i)) & 255)
    return best


@kernel
def _rank_sum(state: np.ndarray, game: np.ndarray, seat: int, board: bool) -> int:
    """Sum of rank values."""
    total = 0
    for i in range(state[unsigned(at.HAND_N + seat)]):
        total += game[at.CARD_VALUE + state[unsigned(at.HANDS + seat * MAX_CARDS + i)]]
    if board:
        for i in range(state[at.BOARD_N]):
            total += game[at.CARD_VALUE + state[at.BOARD + i]]
    return total


@kernel
def compare_hands(state: np.ndarray, game: np.ndarray, metric: int, board: bool) -> int:
    """The seat with the better hand, 2 for a tie."""
    a = state[at.RANKS]
    b = state[at.RANKS + 1]
    if board:
        a += state[at.BOARD_RANKS]
        b += state[at.BOARD_RANKS]
    first_a = 0
    first_b = 0
    if metric == _LOW:
        a = _reversed(a)
        b = _reversed(b)
    elif metric == _SUM:
        a = _rank_sum(state, game, 0, board)
        b = _rank_sum(state, game, 1, board)
    elif metric == _SUITS:
        shared = state[at.BOARD_SUITS] if board else 0
        first_a = _largest_suit(state[at.SUITS] + shared)
        first_b = _largest_suit(state[at.SUITS + 1] + shared)
    elif metric == _PAIRS:
        first_a = top_rank(a & _TWO_OR_MORE)
        first_b = top_rank(b & _TWO_OR_MORE)
    if first_a != first_b:
        return 0 if first_a > first_b else 1
    if a == b:
        return 2
    return 0 if a > b else 1
