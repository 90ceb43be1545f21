"""The constructs of a game: which of `antemill.engine.rules.constructs` occur in its rules, read from its table.

Most constructs are a kind of node with a certain value in one of its fields: `_RULES` lists them. The others depend on
several nodes, and each has a few lines in a kernel. Both are tested at every node, in the order of
`antemill.engine.rules.table.order`.
"""

from __future__ import annotations

from itertools import compress
from typing import Final, get_args

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.rules.constructs import CONSTRUCTS
from antemill.engine.rules.spec import GameSpec, Phase
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.columns import KIND, NEXT, NONE, Array, Table
from antemill.engine.rules.table.order import order_of
from antemill.engine.rules.table.schema import KINDS
from antemill.engine.rules.walk import player_fields

_PLACE: Final = {name: place for place, name in enumerate(CONSTRUCTS)}
_COUNT: Final = len(CONSTRUCTS)

# The test of a rule: whether a cell equals a number, differs from it or is larger. For a cell that holds nodes: whether
# there are more nodes than the number, whether more of them are conditionals, whether the first is of a kind.
_IS, _IS_NOT, _MORE, _LONGER, _CONDITIONAL, _OF_KIND = range(6)

_BY_POSITION: Final = "somebody acts by position"
_BETTING_KINDS: Final = tuple(KINDS.index(kind) for kind in get_args(Phase) if "betting" in kind.brings)


def _column(kind: int, field: str) -> int:
    """The column of a field: columns begin with the kind and the row that follows."""
    return 2 + KINDS[kind].__struct_fields__.index(field)


