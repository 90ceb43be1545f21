"""Chips move between accounts: antes, bets, calls, raises, prizes, and the pot at the end."""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import ChipReason, EndReason, Event
from antemill.engine.machine.observe import tell
from antemill.engine.machine.words import of_seat, unsigned

POT = 2
FOLDED, ENDED, SHOWDOWN = int(EndReason.FOLD), int(EndReason.ENDED), int(EndReason.SHOWDOWN)


@kernel(inline="late")
def pay(state: np.ndarray, source: int, target: int, amount: int, reason: int) -> int:
    """PAY: min(amount, holdings) chips move from one account to another; everyone is told. Returns what moved."""
    moved = min(amount, of_seat(state, at.CHIPS, source))
    state[unsigned(at.CHIPS + source)] -= moved
    state[unsigned(at.CHIPS + target)] += moved
    tell(state, Event.CHIPS, source, moved, target, reason)
    return int(moved)


@kernel(inline="late")
def bet(state: np.ndarray, seat: int, amount: int) -> None:
    """BET: pay min(amount, stack) to the pot (amount -1: ACTION); this becomes OWED, and the seat BETTOR."""
    state[at.OWED] = pay(state, seat, POT, state[at.ACTION] if amount < 0 else amount, ChipReason.BET)
    state[at.BETTOR] = seat


@kernel(inline="late")
def match(state: np.ndarray, seat: int) -> None:
    """MATCH: call by paying min(OWED, stack); the unmatched rest goes back to BETTOR."""
    owed = state[at.OWED]
    rest = owed - pay(state, seat, POT, owed, ChipReason.CALL)
    if rest > 0:
        pay(state, POT, state[at.BETTOR], rest, ChipReason.REFUND)


@kernel(inline="late")
def raise_bet(state: np.ndarray, seat: int, amount: int) -> None:
    """RAISE: pay min(OWED + amount, stack); the excess over OWED becomes OWED, and the seat BETTOR."""
    owed = state[at.OWED]
    state[at.OWED] = pay(state, seat, POT, owed + amount, ChipReason.RAISE) - owed
    state[at.BETTOR] = seat


@kernel(inline="late")
def win(state: np.ndarray, seat: int, reason: int) -> None:
    """WIN, FOLD, AWARD: the seat takes the pot, and the game ends."""
    tell(state, Event.RESULT, seat, reason, 0, 0)
    pay(state, POT, seat, state[at.POT], ChipReason.AWARD)


@kernel(inline="late")
def split(state: np.ndarray, reason: int) -> None:
    """SPLIT, AWARD: each seat receives half the pot, rounded down."""
    tell(state, Event.RESULT, 2, reason, 0, 0)
    half = state[at.POT] >> 1
    pay(state, POT, 0, half, ChipReason.AWARD)
    pay(state, POT, 1, half, ChipReason.AWARD)


@kernel(inline="late")
def score(state: np.ndarray, seat: int, amount: int) -> None:
    """SCORE: the seat's score rises, the opponent's falls."""
    state[at.SCORE] += amount * (1 - 2 * seat)
    tell(state, Event.SCORE, seat, amount, 0, 0)


@kernel(inline="late")
def take_side(state: np.ndarray, index: int, seat: int) -> None:
    """TAKE_SIDE: the seat has taken side bet `index`."""
    if state[at.SIDE_BETS + index] == 0:
        state[at.SIDE_BETS + index] = seat + 1


@kernel(inline="late")
def settle(state: np.ndarray, index: int, phase: int, amount: int, won: int) -> None:
    """SETTLE: settle side bet `index`."""
    seat = state[at.SIDE_BETS + index] - 1
    tell(state, Event.SIDE_BET, seat, phase, won, 0)
    winner = seat if won else 1 - seat
    pay(state, 1 - winner, winner, amount, ChipReason.SIDE_BET)
