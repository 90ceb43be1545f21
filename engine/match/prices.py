"""What the options of a decision cost, found by carrying each of them out on a copy of the state."""

from __future__ import annotations

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import ChipReason, Event
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.vm import advance
from antemill.engine.text.describe import journal

_PRICES = (ChipReason.BET, ChipReason.CALL, ChipReason.RAISE, ChipReason.COST)  # of payments that no card decides


def paid_at_once(program: Program, state: Int64Array, seat: int, options: int) -> list[int]:
    """Chips that each option takes from a seat before anything else happens. state: at the decision, with a journal.

    Only what the player knows beforehand counts. A cost that falls due by chance ends it, and so does a payment by the
    option's effect: a check that nobody is told may have decided on it.
    """
    before, found = int(state[at.JOURNAL_N]), []
    for index in range(options):
        after = state.copy()
        after[at.CHOICE] = index
        advance(program.code, after)
        paid = 0
        for kind, payer, chips, _, reason, *_ in journal(after, before):
            if kind == Event.CHIPS and payer == seat and reason in _PRICES:
                paid += chips
            elif kind != Event.CHOICE:
                break
        found.append(paid)
    return found
