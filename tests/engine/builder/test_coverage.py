"""That the generator draws all that the rules have, and legally (G3, G16 to G22, G34)."""

from __future__ import annotations

from typing import get_args

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.rules.spec import (
    BettingLoop,
    Condition,
    FixedBetting,
    GameSpec,
    Phase,
    Step,
)
from antemill.engine.rules.walk import walk
from tests.specs import BY_HAND


@pytest.fixture(scope="module")
def games() -> list[GameSpec]:
    return [generate(seed) for seed in range(4_000)]


def test_every_construct_occurs(games: list[GameSpec]) -> None:
    seen = {type(node) for game in games for _, node in walk(game)}
    assert set(get_args(Phase | Step | Condition)) == seen | BY_HAND


def test_every_choice_of_a_field_occurs(games: list[GameSpec]) -> None:
    """Visibilities, criteria, signals, metrics, comparisons, ...: everything that a Literal field allows."""
    seen: dict[tuple[str, str], set[object]] = {}
    for game in games:
        for _, node in walk(game):
            for field in node.__struct_fields__:
                value = getattr(node, field)
                if isinstance(value, str | bool):
                    seen.setdefault((type(node).__name__, field), set()).add(value)
    possible = {
        ("Observation", "subject"): 3,
        ("Observation", "signal"): 4,
        ("Observation", "visibility"): 3,
        ("Observation", "trigger_public"): 2,
        ("Positions", "criterion"): 6,
        ("Showdown", "metric"): 5,
        ("Showdown", "board"): 2,
        ("Peek", "visibility"): 3,
        ("Draw", "visibility"): 3,
        ("Discard", "which"): 3,
        ("Discard", "face_up"): 2,
        ("Reveal", "which"): 3,
        ("If", "public"): 2,
        ("PotIs", "op"): 5,
        ("ChipsAre", "op"): 5,
        ("ActionRound", "public"): 2,
        ("ActionRound", "player"): 4,
        ("FixedBetting", "opener"): 4,
        ("Shuffle", "discard_pile"): 2,
    }
    assert {key: len(seen[key]) for key in possible} == possible


def test_structures_differ(games: list[GameSpec]) -> None:
    """The phase graph is drawn, not its parameters alone: main sequences, and whole graphs, by kinds of phases."""
    shapes = {tuple(type(game.phase(name)).__name__ for name in game.sequence) for game in games}
    assert len(shapes) > 700
    graphs = {tuple(type(phase).__name__ for phase in game.phases) for game in games}
    assert len(graphs) > len(games) / 2
    kinds = {kind for game in games for kind in map(type, game.phases)}
    without = sum(not any(isinstance(phase, FixedBetting | BettingLoop) for phase in game.phases) for game in games)
    assert without > 100
    assert kinds == set(get_args(Phase)) - BY_HAND


def test_decks_from_three_cards_to_forty(games: list[GameSpec]) -> None:
    """G3."""
    sizes = [len(game.deck.ranks) * len(game.deck.suits) for game in games]
    assert min(sizes) == 3
    assert max(sizes) >= 40
    assert {len(game.deck.suits) for game in games} == {1, 2, 3, 4}
