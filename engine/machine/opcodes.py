"""The instruction set: one row per opcode. An instruction is eight int32 words: the opcode and up to seven operands.

Notation: `seat` operands index SEATS in the state (0 Alice, 1 Bob, 2 leader, 3 follower, 4 winner, 5 loser, 6 the pot);
`->x` is a jump target; "asks" means that the machine stops for a chance draw, whose index the next instruction finds in
CHOICE. A decision type is `dt + stride * seat`: stride 1 when the seat is known only in play.
"""

from enum import IntEnum
from typing import NamedTuple

WIDTH = 8


class Op(IntEnum):
    """Opcodes, dense from 0 so that the dispatch becomes one jump table."""

    SPLIT = 0
    JUMP = 1
    CALL = 2
    RETURN = 3
    PHASE = 4
    PICK = 5
    TAKE = 6
    TURN = 7
    PAY = 8
    CHOOSE = 9
    AMOUNT = 10
    BET = 11
    MATCH = 12
    RAISE = 13
    FOLD = 14
    TEST = 15
    TEST_HIGHER = 16
    TEST_RANKS = 17
    TEST_SUIT = 18
    OUTCOME = 19
    ADD = 20
    SET = 21
    REVEALS = 22
    MATRIX = 23
    SHOW = 24
    AWARD = 25
    ODD = 26
    SHUFFLE = 27
    ASK_HAND = 28
    ASK_DECK = 29
    ASK_SWAP = 30
    HOLD = 31
    SWAP = 32
    STEAL = 33
    PEEK = 34
    DISCARD = 35
    REVEAL = 36
    OBSERVE = 37
    RANK_SEATS = 38
    LEAD = 39
    ANNOUNCE = 40
    SCORE = 41
    TAKE_POT = 42
    BIDS = 43
    WINNER = 44
    ASK_ODDS = 45
    COST = 46
    TAKE_SIDE = 47
    SETTLE = 48
    WIN = 49


class Row(NamedTuple):
    """One line of the table: operand names in order, and the meaning."""

    operands: str
    meaning: str


