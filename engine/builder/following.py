"""Following play through steps and phases: the bounds after them (`antemill.engine.builder.bounds`)."""

from __future__ import annotations

from typing import Final

from antemill.engine.builder.bounds import (
    add_up,
    assume,
    become,
    is_position,
    join,
    move,
    pop,
    push,
    push_unreached,
    seat_of,
    uncertain,
)
from antemill.engine.builder.workspace import ALICE, ALIVE, BOARD, BOB, CHIPS, DECK, HAND, LEAD, OWN, PILE, POT, Draft
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.order import length

_ALL: Final = 1 << 20

# ------------------------------------------------------------------------------------------------ steps


@kernel
def _each(d: Draft, row: int, player: int, hands: int, account: int, amount: int, pays: bool) -> None:
    """Chips or cards move between `account` and the stack of a player or of both; with `hands`, the hand."""
    first, last = (0, 1) if player == of.BOTH else (seat_of(d, row, player), seat_of(d, row, player))
    for seat in range(first, last + 1):
        if pays:
            move(d, row, hands + seat, account, amount)
        else:
            move(d, row, account, hands + seat, amount)


@kernel
def _effect(d: Draft, row: int, step: int) -> None:
    """Play goes through a step that contains no others; the leader is known."""
    node = d.nodes[step]
    kind = node[of.KIND]
    if kind == of.TRANSFER:
        source, target = seat_of(d, row, node[of.TRANSFER_SOURCE]), seat_of(d, row, node[of.TRANSFER_TARGET])
        move(d, row, source, target, node[of.TRANSFER_AMOUNT])
    elif kind == of.DRAW:
        _each(d, row, node[of.DRAW_PLAYER], HAND, DECK, node[of.DRAW_COUNT], False)
    elif kind == of.DEAL:
        _each(d, row, node[of.DEAL_PLAYER], HAND, DECK, node[of.DEAL_COUNT], False)
    elif kind == of.ANTE:
        _each(d, row, node[of.ANTE_PLAYER], ALICE, POT, node[of.ANTE_AMOUNT], True)
    elif kind == of.DISCARD:
        _each(d, row, node[of.DISCARD_PLAYER], HAND, PILE, 1, True)
    elif kind == of.DEAL_BOARD:
        move(d, row, DECK, BOARD, node[of.DEAL_BOARD_COUNT])
    elif kind == of.STEAL:
        seat = seat_of(d, row, node[of.STEAL_PLAYER])
        move(d, row, HAND + 1 - seat, HAND + seat, 1)
    elif kind == of.TAKE_POT:
        move(d, row, POT, seat_of(d, row, node[of.TAKE_POT_PLAYER]), _ALL)
    elif kind == of.ADD_TO_VARIABLE:
        variable = OWN + node[of.ADD_TO_VARIABLE_VARIABLE]
        d.lo[row, variable] += node[of.ADD_TO_VARIABLE_AMOUNT]
        d.hi[row, variable] += node[of.ADD_TO_VARIABLE_AMOUNT]
    elif kind == of.SHUFFLE:
        if node[of.SHUFFLE_DISCARD_PILE]:
            move(d, row, PILE, DECK, _ALL)
    elif kind == of.END_GAME:
        d.lo[row, ALIVE] = 0


@kernel
def _names_position(d: Draft, step: int) -> bool:
    """Whether the step names a position."""
    node = d.nodes[step]
    kind = node[of.KIND]
    if kind == of.DEAL:
        return is_position(node[of.DEAL_PLAYER])
    if kind == of.TRANSFER:
        return is_position(node[of.TRANSFER_SOURCE]) or is_position(node[of.TRANSFER_TARGET])
    if kind in (of.DRAW, of.ANTE, of.DISCARD, of.STEAL, of.TAKE_POT, of.END_GAME):
        return is_position(node[of.DRAW_PLAYER])  # the first field of all of these
    return False  # the other kinds change no interval


@kernel
def _step(d: Draft, row: int, step: int) -> None:
    """Play goes through a step that contains no others; one that names a position is followed for either leader."""
    if d.lo[row, LEAD] < d.hi[row, LEAD] and _names_position(d, step):
        other = push(d, row)
        d.hi[row, LEAD], d.lo[other, LEAD] = 0, 1
        _effect(d, row, step)
        _effect(d, other, step)
        join(d, row, other)
        pop(d, other)
    else:
        _effect(d, row, step)


