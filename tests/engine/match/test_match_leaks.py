"""Nothing hidden reaches a player (G36): whatever the opponent's cards, the deck and the opponent's secret choices are,
as long as the seat was told the same, its prompt, its view and its perfect-recall key are the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match, prompt
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from tests.engine.match.worlds import World, other_world, random_world
from tests.specs import every_construct

Render = Callable[[Match], object]


def what_the_player_gets(match: Match) -> object:
    """All that leaves the engine for a player."""
    seen = match.view(match.seat)
    prompts = prompt.turn(match), prompt.turn(match, moves=False)
    return prompts, match.keys(), seen.rows, seen.hand, seen.board, match.numbers, match.menu


def hidden(match: Match) -> object:
    """All that the seat to move cannot see, whether or not it can infer it."""
    piles = match.piles()
    return sorted(piles.hands[1 - match.seat]), sorted(piles.deck), sorted(piles.discards)


def opponents_choices(world: World, seat: int) -> list[int]:
    return [index for who, index in world.choices if who != seat]


def differences(spec: GameSpec, matches: int, seed: int, render: Render = what_the_player_gets) -> tuple[int, int]:
    """(decisions with another world behind the same view, how many of them the rendering tells apart)."""
    game, rng = Game(spec), random.Random(seed)
    states = leaks = 0
    for _ in range(matches):
        world = random_world(game, rng)
        for ply, (seat, _) in enumerate(world.choices):
            here = World(world.outcomes, world.choices[:ply])
            match = here.match(game)
            own = [index for who, index in here.choices if who == seat]
            other = other_world(game.program, match, own, rng)
            if other is None:
                continue
            twin = other.match(game)
            if hidden(twin) != hidden(match) or opponents_choices(other, seat) != opponents_choices(here, seat):
                states += 1
                leaks += render(twin) != render(match)
    return states, leaks


@pytest.mark.parametrize("name", sorted(NAMED))
def test_named_games(name: str) -> None:
    states, leaks = differences(NAMED[name](), 60, 1)
    assert states > 50
    assert leaks == 0


def test_a_game_with_every_construct() -> None:
    states, leaks = differences(every_construct(), 12, 2)
    assert states > 60
    assert leaks == 0


@pytest.mark.parametrize(
    "block", [*range(2), *(pytest.param(more, marks=pytest.mark.extended) for more in range(2, 5))]
)
def test_generated_games(block: int) -> None:
    states = 0
    for i in range(block * 20, block * 20 + 20):
        found, leaks = differences(generate(i, None if i % 2 else (i % 101) / 100), 4, i)
        assert leaks == 0
        states += found
    assert states > 100
