"""Drawing lists of events: between betting rounds, after the betting, or as phases of their own (G26, G32)."""

from __future__ import annotations

from typing import Final

from engine.builder import names
from engine.builder.betting import betting_round, draw_opener
from engine.builder.bounds import DECK
from engine.builder.caps import nesting
from engine.builder.conditions import draw_condition
from engine.builder.draft import Draft, Drawer
from engine.builder.effects import CARDS, CHIPS, END, VISIBILITIES, draw_effects
from engine.builder.rounds import ROUNDS
from engine.rules.spec import All, Announce, Condition, DeckSizeIs, Draw, If, InProgress, Perform, Step

INTER_ROUND: Final = " (inter-round)"
EVENTS: Final = (*ROUNDS, "w_cards", "w_chips", "w_betting", "w_end")


def draw_events(d: Draft, count: int, where: str) -> tuple[Step, ...]:
    """A list of `count` steps or fewer: events with or without a condition, each possible after those before it."""
    steps: list[Step] = []
    for _ in range(count):
        if d.bounds.alive and len(steps) < count:
            steps += _maybe_conditional(d, where, count - len(steps))
    return tuple(steps)


def _maybe_conditional(d: Draft, where: str, most: int) -> tuple[Step, ...]:
    if d.nests() and d.chance("p_conditional"):
        condition = draw_condition(d)
        if condition is not None:
            return (_conditional(d, condition, where),)
    return draw_event(d, where, most, True)


def _conditional(d: Draft, condition: Condition, where: str) -> If:
    public = d.chance("p_public_check")
    if where == INTER_ROUND and public and d.dice.below(4) == 0:
        condition = All((condition, InProgress()))
    event = _maybe_conditional if d.chance("p_nested_if") else draw_event
    most = d.caps.effects
    otherwise: Drawer | None = None
    if d.chance("p_otherwise"):
        if d.dice.below(3):
            otherwise = lambda: draw_event(d, where, most, True)  # noqa: E731
        elif public:
            otherwise = lambda: (Announce(d.dice.choice(names.ANNOUNCEMENTS)),)  # noqa: E731
    return d.conditional(condition, public, lambda: event(d, where, most), otherwise)


def draw_event(d: Draft, where: str, most: int, lasting: bool = False) -> tuple[Step, ...]:
    """One event, of `most` steps or fewer. `lasting`: the game must not simply end here."""
    kind = d.dice.pick(d.table(EVENTS))
    if kind == "w_end" and lasting:
        kind = "w_cards"
    if kind == "w_betting" or kind in ROUNDS:
        if not d.secret and d.nests() and d.room(2):
            return sub_phases(d, kind, where, most)
        kind = "w_cards"
    if kind == "w_chips":
        return draw_effects(d, CHIPS, most)
    if kind == "w_end":
        return draw_effects(d, END, most)
    return draw_cards(d, most)


def sub_phases(d: Draft, kind: str, where: str, most: int) -> tuple[Step, ...]:
    """Sub-phases of the kind, or one that exists already."""
    if d.subphases and d.chance("p_reuse") and (known := [name for name in d.subphases if _fits(d, name)]):
        return d.apply(Perform(d.dice.choice(known)))
    if kind == "w_betting":
        return d.perform(_extra_betting, where, most)
    steps = d.perform(ROUNDS[kind], where, most)
    d.subphases += [step.phase for step in steps if isinstance(step, Perform)]
    return steps


def _fits(d: Draft, name: str) -> bool:
    """Whether the phase may be performed here for all that is nested in it."""
    return d.depth + 1 + nesting(d.bounds.phases[name], d.bounds.phases) <= d.caps.nesting


def _extra_betting(d: Draft, where: str) -> tuple[str, ...]:
    return (betting_round(d, d.name(f"Extra Betting Round{where}"), draw_opener(d)),)


def draw_cards(d: Draft, most: int) -> tuple[Step, ...]:
    """Cards move or are shown. A draw for both that the deck may not allow is guarded, as in the paper's sample."""
    b = d.bounds
    if d.nests() and b.lo[DECK] < 2 <= b.hi[DECK] and "deck-size" not in d.enclosing and d.dice.below(2):
        draw = Draw("both", 1, d.dice.pick(VISIBILITIES))
        return d.apply(If(DeckSizeIs(">=", 2), (draw,), (Announce(names.SKIPPED_DRAW),)))
    return draw_effects(d, CARDS, most) or draw_effects(d, CHIPS, most)
