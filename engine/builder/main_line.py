"""A lower bound on a game's information states: the decisions of every play, for every hand (GENSTRAT section 4).

The paper's smallest game has about 20 information states. A draft with fewer is drawn again: three cards and one
betting round, which is Kuhn poker, have 12.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from antemill.engine.builder.cards import MOST, classes, hands, times
from antemill.engine.builder.states import finite
from antemill.engine.kernel import kernel
from antemill.engine.rules.spec import GameSpec
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array, Table
from antemill.engine.rules.table.order import length

_BETTING: Final = 3  # ways through a betting round in which no player folds: no bet, or a call of either player


class _Found(NamedTuple):
    """Information states so far, and the number of public histories that lead here."""

    states: int
    histories: int


def fewest(spec: GameSpec) -> int:
    """Information states of the phases that every play reaches unless a player folds before; at most `MOST`.

    Conditionals do not count. Neither does what needs enough chips: raises, sizes of bets, side bets. Raises the errors
    of `finite`.
    """
    return fewest_of(finite(spec))


@kernel(allocates=True)
def fewest_of(table: Table) -> int:
    """`fewest` of a table, in which no phase ends up performing itself."""
    ranks, different = len(table.ranks), classes(table)
    alice, bob = _dealt(table, of.ALICE), _dealt(table, of.BOB)
    dealt = min(hands(ranks, different, alice), hands(ranks, different, bob))
    found = _Found(0, 1)
    for row in table.sequence:
        found = _always(table.nodes, row, dealt, found)
    return found.states


@kernel
def _dealt(table: Table, seat: int) -> int:
    """Cards that a seat is dealt in the first phase."""
    nodes, first, count = table.nodes, table.phases[0], 0
    step = nodes[first, of.STEPS_STEPS] if nodes[first, of.KIND] == of.STEPS else of.NONE
    while step != of.NONE:
        if nodes[step, of.KIND] == of.DEAL:
            player = nodes[step, of.DEAL_PLAYER]
            count += nodes[step, of.DEAL_COUNT] if player == seat or player == of.BOTH else 0
        step = nodes[step, of.NEXT]
    return count


@kernel
def _always(nodes: Array, row: int, dealt: int, found: _Found) -> _Found:
    """The findings after a phase and the phases that it always plays, which for a loop are its first round.

    dealt: how many hands a seat can have.
    """
    decisions, ways = _asked(nodes, row)
    states = times(times(dealt, found.histories), decisions)
    found = _Found(min(found.states + states, MOST), times(found.histories, ways))
    kind = nodes[row, of.KIND]
    if kind != of.STEPS and kind != of.BETTING_LOOP:
        return found
    if kind == of.BETTING_LOOP:
        return _always(nodes, nodes[nodes[row, of.BETTING_LOOP_ROUNDS], of.ROUND_PHASE], dealt, found)
    step = nodes[row, of.STEPS_STEPS]
    while step != of.NONE:
        if nodes[step, of.KIND] == of.PERFORM:
            found = _always(nodes, nodes[step, of.PERFORM_PHASE], dealt, found)
        step = nodes[step, of.NEXT]
    return found


@kernel
def _asked(nodes: Array, row: int) -> tuple[int, int]:
    """Decisions with one hand, at different nodes of the tree, and public histories that can come of the phase."""
    kind = nodes[row, of.KIND]
    if kind == of.FIXED_BETTING:
        return 4, _BETTING
    if kind == of.VARIABLE_BETTING:
        return 6, _BETTING
    if kind == of.ACTION_ROUND:
        ways, decisions, histories = _free(nodes, row), 0, 1
        for _ in range(nodes[row, of.ACTION_ROUND_PICKS]):
            decisions = min(decisions + histories, MOST)
            histories = times(histories, ways)
        return decisions, histories
    if kind == of.SIMULTANEOUS:
        alice = length(nodes, nodes[row, of.SIMULTANEOUS_ALICE_OPTIONS])
        return 2, alice * length(nodes, nodes[row, of.SIMULTANEOUS_BOB_OPTIONS])
    if kind == of.AUCTION:
        return 2, 4  # each player bids 0 or 1
    if kind == of.SIDE_BET:
        return 1, 1
    return 0, 1


@kernel
def _free(nodes: Array, row: int) -> int:
    """Public histories of one pick from a menu: its options without a cost, or 1 if the choice is private."""
    if not nodes[row, of.ACTION_ROUND_PUBLIC]:
        return 1
    option, count = nodes[row, of.ACTION_ROUND_OPTIONS], 0
    while option != of.NONE:
        count += nodes[option, of.OPTION_COST] == of.NONE
        option = nodes[option, of.NEXT]
    return max(1, count)
