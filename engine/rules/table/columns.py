"""The rules of a game as a table of numbers, which compiled code draws, follows and compiles.

`antemill.engine.rules.spec` has the same rules as objects, and defines their meaning.

A row is a node: its kind, the row that follows it in the same list, and its fields in the order of the object's fields,
from column 2 on. A field that is a node holds the node's row. A field that is a list holds the row of its first
element. `NONE` stands for no node, an empty list, the end of a list, and None. Several fields may hold the same node or
list, so a complete row is never changed.

The contents of fields, by their types:

- whole numbers and truth values: themselves
- players, accounts, comparisons and all other words that a field may hold: their index in the tuples below
- phases that are performed: the phase's row
- variables and suits: their index in the game
- sets of ranks: bit i for the rank with index i in the deck
- names and texts: numbers that are equal if the texts are; the maker of the table knows the texts. Those of the
  builder are indices into its vocabulary: a text, plus 2^16 times a text that follows it directly (0: none), plus 2^32
  times a number that follows after a space (0: none)
- odds: two columns
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


class Table(NamedTuple):
    """The rules of one game."""

    nodes: Array  # int64[rows, WIDTH]
    phases: Array  # int64[phases]: their rows, in the order of the spec
    sequence: Array  # int64[main phases]: their rows
    ranks: Array  # int64[ranks]: their values, ascending
    suits: int
    chips: int
    variables: int


NONE: Final = -1
KIND, NEXT = range(2)  # columns of every row
WIDTH: Final = 9

# The words that fields may hold.
PLAYERS: Final = ("alice", "bob", "leader", "follower", "winner", "loser", "pot", "both")
ALICE, BOB, LEADER, FOLLOWER, WINNER, LOSER, POT, BOTH = range(8)
COMPARISONS: Final = ("<", "<=", "==", ">=", ">")
LESS, AT_MOST, EQUAL, AT_LEAST, MORE = range(5)
VISIBILITIES: Final = ("public", "occurrence", "private")
PUBLIC, OCCURRENCE, PRIVATE = range(3)
DISCARDED: Final = ("random", "lowest", "highest")
DISCARD_RANDOM, DISCARD_LOWEST, DISCARD_HIGHEST = range(3)
REVEALED: Final = ("random", "highest", "all")
REVEAL_RANDOM, REVEAL_HIGHEST, REVEAL_ALL = range(3)
SUBJECTS: Final = ("opponent-card", "deck-card", "opponent-hand")
OPPONENT_CARD, DECK_CARD, OPPONENT_HAND = range(3)
SIGNALS: Final = ("card", "suit", "top-rank", "size")
CARD, SUIT, TOP_RANK, SIZE = range(4)
CRITERIA: Final = ("most-chips", "fewest-chips", "higher-card", "lower-card", "random", "alternate")
MOST_CHIPS, FEWEST_CHIPS, HIGHER_CARD, LOWER_CARD, BY_CHANCE, ALTERNATE = range(6)
METRICS: Final = ("high", "low", "sum", "suits", "pairs")
HIGH, LOW, SUM, SUITS, PAIRS = range(5)

# Kinds: conditions.
(
    CHIPS_ARE,
    POT_IS,
    DECK_SIZE_IS,
    HAND_SIZE_IS,
    HAS_HIGHER_CARD,
    HOLDS_RANK,
    HOLDS_SUIT,
    BOARD_HAS_RANK,
    VARIABLE_IS,
    LEADS,
    IN_PROGRESS,
    ALL,
    ANY_OF,
    NOT,
) = range(14)
# Kinds: steps.
(
    SHUFFLE,
    DEAL,
    DEAL_BOARD,
    DRAW,
    DISCARD,
    ANTE,
    TRANSFER,
    TAKE_POT,
    SCORE,
    PEEK,
    SWAP,
    STEAL,
    REVEAL,
    ANNOUNCE,
    ADD_TO_VARIABLE,
    IF,
    PERFORM,
    END_GAME,
    NO_ACTION,
) = range(14, 33)
# Kinds: phases.
(
    STEPS,
    FIXED_BETTING,
    VARIABLE_BETTING,
    BETTING_LOOP,
    ACTION_ROUND,
    SIMULTANEOUS,
    AUCTION,
    OBSERVATION,
    POSITIONS,
    SIDE_BET,
    SHOWDOWN,
) = range(33, 44)
# Kinds: parts of phases.
OPTION, COST, CELL, NAME, ROUND = range(44, 49)

# Columns of a kind's fields.
CHIPS_ARE_PLAYER, CHIPS_ARE_OP, CHIPS_ARE_VALUE = range(2, 5)
POT_IS_OP, POT_IS_VALUE = range(2, 4)
DECK_SIZE_IS_OP, DECK_SIZE_IS_VALUE = range(2, 4)
HAND_SIZE_IS_PLAYER, HAND_SIZE_IS_OP, HAND_SIZE_IS_VALUE = range(2, 5)
HAS_HIGHER_CARD_PLAYER: Final = 2
HOLDS_RANK_PLAYER, HOLDS_RANK_RANKS = range(2, 4)
HOLDS_SUIT_PLAYER, HOLDS_SUIT_SUIT = range(2, 4)
BOARD_HAS_RANK_RANKS: Final = 2
VARIABLE_IS_VARIABLE, VARIABLE_IS_OP, VARIABLE_IS_VALUE = range(2, 5)
LEADS_SEAT: Final = 2
ALL_CONDITIONS: Final = 2
ANY_OF_CONDITIONS: Final = 2
NOT_CONDITION: Final = 2
SHUFFLE_DISCARD_PILE: Final = 2
DEAL_COUNT, DEAL_PLAYER = range(2, 4)
DEAL_BOARD_COUNT: Final = 2
DRAW_PLAYER, DRAW_COUNT, DRAW_VISIBILITY = range(2, 5)
DISCARD_PLAYER, DISCARD_WHICH, DISCARD_FACE_UP = range(2, 5)
ANTE_PLAYER, ANTE_AMOUNT = range(2, 4)
TRANSFER_SOURCE, TRANSFER_TARGET, TRANSFER_AMOUNT = range(2, 5)
TAKE_POT_PLAYER: Final = 2
SCORE_PLAYER, SCORE_AMOUNT = range(2, 4)
PEEK_PLAYER, PEEK_VISIBILITY = range(2, 4)
SWAP_PLAYER: Final = 2
STEAL_PLAYER: Final = 2
REVEAL_PLAYER, REVEAL_WHICH = range(2, 4)
ANNOUNCE_TEXT: Final = 2
ADD_TO_VARIABLE_VARIABLE, ADD_TO_VARIABLE_AMOUNT = range(2, 4)
IF_CONDITION, IF_THEN, IF_OTHERWISE, IF_PUBLIC = range(2, 6)
PERFORM_PHASE: Final = 2
END_GAME_WINNER: Final = 2
STEPS_NAME, STEPS_STEPS = range(2, 4)
FIXED_BETTING_NAME, FIXED_BETTING_OPENER, FIXED_BETTING_AMOUNT, FIXED_BETTING_RAISES = range(2, 6)
VARIABLE_BETTING_NAME, VARIABLE_BETTING_OPENER, VARIABLE_BETTING_CAP, VARIABLE_BETTING_FALLBACK = range(2, 6)
(
    BETTING_LOOP_NAME,
    BETTING_LOOP_COUNTER,
    BETTING_LOOP_CAP,
    BETTING_LOOP_STOP_AT,
    BETTING_LOOP_ROUNDS,
    BETTING_LOOP_BETWEEN,
) = range(2, 8)
ACTION_ROUND_NAME, ACTION_ROUND_PLAYER, ACTION_ROUND_OPTIONS, ACTION_ROUND_PUBLIC, ACTION_ROUND_PICKS = range(2, 7)
SIMULTANEOUS_NAME, SIMULTANEOUS_ALICE_OPTIONS, SIMULTANEOUS_BOB_OPTIONS, SIMULTANEOUS_CELLS, SIMULTANEOUS_OTHERS = (
    range(2, 7)
)
AUCTION_NAME, AUCTION_MAX_BID, AUCTION_PRIZE = range(2, 5)
(
    OBSERVATION_NAME,
    OBSERVATION_VIEWER,
    OBSERVATION_SUBJECT,
    OBSERVATION_SIGNAL,
    OBSERVATION_VISIBILITY,
    OBSERVATION_TRIGGER,
    OBSERVATION_TRIGGER_PUBLIC,
) = range(2, 9)
POSITIONS_NAME, POSITIONS_CRITERION = range(2, 4)
SIDE_BET_NAME, SIDE_BET_PLAYER, SIDE_BET_AMOUNT, SIDE_BET_CONDITION = range(2, 6)
SHOWDOWN_NAME, SHOWDOWN_METRIC, SHOWDOWN_BOARD = range(2, 5)
OPTION_NAME, OPTION_STEPS, OPTION_COST = range(2, 5)
COST_AMOUNT, COST_ODDS, COST_OF = range(2, 5)
CELL_ALICE, CELL_BOB, CELL_STEPS = range(2, 5)
NAME_TEXT: Final = 2  # an entry of a list of names
ROUND_PHASE: Final = 2  # an entry of a loop's rounds
