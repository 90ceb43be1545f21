"""How many information states random play is expected to meet, from a game's rules (GENSTRAT appendix C, X3).

The paper's fifty games have 20 to 16,000. Their number grows with the decisions of a play, and with what distinguishes
two plays for a player who decides: hands, what was seen of other cards, and the choices so far. `expected` follows
random play through the phases in their order. On a line of play with share r of all plays, a player who can arrive in w
distinguishable ways meets w (1 - exp(-r n / w)) of them in n plays, as if all were equally likely.

Conditions are not evaluated: each outcome gets at least `LIKELY` of the plays, since the gate rejects most games with
outcomes that hardly ever happen. Against random play of accepted games, `expected` has a standard deviation of a
quarter where there are many states; where there are few, it is too high.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import chain
from math import log
from typing import Final

import numpy as np

from antemill.engine.builder.cards import classes
from antemill.engine.builder.line import COLUMNS, PATHS, SHARE, become, begin, part, seats_of, tell_one
from antemill.engine.builder.questions import asked, each, fixed, one, variable
from antemill.engine.builder.seen import Walk, see, signal, step
from antemill.engine.kernel import kernel
from antemill.engine.rules.spec import BettingLoop, GameSpec
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.columns import Array, Table
from antemill.engine.rules.table.order import after, length, reads_hidden_of
from antemill.engine.rules.walk import walk as nodes_of

LIKELY: Final = 0.3  # the smallest share of the plays for an outcome of a condition
LEAVES: Final = 0.25  # the share of plays that leave a loop before its next round, as a player has too few chips
OPEN: Final = 0.625  # the share of plays of a betting round in which no player folds
_TWO: Final = log(2.0)


def expected(spec: GameSpec) -> int:
    """About how many information states `PLAYS` random plays meet, both seats together.

    Raises the errors of `finite`.
    """
    return expected_of(finite(spec))


def finite(spec: GameSpec) -> Table:
    """The table of a spec that can be followed to its end.

    Raises ValueError for a phase that performs itself, directly or not, for a missing phase, and for a loop without
    rounds.
    """
    plays: dict[str, list[str]] = {phase.name: [] for phase in spec.phases}
    for place, node in nodes_of(spec):
        plays[spec.phases[place].name] += node.plays
        if isinstance(node, BettingLoop) and not node.rounds:
            raise ValueError(f"The betting loop '{node.name}' has no rounds.")
    for name in (*spec.sequence, *chain.from_iterable(plays.values())):
        if name not in plays:
            raise ValueError(f"There is no phase '{name}' to play.")
    try:
        TopologicalSorter(plays).prepare()
    except CycleError as error:
        raise ValueError(f"The phase '{error.args[1][0]}' ends up performing itself.") from error
    return table_of(spec)


@kernel(allocates=True)
def expected_of(table: Table) -> int:
    """`expected` of a table, in which no phase ends up performing itself."""
    different = classes(table)
    lines = np.empty((_room(table), COLUMNS))
    walk = Walk(table.nodes, lines, table.chips, len(table.ranks), table.suits, different, log(different))
    begin(lines)
    found = 0.0
    for row in table.sequence:
        found = _play(walk, row, 0, 1, found)
    return round(found)


@kernel
def _room(table: Table) -> int:
    """The largest number of lines of play at the same time.

    Where play branches, a line has a part for every branch: two for a conditional, one for each option, one for each
    cell and one for all other pairs. A loop leaves one in each of its rounds. No node contains itself.
    """
    most = 1 + 2 * len(table.nodes)
    for row in table.phases:
        if table.nodes[row, of.KIND] == of.BETTING_LOOP:
            most += table.nodes[row, of.BETTING_LOOP_CAP]
    return most


@kernel
def _play(walk: Walk, row: int, line: int, free: int, found: float) -> float:
    """Plays of a line go through a phase, or through a list of steps; returns the information states found so far.

    free: the first free row of `walk.lines`; all that follow are free too.
    """
    nodes, lines = walk.nodes, walk.lines
    if row == of.NONE:
        return found  # this early return gives numba the type of the recursive calls below
    while row != of.NONE and lines[line, SHARE] > 0.0:
        kind = nodes[row, of.KIND]
        if kind == of.IF or kind == of.ACTION_ROUND or kind == of.SIMULTANEOUS:
            for _ in range(nodes[row, of.ACTION_ROUND_PICKS] if kind == of.ACTION_ROUND else 1):
                found = _ask(walk, row, line, found)
                count = _branch(walk, row, line, free)
                for number in range(count):
                    steps = _outcome(nodes, row, number)
                    found = _play(walk, steps, free + number, free + count, found)
                _join(walk, row, line, free, count)
        elif kind == of.BETTING_LOOP:
            last, played = free, nodes[row, of.BETTING_LOOP_ROUNDS]
            for number in range(nodes[row, of.BETTING_LOOP_CAP]):
                if number > 0:
                    last = 1 + part(lines, line, LEAVES, last)
                    lines[line, SHARE] *= 1.0 - LEAVES
                    found = _play(walk, nodes[row, of.BETTING_LOOP_BETWEEN], line, last, found)
                    played = played if nodes[played, of.NEXT] == of.NONE else nodes[played, of.NEXT]
                found = _play(walk, nodes[played, of.ROUND_PHASE], line, last, found)
            part(lines, line, 1.0, last)
            become(lines, line, free, last + 1 - free, False)
        elif kind == of.STEPS:
            found = _play(walk, nodes[row, of.STEPS_STEPS], line, free, found)
        elif kind == of.PERFORM:
            found = _play(walk, nodes[row, of.PERFORM_PHASE], line, free, found)
        elif kind < of.STEPS:
            step(walk, row, line)
        else:
            found = _ask(walk, row, line, found)
            _pass(walk, row, line)
        row = nodes[row, of.NEXT] if kind < of.STEPS else of.NONE
    return found


@kernel
def _ask(walk: Walk, row: int, line: int, found: float) -> float:
    """The players answer the questions of a phase; returns the information states found so far."""
    nodes, kind = walk.nodes, walk.nodes[row, of.KIND]
    now = asked(walk.lines, line, 0.0)
    if kind == of.ACTION_ROUND:
        return one(now, seats_of(nodes[row, of.ACTION_ROUND_PLAYER]), 1.0, found)
    if kind == of.SIMULTANEOUS or kind == of.AUCTION:
        return each(now, found)
    if kind == of.SIDE_BET:
        return one(now, seats_of(nodes[row, of.SIDE_BET_PLAYER]), 1.0, found)
    if kind == of.FIXED_BETTING:
        opener = seats_of(nodes[row, of.FIXED_BETTING_OPENER])
        return fixed(now, opener, nodes[row, of.FIXED_BETTING_RAISES], found)
    if kind == of.VARIABLE_BETTING:
        later = asked(walk.lines, line, log(_sizes(walk, row)))
        return variable(now, later, seats_of(nodes[row, of.VARIABLE_BETTING_OPENER]), found)
    return found


@kernel
def _pass(walk: Walk, row: int, line: int) -> None:
    """Plays leave a phase that holds no steps, or only an auction's prize."""
    nodes, lines, kind = walk.nodes, walk.lines, walk.nodes[row, of.KIND]
    if kind == of.FIXED_BETTING:
        lines[line, SHARE] *= OPEN
        lines[line, PATHS] += log(3.0 + 2.0 * nodes[row, of.FIXED_BETTING_RAISES])
    elif kind == of.VARIABLE_BETTING:
        lines[line, SHARE] *= OPEN
        lines[line, PATHS] += log(1.0 + 2.0 * _sizes(walk, row))
    elif kind == of.AUCTION:
        lines[line, PATHS] += 2.0 * log(1.0 + min(nodes[row, of.AUCTION_MAX_BID], walk.chips))
        step(walk, nodes[row, of.AUCTION_PRIZE], line)
    elif kind == of.OBSERVATION:
        among = signal(walk, nodes[row, of.OBSERVATION_SIGNAL])
        among = among if nodes[row, of.OBSERVATION_TRIGGER] == of.NONE else 0.6 * among
        see(lines, line, nodes[row, of.OBSERVATION_VISIBILITY], nodes[row, of.OBSERVATION_VIEWER], among)
    elif kind == of.POSITIONS:
        by = nodes[row, of.POSITIONS_CRITERION]
        chips = by == of.POSITIONS_MOST_CHIPS or by == of.POSITIONS_FEWEST_CHIPS or by == of.POSITIONS_ALTERNATE
        lines[line, PATHS] += 0.3 * _TWO if chips else _TWO  # by chips: it mostly follows from what was seen
    elif kind == of.SIDE_BET:
        lines[line, PATHS] += _TWO
    elif kind == of.SHOWDOWN:
        lines[line, SHARE] = 0.0


