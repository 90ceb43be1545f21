"""A game while it is being drawn, as numbers: what the parts of the builder pass to each other."""

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

# Words of `state`. The caps follow, see `antemill.engine.builder.caps`, and then how many phases have a name of two
# texts.
(
    WORDS,  # of the random stream that have been asked for
    GIVEN,  # words that there are
    FULL,  # whether some array was too small
    NODES,  # rows of the table that are taken
    PHASES,  # phases in the graph
    PENDING,  # phases begun or planned, but not in the graph yet
    MARKS,  # phases in the graph as the machine counts them, with the sub-phases of betting rounds
    MAIN,  # phases of the main sequence
    VARIABLES,
    THEME,  # the game's own variable
    VARIABLE_CHANGED,  # some choice changes that variable
    RANKS,  # of the deck
    TOP,  # the deck's highest rank
    SUITS,
    CARDS,  # all
    CHIPS,  # of both players
    ANTE,
    LOW_IMPACT,  # choices matter little in this game
    POSITIONS,  # leader and follower have been assigned
    BETTING_ROUNDS,
    SUBPHASES,  # finished sub-phases, that may be performed again
    COUNTERS,  # variables that loops count their rounds with
    BETS,  # side bets, no two of which are the same
    DEPTH,  # conditionals and performed sub-phases around this point
    SECRET,  # private conditionals around this point
    ENCLOSING,  # what the conditions around this point read: a bit for every kind of condition
    MOST,  # phases that a template may return at this point
    INTERVALS,  # rows of intervals that are taken
) = range(28)
NAMES: Final = cap.FIRST + cap.COUNT

# Rows of `lists`.
(
    PHASE_LIST,  # rows of the phases, in their order
    MAIN_LIST,  # those of the main sequence
    PLAN_LIST,  # kinds of main phases
    EXTRA_LIST,  # those of them that are scattered
    SUBPHASE_LIST,
    ENCLOSING_LIST,  # `ENCLOSING` where play parted, by the row of the intervals there
    VARIABLE_LIST,  # the text of each variable
    COUNTER_LIST,
    BET_LIST,
    POOL,  # what is sampled from
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

WEIGHTS: Final = len(TABLE)  # of `features`: here follow weights of what is picked next
_WEIGHTS: Final = 9
_SIZE: Final = 1 << 17  # random words, and nodes: enough for games of hundreds of chapters and events


class Draft(Protocol):
    """The state of the builder and the arrays that it writes to: a record, which kernels pass on as one address."""

    words: Array  # uint32[.]: random bits
    features: Array  # float64[rows of the dial + 9]
    state: Array  # int64[.]
    lists: Array  # int64[10, .]
    lo: Array  # int64[rows, QUANTITIES]: intervals, see `antemill.engine.builder.bounds`
    hi: Array  # int64[rows, QUANTITIES]
    nodes: Array  # int64[., of.WIDTH]: the rules


class Workspace:
    """A draft and its arrays as attributes, since reading one from the record takes longer than using it."""

    def __init__(self, size: int) -> None:
        """Twice the size doubles all capacities. Pages that are never written to take no memory."""
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
