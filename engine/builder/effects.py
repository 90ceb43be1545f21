"""Drawing what happens: steps that can do something at this point of the game, and conditionals around them.

Nothing here performs a sub-phase, so these steps may stand inside a private conditional.
"""

from __future__ import annotations

from typing import Final

from engine.builder.bounds import BOARD, DECK, HAND, LEAD, PILE, POT
from engine.builder.conditions import draw_card_condition, draw_condition
from engine.builder.dice import Weighted
from engine.builder.draft import OPPONENT, POSITIONS, Draft
from engine.rules.spec import (
    Account,
    AddToVariable,
    Ante,
    Condition,
    DealBoard,
    Discard,
    Draw,
    EndGame,
    If,
    NoAction,
    Peek,
    Player,
    Reveal,
    Score,
    Shuffle,
    Steal,
    Step,
    Swap,
    TakePot,
    Transfer,
    Visibility,
)

# How often each kind of effect is drawn where it is possible.
_CELL: Final = (
    ("pay", 4.0),
    ("tribute", 0.8),
    ("skim", 0.8),
    ("stake", 1.2),
    ("score", 0.5),
    ("draw", 1.3),
    ("peek", 1.3),
    ("reveal", 0.5),
    ("swap", 0.5),
    ("steal", 0.4),
    ("discard", 0.5),
    ("end", 0.35),
)
CELL: Final = Weighted(_CELL)
_NO_END: Final = Weighted(_CELL[:-1])
_LOW_IMPACT: Final = Weighted((("pay", 3.0), ("tribute", 1.0), ("score", 1.0), ("peek", 1.5), ("reveal", 1.0)))
CARDS: Final = Weighted(
    (
        ("draw-both", 2.0),
        ("draw", 1.0),
        ("board", 1.2),
        ("discard", 0.8),
        ("reveal", 0.5),
        ("swap", 0.5),
        ("peek", 0.6),
        ("reshuffle", 1.0),
    )
)
CHIPS: Final = Weighted(
    (
        ("stake", 2.0),
        ("pay", 2.0),
        ("tribute", 1.0),
        ("skim", 1.0),
        ("score", 1.0),
    )
)
END: Final = Weighted((("end", 2.0), ("take-pot", 1.0)))
VISIBILITIES: Final[Weighted[Visibility]] = Weighted((("occurrence", 3.0), ("private", 2.0), ("public", 1.0)))


def draw_effects(d: Draft, kinds: Weighted[str], most: int | None = None) -> tuple[Step, ...]:
    """One or more effects of different kinds, each possible after those before it; `most` below the cap lowers it."""
    most = d.caps.effects if most is None else min(most, d.caps.effects)
    steps: list[Step] = []
    drawn: list[str] = []
    while True:
        player = d.player()
        kind = d.dice.find(kinds, lambda kind: kind not in drawn and possible(d, kind, player))  # noqa: B023
        if kind is None:
            break
        drawn.append(kind)
        steps += d.apply(make_effect(d, kind, player))
        if len(steps) >= most or not d.bounds.alive or not d.chance("p_more_effects"):
            break
    return tuple(steps)


def stir(d: Draft) -> tuple[Step, ...]:
    """Change the game's own variable (only in a game that has one)."""
    assert d.theme is not None
    d.stirred = True
    return d.apply(AddToVariable(d.theme, 1))


def draw_cell(d: Draft, may_end: bool) -> tuple[Step, ...]:
    """The outcome of a choice: effects, or a conditional that is usually about hidden cards and evaluated privately."""
    kinds = _LOW_IMPACT if d.low_impact else CELL if may_end else _NO_END
    if d.nests() and d.chance("p_cell_if"):
        condition = draw_card_condition(d) if d.dice.below(4) else draw_condition(d)
        if condition is not None:
            return (_conditional(d, condition, kinds),)
    return draw_effects(d, kinds)


def _conditional(d: Draft, condition: Condition, kinds: Weighted[str]) -> If:
    public = d.dice.below(4) == 0
    if d.dice.below(3):
        return payment_if(d, condition, public, d.player())
    otherwise = (lambda: draw_effects(d, kinds)) if d.dice.below(2) else None
    return d.conditional(condition, public, lambda: draw_effects(d, kinds), otherwise)


