"""Nothing hidden reaches a player (G36): whatever the opponent's cards, the deck and the opponent's secret choices are,
as long as the seat was told the same, its prompt, its view and its perfect-recall key are the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match, prompt, view
from antemill.engine.match.wording import Seen
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
    states, leaks = differences(NAMED[name](), 150, 1)
    assert states > 150
    assert leaks == 0


def test_a_game_with_every_construct() -> None:
    states, leaks = differences(every_construct(), 30, 2)
    assert states > 150
    assert leaks == 0


@pytest.mark.parametrize("block", range(10))
def test_generated_games(block: int) -> None:
    states = 0
    for i in range(block * 20, block * 20 + 20):
        found, leaks = differences(generate(i, None if i % 2 else (i % 101) / 100), 4, i)
        assert leaks == 0
        states += found
    assert states > 150


# ------------------------------------------------------------------------------------------ renderers that do leak


def leaks_cards(match: Match) -> object:
    return prompt.turn(match), match.piles().hands[1 - match.seat]


def leaks_choices(match: Match) -> object:
    return prompt.turn(match), [record.choice for record in match.transcript().decisions]


def leaks_deck(match: Match) -> object:
    return prompt.turn(match), sorted(match.piles().deck)


def is_caught(seed: int, render: Render) -> bool:
    """Whether a leak shows within twenty matches."""
    return any(differences(every_construct(), 1, seed + match, render)[1] for match in range(20))


@pytest.mark.parametrize("render", [leaks_cards, leaks_choices, leaks_deck])
def test_a_renderer_that_leaks_is_caught(render: Render) -> None:
    assert is_caught(3, render)


def shows_all_content(row: list[int], seat: int) -> Seen | None:
    kind, actor, x, y, z, content, told, _ = row
    return Seen(kind, actor, x, y, z, content, told) if told >> seat & 1 else None


def tells_everything(row: list[int], seat: int) -> Seen | None:
    kind, actor, x, y, z, content, told, shown = row
    return Seen(kind, actor, x, y, z, content if shown >> seat & 1 else None, told)


@pytest.mark.parametrize("filter_rows", [shows_all_content, tells_everything])
def test_a_view_that_ignores_a_mask_is_caught(
    filter_rows: Callable[[list[int], int], Seen | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "seen_by", filter_rows)
    assert is_caught(4, prompt.turn)
