"""The events of a game, and what each player is told of them (design decision D4).

An event is a row of eight integers: `kind, seat, x, y, z, content, told, shown`. `told` and `shown` are bit masks of
seats (1 Alice, 2 Bob). A seat in `shown` sees the whole row; a seat only in `told` sees `kind, seat, x, y, z` but not
the content; any other seat sees nothing. Every change of a public number (stacks, pot, deck size, position, score,
variable) is an event told to everyone, so the events that a seat was told determine everything that it knows.

`content` is a bit mask of card ids, except for a SIGNAL, where it may be a number. `seat` is 2 where no player or the
pot acts.
"""

from __future__ import annotations

from enum import IntEnum

NOBODY = 2  # the seat of an event without an actor, and the account number of the pot
EVERYONE = 3
EVENT_WIDTH = 8


class Event(IntEnum):
    """Event kinds. The comments explain the seat and the fields; "public" means told and shown to everyone."""

    PHASE = 0  # public. x: index into spec.phases. A named phase starts (main, performed or a loop's betting round)
    SHUFFLE = 1  # public. x: deck size after
    DEAL = 2  # seat receives x cards, content: the cards; told to everyone, shown to the seat
    BOARD = 3  # public. x cards turned up, content: the cards
    DRAW = 4  # seat draws x cards (0: the deck was empty), content: the cards; told and shown by the step's visibility
    DECK = 5  # public. x: deck size; follows a private DRAW that drew at least one card
    DISCARD = 6  # seat loses the card in content; told to everyone, shown to the seat, or to everyone if face up
    CHIPS = 7  # public. account `seat` (2: pot) pays x chips (perhaps 0) to account y; z: ChipReason
    CHOICE = 8  # seat takes action y of decision type x; public, or told and shown to the seat alone
    LOCK = 9  # told and shown to the seat alone: its secret choice, action y of decision type x
    REVEALED = 10  # public. seat's secret choice was action y of decision type x
    CHECK = 11  # public. conditional x has the result y (1 true, 0 false). Only public conditionals emit it
    COST = (
        12  # seat's probabilistic cost: x 0 not due, 1 due and about to be paid, 2 due and unaffordable; as its CHOICE
    )
    PEEK = 13  # seat saw the card in content (0: empty hand); by the step's visibility
    SWAP = 14  # public. seat swaps; x 1, or 0 if a hand was empty. Two MOVEs follow a 1
    STEAL = 15  # public. seat steals; x 1, or 0 if the hand was empty. A MOVE follows a 1
    MOVE = 16  # public. the card in content goes from seat's hand to the opponent's
    REVEAL = 17  # public. seat shows x cards, content: the cards
    SIGNAL = 18  # seat observes; x: phase index; content: card mask, or suit index + 1, or a rank value, or a hand size
    LEADER = 19  # public. seat holds the leader's position; x: phase index
    AUCTION = 20  # public. seat: winner (2: none); x: AuctionResult; y: 1 if a coin broke a tie
    SIDE_BET = 21  # public. seat: the player who took it; x: phase index; y: 1 won, 0 lost
    SCORE = 22  # public. seat's score rises by x, the opponent's falls by x
    ANNOUNCE = 23  # public. x: index into the program's texts
    VARIABLE = 24  # public. variable x is now y
    SHOW = 25  # public. seat's hand at the showdown: x cards, content: the cards
    RESULT = 26  # public. seat: the winner of the pot (2: split); x: EndReason. Only events of its chips follow


class ChipReason(IntEnum):
    """Why chips moved (field z of CHIPS)."""

    ANTE = 0
    BET = 1
    CALL = 2
    RAISE = 3
    REFUND = 4  # pot -> bettor: the unmatched rest of a bet; emitted only if positive
    COST = 5
    TRANSFER = 6
    TAKE_POT = 7
    BID = 8
    SIDE_BET = 9
    AWARD = 10  # the pot (or half of it) at the end of the game
    ODD_CHIP = 11


class AuctionResult(IntEnum):
    """How an auction ended (field x of AUCTION).

    A coin that broke a tie is announced even if the auction is then cancelled.
    """

    NO_BIDS = 0
    WON = 1
    CANCELLED = 2


class EndReason(IntEnum):
    """Why the game ended (field x of RESULT)."""

    SHOWDOWN = 0
    FOLD = 1
    ENDED = 2  # an EndGame step, or the end of the sequence without a showdown


class Chance(IntEnum):
    """Kinds of chance draws. The comments give the seat and the outcomes.

    A draw's address is (kind, seat, occurrence); the occurrence counts earlier draws of the same kind and seat. A draw
    with a single outcome is resolved without asking, but counts as an occurrence.
    """

    DRAW = 0  # seat 2. index into the deck; one draw per card dealt, drawn or turned up
    PEEK = 1  # seat: peeker. index into the opponent's hand
    SWAP_GIVE = 2  # seat: the player who swaps. index into their own hand
    SWAP_TAKE = 3  # seat: the player who swaps. index into the opponent's hand
    STEAL = 4  # seat: thief. index into the opponent's hand
    DISCARD = 5  # seat: owner. index into their own hand
    REVEAL = 6  # seat: owner. index into their own hand
    OBSERVE = 7  # seat: viewer. index into the opponent's hand or the deck
    COIN = 8  # seat 2. a tied auction: 0 Alice wins, 1 Bob
    COST = 9  # seat: payer. one of n; due if below k
    ODD_CHIP = 10  # seat 2. 0 Alice, 1 Bob
    POSITION = 11  # seat 2. 0 Alice leads, 1 Bob
