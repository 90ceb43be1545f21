"""Drawing the menu of an action round: options with their costs (requirements G16, G17)."""

from __future__ import annotations

from typing import Final

from engine.builder import names
from engine.builder.bounds import Bounds
from engine.builder.conditions import draw_card_condition
from engine.builder.dice import Weighted
from engine.builder.draft import OPPONENT, Draft
from engine.builder.effects import make_effect, most_chips, pay, payment_if, possible, stir
from engine.rules.spec import (
    Announce,
    Cost,
    Discard,
    Draw,
    EndGame,
    NoAction,
    Option,
    Player,
    Step,
)

# kind of option: (its name, weight, whether it is worth a cost)
OPTIONS: Final[dict[str, tuple[str, float, bool]]] = {
    "draw": ("Draw", 1.4, True),
    "peek": ("Peek", 1.2, True),
    "exchange": ("Exchange", 1.0, True),
    "swap": ("Swap", 0.6, True),
    "steal": ("Steal", 0.4, True),
    "discard": ("Discard", 0.3, False),
    "reveal": ("Show", 0.5, False),
    "challenge": ("Challenge", 2.5, False),
    "stake": ("Raise the Stakes", 1.0, False),
    "tribute": ("Tribute", 0.5, False),
    "tax": ("Tax", 0.5, True),
    "skim": ("Skim", 0.5, True),
    "score": ("Boast", 0.3, True),
    "end": ("Concede", 0.3, False),
    "announce": ("Taunt", 0.2, False),
    "stir": ("Stir", 1.5, False),  # only with a variable of the game's own
    "pass": ("Pass", 1.5, False),
}
_KINDS: Final = Weighted([(kind, weight) for kind, (_, weight, _) in OPTIONS.items()])
_LOW_IMPACT: Final = ("peek", "reveal", "challenge", "tribute", "tax", "score", "announce", "stir", "pass")
_LOW_IMPACT_KINDS: Final = Weighted([(kind, OPTIONS[kind][1]) for kind in _LOW_IMPACT])
# What the possibility of an option's effect is judged by, where the names differ.
_EFFECT: Final = {"exchange": "draw", "challenge": "swap", "end": "reveal"}
ODDS: Final = ((1, 2), (1, 2), (1, 3), (2, 3), (1, 4))


def draw_menu(d: Draft, players: tuple[Player, ...]) -> list[tuple[str, Cost | None]]:
    """Two or more kinds of options that can do something for each of the players, with their costs."""
    chosen: list[str] = []
    kinds = _LOW_IMPACT_KINDS if d.low_impact else _KINDS
    for _ in range(min(2 + d.around("options"), d.caps.options)):
        kind = d.dice.find(kinds, lambda kind: kind not in chosen and _able(d, kind, players))
        if kind is not None:
            chosen.append(kind)
    most = min([most_chips(d, player) for player in players])
    menu = [(kind, _cost(d, kind, most)) for kind in OPTIONS if kind in chosen]
    if all(cost is not None and cost.odds is None for _, cost in menu):
        menu[-1] = (menu[-1][0], None)  # a player without chips has a choice, too
    return menu


def _able(d: Draft, kind: str, players: tuple[Player, ...]) -> bool:
    if kind == "stir":
        return d.theme is not None
    if kind == "exchange" and d.caps.effects < 2:
        return False
    if kind == "tax":
        return all(most_chips(d, OPPONENT[player]) > 0 for player in players)
    return all(possible(d, _EFFECT.get(kind, kind), player) for player in players)


def _cost(d: Draft, kind: str, most: int) -> Cost | None:
    if not most or not (OPTIONS[kind][2] and d.chance("p_cost")):
        return None
    amount = d.size("payment", min(most, 3))
    return Cost(amount, d.dice.choice(ODDS)) if d.chance("p_odds") else Cost(amount)


def draw_option(d: Draft, kind: str, cost: Cost | None, player: Player, ends: list[Bounds]) -> Option:
    """The option of the kind for a player; where it ends goes to `ends`."""

    def draw() -> tuple[Step, ...]:
        if cost is not None:
            d.bounds.charge(cost, player)
        return _steps(d, kind, player)

    return Option(OPTIONS[kind][0], d.branch(draw, ends), cost)


def draw_duel(d: Draft, duel: tuple[Step, ...], ends: list[Bounds]) -> Option:
    """The option that performs sub-phases."""
    return Option("Duel", d.branch(lambda: d.apply(*duel), ends))


def _steps(d: Draft, kind: str, player: Player) -> tuple[Step, ...]:
    if kind == "pass":
        return (NoAction(),)
    if kind == "announce":
        return (Announce(d.dice.choice(names.ANNOUNCEMENTS)),)
    if kind == "stir":
        return stir(d)
    if kind == "exchange":
        return d.apply(Discard(player, "lowest" if d.dice.below(2) else "random"), Draw(player))
    if kind == "challenge":
        condition = draw_card_condition(d, player) if d.nests() else None
        if condition is None:
            return pay(d, player, "pot")
        return (payment_if(d, condition, d.dice.below(3) == 0, player),)
    if kind == "tax":
        return pay(d, OPPONENT[player], player)
    if kind == "end":
        return d.apply(EndGame(OPPONENT[player]))
    return d.apply(make_effect(d, kind, player))