# ------------------------------------------------------------------------------------------------ phases


@kernel
def _bet(d: Draft, row: int, limit: int) -> None:
    """Both players put the same number of chips, 0 to `limit`, into the pot."""
    lo, hi = d.lo[row], d.hi[row]
    most = min(limit, min(hi[ALICE], hi[BOB]))
    lo[ALICE] = max(0, lo[ALICE] - most)
    lo[BOB] = max(0, lo[BOB] - most)
    hi[POT] = min(hi[POT] + 2 * most, d.state[CHIPS])
    add_up(d, row, ALICE, POT, d.state[CHIPS])


@kernel
def _charge(d: Draft, row: int, cost: int, seat: int) -> None:
    """A seat pays what an option costs."""
    amount = d.nodes[cost, of.COST_AMOUNT]
    if d.nodes[cost, of.COST_ODDS] == of.NONE:
        d.lo[row, seat] = max(d.lo[row, seat], amount)
        move(d, row, seat, POT, amount)
    else:
        free = push(d, row)
        move(d, row, seat, POT, amount)
        join(d, row, free)
        pop(d, free)


@kernel
def charge(d: Draft, row: int, cost: int, player: int) -> None:
    """The player who chose an option pays what it costs; either seat may be the leader."""
    if uncertain(d, row, LEAD) and is_position(player):
        other = push(d, row)
        d.hi[row, LEAD], d.lo[other, LEAD] = 0, 1
        _charge(d, row, cost, seat_of(d, row, player))
        _charge(d, other, cost, seat_of(d, other, player))
        join(d, row, other)
        pop(d, other)
    else:
        _charge(d, row, cost, seat_of(d, row, player))


@kernel
def _auction(d: Draft, row: int, phase: int) -> None:
    """No seat wins, or either seat wins, pays a bid and receives the prize."""
    bid, prize = d.nodes[phase, of.AUCTION_MAX_BID], d.nodes[phase, of.AUCTION_PRIZE]
    kind = d.nodes[prize, of.KIND]
    ends = push(d, row)
    for seat in (0, 1):
        end = push(d, row)
        most = min(bid, d.hi[end, seat])
        d.lo[end, seat] = max(0, d.lo[end, seat] - most)
        d.hi[end, POT] = min(d.hi[end, POT] + most, d.state[CHIPS])
        if kind == of.DRAW:
            move(d, end, DECK, HAND + seat, d.nodes[prize, of.DRAW_COUNT])
        elif kind == of.STEAL:
            move(d, end, HAND + 1 - seat, HAND + seat, 1)
        join(d, ends, end)
        pop(d, end)
    become(d, row, ends)
    pop(d, ends)


@kernel
def _positions(d: Draft, row: int, phase: int) -> None:
    """The leader is assigned, or changes."""
    if d.nodes[phase, of.POSITIONS_CRITERION] == of.POSITIONS_ALTERNATE:
        d.lo[row, LEAD], d.hi[row, LEAD] = 1 - d.hi[row, LEAD], 1 - d.lo[row, LEAD]
    else:
        d.lo[row, LEAD], d.hi[row, LEAD] = 0, 1


@kernel
def _phase(d: Draft, row: int, phase: int) -> None:
    """Play goes through a phase that contains no steps."""
    kind = d.nodes[phase, of.KIND]
    if kind == of.FIXED_BETTING:
        _bet(d, row, d.nodes[phase, of.FIXED_BETTING_AMOUNT] * (1 + d.nodes[phase, of.FIXED_BETTING_RAISES]))
    elif kind == of.VARIABLE_BETTING:
        cap = d.nodes[phase, of.VARIABLE_BETTING_CAP]
        _bet(d, row, _ALL if cap == of.NONE else cap)
    elif kind == of.AUCTION:
        _auction(d, row, phase)
    elif kind == of.POSITIONS:
        _positions(d, row, phase)
    elif kind == of.SHOWDOWN:
        d.lo[row, ALIVE] = 0


# Nodes that contain steps or play phases: these functions are parts of the recursive kernel `follow`.


@kernel(inline="always")
def _if(d: Draft, row: int, step: int) -> None:
    condition = d.nodes[step, of.IF_CONDITION]
    other = push(d, row)
    assume(d, row, condition, True)
    assume(d, other, condition, False)
    follow(d, row, d.nodes[step, of.IF_THEN], True)
    follow(d, other, d.nodes[step, of.IF_OTHERWISE], True)
    join(d, row, other)
    pop(d, other)


