"""Templates of single betting rounds, with fixed or free sizes (G21, G22)."""

from __future__ import annotations

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.dice import below
from antemill.engine.builder.draft import add, around, begin_phase, chance, node, size
from antemill.engine.builder.workspace import ALICE, BETTING_ROUNDS, BOB, POSITIONS, Draft
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of


@kernel
def betting_round(d: Draft, name: int, opener: int) -> int:
    """One round with a fixed size or with free sizes, put into the graph and played."""
    place = begin_phase(d)
    hi = d.hi[HERE]
    most = max(1, min(hi[ALICE], hi[BOB]))
    if chance(d, dial.P_VARIABLE):
        limit = of.NONE
        if chance(d, dial.P_WAGER_CAP):
            limit = min(max(2, most), 2 + around(d, dial.BET))
        phase = node(d, of.VARIABLE_BETTING, name, opener, limit)
        d.nodes[phase, of.VARIABLE_BETTING_FALLBACK] = size(d, dial.ANTE, most)
        return add(d, phase, place)
    raises = min(1 + below(d, 2), d.state[cap.RAISES]) if chance(d, dial.P_RAISES) else 0
    phase = node(d, of.FIXED_BETTING, name, opener, size(d, dial.BET, most))
    d.nodes[phase, of.FIXED_BETTING_RAISES] = raises
    return add(d, phase, place)


@kernel
def round_name(d: Draft) -> int:
    """The name of the next betting round."""
    d.state[BETTING_ROUNDS] += 1
    return names.BETTING_ROUND + (int(d.state[BETTING_ROUNDS]) << 32)


@kernel
def draw_opener(d: Draft) -> int:
    """The player who opens: Alice, or with the dial's probability Bob or a position."""
    if not chance(d, dial.P_OPENER):
        return of.ALICE
    if d.state[POSITIONS] and below(d, 3):
        return of.LEADER + below(d, 2)
    return of.BOB