@kernel
def _sizes(walk: Walk, row: int) -> float:
    """About how many sizes of bets a round with free sizes allows."""
    cap = walk.nodes[row, of.VARIABLE_BETTING_CAP]
    most = walk.chips / 2.0
    return max(1.0, most if cap == of.NONE else min(float(cap), most))


@kernel
def _branch(walk: Walk, row: int, line: int, free: int) -> int:
    """Put the parts of a line, one for each outcome of a row, into rows from `free` on; returns their number."""
    nodes, lines, kind = walk.nodes, walk.lines, walk.nodes[row, of.KIND]
    if kind == of.IF:
        chance = min(max(_chance(walk, nodes[row, of.IF_CONDITION]), LIKELY), 1.0 - LIKELY)
        part(lines, line, chance, free)
        part(lines, line, 1.0 - chance, free + 1)
        return 2
    if kind == of.ACTION_ROUND:
        option, count = nodes[row, of.ACTION_ROUND_OPTIONS], length(nodes, nodes[row, of.ACTION_ROUND_OPTIONS])
        for end in range(free, free + count):
            part(lines, line, 1.0 / count, end)
            cost = nodes[option, of.OPTION_COST]
            if cost != of.NONE and nodes[cost, of.COST_ODDS] != of.NONE:
                lines[end, PATHS] += _TWO if nodes[row, of.ACTION_ROUND_PUBLIC] else _TWO / 2.0
            option = nodes[option, of.NEXT]
        return count
    cells = length(nodes, nodes[row, of.SIMULTANEOUS_CELLS])
    alice = length(nodes, nodes[row, of.SIMULTANEOUS_ALICE_OPTIONS])
    pairs = alice * length(nodes, nodes[row, of.SIMULTANEOUS_BOB_OPTIONS])
    for end in range(free, free + cells):
        part(lines, line, 1.0 / pairs, end)
    rest = pairs - cells
    if rest == 0:
        return cells
    others = part(lines, line, rest / pairs, free + cells)
    lines[others, PATHS] += log(rest)
    return cells + 1


