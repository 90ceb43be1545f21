"""What the options of a decision cost, found by carrying each of them out on a copy of the state."""

from __future__ import annotations

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Event
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.vm import advance
from antemill.engine.text.describe import journal

_BETWEEN = (Event.CHOICE, Event.COST)  # events that only repeat the choice, or whether its cost is due


def paid_at_once(program: Program, state: Int64Array, seat: int, options: int) -> list[int]:
    """Chips that each option takes from a seat before anything else happens. state: at the decision, with a journal.

    The first event of another kind ends what counts: from there on a choice could tell what is hidden.
    """
    before, found = int(state[at.JOURNAL_N]), []
    for index in range(options):
        after = state.copy()
        after[at.CHOICE] = index
        advance(program.code, after)
        paid = 0
        for kind, payer, chips, *_ in journal(after, before):
            if kind == Event.CHIPS and payer == seat:
                paid += chips
            elif kind not in _BETWEEN:
                break
        found.append(paid)
    return found
