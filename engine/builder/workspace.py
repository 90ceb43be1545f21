"""A game while it is being drawn, as arrays of numbers, which the parts of the builder pass to each other."""

from __future__ import annotations

from typing import Final, Protocol, cast

import numpy as np

from antemill.engine.builder import caps as cap
from antemill.engine.builder.dial import TABLE
from antemill.engine.builder.names import PLACES, VOCABULARY
from antemill.engine.rules.limits import MAX_VARIABLES
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array, Table

SIDE_BETS: Final = 4  # at most, in a game

# Words of `state`. The caps follow (`antemill.engine.builder.caps`), then the number of phases for each name of two
# texts.
(
    WORDS,  # random words used
    GIVEN,  # random words available
    FULL,  # whether some array was too small
    NODES,  # used rows of the table
    PHASES,  # phases in the graph
    PENDING,  # phases begun or planned, but not in the graph yet
    MARKS,  # phases in the graph as the machine counts them, including the sub-phases of betting rounds
    MAIN,  # phases of the main sequence
    VARIABLES,
    THEME,  # the game's own variable
    VARIABLE_CHANGED,  # some choice changes that variable
    RANKS,  # of the deck
    TOP,  # the deck's highest rank
    SUITS,
    CARDS,  # of the deck
    CHIPS,  # of both players
    ANTE,
    LOW_IMPACT,  # choices matter little in this game
    POSITIONS,  # leader and follower have been assigned
    BETTING_ROUNDS,
    SUBPHASES,  # finished sub-phases, which may be performed again
    COUNTERS,  # variables in use as loops' round counters
    BETS,  # side bets; no two are equal
    DEPTH,  # conditionals and performed sub-phases that enclose this point
    SECRET,  # private conditionals that enclose this point
    ENCLOSING,  # a bit for every kind of condition that encloses this point
    MOST,  # phases that a template may return at this point
    INTERVALS,  # used rows of intervals
) = range(28)
NAMES: Final = cap.FIRST + cap.COUNT

# Rows of `lists`.
(
    PHASE_LIST,  # rows of the phases, in their order
    MAIN_LIST,  # those of the main sequence
    PLAN_LIST,  # kinds of main phases
    EXTRA_LIST,  # those that are inserted at random places
    SUBPHASE_LIST,
    ENCLOSING_LIST,  # `ENCLOSING` at each branching, by the row of its intervals
    VARIABLE_LIST,  # the text of each variable
    COUNTER_LIST,
    BET_LIST,
    POOL,  # items to sample from
) = range(10)
_LISTS: Final = POOL + 1

# The quantities that have an interval, by column. A hand is HAND + seat, a stack is the seat itself.
ALICE: Final = 0
BOB: Final = 1
POT: Final = 2
HAND: Final = 3
DECK: Final = 5
BOARD: Final = 6
PILE: Final = 7
LEAD: Final = 8
ALIVE: Final = 9  # not a quantity: whether play can be here, or the game has ended
OWN: Final = 10  # the first variable
QUANTITIES: Final = OWN + MAX_VARIABLES

WEIGHTS: Final = len(TABLE)  # column of `features` from which the weights of the next pick are stored
_WEIGHTS: Final = 9
_SIZE: Final = 1 << 17  # random words, and nodes: enough for games of hundreds of chapters and events


class Draft(Protocol):
    """The builder's state and the arrays that it writes: one record, which kernels pass by address."""

    words: Array  # uint32[.]: random bits
    features: Array  # float64[rows of the dial + 9]
    state: Array  # int64[.]
    lists: Array  # int64[10, .]
    lo: Array  # int64[rows, QUANTITIES]: intervals, see `antemill.engine.builder.bounds`
    hi: Array  # int64[rows, QUANTITIES]
    nodes: Array  # int64[., of.WIDTH]: the rules


class Workspace:
    """A draft, and its arrays as attributes: reading an array from the record is slower than using it."""

    def __init__(self, size: int) -> None:
        """size: the capacities are proportional to it. Pages that are never written take no memory."""
        fields = {
            "words": (np.uint32, (_SIZE * size,)),
            "features": (np.float64, (len(TABLE) + _WEIGHTS,)),
            "state": (np.int64, (NAMES + len(VOCABULARY) * PLACES,)),
            "lists": (np.int64, (_LISTS, _SIZE // 16 * size)),
            "lo": (np.int64, (_SIZE // 16 * size, QUANTITIES)),
            "hi": (np.int64, (_SIZE // 16 * size, QUANTITIES)),
            "nodes": (np.int64, (_SIZE * size, of.WIDTH)),
        }
        kind = np.dtype([(name, *what) for name, what in fields.items()], align=True)
        self.draft = cast(Draft, np.zeros(1, kind).view(np.recarray)[0])
        self.words, self.state, self.nodes = self.draft.words, self.draft.state, self.draft.nodes
        lists = self.draft.lists
        self.phases, self.main, self.variables = lists[PHASE_LIST], lists[MAIN_LIST], lists[VARIABLE_LIST]

    def table(self) -> Table:
        """The rules that were drawn, without copying them."""
        state = self.state[: cap.FIRST].tolist()
        return Table(
            self.nodes[: state[NODES]],
            self.phases[: state[PHASES]],
            self.main[: state[MAIN]],
            np.arange(state[TOP] - state[RANKS] + 1, state[TOP] + 1),
            state[SUITS],
            state[CHIPS] // 2,
            state[VARIABLES],
        )
