"""Changes of a spec that keep the game the same: each function returns another spec, or None."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.disguise.themes import Theme
from antemill.engine.rules.fields import FIELDS
from antemill.engine.rules.spec import (
    ActionRound,
    Cell,
    GameSpec,
    Option,
    PhaseBase,
    Positions,
    Showdown,
    SideBet,
    Simultaneous,
)
from antemill.engine.rules.walk import PLAYER_FIELDS, traits, walk

T = TypeVar("T")
_HIGHEST = 14  # an ace, the highest rank of playing cards
_MIRRORED = {"alice": "bob", "bob": "alice", "leader": "follower", "follower": "leader"}


class Renaming(Struct, frozen=True):
    """Old names and the new ones."""

    phases: Mapping[str, str]
    options: Mapping[str, str]
    suits: Mapping[str, str]
    variables: Mapping[str, str]
    texts: Mapping[str, str]


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change` applied to every struct in it, innermost first."""
    if isinstance(value, tuple):
        return tuple(rebuilt(item, change) for item in value)
    if isinstance(value, Struct):
        return change(replace(value, **{f: rebuilt(getattr(value, f), change) for f in value.__struct_fields__}))
    return value


def nodes(spec: GameSpec, kinds: Any) -> list[Any]:
    """All structs of these kinds, innermost first."""
    found: list[Any] = []

    def look(node: Any) -> Any:
        if isinstance(node, kinds):
            found.append(node)
        return node

    rebuilt(spec, look)
    return found


# ------------------------------------------------------------------------------------------------------- names


def naming(spec: GameSpec, theme: Theme, rng: random.Random) -> Renaming:
    """New names for everything in a spec, in the words of a theme; equal names stay equal."""
    options = [option.name for option in nodes(spec, Option)]
    for phase in nodes(spec, Simultaneous):
        options += [*phase.alice_options, *phase.bob_options]
    texts = [node.text for node in nodes(spec, Struct) if hasattr(node, "text")]
    return Renaming(
        phases=_named([phase.name for phase in spec.phases], theme.phases, rng),
        options=_named(options, theme.options, rng),
        suits=_named(spec.deck.suits, theme.suits, rng),
        variables=_named(spec.variables, theme.variables, rng),
        texts=_named(texts, theme.texts, rng),
    )


def _named(old: Iterable[str], words: Sequence[str], rng: random.Random) -> dict[str, str]:
    """A new name for each old one. Words are numbered if there is only one, or if there are too few."""
    names = list(dict.fromkeys(old))
    rounds = -(-len(names) // len(words))
    several = len(words) == 1 or rounds > 1
    new = [_numbered(word, number + 1) if several else word for number in range(rounds) for word in words]
    return dict(zip(names, rng.sample(new, len(new))[: len(names)], strict=True))


def _numbered(word: str, number: int) -> str:
    return f"{word[:-1]} {number}." if word.endswith(".") else f"{word} {number}"


def renamed(spec: GameSpec, names: Renaming, title: str) -> GameSpec:
    """The spec under the new names, and under another title."""

    def change(node: Any) -> Any:
        fields: dict[str, Any] = {}
        for field in node.__struct_fields__:
            value = getattr(node, field)
            match field:
                case "phase":
                    fields[field] = names.phases[value]
                case "rounds" | "sequence":
                    fields[field] = tuple(names.phases[name] for name in value)
                case "counter" | "variable":
                    fields[field] = names.variables[value]
                case "variables":
                    fields[field] = tuple(names.variables[name] for name in value)
                case "suit":
                    fields[field] = names.suits[value]
                case "suits":
                    fields[field] = tuple(names.suits[name] for name in value)
                case "text":
                    fields[field] = names.texts[value]
                case "alice_options" | "bob_options":
                    fields[field] = tuple(names.options[name] for name in value)
        match node:
            case GameSpec():
                fields["name"] = title
            case Option():
                fields["name"] = names.options[node.name]
            case Cell():
                fields |= {"alice": names.options[node.alice], "bob": names.options[node.bob]}
            case PhaseBase():
                fields["name"] = names.phases[node.name]
        return replace(node, **fields)

    done: GameSpec = rebuilt(spec, change)
    return done


# ------------------------------------------------------------------------------------------------------- order


def reordered(spec: GameSpec, rng: random.Random) -> GameSpec:
    """Options of menus, cells, variables and phases are listed in another order.

    Side bets keep their order, in which they are settled. Suits keep theirs, so that a seed deals the same cards.
    """

    def change(node: Any) -> Any:
        match node:
            case ActionRound():
                return replace(node, options=_shuffled(rng, node.options))
            case Simultaneous():
                mixed = {f: _shuffled(rng, getattr(node, f)) for f in ("alice_options", "bob_options", "cells")}
                return replace(node, **mixed)
        return node

    done: GameSpec = rebuilt(spec, change)
    bets = iter([phase for phase in done.phases if isinstance(phase, SideBet)])
    phases = [next(bets) if isinstance(phase, SideBet) else phase for phase in _shuffled(rng, done.phases)]
    return replace(done, phases=tuple(phases), variables=_shuffled(rng, done.variables))


def _shuffled(rng: random.Random, items: Sequence[T]) -> tuple[T, ...]:
    return tuple(rng.sample(items, len(items)))


# ----------------------------------------------------------------------------------------------------- numbers


def reranked(spec: GameSpec, rng: random.Random) -> GameSpec:
    """Ranks get other values in the same order; multiples of the old ones if the showdown adds them up."""
    old = spec.deck.ranks
    if any(show.metric == "sum" for show in nodes(spec, Showdown)):
        factor = rng.choice((2, 3, 5))
        values = [factor * rank for rank in old]
    else:
        highest = max(_HIGHEST, old[-1], len(old) + 1)
        values = sorted(rng.sample(range(2, highest + 1), len(old)))
    new = dict(zip(old, values, strict=True))

    def change(node: Any) -> Any:
        ranks = getattr(node, "ranks", None)
        return node if ranks is None else replace(node, ranks=tuple(new[rank] for rank in ranks))

    done: GameSpec = rebuilt(spec, change)
    return done


def scaled(spec: GameSpec, factor: int) -> GameSpec | None:
    """All chips are multiplied by a factor; None if a player may choose an amount, which can be any number of chips."""
    if traits({type(node) for _, node in walk(spec)}) & {"bids", "wagers"}:
        return None

    def change(node: Any) -> Any:
        return replace(node, **{field: factor * getattr(node, field) for field in _chips(node.__class__)})

    done: GameSpec = rebuilt(spec, change)
    return done


def _chips(kind: type[Struct]) -> tuple[str, ...]:
    """The fields of a kind that count chips."""
    return ("chips",) if kind is GameSpec else tuple(field.name for field in FIELDS.get(kind, ()) if field.chips)


def mirrored(spec: GameSpec) -> GameSpec | None:
    """Alice and Bob are exchanged; None if positions are assigned, because Alice is always the first leader."""
    if nodes(spec, Positions):
        return None

    def change(node: Any) -> Any:
        match node:
            case Cell():
                return Cell(node.bob, node.alice, node.steps)
            case Simultaneous():
                return replace(node, alice_options=node.bob_options, bob_options=node.alice_options)
        fields = {field: getattr(node, field) for field in PLAYER_FIELDS.get(node.__class__, ())}
        return replace(node, **{field: _MIRRORED.get(value, value) for field, value in fields.items()})

    done: GameSpec = rebuilt(spec, change)
    return done