@kernel(inline="always")
def _loop(d: Draft, row: int, loop: int) -> None:
    """The rounds of a loop; either player may have too few chips to begin one."""
    counter = OWN + d.nodes[loop, of.BETTING_LOOP_COUNTER]
    stop_at = d.nodes[loop, of.BETTING_LOOP_STOP_AT]
    betting = d.nodes[loop, of.BETTING_LOOP_ROUNDS]
    d.lo[row, counter] = d.hi[row, counter] = 0
    left = push_unreached(d, row)  # where the loop may be left early
    for number in range(d.nodes[loop, of.BETTING_LOOP_CAP]):
        if min(d.lo[row, ALICE], d.lo[row, BOB]) <= stop_at:
            join(d, left, row)
            if min(d.hi[row, ALICE], d.hi[row, BOB]) <= stop_at:
                break
            d.lo[row, ALICE] = max(d.lo[row, ALICE], stop_at + 1)
            d.lo[row, BOB] = max(d.lo[row, BOB], stop_at + 1)
        if number:
            follow(d, row, d.nodes[loop, of.BETTING_LOOP_BETWEEN], True)
            if not d.lo[row, ALIVE]:
                break
        follow(d, row, d.nodes[betting, of.ROUND_PHASE], False)
        if d.nodes[betting, of.NEXT] != of.NONE:
            betting = d.nodes[betting, of.NEXT]
        d.lo[row, counter] = d.hi[row, counter] = number + 1
    join(d, row, left)
    pop(d, left)


@kernel(inline="always")
def _pick(d: Draft, row: int, phase: int) -> None:
    """One pick of an action round."""
    ends = push_unreached(d, row)
    option = d.nodes[phase, of.ACTION_ROUND_OPTIONS]
    while option != of.NONE:
        end = push(d, row)
        if d.nodes[option, of.OPTION_COST] != of.NONE:
            charge(d, end, d.nodes[option, of.OPTION_COST], d.nodes[phase, of.ACTION_ROUND_PLAYER])
        follow(d, end, d.nodes[option, of.OPTION_STEPS], True)
        join(d, ends, end)
        pop(d, end)
        option = d.nodes[option, of.NEXT]
    become(d, row, ends)
    pop(d, ends)


@kernel(inline="always")
def _simultaneous(d: Draft, row: int, phase: int) -> None:
    pairs = length(d.nodes, d.nodes[phase, of.SIMULTANEOUS_ALICE_OPTIONS])
    pairs *= length(d.nodes, d.nodes[phase, of.SIMULTANEOUS_BOB_OPTIONS])
    ends = push_unreached(d, row)
    cell = d.nodes[phase, of.SIMULTANEOUS_CELLS]
    own = length(d.nodes, cell)
    for number in range(own + (own < pairs)):
        end = push(d, row)
        steps = d.nodes[cell, of.CELL_STEPS] if number < own else d.nodes[phase, of.SIMULTANEOUS_OTHERS]
        follow(d, end, steps, True)
        join(d, ends, end)
        pop(d, end)
        if number < own:
            cell = d.nodes[cell, of.NEXT]
    become(d, row, ends)
    pop(d, ends)


@kernel
def follow(d: Draft, row: int, node: int, rest: bool) -> None:
    """Play goes through a step or a phase. rest: also through those that follow it in its list, until the game ends."""
    if node == of.NONE or (rest and not d.lo[row, ALIVE]):
        return
    kind = d.nodes[node, of.KIND]
    if kind == of.IF:
        _if(d, row, node)
    elif kind == of.PERFORM:
        follow(d, row, d.nodes[node, of.PERFORM_PHASE], False)
    elif kind == of.STEPS:
        follow(d, row, d.nodes[node, of.STEPS_STEPS], True)
    elif kind == of.BETTING_LOOP:
        _loop(d, row, node)
    elif kind == of.ACTION_ROUND:
        for _ in range(d.nodes[node, of.ACTION_ROUND_PICKS]):
            _pick(d, row, node)
    elif kind == of.SIMULTANEOUS:
        _simultaneous(d, row, node)
    elif kind < of.STEPS:
        _step(d, row, node)
    else:
        _phase(d, row, node)
    if rest:
        follow(d, row, d.nodes[node, of.NEXT], True)
