"""Other ways to write a game down: each function gives a spec of the same game, or None if it does not apply.

They are written from the rules in `antemill.engine.rules.spec`, not from the canonical form.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from antemill.engine.disguise.changes import nodes, rebuilt
from antemill.engine.rules.spec import (
    ActionRound,
    All,
    Ante,
    AnyOf,
    Auction,
    Cell,
    ChipsAre,
    Cost,
    Deck,
    FixedBetting,
    GameSpec,
    HoldsRank,
    HoldsSuit,
    If,
    Leads,
    NoAction,
    Option,
    Perform,
    Positions,
    PotIs,
    Score,
    Showdown,
    SideBet,
    Simultaneous,
    Steps,
    Transfer,
    VariableBetting,
)


def _shuffled(rng: random.Random, items: Any) -> tuple[Any, ...]:
    return tuple(rng.sample(list(items), len(items)))


# ---------------------------------------------------------------------------------------------------- names


def renamed(spec: GameSpec, rng: random.Random) -> GameSpec:
    """Everything has another name; equal texts stay equal."""
    texts: dict[str, str] = {}
    new: Mapping[str, Mapping[str, str]] = {
        "phase": {phase.name: f"Phase {rng.random()}" for phase in spec.phases},
        "variable": {name: f"variable {rng.random()}" for name in spec.variables},
        "suit": {name: f"suit {rng.random()}" for name in spec.deck.suits},
    }

    def change(node: Any) -> Any:
        fields: dict[str, Any] = {}
        for field in node.__struct_fields__:
            value = getattr(node, field)
            match field:
                case "phase":
                    fields[field] = new["phase"][value]
                case "rounds" | "sequence":
                    fields[field] = tuple(new["phase"][name] for name in value)
                case "counter" | "variable":
                    fields[field] = new["variable"][value]
                case "variables":
                    fields[field] = tuple(new["variable"][name] for name in value)
                case "suit":
                    fields[field] = new["suit"][value]
                case "suits":
                    fields[field] = tuple(new["suit"][name] for name in value)
                case "text":
                    fields[field] = texts.setdefault(value, f"Text {rng.random()}")
                case "name" if value in new["phase"] and not isinstance(node, GameSpec | Option):
                    fields[field] = new["phase"][value]
                case "name":
                    fields[field] = f"Name {rng.random()}"
        if isinstance(node, Simultaneous):
            sides = [{name: f"{side} {rng.random()}" for name in names} for side, names in
                     (("a", node.alice_options), ("b", node.bob_options))]  # fmt: skip
            fields["cells"] = tuple(Cell(sides[0][c.alice], sides[1][c.bob], c.steps) for c in node.cells)
            fields |= {"alice_options": tuple(sides[0].values()), "bob_options": tuple(sides[1].values())}
        return replace(node, **fields)

    done: GameSpec = rebuilt(spec, change)
    return done


# --------------------------------------------------------------------------------------- what has no order


def reordered(spec: GameSpec, rng: random.Random) -> GameSpec:
    """Options, cells, variables, suits, the parts of conditions and the list of phases stand in another order.

    Side bets keep theirs, in which they are settled.
    """

    def change(node: Any) -> Any:
        match node:
            case ActionRound():
                return replace(node, options=_shuffled(rng, node.options))
            case Simultaneous():
                mixed = {f: _shuffled(rng, getattr(node, f)) for f in ("alice_options", "bob_options", "cells")}
                return replace(node, **mixed)
            case All() | AnyOf():
                return replace(node, conditions=_shuffled(rng, node.conditions))
            case HoldsRank():
                return replace(node, ranks=_shuffled(rng, node.ranks))
            case Deck():
                return replace(node, suits=_shuffled(rng, node.suits))
        return node

    done: GameSpec = rebuilt(spec, change)
    phases = list(_shuffled(rng, done.phases))
    bets = iter([phase for phase in done.phases if isinstance(phase, SideBet)])
    phases = [next(bets) if isinstance(phase, SideBet) else phase for phase in phases]
    return replace(done, phases=tuple(phases), variables=_shuffled(rng, done.variables))


# ------------------------------------------------------------------------------------ what no play sees


def padded(spec: GameSpec, rng: random.Random) -> GameSpec:
    """A phase that no play reaches is added; some steps move to phases of their own."""
    reads_suit = If(HoldsSuit("alice", spec.deck.suits[0]), (NoAction(),))
    phases: list[Any] = [Steps("nowhere", (Score("alice", 7), reads_suit, Perform("nowhere either")))]
    phases.append(FixedBetting("nowhere either", opener="bob", amount=3))
    for phase in spec.phases:
        if not isinstance(phase, Steps):
            phases.append(phase)
            continue
        steps: list[Any] = list(phase.steps)
        cut = rng.randint(0, len(steps))
        moved = tuple(steps[cut:])
        if moved:
            phases.append(Steps(f"rest of {phase.name}", moved))
            steps[cut:] = [Perform(f"rest of {phase.name}")]
        phases.append(replace(phase, steps=tuple(steps)))
    return replace(spec, phases=tuple(phases))


# ------------------------------------------------------------------------------------------- other numbers


def relabelled(spec: GameSpec, rng: random.Random) -> GameSpec:
    """Ranks have other values in the same order; multiples of the old ones if the showdown adds them up."""
    old = spec.deck.ranks
    if any(show.metric == "sum" for show in nodes(spec, Showdown)):
        factor = rng.randint(1, 5)
        new = dict(zip(old, (factor * rank for rank in old), strict=True))
    else:
        new = dict(zip(old, sorted(rng.sample(range(1, 1_000), len(old))), strict=True))

    def change(node: Any) -> Any:
        ranks = getattr(node, "ranks", None)
        return replace(node, ranks=tuple(new[rank] for rank in ranks)) if ranks is not None else node

    done: GameSpec = rebuilt(spec, change)
    return done


def scaled(spec: GameSpec, factor: int) -> GameSpec | None:
    """All chips times a factor; None if a player may choose an amount.

    The odd chip of a split is not scaled: two multiples by even factors are the same game, the game and a multiple of
    it only where no pot is ever split in an odd number of units.
    """
    if nodes(spec, VariableBetting | Auction):
        return None

    def change(node: Any) -> Any:
        match node:
            case ChipsAre() | PotIs():
                return replace(node, value=factor * node.value)
            case Ante() | Transfer() | Score() | FixedBetting() | SideBet() | Cost():
                return replace(node, amount=factor * node.amount)
        if hasattr(node, "stop_at"):
            return replace(node, stop_at=factor * node.stop_at)
        return replace(node, chips=factor * node.chips) if isinstance(node, GameSpec) else node

    done: GameSpec = rebuilt(spec, change)
    return done


def mirrored(spec: GameSpec) -> GameSpec | None:
    """Alice and Bob change places; None if positions are assigned, as Alice is the first leader."""
    if nodes(spec, Positions):
        return None
    other = {"alice": "bob", "bob": "alice", "leader": "follower", "follower": "leader"}

    def change(node: Any) -> Any:
        if isinstance(node, Cell):
            return Cell(node.bob, node.alice, node.steps)
        if isinstance(node, Simultaneous):
            return replace(node, alice_options=node.bob_options, bob_options=node.alice_options)
        if isinstance(node, Leads):
            return replace(node, seat=other[node.seat])
        fields = {f: value for f in ("player", "opener", "viewer", "source", "target", "winner")
                  if isinstance(value := getattr(node, f, None), str)}  # fmt: skip
        return replace(node, **{field: other.get(value, value) for field, value in fields.items()})

    done: GameSpec = rebuilt(spec, change)
    return done


REWRITINGS: tuple[Callable[[GameSpec, random.Random], GameSpec], ...] = (
    renamed,
    reordered,
    relabelled,
    padded,
)
