"""Drawing conditions that can hold and can fail at this point of the game (requirements G33, G34)."""

from __future__ import annotations

from typing import Final

from engine.builder.bounds import BOARD, DECK, HAND, LEAD, POT, Bounds
from engine.builder.dice import Weighted
from engine.builder.draft import POSITIONS, SEATS, Draft
from engine.rules.spec import (
    All,
    AnyOf,
    BoardHasRank,
    ChipsAre,
    Comparison,
    Condition,
    DeckSizeIs,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    Leads,
    Not,
    Player,
    PotIs,
    VariableIs,
)

# How often each kind is drawn where it is possible.
KINDS: Final = Weighted(
    (
        ("pot", 3.0),
        ("chips", 3.0),
        ("deck-size", 1.2),
        ("hand-size", 0.6),
        ("higher-card", 0.6),
        ("holds-rank", 1.0),
        ("holds-suit", 0.4),
        ("board-has-rank", 0.8),
        ("variable", 1.2),
        ("leads", 0.5),
    )
)
_MOST_PARTS: Final = 3  # of a compound condition: more is hard to follow
_CARDS: Final = Weighted((("higher-card", 1.2), ("holds-rank", 1.8), ("holds-suit", 0.6)))


def possible(d: Draft, kind: str) -> bool:
    """Whether a condition of the kind can come out either way here, and no enclosing condition has settled it."""
    b = d.bounds
    lo, hi = b.lo, b.hi
    if kind in d.enclosing:
        return False
    if kind == "pot":
        return lo[POT] < hi[POT]
    if kind == "chips":
        return lo[0] < hi[0] or lo[1] < hi[1]
    if kind == "deck-size":
        return lo[DECK] < hi[DECK]
    if kind == "hand-size":
        return lo[HAND] < hi[HAND] or lo[HAND + 1] < hi[HAND + 1]
    if kind == "higher-card":
        return hi[HAND] > 0 and hi[HAND + 1] > 0 and len(d.deck.ranks) > 1
    if kind == "holds-rank":
        return max(hi[HAND], hi[HAND + 1]) > 0 and _most_ranks(d, min(lo[HAND], lo[HAND + 1])) > 0
    if kind == "holds-suit":
        least = max(lo[HAND], lo[HAND + 1])
        return len(d.deck.suits) > 1 and min(hi[HAND], hi[HAND + 1]) > 0 and _other_suits(d) >= least
    if kind == "board-has-rank":
        return hi[BOARD] > 0 and _most_ranks(d, lo[BOARD]) > 0
    if kind == "variable":
        return any(lo[q] < hi[q] for q in b.variables.values())
    return lo[LEAD] < hi[LEAD]


def draw_condition(d: Draft, compound: str = "p_compound") -> Condition | None:
    """A condition that can hold and can fail here, of several parts as often as the dial's row `compound` says.

    None if there is none.
    """
    kinds: list[str] = []
    parts: list[Condition] = []
    while len(parts) < _MOST_PARTS and (not parts or d.chance(compound)):
        kind = d.dice.find(KINDS, lambda kind: kind not in kinds and possible(d, kind))
        if kind is None:
            break
        kinds.append(kind)
        parts.append(_draw_kind(d, kind))
    if len(parts) > 1:
        return AnyOf(tuple(parts)) if len(parts) == 2 and d.dice.below(4) == 0 else All(tuple(parts))
    return Not(parts[0]) if parts and d.chance("p_not") else parts[0] if parts else None


def draw_variable_condition(d: Draft) -> Condition | None:
    """A condition on a variable that can hold and can fail here; None if there is none."""
    return _draw_kind(d, "variable") if possible(d, "variable") else None


def draw_card_condition(d: Draft, player: Player | None = None) -> Condition | None:
    """A condition on hidden cards, of `player`'s hand if one is given."""
    kind = d.dice.find(_CARDS, lambda kind: possible(d, kind))
    return None if kind is None else _draw_kind(d, kind, player)


