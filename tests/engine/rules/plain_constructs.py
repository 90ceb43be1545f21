"""The constructs of a game, read from its objects: what `antemill.engine.rules.made_of` is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from antemill.engine.rules.spec import (
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
from antemill.engine.rules.walk import player_fields, walk

Names = tuple[str, ...]
Nodes = dict[type, list[tuple[int, Any]]]  # the nodes of a spec by kind, each with the index of its phase


def plain_constructs(spec: GameSpec) -> frozenset[str]:
    """As `antemill.engine.rules.made_of.constructs`."""
    nodes: Nodes = {}
    for visit in walk(spec):
        kind = type(visit[1])
        if kind in nodes:
            nodes[kind].append(visit)
        else:
            nodes[kind] = [visit]
    found = {_KINDS[kind] for kind in nodes if kind in _KINDS}
    for kind in _NODES.keys() & nodes.keys():
        said = _NODES[kind]
        for _, node in nodes[kind]:
            found.update(said(node))
    return frozenset(found.union(_cards_and_antes(spec, nodes), _graph(spec, nodes), _variables(nodes)))


def _cards_and_antes(spec: GameSpec, nodes: Nodes) -> Iterator[str]:
    if len(spec.deck.suits) > 1:
        yield "several suits"
    antes = nodes.get(Ante, [])
    if len({node.amount for index, node in antes if index <= _OPENING and node.player != "both"}) > 1:
        yield "unequal antes"
    if any(index > _OPENING for index, _ in antes):
        yield "later ante"


def _graph(spec: GameSpec, nodes: Nodes) -> Iterator[str]:
    """What several phases make up."""
    phases = {phase.name: phase for phase in spec.phases}
    yield "betting" if any("betting" in phase.brings for phase in spec.phases) else "no betting"
    if sum("betting" in phases[name].brings or isinstance(phases[name], BettingLoop) for name in spec.sequence) > 1:
        yield "two places of betting"
    loops = [loop for _, loop in nodes.get(BettingLoop, ())]
    if len(loops) > 1:
        yield "two betting loops"
    performed = [node.phase for _, node in nodes.get(Perform, ())]
    if performed:
        yield "sub-phase"
    if len(set(performed)) < len(performed):
        yield "sub-phase performed from several places"
    if any(len({type(phases[name]) for name in loop.rounds}) > 1 for loop in loops):
        yield "fixed and free rounds in a loop"
    if _by_position(nodes):
        yield "somebody acts by position"


def _by_position(nodes: Nodes) -> bool:
    """Whether a position does something in one of the nodes; opening a betting round is told apart."""
    for kind, found in nodes.items():
        for field in player_fields(kind):
            for _, node in found:
                if field != "opener" and getattr(node, field) in _POSITIONS:
                    return True
    return False


def _variables(nodes: Nodes) -> Iterator[str]:
    counters = {loop.counter for _, loop in nodes.get(BettingLoop, ())}
    for _, node in nodes.get(VariableIs, ()):
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
    return ("list of conditional events",) if [*map(type, phase.steps)].count(If) > 1 else ()


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
# What every node of a kind brings in.
_KINDS: Final[Mapping[type, str]] = {
    DealBoard: "board",
    Discard: "discard",
    Swap: "swap",
    Steal: "steal",
    Reveal: "reveal",
    TakePot: "pot taken",
    Score: "score",
    Announce: "announcement",
    EndGame: "early end",
    SideBet: "side bet",
    ChipsAre: "condition on chips",
    PotIs: "condition on the pot",
    HasHigherCard: "condition on the higher card",
    HoldsRank: "condition on a rank",
    HoldsSuit: "condition on a suit",
    DeckSizeIs: "condition on the deck",
    HandSizeIs: "condition on a hand's size",
    BoardHasRank: "condition on the board",
    Leads: "condition on positions",
    InProgress: "game in progress",
    All: "and",
    AnyOf: "or",
    Not: "not",
}
# What a node brings in by itself.
_NODES: Final[Mapping[type, Callable[[Any], Names]]] = {
    Deal: lambda step: () if step.player == "both" else ("uneven deal",),
    Shuffle: lambda step: ("discard pile shuffled in",) if step.discard_pile else (),
    Draw: _draw,
    Peek: lambda step: (f"peek, {step.visibility}",),
    Transfer: _transfer,
    If: _if,
    FixedBetting: _fixed,
    VariableBetting: _free,
    BettingLoop: _loop,
    ActionRound: _menu,
    Simultaneous: _simultaneous,
    Auction: lambda phase: (f"auction of a {type(phase.prize).__name__.lower()}",),
    Observation: _observation,
    Positions: lambda phase: (_CRITERIA[phase.criterion],),
    Steps: _list,
    Showdown: _showdown,
}
