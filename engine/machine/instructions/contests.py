"""Contests: the leader's position, auctions, probabilistic costs, and the showdown."""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVERYONE, AuctionResult, Chance, ChipReason, Event
from antemill.engine.machine.hands import compare_hands, top_rank
from antemill.engine.machine.instructions.chips import SHOWDOWN, pay, split, win
from antemill.engine.machine.instructions.flow import END, POT, ask
from antemill.engine.machine.observe import show, tell
from antemill.engine.machine.opcodes import Criterion


@kernel
def best_seat(state: np.ndarray, criterion: int) -> int:
    """The seat that leads by a criterion, 2 for a tie."""
    if criterion == Criterion.RANDOM:
        return 2
    if criterion == Criterion.ALTERNATE:
        return int(1 - state[at.SEATS + 2])
    if criterion <= Criterion.FEWEST_CHIPS:
        gap = state[at.CHIPS] - state[at.CHIPS + 1]
    else:
        gap = top_rank(state[at.RANKS]) - top_rank(state[at.RANKS + 1])
    if criterion == Criterion.FEWEST_CHIPS or criterion == Criterion.LOWER_CARD:
        gap = -gap
    if gap == 0:
        return 2
    return 0 if gap > 0 else 1


@kernel(inline="late")
def rank_seats(state: np.ndarray, criterion: int, pc: int) -> int:
    """RANK_SEATS: the seat that leads becomes CHOICE; a tie asks for a coin."""
    best = best_seat(state, criterion)
    if best == 2:
        return ask(state, Chance.POSITION, 2, 2, pc)
    state[at.CHOICE] = best
    return pc


@kernel(inline="late")
def lead(state: np.ndarray, phase: int) -> None:
    """LEAD: seat CHOICE takes the leader's position."""
    seat = state[at.CHOICE]
    state[at.SEATS + 2] = seat
    state[at.SEATS + 3] = 1 - seat
    tell(state, Event.LEADER, seat, phase, 0, 0)


@kernel
def bids(state: np.ndarray, pc: int, none: int) -> int:
    """BIDS: the seat of the higher LOCKED bid becomes CHOICE; a tie asks; if both are 0, tell and go on at `none`."""
    gap = state[at.LOCKED] - state[at.LOCKED + 1]
    tie = gap == 0 and state[at.LOCKED] != 0
    state[at.COINED] = 1 if tie else 0
    if tie:
        return ask(state, Chance.COIN, 2, 2, pc)
    if gap == 0:
        tell(state, Event.AUCTION, 2, AuctionResult.NO_BIDS, 0, 0)
        return none
    state[at.CHOICE] = 0 if gap > 0 else 1
    return pc


@kernel
def winner(state: np.ndarray, prize: int, pc: int, cancelled: int) -> int:
    """WINNER: seat CHOICE has won: pay and tell, or cancel (prize 0 needs a deck card, 1 a card of the loser)."""
    seat = state[at.CHOICE]
    state[at.SEATS + 4] = seat
    state[at.SEATS + 5] = 1 - seat
    stock = state[at.DECK_N] if prize == 0 else state[at.HAND_N + 1 - seat]
    if stock == 0:
        tell(state, Event.AUCTION, seat, AuctionResult.CANCELLED, state[at.COINED], 0)
        return cancelled
    tell(state, Event.AUCTION, seat, AuctionResult.WON, state[at.COINED], 0)
    pay(state, seat, POT, state[at.LOCKED + seat], ChipReason.BID)
    return pc


@kernel
def cost(state: np.ndarray, seat: int, amount: int, k: int, private: int, pc: int, skip: int) -> int:
    """COST: due if CHOICE < k; pay it, or go on at `skip` if it is unaffordable."""
    told = seat + 1 if private else EVERYONE
    affordable = state[at.CHIPS + seat] >= amount
    outcome = 0
    if state[at.CHOICE] < k:
        outcome = 1 if affordable else 2
    show(state, Event.COST, seat, outcome, 0, 0, told, told, False)
    if outcome == 1:
        pay(state, seat, POT, amount, ChipReason.COST)
    return skip if outcome == 2 else pc


@kernel(inline="late")
def halve(state: np.ndarray, reason: int, pc: int) -> int:
    """SPLIT, AWARD: halve the pot, and ask for the seat that receives an odd chip."""
    split(state, reason)
    if state[at.POT] == 0:
        return END
    return ask(state, Chance.ODD_CHIP, 2, 2, pc)


@kernel(inline="late")
def award(state: np.ndarray, game: np.ndarray, metric: int, board: bool, pc: int) -> int:
    """AWARD: compare the hands and end the game; a tie with an odd pot asks for the seat of the odd chip."""
    best = compare_hands(state, game, metric, board)
    if best < 2:
        win(state, best, SHOWDOWN)
        return END
    return halve(state, SHOWDOWN, pc)