def payment_if(d: Draft, condition: Condition, public: bool, winner: Player) -> If:
    """The winner is paid by the opponent if the condition holds, else pays."""
    loser = OPPONENT[winner]
    return d.conditional(condition, public, lambda: pay(d, loser, winner), lambda: pay(d, winner, loser))


def pay(d: Draft, source: Account, target: Account) -> tuple[Step, ...]:
    """A payment, if the source can have anything."""
    if not most_chips(d, source):
        return (NoAction(),)
    return d.apply(Transfer(source, target, d.size("payment", most_chips(d, source))))


def most_chips(d: Draft, account: Account) -> int:
    """The most chips that the account can hold here."""
    b = d.bounds
    if account in POSITIONS and b.uncertain(LEAD):
        return max(b.hi[0], b.hi[1])
    return b.hi[b.seat(account)]


def most_cards(d: Draft, player: Player) -> int:
    """The most cards that the player can hold here."""
    hi = d.bounds.hi
    if player in POSITIONS and d.bounds.uncertain(LEAD):
        return max(hi[HAND], hi[HAND + 1])
    return hi[HAND + d.bounds.seat(player)]


def possible(d: Draft, kind: str, player: Player) -> bool:
    """Whether the effect can change anything here."""
    hi = d.bounds.hi
    if kind in ("pay", "tribute"):
        return most_chips(d, player) > 0
    if kind in ("skim", "take-pot"):
        return hi[POT] > 0
    if kind == "stake":
        return min(hi[0], hi[1]) > 1
    if kind == "draw":
        return hi[DECK] > 0
    if kind == "draw-both":
        return d.bounds.lo[DECK] > 1
    if kind == "board":
        return hi[DECK] > 0 and hi[BOARD] < 3
    if kind in ("peek", "steal"):
        return most_cards(d, OPPONENT[player]) > 0
    if kind in ("reveal", "discard"):
        return most_cards(d, player) > 0
    if kind == "swap":
        return hi[HAND] > 0 and hi[HAND + 1] > 0
    if kind == "reshuffle":
        return hi[PILE] > 0
    return True


def make_effect(d: Draft, kind: str, player: Player) -> Step:
    """A step of the kind, done by or to the player."""
    if kind == "pay":
        return Transfer(player, OPPONENT[player], d.size("payment", most_chips(d, player)))
    if kind == "tribute":
        return Transfer(player, "pot", d.size("payment", most_chips(d, player)))
    if kind == "skim":
        return Transfer("pot", player, d.size("payment", d.bounds.hi[POT]))
    if kind == "stake":
        return Ante("both", d.size("payment", min(d.bounds.hi[0], d.bounds.hi[1], d.bounds.chips // 2) - 1))
    if kind == "score":
        return Score(player, d.size("payment", d.caps.chips))
    if kind in ("draw", "draw-both"):
        count = 2 if d.bounds.hi[DECK] > 3 and d.dice.below(8) == 0 else 1
        return Draw("both" if kind == "draw-both" else player, count, d.dice.pick(VISIBILITIES))
    if kind == "board":
        return DealBoard(1)
    if kind == "peek":
        return Peek(player, d.dice.pick(VISIBILITIES))
    if kind == "reveal":
        draw = d.dice.below(8)
        return Reveal(player, "random" if draw < 5 else "highest" if draw < 7 else "all")
    if kind == "swap":
        return Swap(player)
    if kind == "steal":
        return Steal(player)
    if kind == "discard":
        draw = d.dice.below(8)
        which = d.dice.below(3)
        return Discard(player, "random" if which == 0 else "lowest" if which == 1 else "highest", draw < 3)
    if kind == "reshuffle":
        return Shuffle(discard_pile=True)
    if kind == "take-pot":
        return TakePot(player)
    assert kind == "end", f"no step makes '{kind}'"
    return EndGame(player if d.dice.below(4) else None)