# A construct, its kind of node, one of the node's columns, the test of that column, and a number.
_RULES: Final[tuple[tuple[str, int, int, int, int], ...]] = (
    *(
        (name, kind, KIND, _IS, kind)
        for name, kind in (
            ("board", of.DEAL_BOARD),
            ("discard", of.DISCARD),
            ("swap", of.SWAP),
            ("steal", of.STEAL),
            ("reveal", of.REVEAL),
            ("pot taken", of.TAKE_POT),
            ("score", of.SCORE),
            ("announcement", of.ANNOUNCE),
            ("early end", of.END_GAME),
            ("sub-phase", of.PERFORM),
            ("fixed bets", of.FIXED_BETTING),
            ("betting loop", of.BETTING_LOOP),
            ("action round", of.ACTION_ROUND),
            ("simultaneous round", of.SIMULTANEOUS),
            ("side bet", of.SIDE_BET),
            ("condition on chips", of.CHIPS_ARE),
            ("condition on the pot", of.POT_IS),
            ("condition on the higher card", of.HAS_HIGHER_CARD),
            ("condition on a rank", of.HOLDS_RANK),
            ("condition on a suit", of.HOLDS_SUIT),
            ("condition on the deck", of.DECK_SIZE_IS),
            ("condition on a hand's size", of.HAND_SIZE_IS),
            ("condition on the board", of.BOARD_HAS_RANK),
            ("condition on positions", of.LEADS),
            ("game in progress", of.IN_PROGRESS),
            ("and", of.ALL),
            ("or", of.ANY_OF),
            ("not", of.NOT),
        )
    ),
    ("uneven deal", of.DEAL, of.DEAL_PLAYER, _IS_NOT, of.BOTH),
    ("discard pile shuffled in", of.SHUFFLE, of.SHUFFLE_DISCARD_PILE, _IS, 1),
    ("draw by one", of.DRAW, of.DRAW_PLAYER, _IS_NOT, of.BOTH),
    ("draw by both", of.DRAW, of.DRAW_PLAYER, _IS, of.BOTH),
    *((f"draw, {seen}", of.DRAW, of.DRAW_VISIBILITY, _IS, place) for place, seen in enumerate(of.VISIBILITIES)),
    *((f"peek, {seen}", of.PEEK, of.PEEK_VISIBILITY, _IS, place) for place, seen in enumerate(of.VISIBILITIES)),
    ("pot pays player", of.TRANSFER, of.TRANSFER_SOURCE, _IS, of.POT),
    *(("several effects", of.IF, column, _LONGER, 1) for column in (of.IF_THEN, of.IF_OTHERWISE)),
    ("otherwise", of.IF, of.IF_OTHERWISE, _LONGER, 0),
    ("private check", of.IF, of.IF_PUBLIC, _IS, 0),
    *(("conditional inside a conditional", of.IF, column, _CONDITIONAL, 0) for column in (of.IF_THEN, of.IF_OTHERWISE)),
    ("list of conditional events", of.STEPS, of.STEPS_STEPS, _CONDITIONAL, 1),
    ("raises", of.FIXED_BETTING, of.FIXED_BETTING_RAISES, _IS_NOT, 0),
    ("free wagers, uncapped", of.VARIABLE_BETTING, of.VARIABLE_BETTING_CAP, _IS, NONE),
    ("free wagers, capped", of.VARIABLE_BETTING, of.VARIABLE_BETTING_CAP, _IS_NOT, NONE),
    *(("betting", kind, KIND, _IS, kind) for kind in _BETTING_KINDS),
    *(
        (f"{opener} opens", kind, _column(kind, "opener"), _IS, player)
        for kind in _BETTING_KINDS
        for opener, player in (("Bob", of.BOB), ("leader", of.LEADER), ("follower", of.FOLLOWER))
    ),
    ("loop stops at a stack", of.BETTING_LOOP, of.BETTING_LOOP_STOP_AT, _MORE, 0),
    ("event between rounds", of.BETTING_LOOP, of.BETTING_LOOP_BETWEEN, _LONGER, 0),
    ("several picks", of.ACTION_ROUND, of.ACTION_ROUND_PICKS, _MORE, 1),
    ("private choice", of.ACTION_ROUND, of.ACTION_ROUND_PUBLIC, _IS, 0),
    ("stated cost", of.COST, of.COST_ODDS, _IS, NONE),
    ("probabilistic cost", of.COST, of.COST_ODDS, _IS_NOT, NONE),
    ("several effects", of.OPTION, of.OPTION_STEPS, _LONGER, 1),
    ("three simultaneous options", of.SIMULTANEOUS, of.SIMULTANEOUS_ALICE_OPTIONS, _LONGER, 2),
    *(
        rule
        for kind, column in ((of.CELL, of.CELL_STEPS), (of.SIMULTANEOUS, of.SIMULTANEOUS_OTHERS))
        for rule in (("conditional cell", kind, column, _CONDITIONAL, 0), ("several effects", kind, column, _LONGER, 1))
    ),
    *(
        (f"auction of a {prize}", of.AUCTION, of.AUCTION_PRIZE, _OF_KIND, kind)
        for prize, kind in (("draw", of.DRAW), ("peek", of.PEEK), ("steal", of.STEAL))
    ),
    *(
        (f"observation, {seen}", of.OBSERVATION, of.OBSERVATION_VISIBILITY, _IS, place)
        for place, seen in enumerate(of.VISIBILITIES)
    ),
    *(
        (f"observation of a {signal.replace('-', ' ')}", of.OBSERVATION, of.OBSERVATION_SIGNAL, _IS, place)
        for place, signal in enumerate(of.SIGNALS)
    ),
    ("trigger", of.OBSERVATION, of.OBSERVATION_TRIGGER, _IS_NOT, NONE),
    *(
        (f"positions {how}", of.POSITIONS, of.POSITIONS_CRITERION, _IS, criterion)
        for how, criterion in (
            ("by chips", of.MOST_CHIPS),
            ("by chips", of.FEWEST_CHIPS),
            ("by cards", of.HIGHER_CARD),
            ("by cards", of.LOWER_CARD),
            ("by chance", of.BY_CHANCE),
            ("alternate", of.ALTERNATE),
        )
    ),
    *(
        (f"showdown by {metric}", of.SHOWDOWN, of.SHOWDOWN_METRIC, _IS, place)
        for place, metric in enumerate(of.METRICS)
        if place != of.HIGH
    ),
    ("showdown with the board", of.SHOWDOWN, of.SHOWDOWN_BOARD, _IS, 1),
    # The opening of a betting round has its own constructs.
    *(
        (_BY_POSITION, number, _column(number, field), _IS, player)
        for number, kind in enumerate(KINDS)
        for field in player_fields(kind)
        if field != "opener"
        for player in (of.LEADER, of.FOLLOWER)
    ),
)
_BY_KIND: Final = sorted(_RULES, key=lambda rule: rule[1])
_TESTS: Final = np.array([(_PLACE[name], *asked) for name, _, *asked in _BY_KIND])  # int64[rules, 4]
_FIRST: Final = np.searchsorted([kind for _, kind, *_ in _BY_KIND], np.arange(len(KINDS) + 1))  # rule of each kind

# The constructs that depend on several nodes.
_SEVERAL_SUITS: Final = _PLACE["several suits"]
_UNEQUAL_ANTES: Final = _PLACE["unequal antes"]
_LATER_ANTE: Final = _PLACE["later ante"]
_BETTING: Final = _PLACE["betting"]
_NO_BETTING: Final = _PLACE["no betting"]
_TWO_PLACES: Final = _PLACE["two places of betting"]
_TWO_LOOPS: Final = _PLACE["two betting loops"]
_PERFORMED_TWICE: Final = _PLACE["sub-phase performed from several places"]
_MIXED_LOOP: Final = _PLACE["fixed and free rounds in a loop"]
_CHANGING_LOOP: Final = _PLACE["a round for each turn of a loop"]
_PLAYER_PAYS_POT: Final = _PLACE["player pays pot"]
_PLAYER_PAYS_PLAYER: Final = _PLACE["player pays player"]
_ROUND_COUNTER: Final = _PLACE["condition on the round counter"]
_OTHER_VARIABLE: Final = _PLACE["condition on another variable"]

