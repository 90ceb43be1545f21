"""The betting of one place in the game: a round, or a bounded loop with events between rounds (G19, G20, G26)."""

from __future__ import annotations

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.betting import betting_round, draw_opener, round_name
from antemill.engine.builder.bounds import HERE, copy, join, pop, push, push_unreached
from antemill.engine.builder.draft import (
    add,
    around,
    begin_phase,
    chain,
    chance,
    fits,
    may_loop,
    name,
    nests,
    next_counter,
    node,
    size,
)
from antemill.engine.builder.events import draw_events
from antemill.engine.builder.following import follow
from antemill.engine.builder.plain_rounds import rotation
from antemill.engine.builder.rounds import back, deeper, performed
from antemill.engine.builder.workspace import (
    ALICE,
    BOB,
    CARDS,
    COUNTER_LIST,
    COUNTERS,
    DECK,
    HAND,
    LEAD,
    OWN,
    POSITIONS,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.order import length


@kernel
def betting(d: Draft, loop: int) -> int:
    """The betting of one place in the game: a single round or a loop. loop: the dial's row with its probability."""
    if chance(d, loop) and may_loop(d):
        return _loop(d)
    called = round_name(d)
    return betting_round(d, called, draw_opener(d))


@kernel
def _loop(d: Draft) -> int:
    most = d.state[cap.ROUNDS]
    rounds = min(max(2, size(d, dial.ROUNDS, most)), most)
    called, place = name(d, names.BETTING_PHASE, 0), begin_phase(d)
    counter = next_counter(d)
    d.lists[COUNTER_LIST, d.state[COUNTERS]] = counter
    d.state[COUNTERS] += 1
    lo = d.lo[HERE]
    stop_at = min(around(d, dial.STOP_AT), min(max(0, lo[ALICE] - 1), max(0, lo[BOB] - 1)))
    rotates = rounds > 1 and nests(d) and fits(d, 3) and chance(d, dial.P_ROTATE)
    d.state[POSITIONS] |= rotates
    start = push(d, HERE)
    phases = _rounds(d, rounds, of.LEADER if rotates else draw_opener(d))
    between = of.NONE
    if rounds > 1:
        _go_to_later_rounds(d, start, phases, rounds, stop_at)
        d.lo[HERE, OWN + counter], d.hi[HERE, OWN + counter] = 1, rounds - 1
        if rotates:
            before = deeper(d, 1)
            between = performed(d, rotation(d, names.INTER_ROUND), of.NONE)
            back(d, before)
            d.lo[HERE, LEAD], d.hi[HERE, LEAD] = 0, 1
        events = min(around(d, dial.BETWEEN_EVENTS), d.state[cap.EVENTS] - length(d.nodes, between))
        between = chain(d, between, draw_events(d, events, names.INTER_ROUND))
    copy(d, start, HERE)
    pop(d, start)
    phase = node(d, of.BETTING_LOOP, called, counter, rounds)
    d.nodes[phase, of.BETTING_LOOP_STOP_AT] = stop_at
    d.nodes[phase, of.BETTING_LOOP_ROUNDS] = phases
    d.nodes[phase, of.BETTING_LOOP_BETWEEN] = between
    return add(d, phase, place)


@kernel
def _rounds(d: Draft, most: int, opener: int) -> int:
    """The betting phases of a loop: one for each round, or one for all."""
    distinct = most > 1 and chance(d, dial.P_DISTINCT_ROUNDS) and fits(d, most + 1)
    phases = of.NONE
    for _ in range(most if distinct else 1):
        phase = betting_round(d, round_name(d), opener)
        phases = chain(d, phases, node(d, of.ROUND, phase, 0, 0))
    return phases


@kernel
def _go_to_later_rounds(d: Draft, start: int, rounds: int, most: int, stop_at: int) -> None:
    """Set the bounds for a point between any two rounds: the events before the third round may have moved cards."""
    ever = push_unreached(d, start)
    now = push(d, start)
    betting = rounds
    for _ in range(most - 1):
        follow(d, now, d.nodes[betting, of.ROUND_PHASE], False)
        if d.nodes[betting, of.NEXT] != of.NONE:
            betting = d.nodes[betting, of.NEXT]
        for seat in (ALICE, BOB):
            d.lo[now, seat] = max(d.lo[now, seat], min(stop_at + 1, d.hi[now, seat]))
        join(d, ever, now)
    moved = min(2 * (most - 2), d.lo[ever, DECK])
    d.lo[ever, DECK] -= moved
    for hand in (HAND, HAND + 1):
        d.hi[ever, hand] = min(d.hi[ever, hand] + moved // 2, d.state[CARDS])
    copy(d, ever, HERE)
    pop(d, ever)