@kernel
def _outcome(nodes: Array, row: int, number: int) -> int:
    """The steps of one of the outcomes in the order of `_branch`."""
    kind = nodes[row, of.KIND]
    if kind == of.IF:
        steps: int = nodes[row, of.IF_OTHERWISE if number else of.IF_THEN]
    elif kind == of.ACTION_ROUND:
        steps = nodes[after(nodes, nodes[row, of.ACTION_ROUND_OPTIONS], number), of.OPTION_STEPS]
    else:
        cell = after(nodes, nodes[row, of.SIMULTANEOUS_CELLS], number)
        steps = nodes[row, of.SIMULTANEOUS_OTHERS] if cell == of.NONE else nodes[cell, of.CELL_STEPS]
    return steps


@kernel
def _join(walk: Walk, row: int, line: int, free: int, count: int) -> None:
    """Join the parts of a line; players may have seen which part was played."""
    nodes, lines, kind = walk.nodes, walk.lines, walk.nodes[row, of.KIND]
    if kind == of.IF:
        become(lines, line, free, count, False)
        if reads_hidden_of(nodes, nodes[row, of.IF_CONDITION]):  # told in public, or seen from chips that move
            lines[line, PATHS] += 0.8 * _TWO if nodes[row, of.IF_PUBLIC] else 0.3
        return
    public = kind == of.SIMULTANEOUS or nodes[row, of.ACTION_ROUND_PUBLIC] != 0
    become(lines, line, free, count, public)
    if not public:
        tell_one(lines, line, seats_of(nodes[row, of.ACTION_ROUND_PLAYER]), log(count))


@kernel
def _chance(walk: Walk, row: int) -> float:
    """How often a condition holds, guessed from its form."""
    nodes, kind = walk.nodes, walk.nodes[row, of.KIND]
    if kind == of.HOLDS_RANK or kind == of.BOARD_HAS_RANK:
        ranks = nodes[row, of.HOLDS_RANK_RANKS if kind == of.HOLDS_RANK else of.BOARD_HAS_RANK_RANKS]
        return _ones(ranks) / walk.ranks
    if kind == of.HOLDS_SUIT:
        return 1.0 / walk.suits
    if kind == of.IN_PROGRESS:
        return 1.0
    if kind != of.NOT and kind != of.ALL and kind != of.ANY_OF:
        return 0.5
    if kind == of.NOT:
        return 1.0 - _chance(walk, nodes[row, of.NOT_CONDITION])
    row = nodes[row, of.ALL_CONDITIONS]  # `All` and `AnyOf` have it in the same column
    none = 1.0
    while row != of.NONE:
        chance = _chance(walk, row)
        none *= chance if kind == of.ALL else 1.0 - chance
        row = nodes[row, of.NEXT]
    return none if kind == of.ALL else 1.0 - none


@kernel
def _ones(bits: int) -> int:
    """How many bits are set."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count