_OPENING: Final = 2  # phases: every generated game begins with set-up and antes
# Words that are kept from node to node: the number of betting loops, their counters and the variables that conditions
# read (bits), and the first ante of one player in the opening. Then, for every row, whether that phase has been
# performed.
_LOOPS, _COUNTERS, _READ, _ANTE, _PERFORMED = range(5)


def constructs(spec: GameSpec) -> frozenset[str]:
    """The names of the constructs that occur in the rules of a legal game, even if play never reaches them.

    Raises SpecError for an object in a place that cannot hold its kind.
    """
    return frozenset(compress(CONSTRUCTS, constructs_of(table_of(spec)).tolist()))


@kernel(allocates=True)
def constructs_of(table: Table) -> Array:
    """bool[constructs]: which of `CONSTRUCTS`, in their order, occur in the rules of a table."""
    nodes, found = table.nodes, np.zeros(_COUNT, np.bool_)
    seen = np.zeros(_PERFORMED + len(nodes), np.int64)
    for row, place in order_of(table):
        kind = nodes[row, KIND]
        for rule in range(_FIRST[kind], _FIRST[kind + 1]):
            construct, column, asked, number = _TESTS[rule]
            if _holds(nodes, nodes[row, column], asked, number):
                found[construct] = True
        _remember(nodes, row, place, found, seen)
    found[_SEVERAL_SUITS] = table.suits > 1
    found[_NO_BETTING] = not found[_BETTING]
    found[_TWO_LOOPS] = seen[_LOOPS] > 1
    found[_ROUND_COUNTER] = seen[_READ] & seen[_COUNTERS] != 0
    found[_OTHER_VARIABLE] = seen[_READ] & ~seen[_COUNTERS] != 0
    places = 0
    for phase in table.sequence:
        kind = nodes[phase, KIND] if phase != NONE else NONE
        places += kind == of.BETTING_LOOP or kind in _BETTING_KINDS
    found[_TWO_PLACES] = places > 1
    return found


@kernel
def _holds(nodes: Array, cell: int, asked: int, number: int) -> bool:
    """Whether a cell passes the test of a rule."""
    if asked == _IS:
        return cell == number
    if asked == _IS_NOT:
        return cell != number
    if asked == _MORE:
        return cell > number
    if asked == _OF_KIND:
        return cell != NONE and nodes[cell, KIND] == number
    count = 0
    while cell != NONE:
        count += asked == _LONGER or nodes[cell, KIND] == of.IF
        cell = nodes[cell, NEXT]
    return count > number


@kernel
def _remember(nodes: Array, row: int, phase: int, found: Array, seen: Array) -> None:
    """Find the constructs that depend on several cells or nodes."""
    kind = nodes[row, KIND]
    if kind == of.ANTE:
        amount = nodes[row, of.ANTE_AMOUNT]
        if phase >= _OPENING:
            found[_LATER_ANTE] = True
        elif nodes[row, of.ANTE_PLAYER] != of.BOTH:
            found[_UNEQUAL_ANTES] |= seen[_ANTE] != 0 and seen[_ANTE] != amount
            seen[_ANTE] = amount
    elif kind == of.TRANSFER and nodes[row, of.TRANSFER_SOURCE] != of.POT:
        found[_PLAYER_PAYS_POT if nodes[row, of.TRANSFER_TARGET] == of.POT else _PLAYER_PAYS_PLAYER] = True
    elif kind == of.VARIABLE_IS:
        seen[_READ] |= 1 << nodes[row, of.VARIABLE_IS_VARIABLE]
    elif kind == of.PERFORM:
        performed = _PERFORMED + nodes[row, of.PERFORM_PHASE]
        found[_PERFORMED_TWICE] |= seen[performed] != 0
        seen[performed] = 1
    elif kind == of.BETTING_LOOP:
        seen[_LOOPS] += 1
        seen[_COUNTERS] |= 1 << nodes[row, of.BETTING_LOOP_COUNTER]
        first = nodes[row, of.BETTING_LOOP_ROUNDS]
        other = first
        while other != NONE:
            one, two = nodes[first, of.ROUND_PHASE], nodes[other, of.ROUND_PHASE]
            found[_CHANGING_LOOP] |= one != two
            found[_MIXED_LOOP] |= nodes[one, KIND] != nodes[two, KIND]
            other = nodes[other, NEXT]
