"""The costs of a decision's options, found by playing each option on a copy of the state."""

from __future__ import annotations

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import ChipReason, Event
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.vm import advance
from antemill.engine.text.describe import journal

_PRICES = (ChipReason.BET, ChipReason.CALL, ChipReason.RAISE, ChipReason.COST)  # payments that depend on no card


def paid_at_once(program: Program, state: Int64Array, seat: int, options: int) -> list[int]:
    """Chips that each option takes from a seat before anything else happens. state: at the decision, with a journal.

    Only payments that the player knows beforehand count. The count stops at a cost that is due by chance and at a
    payment by the option's effect, since a secret check may have decided on it.
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
