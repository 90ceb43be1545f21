"""Drawing what happens: steps that can do something at this point of the game, and conditionals around them.

Nothing here performs a sub-phase, so these steps may stand inside a private conditional.
"""

from __future__ import annotations

from typing import Final

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.conditions import draw_card_condition, draw_condition, interval
from antemill.engine.builder.dice import Weighted, below, find, pick, weighted
from antemill.engine.builder.draft import (
    apply,
    chain,
    chance,
    conditional,
    nests,
    node,
    opponent,
    otherwise,
    player,
    size,
    when,
)
from antemill.engine.builder.workspace import (
    ALIVE,
    BOARD,
    CHIPS,
    DECK,
    HAND,
    LOW_IMPACT,
    PILE,
    POT,
    THEME,
    VARIABLE_CHANGED,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of

# Kinds of effects.
(
    PAY,
    TRIBUTE,
    SKIM,
    STAKE,
    SCORE,
    DRAW,
    PEEK,
    REVEAL,
    SWAP,
    STEAL,
    DISCARD,
    END,
    DRAW_BOTH,
    DEAL_BOARD,
    RESHUFFLE,
    TAKE_POT,
) = range(16)

# How often each kind of effect is drawn where it is possible.
_NO_END: Final = (
    (PAY, 4.0),
    (TRIBUTE, 0.8),
    (SKIM, 0.8),
    (STAKE, 1.2),
    (SCORE, 0.5),
    (DRAW, 1.3),
    (PEEK, 1.3),
    (REVEAL, 0.5),
    (SWAP, 0.5),
    (STEAL, 0.4),
    (DISCARD, 0.5),
)
CELL: Final = weighted(*_NO_END, (END, 0.35))
CELL_WITHOUT_END: Final = weighted(*_NO_END)
CELL_OF_LOW_IMPACT: Final = weighted((PAY, 3.0), (TRIBUTE, 1.0), (SCORE, 1.0), (PEEK, 1.5), (REVEAL, 1.0))
CARDS: Final = weighted(
    (DRAW_BOTH, 2.0),
    (DRAW, 1.0),
    (DEAL_BOARD, 1.2),
    (DISCARD, 0.8),
    (REVEAL, 0.5),
    (SWAP, 0.5),
    (PEEK, 0.6),
    (RESHUFFLE, 1.0),
)
ON_CHIPS: Final = weighted((STAKE, 2.0), (PAY, 2.0), (TRIBUTE, 1.0), (SKIM, 1.0), (SCORE, 1.0))
ENDS: Final = weighted((END, 2.0), (TAKE_POT, 1.0))
VISIBILITIES: Final = weighted((of.OCCURRENCE, 3.0), (of.PRIVATE, 2.0), (of.PUBLIC, 1.0))


@kernel
def draw_effects(d: Draft, kinds: Weighted, most: int) -> int:
    """One or more effects of different kinds, each possible after those before it. most: a limit besides the cap."""
    most = min(most, d.state[cap.EFFECTS])
    steps, count, drawn = of.NONE, 0, 0
    while True:
        actor = player(d)
        allowed = 0
        for kind in kinds.items:
            allowed |= int(possible(d, kind, actor)) << kind
        kind = find(d, kinds, allowed & ~drawn)
        if kind == of.NONE:
            break
        drawn |= 1 << kind
        steps = chain(d, steps, apply(d, make_effect(d, kind, actor)))
        count += 1
        if count >= most or not d.lo[HERE, ALIVE] or not chance(d, dial.P_MORE_EFFECTS):
            break
    return steps


@kernel
def change_variable(d: Draft) -> int:
    """Change the game's own variable (only in a game that has one)."""
    d.state[VARIABLE_CHANGED] = 1
    return apply(d, node(d, of.ADD_TO_VARIABLE, d.state[THEME], 1, 0))


@kernel
def draw_cell(d: Draft, may_end: bool) -> int:
    """The outcome of a choice: effects, or a conditional that is usually about hidden cards and evaluated privately."""
    kinds = CELL_OF_LOW_IMPACT if d.state[LOW_IMPACT] else CELL if may_end else CELL_WITHOUT_END
    if nests(d) and chance(d, dial.P_CELL_IF):
        hidden = below(d, 4) != 0
        condition = draw_card_condition(d, of.NONE) if hidden else draw_condition(d, dial.P_COMPOUND)
        if condition != of.NONE:
            return _conditional(d, condition, kinds)
    return draw_effects(d, kinds, d.state[cap.EFFECTS])


@kernel
def _conditional(d: Draft, condition: int, kinds: Weighted) -> int:
    """A conditional: a payment in one direction or the other, or effects for each outcome."""
    public = below(d, 4) == 0
    if below(d, 3):
        return payment_if(d, condition, public, player(d))
    either_way = below(d, 2) != 0
    most = d.state[cap.EFFECTS]
    start = when(d, condition, public)
    then = draw_effects(d, kinds, most)
    otherwise(d, condition, start)
    other = draw_effects(d, kinds, most) if either_way else of.NONE
    return conditional(d, condition, public, start, then, other)


@kernel
def payment_if(d: Draft, condition: int, public: bool, winner: int) -> int:
    """The opponent pays the winner if the condition holds; otherwise the winner pays the opponent."""
    loser = opponent(winner)
    start = when(d, condition, public)
    then = pay(d, loser, winner)
    otherwise(d, condition, start)
    return conditional(d, condition, public, start, then, pay(d, winner, loser))


@kernel
def pay(d: Draft, source: int, target: int) -> int:
    """A payment, if the source can have chips."""
    most = most_chips(d, source)
    if not most:
        return node(d, of.NO_ACTION, 0, 0, 0)
    return apply(d, node(d, of.TRANSFER, source, target, size(d, dial.PAYMENT, most)))


@kernel
def most_chips(d: Draft, account: int) -> int:
    """The most chips that the account can hold here."""
    return int(d.hi[HERE, POT]) if account == of.POT else interval(d, account, 0)[1]


@kernel
def most_cards(d: Draft, actor: int) -> int:
    """The most cards that the player can hold here."""
    return interval(d, actor, HAND)[1]


@kernel
def possible(d: Draft, kind: int, actor: int) -> bool:
    """Whether an effect of this kind can change anything here."""
    hi = d.hi[HERE]
    if kind in (PAY, TRIBUTE):
        return most_chips(d, actor) > 0
    if kind in (SKIM, TAKE_POT):
        return bool(hi[POT] > 0)
    if kind == STAKE:
        return bool(min(hi[0], hi[1]) > 1)
    if kind == DRAW:
        return bool(hi[DECK] > 0)
    if kind == DRAW_BOTH:
        return bool(d.lo[HERE, DECK] > 1)
    if kind == DEAL_BOARD:
        return bool(hi[DECK] > 0 and hi[BOARD] < 3)
    if kind in (PEEK, STEAL):
        return most_cards(d, opponent(actor)) > 0
    if kind in (REVEAL, DISCARD):
        return most_cards(d, actor) > 0
    if kind == SWAP:
        return bool(hi[HAND] > 0 and hi[HAND + 1] > 0)
    if kind == RESHUFFLE:
        return bool(hi[PILE] > 0)
    return True


@kernel
def make_effect(d: Draft, kind: int, actor: int) -> int:
    """A step of the kind, done by or to the player."""
    hi = d.hi[HERE]
    if kind == PAY:
        return node(d, of.TRANSFER, actor, opponent(actor), size(d, dial.PAYMENT, most_chips(d, actor)))
    if kind == TRIBUTE:
        return node(d, of.TRANSFER, actor, of.POT, size(d, dial.PAYMENT, most_chips(d, actor)))
    if kind == SKIM:
        return node(d, of.TRANSFER, of.POT, actor, size(d, dial.PAYMENT, hi[POT]))
    if kind == STAKE:
        most = min(min(hi[0], hi[1]), d.state[CHIPS] // 2) - 1
        return node(d, of.ANTE, of.BOTH, size(d, dial.PAYMENT, most), 0)
    if kind == SCORE:
        return node(d, of.SCORE, actor, size(d, dial.PAYMENT, d.state[cap.CHIPS]), 0)
    if kind in (DRAW, DRAW_BOTH):
        count = 2 if hi[DECK] > 3 and below(d, 8) == 0 else 1
        return node(d, of.DRAW, of.BOTH if kind == DRAW_BOTH else actor, count, pick(d, VISIBILITIES))
    if kind == DEAL_BOARD:
        return node(d, of.DEAL_BOARD, 1, 0, 0)
    if kind == PEEK:
        return node(d, of.PEEK, actor, pick(d, VISIBILITIES), 0)
    if kind == REVEAL:
        draw = below(d, 8)
        which = of.REVEAL_RANDOM if draw < 5 else of.REVEAL_HIGHEST if draw < 7 else of.REVEAL_ALL
        return node(d, of.REVEAL, actor, which, 0)
    if kind == SWAP:
        return node(d, of.SWAP, actor, 0, 0)
    if kind == STEAL:
        return node(d, of.STEAL, actor, 0, 0)
    if kind == DISCARD:
        face_up = below(d, 8) < 3
        return node(d, of.DISCARD, actor, below(d, 3), face_up)  # 0, 1, 2: random, lowest, highest
    if kind == RESHUFFLE:
        return node(d, of.SHUFFLE, True, 0, 0)
    if kind == TAKE_POT:
        return node(d, of.TAKE_POT, actor, 0, 0)
    return node(d, of.END_GAME, actor if below(d, 4) else of.NONE, 0, 0)
