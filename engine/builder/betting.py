"""Templates of single betting rounds, with fixed or free sizes (G21, G22)."""

from __future__ import annotations

from engine.builder.bounds import ALICE, BOB
from engine.builder.draft import POSITIONS, Draft
from engine.rules.spec import FixedBetting, Player, VariableBetting


def betting_round(d: Draft, name: str, opener: Player) -> str:
    """One round with a fixed size or with free sizes. It is put into the graph and played."""
    place = d.begin()
    hi = d.bounds.hi
    most = max(1, min(hi[ALICE], hi[BOB]))
    if d.chance("p_variable"):
        cap = None
        if d.chance("p_wager_cap"):
            cap = min(max(2, most), 2 + d.around("bet"))
        return d.add(VariableBetting(name, opener, cap, d.size("ante", most)), place)
    raises = min(1 + d.dice.below(2), d.caps.raises) if d.chance("p_raises") else 0
    return d.add(FixedBetting(name, opener, d.size("bet", most), raises), place)


def draw_opener(d: Draft) -> Player:
    """Alice, unless the dial says otherwise: then Bob or a position."""
    if not d.chance("p_opener"):
        return "alice"
    return POSITIONS[d.dice.below(2)] if d.positions and d.dice.below(3) else "bob"
