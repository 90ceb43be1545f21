"""The layout of a game's state: one flat int64 array, whose copy is a snapshot (design decision D2).

The array has four parts: registers, which a reset copies from the program's initial state; the deck, of which a reset
copies the game's cards; the other piles, which need no reset since their counts are registers; and constants of the
game. The words after `SIZE` are the journal of events (`antemill.engine.machine.events`), eight words each; rollouts
have none.
"""

from antemill.engine.machine.events import EVENT_WIDTH, Chance
from antemill.engine.rules.limits import MAX_CALLS, MAX_CARDS, MAX_SIDE_BETS, MAX_VARIABLES

# The values that advance() returns and STOP holds.
OVER = 0
CHANCE = 1
DECIDE = 2

PHASE_WORDS = 4  # 256 phases
BRANCH_WORDS = 8  # 256 conditionals

# Bits of BLIND: the first says that keys are not kept; one more for each seat that looks up contexts.
NO_KEYS = 1
CONTEXTS_OF_ALICE = 2
CONTEXTS_OF_BOB = 4

_next = 0


def _take(words: int) -> int:
    global _next
    start = _next
    _next += words
    return start


# Registers -------------------------------------------------------------------------------------------------------
PC = _take(1)  # row of the next instruction
STOP = _take(1)  # OVER, CHANCE or DECIDE: the reason why the machine has stopped
SEAT = _take(1)  # DECIDE: the seat that chooses
MENU = _take(1)  # DECIDE and CHANCE: the number of outcomes to choose from
MENU_MASK = _take(1)  # DECIDE: bit mask of the offered actions; 0 for a range of amounts
MENU_LOW = _take(1)  # DECIDE: the smallest amount of a range
DECISION = _take(1)  # DECIDE: decision type
ADDRESS = _take(1)  # CHANCE: what is drawn, independent of the time of the draw: 65,536 (3 kind + seat) + occurrence
CHOICE = _take(1)  # the index that the driver supplies; negative while the machine waits for it
CHANCE_KEY = _take(1)  # if not 0, the machine draws chance itself from the stream with this key, without stopping
ACTION = _take(1)  # the action behind the last CHOICE
CHIPS = _take(3)  # stacks of Alice and Bob, and the pot as account 2
POT = CHIPS + 2
SCORE = _take(1)  # Alice's score; Bob's is the negative
OWED = _take(1)  # the price of a call for the player who faces a bet
BETTOR = _take(1)  # the seat that made the last bet
SEATS = _take(7)  # operand -> seat: Alice, Bob, leader, follower, winner, loser, and 2 for the pot
LOCKED = _take(2)  # secret choices, until they are revealed
COINED = _take(1)  # 1 if a coin broke the auction's tie
HELD = _take(1)  # hand index that the swapping player gives
DECK_N = _take(1)
HAND_N = _take(2)
BOARD_N = _take(1)
DISCARD_N = _take(1)
RANKS = _take(
    2
)  # per hand: the number of cards of each rank, four bits each; as integers, two words compare as the hands do
BOARD_RANKS = _take(1)
SUITS = _take(2)  # per hand: the number of cards of each suit, eight bits each
BOARD_SUITS = _take(1)
HAND_KEY = _take(2)  # per hand: the sum of its cards' keys
PICKED = _take(1)  # cards gathered by the current step: bit mask, ...
PICKED_KEY = _take(1)  # ... sum of keys, ...
PICKED_N = _take(1)  # ... count
PUBLIC = _take(1)  # digest of all events shown to everyone
PRIVATE = _take(2)  # per seat: digest of the events shown to that seat alone, interleaved with PUBLIC
PATH = _take(1)  # digest of the public decisions
OWN_PATH = _take(2)  # per seat: digest of its secret decisions, interleaved with PATH
SIGNALS = _take(2)  # per seat: digest of its signals
CALL_N = _take(1)
JOURNAL_N = _take(1)  # events written to the journal
OCCURRENCES = _take(3 * len(Chance))  # per chance kind and seat: draws so far
SIDE_BETS = _take(MAX_SIDE_BETS)  # 0 not taken, else the taker's seat + 1
VARIABLES = _take(MAX_VARIABLES)
FIRED = _take(PHASE_WORDS)  # bit set of phases that fired
TAKEN = _take(BRANCH_WORDS)  # bit set of branches taken
BLIND = _take(1)  # 0, or NO_KEYS and bits of seats with contexts (`antemill.engine.machine.instructions.unseen`)
UNSEEN = _take(1)  # cards that have left the deck and are not drawn yet
UNSEEN_TO = _take(1)  # their targets, two bits each, the next one lowest: a seat, or 2 for the board
UNSEEN_ASKED = _take(1)  # 1 if the driver was asked for the next of them
SEEN_N = _take(3)  # drawn cards of each hand and of the board; set while there are unseen cards
# Piles (card ids) ------------------------------------------------------------------------------------------------
DECK = _take(MAX_CARDS)
HANDS = _take(2 * MAX_CARDS)
BOARD = _take(MAX_CARDS)
DISCARDS = _take(MAX_CARDS)
CALLS = _take(MAX_CALLS)  # return addresses
# Constants of the game -------------------------------------------------------------------------------------------
CARD_RANK = _take(MAX_CARDS)  # rank index
CARD_VALUE = _take(MAX_CARDS)  # rank value
CARD_SUIT = _take(MAX_CARDS)
CARD_KEY = _take(MAX_CARDS)  # 64-bit key of the card's class, equal for cards that no rule tells apart
CARDS = _take(1)  # size of the full deck
START_CHIPS = _take(1)
CHIP_BIN = _take(1)  # width of a chip bin, see CHIP_BINS
SIZE = _next
JOURNAL = SIZE

CHIP_BINS = 5  # our reading, version 1, of the chip bin: own stack // max(1, starting chips // 5) (X2)


def state_size(journal_events: int = 0) -> int:
    """The number of words of a state whose journal has a capacity of `journal_events`."""
    return SIZE + journal_events * EVENT_WIDTH
