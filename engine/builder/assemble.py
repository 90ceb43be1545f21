"""Putting a game together: deck and chips, the plan of the main phases, and each of them in the order of play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from engine.builder import names
from engine.builder.bounds import BOARD, HAND
from engine.builder.caps import Caps
from engine.builder.chapter import draw_chapter
from engine.builder.conditions import draw_variable_condition
from engine.builder.dial import ARCHETYPE_SHARES, ARCHETYPES, dial, multiplied
from engine.builder.dice import Dice, Weighted
from engine.builder.draft import SEATS, Draft
from engine.builder.effects import CHIPS, draw_effects, payment_if
from engine.builder.events import draw_cards, draw_events
from engine.builder.loop import betting
from engine.builder.rounds import ROUNDS, positions_round
from engine.rules.spec import (
    Announce,
    Ante,
    Deal,
    DealBoard,
    Deck,
    Discard,
    Draw,
    GameSpec,
    If,
    Peek,
    Reveal,
    Showdown,
    Shuffle,
    Step,
    Steps,
    Swap,
)

Metric = Literal["high", "low", "sum", "suits", "pairs"]
_ARCHETYPES: Final = Weighted(tuple(zip(ARCHETYPES, ARCHETYPE_SHARES, strict=True)))
_CORE: Final = ("w_action", "w_simultaneous", "w_auction")  # what a game without betting is about
_EXTRA: Final = (*ROUNDS, "w_cards", "w_chips", "w_events")
_TITLES: Final[dict[type, str]] = {
    Draw: "Draw Phase",
    DealBoard: "Board Phase",
    Discard: "Discard Phase",
    Reveal: "Reveal Phase",
    Swap: "Exchange Phase",
    Peek: "Peek Phase",
    Shuffle: "Reshuffle Phase",
    If: "Event Phase",
    Ante: "Stakes Phase",
}


def assemble(key: int, complexity: float, name: str, caps: Caps, ranks: int) -> GameSpec:
    """The draft that a key of the builder's random stream gives at a complexity, within all caps but that on states.

    ranks: that its deck has at least, as far as the caps allow it.
    """
    dice = Dice(key)
    features = multiplied(dial(complexity), dice.pick(_ARCHETYPES))
    d = _draft(dice, features, caps, ranks)
    plan = _plan(d)
    d.pending = sum([_NODES.get(kind, 1) for kind in plan])
    sequence: list[str] = []
    for number, kind in enumerate(plan, 1):
        d.pending -= _NODES.get(kind, 1)
        d.most = caps.main_phases - len(sequence) - (len(plan) - number)
        sequence += _MAIN[kind](d) if kind in _MAIN else ROUNDS[kind](d, "")
    declared = tuple(name for name in d.bounds.variables if name in d.counters or (name == d.theme and d.stirred))
    return GameSpec(name, d.deck, d.bounds.chips // 2, tuple(d.phases), tuple(sequence), declared)


def _draft(dice: Dice, features: dict[str, float], caps: Caps, ranks: int) -> Draft:
    d = Draft(dice, features, caps)
    deck = _deck(d, ranks)
    ante = d.size("ante", caps.ante)
    d.start(deck, min(max(2 + d.around("chips"), ante + 2), caps.chips))
    d.ante = min(ante, d.bounds.hi[0] - 1)
    d.low_impact = d.chance("p_low_impact")
    return d


def _deck(d: Draft, least: int) -> Deck:
    """Consecutive ranks, with the ace as the highest more often than not."""
    count = min(max(3 + d.skewed("ranks"), least), d.caps.ranks)
    suits = min(1 + d.skewed("suits"), len(names.SUITS))
    while count * suits > d.caps.cards:
        suits -= suits > 1
        count -= count > 3 and count * suits > d.caps.cards
    top = max(14, count + 1)
    if count < 12 and d.dice.below(3) == 0:
        top = d.dice.between(count + 1, 13)
    return Deck(tuple(range(top - count + 1, top + 1)), names.SUITS[:suits])


# How many nodes of the phase graph a kind of main phase needs at least.
_NODES: Final = {"betting": 2}


class _Plan:
    """The kinds of the main phases between ante and showdown, as far as the caps leave room."""

    def __init__(self, caps: Caps) -> None:
        self.kinds: list[str] = []
        self.main, self.nodes = caps.main_phases - 3, caps.phases - 3

    def put(self, kind: str, place: int) -> None:
        """Insert a phase if it fits."""
        need = _NODES.get(kind, 1)
        if self.main > 0 and self.nodes >= need:
            self.kinds.insert(place, kind)
            self.main, self.nodes = self.main - 1, self.nodes - need

    def scatter(self, d: Draft, kind: str) -> None:
        """Insert a phase anywhere if it fits."""
        self.put(kind, d.dice.below(len(self.kinds) + 1))


def _plan(d: Draft) -> list[str]:
    """The kinds of the main phases in order: what the game is about first, then what else there is, where it fits."""
    plan = _Plan(d.caps)
    if d.chance("p_no_betting"):
        for _ in range(2):
            plan.scatter(d, d.dice.pick(d.table(_CORE)))
    else:
        plan.put("betting", 0)
        if d.chance("p_second_betting"):
            plan.put("betting", 0)
    if d.chance("p_post"):
        plan.put("post", max(1, plan.kinds.count("betting")))
    for _ in range(d.around("chapters")):
        plan.put("chapter", d.dice.between(plan.kinds.count("betting"), len(plan.kinds)))
    if d.chance("p_variable_theme"):
        d.theme = d.dice.choice(names.VARIABLES)
        d.bounds.declare(d.theme)
        plan.put("settlement", len(plan.kinds))
    if d.chance("p_positions"):
        plan.put("positions", d.dice.below(len(plan.kinds)))
    extra = [d.dice.pick(d.table(_EXTRA)) for _ in range(d.around("extra_phases"))]
    for kind in extra:
        plan.scatter(d, kind)
    return ["setup", "ante", *plan.kinds, "showdown"]


def _setup(d: Draft) -> tuple[str, ...]:
    cards = d.bounds.cards
    hand = min(1 + d.skewed("hand"), d.caps.hand, (cards - 1) // 2)
    steps: list[Step] = [Shuffle(), Deal(hand)]
    if 2 * hand + 1 < cards and hand < d.caps.hand and d.chance("p_uneven_deal"):
        steps.append(Deal(1, SEATS[d.dice.below(2)]))
    if 2 * hand + 2 < cards and d.chance("p_board_at_setup"):
        steps.append(DealBoard(1))
    return _steps_phase(d, "Setup", d.apply(*steps))


def _ante(d: Draft) -> tuple[str, ...]:
    if d.ante + 1 < d.bounds.hi[0] and d.ante < d.caps.ante and d.chance("p_blinds"):
        small = d.dice.below(2)
        steps = d.apply(Ante(SEATS[small], d.ante), Ante(SEATS[1 - small], d.ante + 1))
        return _steps_phase(d, "Ante Phase", steps)
    return _steps_phase(d, "Ante Phase", d.apply(Ante("both", d.ante)))


def _steps_phase(d: Draft, name: str, steps: tuple[Step, ...]) -> tuple[str, ...]:
    if not steps:
        return ()
    place = d.begin()
    return (d.add(Steps(d.name(name), steps), place, played=True),)


def _post(d: Draft) -> tuple[str, ...]:
    title, where = ("Post-Betting Phase", " (post-betting)") if d.betting_rounds else ("Event Phase", " (event)")
    return _event_list(d, title, d.size("post_events", d.caps.events), where)


def _events(d: Draft) -> tuple[str, ...]:
    return _event_list(d, "Event Phase", 1 + d.dice.below(min(2, d.caps.events)), " (event)")


def _event_list(d: Draft, title: str, count: int, where: str) -> tuple[str, ...]:
    place = d.begin()
    name = d.name(title)
    steps = draw_events(d, count, where)
    if not steps:
        steps = (Announce(d.dice.choice(names.ANNOUNCEMENTS)),)
    return (d.add(Steps(name, steps), place, played=True),)


def _chapter(d: Draft) -> tuple[str, ...]:
    """A part of the game that is played on a condition; where there is no room for it, an event."""
    place = d.begin()
    steps = draw_chapter(d)
    title = "Escalation Phase" if steps else "Event Phase"
    steps = steps or draw_events(d, 1, " (event)") or (Announce(d.dice.choice(names.ANNOUNCEMENTS)),)
    return (d.add(Steps(d.name(title), steps), place, played=True),)


def _cards(d: Draft) -> tuple[str, ...]:
    steps = draw_cards(d, d.caps.events)
    return _steps_phase(d, _TITLES.get(type(steps[0]), "Settlement Phase"), steps) if steps else ()


def _chips(d: Draft) -> tuple[str, ...]:
    steps = draw_effects(d, CHIPS, d.caps.events)
    return _steps_phase(d, _TITLES.get(type(steps[0]), "Settlement Phase"), steps) if steps else ()


def _settlement(d: Draft) -> tuple[str, ...]:
    """The game's own variable is settled."""
    if not d.stirred or not d.nests():
        return ()
    condition = draw_variable_condition(d)
    if condition is None:
        return ()
    return _steps_phase(d, "Reckoning", (payment_if(d, condition, True, d.player()),))


def _showdown(d: Draft) -> tuple[str, ...]:
    place = d.begin()
    board = d.bounds.hi[BOARD] > 0
    metric: Metric = "high"
    if d.chance("p_metric"):
        several = board or max(d.bounds.hi[HAND], d.bounds.hi[HAND + 1]) > 1
        metrics: tuple[Metric, ...] = ("low",)
        if several:
            metrics = ("low", "sum", "suits", "pairs") if len(d.deck.suits) > 1 else ("low", "sum")
        metric = d.dice.choice(metrics)
    return (d.add(Showdown(d.name("Showdown"), metric, board), place),)


_MAIN: Final[dict[str, Callable[[Draft], tuple[str, ...]]]] = {
    "setup": _setup,
    "ante": _ante,
    "betting": lambda d: betting(d),
    "positions": lambda d: positions_round(d, ""),
    "post": _post,
    "chapter": _chapter,
    "w_events": _events,
    "w_cards": _cards,
    "w_chips": _chips,
    "settlement": _settlement,
    "showdown": _showdown,
}