def _draw_kind(d: Draft, kind: str, player: Player | None = None) -> Condition:
    b = d.bounds
    if kind == "pot":
        return PotIs(*_threshold(d, b.lo[POT], b.hi[POT]))
    if kind == "chips":
        owner = _owner(d, 0)
        return ChipsAre(owner, *_threshold(d, *_interval(b, owner, 0)))
    if kind == "deck-size":
        return DeckSizeIs(*_threshold(d, b.lo[DECK], b.hi[DECK]))
    if kind == "hand-size":
        owner = _owner(d, HAND)
        return HandSizeIs(owner, *_threshold(d, *_interval(b, owner, HAND)))
    if kind == "higher-card":
        return HasHigherCard(player or d.player())
    if kind == "holds-rank":
        return _holds_rank(d, player)
    if kind == "holds-suit":
        return HoldsSuit(player or d.player(), d.dice.choice(d.deck.suits))
    if kind == "board-has-rank":
        return BoardHasRank(_ranks(d, b.lo[BOARD]))
    if kind == "leads":
        return Leads("alice" if d.dice.below(2) else "bob")
    name = d.dice.choice([name for name, q in b.variables.items() if b.uncertain(q)])
    quantity = b.variables[name]
    return VariableIs(name, *_threshold(d, b.lo[quantity], b.hi[quantity]))


def _holds_rank(d: Draft, player: Player | None) -> HoldsRank:
    if player is None:
        player = d.player()
    least = max(_interval(d.bounds, player, HAND)[0], 0)
    if not _most_ranks(d, least):
        player = SEATS[0] if d.bounds.lo[HAND] <= d.bounds.lo[HAND + 1] else SEATS[1]
        least = _interval(d.bounds, player, HAND)[0]
    return HoldsRank(player, _ranks(d, least))


def _most_ranks(d: Draft, cards: int) -> int:
    """How many ranks may be named so that `cards` cards can avoid them all."""
    suits = len(d.deck.suits)
    return len(d.deck.ranks) - max(1, (cards + suits - 1) // suits)


def _other_suits(d: Draft) -> int:
    return len(d.deck.ranks) * (len(d.deck.suits) - 1)


def _ranks(d: Draft, cards: int) -> tuple[int, ...]:
    """Some ranks, ascending, that `cards` cards can avoid: the top rank half of the time, else one or two or a run."""
    ranks, most = d.deck.ranks, _most_ranks(d, cards)
    draw = d.dice.below(6)
    if draw < 3:
        return ranks[-1:]
    if draw == 3 or most == 1:
        return (d.dice.choice(ranks),)
    if draw == 4:
        return tuple(sorted(d.dice.sample(ranks, 2)))
    count = min(most, (len(ranks) + 1) // 2)
    return ranks[-count:] if d.dice.below(2) else ranks[:count]


def _interval(b: Bounds, player: Player, base: int) -> tuple[int, int]:
    """The bounds of a player's stack (base 0) or hand (base HAND); of either's for a position that is not known."""
    if player in POSITIONS and b.uncertain(LEAD):
        return min(b.lo[base], b.lo[base + 1]), max(b.hi[base], b.hi[base + 1])
    quantity = base + b.seat(player)
    return b.lo[quantity], b.hi[quantity]


def _owner(d: Draft, base: int) -> Player:
    """Somebody whose stack (base 0) or hand (base HAND) is uncertain."""
    player = d.player()
    lo, hi = _interval(d.bounds, player, base)
    if lo < hi:
        return player
    return SEATS[0] if d.bounds.uncertain(base) else SEATS[1]


def _threshold(d: Draft, lo: int, hi: int) -> tuple[Comparison, int]:
    """A comparison that some values of lo..hi pass and some fail, with a threshold from anywhere in the range."""
    cut = d.dice.between(lo + 1, hi)  # splits the values into lo..cut-1 and cut..hi
    form = d.dice.below(8)
    if form > 5:
        return "==", d.dice.between(lo, hi)
    if form < 3:
        return (">=", cut) if form % 2 else (">", cut - 1)
    return ("<", cut) if form % 2 else ("<=", cut - 1)
