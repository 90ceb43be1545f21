"""What a game is made of: the constructs of the paper's generator that occur in its rules, by names that people know.

`CONSTRUCTS` lists them with the requirements that they belong to (README, "Features"); `constructs(spec)` says which a
game has. Pools record them for every candidate, so that a construct that the gate drives out is seen to be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from engine.rules.spec import (
    ActionRound,
    All,
    Announce,
    Ante,
    AnyOf,
    Auction,
    BettingLoop,
    BoardHasRank,
    ChipsAre,
    Deal,
    DealBoard,
    DeckSizeIs,
    Discard,
    Draw,
    EndGame,
    FixedBetting,
    GameSpec,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    InProgress,
    Leads,
    Not,
    Observation,
    Peek,
    Perform,
    Player,
    Positions,
    PotIs,
    Reveal,
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    TakePot,
    Transfer,
    VariableBetting,
    VariableIs,
)
from engine.rules.walk import Node, Visit, player_fields, walk

Names = tuple[str, ...]

CONSTRUCTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # what the game is about
        "betting": "G18",
        "betting loop": "G19",
        "two betting loops": "G19",
        "two places of betting": "G18",
        "no betting": "G18",
        # cards
        "several suits": "G3",
        "uneven deal": "G8",
        "board": "G3",
        "discard": "G3",
        "discard pile shuffled in": "G8",
        "draw by one": "G9",
        "draw by both": "G9",
        "draw, public": "G9",
        "draw, occurrence": "G9",
        "draw, private": "G9",
        "peek, public": "G11",
        "peek, occurrence": "G11",
        "peek, private": "G11",
        "swap": "G12",
        "steal": "G12",
        "reveal": "G13",
        # chips
        "unequal antes": "G13",
        "later ante": "G13",
        "player pays player": "G10",
        "player pays pot": "G10",
        "pot pays player": "G10",
        "pot taken": "G10",
        "score": "G14",
        "announcement": "G13",
        "early end": "G13",
        # effects and costs
        "several effects": "G15",
        "stated cost": "G16",
        "probabilistic cost": "G16",
        # betting
        "fixed bets": "G21",
        "free wagers, uncapped": "G22",
        "free wagers, capped": "G22",
        "raises": "G21",
        "fixed and free rounds in a loop": "G21",
        "a round for each turn of a loop": "G19",
        "loop stops at a stack": "G19",
        "event between rounds": "G26",
        "Bob opens": "G21",
        "leader opens": "G30",
        "follower opens": "G30",
        # phases
        "sub-phase": "G18",
        "sub-phase performed from several places": "G18",
        "action round": "G18",
        "several picks": "G18",
        "private choice": "G36",
        "simultaneous round": "G27",
        "three simultaneous options": "G27",
        "conditional cell": "G27",
        "auction of a draw": "G28",
        "auction of a peek": "G28",
        "auction of a steal": "G28",
        "observation, public": "G29",
        "observation, occurrence": "G29",
        "observation, private": "G29",
        "observation of a card": "G29",
        "observation of a suit": "G29",
        "observation of a top rank": "G29",
        "observation of a size": "G29",
        "trigger": "G29",
        "positions by chips": "G30",
        "positions by cards": "G30",
        "positions by chance": "G30",
        "positions alternate": "G30",
        "somebody acts by position": "G30",
        "side bet": "G31",
        "list of conditional events": "G32",
        # conditions
        "condition on chips": "G33",
        "condition on the pot": "G33",
        "condition on the higher card": "G33",
        "condition on a rank": "G33",
        "condition on a suit": "G33",
        "condition on the deck": "G33",
        "condition on a hand's size": "G33",
        "condition on the board": "G33",
        "condition on the round counter": "G20",
        "condition on another variable": "G33",
        "condition on positions": "G33",
        "game in progress": "G33",
        "and": "G33",
        "or": "G33",
        "not": "G33",
        "otherwise": "G33",
        "private check": "G33",
        "conditional inside a conditional": "G33",
        # showdown
        "showdown by low": "G39",
        "showdown by sum": "G39",
        "showdown by suits": "G39",
        "showdown by pairs": "G39",
        "showdown with the board": "G39",
    }
)


def constructs(spec: GameSpec) -> frozenset[str]:
    """Those of `CONSTRUCTS` that occur in the game's rules; whether they ever come about is the gate's business."""
    visits = walk(spec)
    found = {name for _, node in visits for name in _NODES.get(type(node), _none)(node)}
    return frozenset(found.union(_cards_and_antes(spec, visits), _graph(spec, visits), _variables(visits)))


def _none(_: Node) -> Names:
    return ()


def _always(*names: str) -> Callable[[Any], Names]:
    return lambda _: names


def _cards_and_antes(spec: GameSpec, visits: list[Visit]) -> Iterator[str]:
    if len(spec.deck.suits) > 1:
        yield "several suits"
    antes = [(index, node) for index, node in visits if isinstance(node, Ante)]
    if len({node.amount for index, node in antes if index <= _OPENING and node.player != "both"}) > 1:
        yield "unequal antes"
    if any(index > _OPENING for index, _ in antes):
        yield "later ante"


def _graph(spec: GameSpec, visits: list[Visit]) -> Iterator[str]:
    """What several phases make up."""
    phases = {phase.name: phase for phase in spec.phases}
    yield "betting" if any("betting" in phase.brings for phase in spec.phases) else "no betting"
    if sum("betting" in phases[name].brings or isinstance(phases[name], BettingLoop) for name in spec.sequence) > 1:
        yield "two places of betting"
    if sum(isinstance(phase, BettingLoop) for phase in spec.phases) > 1:
        yield "two betting loops"
    performed = [node.phase for _, node in visits if isinstance(node, Perform)]
    if performed:
        yield "sub-phase"
    if len(set(performed)) < len(performed):
        yield "sub-phase performed from several places"
    for loop in spec.phases:
        if isinstance(loop, BettingLoop) and len({type(phases[name]) for name in loop.rounds}) > 1:
            yield "fixed and free rounds in a loop"
    if any(
        word in _POSITIONS for _, node in visits for field in player_fields(type(node)) for word in _word(node, field)
    ):
        yield "somebody acts by position"


def _word(node: Node, field: str) -> Names:
    return () if field == "opener" else (getattr(node, field),)


def _variables(visits: list[Visit]) -> Iterator[str]:
    counters = {node.counter for _, node in visits if isinstance(node, BettingLoop)}
    for _, node in visits:
        if isinstance(node, VariableIs):
            yield "condition on the round counter" if node.variable in counters else "condition on another variable"


def _draw(step: Draw) -> Names:
    return f"draw by {'both' if step.player == 'both' else 'one'}", f"draw, {step.visibility}"


def _transfer(step: Transfer) -> Names:
    if step.source == "pot":
        return ("pot pays player",)
    return ("player pays pot",) if step.target == "pot" else ("player pays player",)


def _if(step: If) -> Names:
    found = _several(step.then) + _several(step.otherwise)
    found += ("otherwise",) if step.otherwise else ()
    found += () if step.public else ("private check",)
    inner = any(isinstance(part, If) for part in step.then + step.otherwise)
    return (*found, "conditional inside a conditional") if inner else found


def _several(steps: tuple[Step, ...]) -> Names:
    return ("several effects",) if len(steps) > 1 else ()


def _fixed(phase: FixedBetting) -> Names:
    return ("fixed bets", *_opener(phase.opener), *(("raises",) if phase.raises else ()))


def _free(phase: VariableBetting) -> Names:
    return (f"free wagers, {'uncapped' if phase.cap is None else 'capped'}", *_opener(phase.opener))


def _opener(player: Player) -> Names:
    return () if player == "alice" else (f"{'Bob' if player == 'bob' else player} opens",)


def _loop(loop: BettingLoop) -> Names:
    found = {
        "betting loop": True,
        "a round for each turn of a loop": len(set(loop.rounds)) > 1,
        "loop stops at a stack": loop.stop_at > 0,
        "event between rounds": bool(loop.between),
    }
    return tuple(name for name, there in found.items() if there)


def _menu(phase: ActionRound) -> Names:
    costs = [option.cost for option in phase.options if option.cost is not None]
    found = {
        "action round": True,
        "several picks": phase.picks > 1,
        "private choice": not phase.public,
        "stated cost": any(cost.odds is None for cost in costs),
        "probabilistic cost": any(cost.odds is not None for cost in costs),
        "several effects": any(len(option.steps) > 1 for option in phase.options),
    }
    return tuple(name for name, there in found.items() if there)


def _simultaneous(phase: Simultaneous) -> Names:
    outcomes = [*(cell.steps for cell in phase.cells), phase.others]
    found = {
        "simultaneous round": True,
        "three simultaneous options": len(phase.alice_options) > 2,
        "conditional cell": any(isinstance(step, If) for steps in outcomes for step in steps),
        "several effects": any(len(steps) > 1 for steps in outcomes),
    }
    return tuple(name for name, there in found.items() if there)


def _observation(phase: Observation) -> Names:
    trigger = () if phase.trigger is None else ("trigger",)
    return (f"observation, {phase.visibility}", f"observation of a {phase.signal.replace('-', ' ')}", *trigger)


def _list(phase: Steps) -> Names:
    return ("list of conditional events",) if sum(isinstance(step, If) for step in phase.steps) > 1 else ()


def _showdown(phase: Showdown) -> Names:
    metric = () if phase.metric == "high" else (f"showdown by {phase.metric}",)
    return (*metric, "showdown with the board") if phase.board else metric


_POSITIONS = ("leader", "follower")
_OPENING = 1  # set-up and antes: the first two phases of every generated game
_CRITERIA = {
    "most-chips": "positions by chips",
    "fewest-chips": "positions by chips",
    "higher-card": "positions by cards",
    "lower-card": "positions by cards",
    "random": "positions by chance",
    "alternate": "positions alternate",
}
# What a node of a kind brings in by itself.
_NODES: Final[Mapping[type, Callable[[Any], Names]]] = {
    DealBoard: _always("board"),
    Deal: lambda step: () if step.player == "both" else ("uneven deal",),
    Discard: _always("discard"),
    Shuffle: lambda step: ("discard pile shuffled in",) if step.discard_pile else (),
    Draw: _draw,
    Peek: lambda step: (f"peek, {step.visibility}",),
    Swap: _always("swap"),
    Steal: _always("steal"),
    Reveal: _always("reveal"),
    Transfer: _transfer,
    TakePot: _always("pot taken"),
    Score: _always("score"),
    Announce: _always("announcement"),
    EndGame: _always("early end"),
    If: _if,
    FixedBetting: _fixed,
    VariableBetting: _free,
    BettingLoop: _loop,
    ActionRound: _menu,
    Simultaneous: _simultaneous,
    Auction: lambda phase: (f"auction of a {type(phase.prize).__name__.lower()}",),
    Observation: _observation,
    Positions: lambda phase: (_CRITERIA[phase.criterion],),
    SideBet: _always("side bet"),
    Steps: _list,
    Showdown: _showdown,
    ChipsAre: _always("condition on chips"),
    PotIs: _always("condition on the pot"),
    HasHigherCard: _always("condition on the higher card"),
    HoldsRank: _always("condition on a rank"),
    HoldsSuit: _always("condition on a suit"),
    DeckSizeIs: _always("condition on the deck"),
    HandSizeIs: _always("condition on a hand's size"),
    BoardHasRank: _always("condition on the board"),
    Leads: _always("condition on positions"),
    InProgress: _always("game in progress"),
    All: _always("and"),
    AnyOf: _always("or"),
    Not: _always("not"),
}