TABLE: dict[Op, Row] = {
    Op.SPLIT: Row("", "the game ends without a winner; the pot is halved; asks for the odd chip"),
    Op.JUMP: Row("->to", "go on at `to`"),
    Op.CALL: Row("->to", "push the next row, go on at `to`"),
    Op.RETURN: Row("", "pop a row and go on there"),
    Op.PHASE: Row("phase fired", "phase number `phase` starts; set bit `fired`"),
    Op.PICK: Row("->empty", "asks for a deck card; with an empty deck go on at `empty`"),
    Op.TAKE: Row(
        "seat tell picked",
        "with picked: deck card CHOICE goes to the hand; with tell: tell as Tell says (and skip a row if picked)",
    ),
    Op.TURN: Row("tell picked", "as TAKE, for the board"),
    Op.PAY: Row("seat to amount reason", "min(amount, holdings) chips move from one account to another"),
    Op.CHOOSE: Row(
        "seat dt stride menu mode fired",
        "stops for a choice from the menu at `menu`, then goes on at the action's target",
    ),
    Op.AMOUNT: Row(
        "seat dt stride low cap mode fired",
        "stops for an amount in low..min(cap, stack), or low..cap if locked; clamped to the stack it becomes ACTION",
    ),
    Op.BET: Row("seat amount", "pay min(amount, stack) to the pot (amount -1: ACTION); it is OWED, seat is BETTOR"),
    Op.MATCH: Row("seat", "call: pay min(OWED, stack); the unmatched rest goes back to BETTOR"),
    Op.RAISE: Row("seat amount", "pay min(OWED + amount, stack); the excess over OWED is OWED, seat is BETTOR"),
    Op.FOLD: Row("", "BETTOR takes the pot; the game ends"),
    Op.TEST: Row("slot seat low high ->else", "unless low <= state[slot + seat] <= high go on at `else`"),
    Op.TEST_HIGHER: Row("seat ->else", "unless the seat's top rank is above the opponent's go on at `else`"),
    Op.TEST_RANKS: Row(
        "slot seat mask_low mask_high ->else",
        "unless the counts at slot + seat hit the mask (30 bits each) go on at `else`",
    ),
    Op.TEST_SUIT: Row("seat suit ->else", "unless the hand holds the suit go on at `else`"),
    Op.OUTCOME: Row(
        "branch public hidden",
        "a conditional took this branch; tell everyone if public, as a signal if it read hidden cards",
    ),
    Op.ADD: Row("variable amount", "change a variable"),
    Op.SET: Row("variable value", "set a variable"),
    Op.REVEALS: Row("dt_alice dt_bob", "both LOCKED choices become public"),
    Op.MATRIX: Row("table columns", "go on at table[LOCKED alice * columns + LOCKED bob]"),
    Op.SHOW: Row("", "both hands are shown to everyone"),
    Op.AWARD: Row("metric board", "compare the hands and end the game; a tie with an odd pot asks for the odd chip"),
    Op.ODD: Row("", "the odd chip goes to seat CHOICE; the game ends"),
    Op.SHUFFLE: Row("discards", "shuffle the deck, with the discard pile or without"),
    Op.ASK_HAND: Row(
        "kind seat whose ->empty", "asks for a card of the own (0) or the opponent's (1) hand; empty: go on at `empty`"
    ),
    Op.ASK_DECK: Row("kind seat ->empty", "asks for a deck card to look at; empty: go on at `empty`"),
    Op.ASK_SWAP: Row("seat ->empty", "asks for the card to give; if a hand is empty go on at `empty`"),
    Op.HOLD: Row("seat", "hold CHOICE as the card to give; asks for the card to take"),
    Op.SWAP: Row("seat done", "exchange HELD and CHOICE and skip a row; not done: only tell"),
    Op.STEAL: Row("seat done", "take CHOICE from the opponent and skip a row; not done: only tell"),
    Op.PEEK: Row(
        "seat visibility done", "look at CHOICE of the opponent's hand and skip a row; not done: see that it is empty"
    ),
    Op.DISCARD: Row(
        "seat which face_up", "discard hand card CHOICE (0), the first lowest (1) or the first highest (2)"
    ),
    Op.REVEAL: Row(
        "seat which", "show hand card CHOICE (0) and skip a row, the first highest (1), all (2), nothing (3)"
    ),
    Op.OBSERVE: Row("seat phase what visibility", "receive a signal, see Look"),
    Op.RANK_SEATS: Row("criterion", "who shall lead becomes CHOICE; a tie asks"),
    Op.LEAD: Row("phase", "seat CHOICE takes the leader's position"),
    Op.ANNOUNCE: Row("text", "tell everyone text number `text`"),
    Op.SCORE: Row("seat amount", "the seat's score rises, the opponent's falls"),
    Op.TAKE_POT: Row("seat", "the seat receives the pot"),
    Op.BIDS: Row("->none", "the higher of both LOCKED bids becomes CHOICE; a tie asks; no bids: tell, go on at `none`"),
    Op.WINNER: Row(
        "prize ->cancelled", "seat CHOICE won; pay and tell, or cancel (prize 0 needs a deck, 1 the loser's hand)"
    ),
    Op.ASK_ODDS: Row("seat n", "asks for one of n"),
    Op.COST: Row("seat amount k private ->skip", "due if CHOICE < k; pay it, or go on at `skip` if unaffordable"),
    Op.TAKE_SIDE: Row("index seat", "the seat has taken side bet `index`"),
    Op.SETTLE: Row("index phase amount won", "settle side bet `index`"),
    Op.WIN: Row("seat", "the seat takes the pot; the game ends"),
}


class Tell(IntEnum):
    """The players who are told of a card taken from the deck."""

    NOT_YET = 0
    DEAL = 1
    DRAW_PUBLIC = 2
    DRAW_OCCURRENCE = 3
    DRAW_PRIVATE = 4


class Look(IntEnum):
    """The subject of an observation."""

    OPPONENT_CARD = 0
    OPPONENT_SUIT = 1
    DECK_CARD = 2
    DECK_SUIT = 3
    TOP_RANK = 4
    SIZE = 5
    NOTHING = 6


class Mode(IntEnum):
    """The players who are told of a choice: everyone, the player alone, or the player alone until both are revealed."""

    PUBLIC = 0
    PRIVATE = 1
    LOCK = 2


class Criterion(IntEnum):
    """The criterion by which the leader's position is assigned."""

    MOST_CHIPS = 0
    FEWEST_CHIPS = 1
    HIGHER_CARD = 2
    LOWER_CARD = 3
    RANDOM = 4
    ALTERNATE = 5


class Metric(IntEnum):
    """Showdown metrics."""

    HIGH = 0
    LOW = 1
    SUM = 2
    SUITS = 3
    PAIRS = 4


class Visibility(IntEnum):
    """Visibilities as operands."""

    PUBLIC = 0
    OCCURRENCE = 1
    PRIVATE = 2


RAISE_NEEDS = -1  # the chip requirement of a raise in a menu: more chips than are owed
