"""The betting of one place in the game: a round, or a bounded loop with events between rounds (G19, G20, G26)."""

from __future__ import annotations

from engine.builder.betting import betting_round, draw_opener
from engine.builder.bounds import ALICE, BOB, DECK, HAND, LEAD, Bounds
from engine.builder.draft import Draft
from engine.builder.events import INTER_ROUND, draw_events
from engine.builder.rounds import rotation
from engine.rules.spec import BettingLoop, Player, Step


def betting(d: Draft, loop: str = "p_loop") -> tuple[str, ...]:
    """The betting of one place in the game: a single round, or a loop, as often as the row `loop` of the dial says."""
    if d.chance(loop):
        return (_loop(d),)
    return (betting_round(d, d.round_name(), draw_opener(d)),)


def _loop(d: Draft) -> str:
    cap = min(max(2, d.size("rounds", d.caps.rounds)), d.caps.rounds)
    name, place = d.name("Betting Phase"), d.begin()
    counter = declare_counter(d)
    quantity = d.bounds.variables[counter]
    d.counters.append(counter)
    stop_at = min(d.around("stop_at"), max(0, d.bounds.lo[ALICE] - 1), max(0, d.bounds.lo[BOB] - 1))
    rotates = cap > 1 and d.nests() and d.room(3) and d.chance("p_rotate")
    d.positions |= rotates
    start = d.bounds.copy()
    rounds = _rounds(d, cap, "leader" if rotates else draw_opener(d))
    between: tuple[Step, ...] = ()
    if cap > 1:
        d.bounds = _later_rounds(start, rounds, cap, stop_at)
        d.bounds.lo[quantity], d.bounds.hi[quantity] = 1, cap - 1
        if rotates:
            between = d.perform(rotation, INTER_ROUND, 1)
            d.bounds.lo[LEAD], d.bounds.hi[LEAD] = 0, 1
        between += draw_events(d, min(d.around("between_events"), d.caps.events - len(between)), INTER_ROUND)
    d.bounds = start
    return d.add(BettingLoop(name, counter, cap, stop_at, rounds, between), place)


def declare_counter(d: Draft) -> str:
    """The name of a variable for the next loop to count its rounds with, declared if it was not."""
    counter = "bet round" if not d.counters else f"bet round {len(d.counters) + 1}"
    d.bounds.declare(counter)
    return counter


def _rounds(d: Draft, cap: int, opener: Player) -> tuple[str, ...]:
    """The betting phases of a loop: one for each round, or one for all."""
    if cap == 1 or not (d.chance("p_distinct_rounds") and d.room(cap + 1)):
        return (betting_round(d, d.round_name(), opener),)
    return tuple([betting_round(d, d.round_name(), opener) for _ in range(cap)])


def _later_rounds(start: Bounds, rounds: tuple[str, ...], cap: int, stop_at: int) -> Bounds:
    """The bounds between the rounds, whichever they are: the events before the third round may have moved cards."""
    now, ever = start.copy(), start.copy()
    ever.alive = False
    for k in range(cap - 1):
        now.phase(now.phases[rounds[min(k, len(rounds) - 1)]])
        for seat in (ALICE, BOB):
            now.lo[seat] = max(now.lo[seat], min(stop_at + 1, now.hi[seat]))
        ever.join(now.copy())
    moved = min(2 * (cap - 2), ever.lo[DECK])
    ever.lo[DECK] -= moved
    for hand in (HAND, HAND + 1):
        ever.hi[hand] = min(ever.hi[hand] + moved // 2, ever.cards)
    return ever
