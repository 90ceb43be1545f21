"""Drawing the menu of an action round: options with their costs (requirements G16, G17)."""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, effects, names
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.conditions import draw_card_condition
from antemill.engine.builder.dice import Weighted, below, find, one_of, weighted
from antemill.engine.builder.draft import apply, around, chain, chance, ended, nests, node, opponent, size
from antemill.engine.builder.effects import change_variable, make_effect, most_chips, pay, payment_if, possible
from antemill.engine.builder.following import charge
from antemill.engine.builder.workspace import FULL, LOW_IMPACT, THEME, Draft
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of

# Kinds of options, in the order of a menu; `names.OPTIONS` has their names.
(
    DRAW,
    PEEK,
    EXCHANGE,
    SWAP,
    STEAL,
    DISCARD,
    REVEAL,
    CHALLENGE,
    STAKE,
    TRIBUTE,
    TAX,
    SKIM,
    SCORE,
    END,
    ANNOUNCE,
    STIR,  # only with a variable of the game's own
    PASS,
) = range(17)
_ALWAYS: Final = -1
# kind of option: (weight, whether it is worth a cost, the effect by which its possibility is judged)
_OPTIONS: Final[dict[int, tuple[float, bool, int]]] = {
    DRAW: (1.4, True, effects.DRAW),
    PEEK: (1.2, True, effects.PEEK),
    EXCHANGE: (1.0, True, effects.DRAW),
    SWAP: (0.6, True, effects.SWAP),
    STEAL: (0.4, True, effects.STEAL),
    DISCARD: (0.3, False, effects.DISCARD),
    REVEAL: (0.5, False, effects.REVEAL),
    CHALLENGE: (2.5, False, effects.SWAP),
    STAKE: (1.0, False, effects.STAKE),
    TRIBUTE: (0.5, False, effects.TRIBUTE),
    TAX: (0.5, True, _ALWAYS),
    SKIM: (0.5, True, effects.SKIM),
    SCORE: (0.3, True, effects.SCORE),
    END: (0.3, False, effects.REVEAL),
    ANNOUNCE: (0.2, False, _ALWAYS),
    STIR: (1.5, False, _ALWAYS),
    PASS: (1.5, False, _ALWAYS),
}
_KINDS: Final = weighted(*[(kind, weight) for kind, (weight, _, _) in _OPTIONS.items()])
_LOW_IMPACT_KINDS: Final = weighted(
    *[(kind, _OPTIONS[kind][0]) for kind in (PEEK, REVEAL, CHALLENGE, TRIBUTE, TAX, SCORE, ANNOUNCE, STIR, PASS)]
)
_WORTH_A_COST: Final = np.array([worth for _, worth, _ in _OPTIONS.values()])
_EFFECTS: Final = np.array([effect for _, _, effect in _OPTIONS.values()])
ODDS: Final = np.array(((1, 2), (1, 2), (1, 3), (2, 3), (1, 4)))


@kernel
def draw_menu(d: Draft, first: int, second: int) -> int:
    """Two or more kinds of options that can do something for each of the players, with their costs.

    second: NONE if there is one player. Returns a list of options without steps; their names are numbers of kinds.
    """
    kinds = _LOW_IMPACT_KINDS if d.state[LOW_IMPACT] else _KINDS
    allowed, chosen = _able_kinds(d, kinds, first, second), 0
    for _ in range(min(2 + around(d, dial.OPTIONS), d.state[cap.OPTIONS])):
        kind = find(d, kinds, allowed & ~chosen)
        if kind != of.NONE:
            chosen |= 1 << kind
    most = most_chips(d, first)
    if second != of.NONE:
        most = min(most, most_chips(d, second))
    menu, last, payable = of.NONE, of.NONE, True
    for kind in range(len(names.OPTIONS)):
        if chosen >> kind & 1:
            cost = _cost(d, kind, most)
            last = node(d, of.OPTION, kind, of.NONE, cost)
            menu = chain(d, menu, last)
            payable &= cost != of.NONE and d.nodes[cost, of.COST_ODDS] == of.NONE
    if payable:
        d.nodes[last, of.OPTION_COST] = of.NONE  # so that a player without chips has a choice
    return of.NONE if d.state[FULL] else menu  # an option that did not fit has no kind


@kernel
def _able_kinds(d: Draft, kinds: Weighted, first: int, second: int) -> int:
    """A bit for every kind of option that can do something for each of the players."""
    found = 0
    for kind in kinds.items:
        found |= int(_able(d, kind, first) and (second == of.NONE or _able(d, kind, second))) << kind
    return found


@kernel
def _able(d: Draft, kind: int, player: int) -> bool:
    """Whether an option of the kind can do something for the player."""
    if kind == STIR:
        return bool(d.state[THEME] != of.NONE)
    if kind == EXCHANGE and d.state[cap.EFFECTS] < 2:
        return False
    if kind == TAX:
        return most_chips(d, opponent(player)) > 0
    effect = _EFFECTS[kind]
    return effect == _ALWAYS or possible(d, effect, player)


@kernel
def _cost(d: Draft, kind: int, most: int) -> int:
    """The cost of an option, or NONE."""
    if not most or not (_WORTH_A_COST[kind] and chance(d, dial.P_COST)):
        return of.NONE
    amount = size(d, dial.PAYMENT, min(most, 3))
    if not chance(d, dial.P_ODDS):
        return node(d, of.COST, amount, of.NONE, of.NONE)
    odds = ODDS[below(d, len(ODDS))]
    return node(d, of.COST, amount, odds[0], odds[1])


@kernel
def draw_option(d: Draft, entry: int, player: int, start: int) -> int:
    """The option for an entry of a menu, drawn for a player as a line of play."""
    kind, cost = d.nodes[entry, of.OPTION_NAME], d.nodes[entry, of.OPTION_COST]
    if cost != of.NONE:
        charge(d, HERE, cost, player)
    steps = _steps(d, kind, player)
    ended(d, start)
    return node(d, of.OPTION, names.OPTIONS[kind], steps, cost)


@kernel
def draw_duel(d: Draft, duel: int, start: int) -> int:
    """The option that performs sub-phases, drawn as a line of play."""
    step = duel
    while step != of.NONE:
        apply(d, step)
        step = d.nodes[step, of.NEXT]
    ended(d, start)
    return node(d, of.OPTION, names.DUEL, duel, of.NONE)


@kernel
def _steps(d: Draft, kind: int, player: int) -> int:
    """The steps of an option of the kind."""
    if kind == PASS:
        return node(d, of.NO_ACTION, 0, 0, 0)
    if kind == ANNOUNCE:
        return node(d, of.ANNOUNCE, one_of(d, names.ANNOUNCEMENTS), 0, 0)
    if kind == STIR:
        return change_variable(d)
    if kind == EXCHANGE:
        which = of.DISCARD_LOWEST if below(d, 2) else of.DISCARD_RANDOM
        away = apply(d, node(d, of.DISCARD, player, which, False))
        return chain(d, away, apply(d, node(d, of.DRAW, player, 1, of.OCCURRENCE)))
    if kind == CHALLENGE:
        condition = draw_card_condition(d, player) if nests(d) else of.NONE
        if condition == of.NONE:
            return pay(d, player, of.POT)
        return payment_if(d, condition, below(d, 3) == 0, player)
    if kind == TAX:
        return pay(d, opponent(player), player)
    if kind == END:
        return apply(d, node(d, of.END_GAME, opponent(player), 0, 0))
    return apply(d, make_effect(d, _EFFECTS[kind], player))
