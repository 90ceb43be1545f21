"""No match has more decisions, and no request more bytes, than the dry run's "at most" says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match
from antemill.engine.match import prompt as prompts
from antemill.engine.match.prompt import NOTHING, Briefing
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.llm import Model, Request
from antemill.llm.client import body_of
from antemill.tournament.cards.longest import longest
from antemill.tournament.cards.seats import ModelSeat
from tests.engine.machine.fuzz_specs import fuzzed
from tests.specs import every_construct

MODELS = (
    Model(name="chat", protocol="openai-chat", base_url="http://127.0.0.1:9/v1", structured=True),
    Model(name="claude", protocol="anthropic", structured=True),
    Model(name="wide", protocol="gemini", structured=True, extra_body={"a": "é"}),
)
MATCHES = 6
GAMES: list[Callable[[], GameSpec]] = [
    *NAMED.values(),
    every_construct,
    *(partial(generate, seed, 1.0) for seed in range(2)),
]


def requests(
    game: Game, seed: int, list_moves: bool, wild: float, briefing: Briefing = NOTHING
) -> Iterator[tuple[int, Request]]:
    """The requests of a match in which both seats are asked; wild: how often something illegal is said."""
    rng, match, seat = random.Random(seed), Match(game, seed), ModelSeat("m", game, list_moves, False, briefing)
    while not match.over:
        yield match.seat, seat.request(match, f"{seed}")
        if rng.random() < wild:
            match.apply_random("nothing of the kind")
        else:
            match.apply(match.menu.choice(rng.randrange(len(match.menu))))


@pytest.mark.parametrize("make", [*GAMES, *(partial(fuzzed, seed) for seed in range(8))])
def test_no_match_and_no_request_is_longer_than_the_bound(make: Callable[[], GameSpec]) -> None:
    game = Game(make())
    for list_moves in (True, False):
        bound = longest(game, list_moves)
        most = {model.name: max(len(body_of(model, request)) for request in bound.requests) for model in MODELS}
        for seed in range(MATCHES):
            moves = [0, 0]
            for seat, request in requests(game, seed, list_moves, wild=seed / MATCHES):
                moves[seat] += 1
                for model in MODELS:
                    assert len(body_of(model, request)) <= most[model.name]
            assert moves[0] <= bound.moves[0]
            assert moves[1] <= bound.moves[1]


def test_the_bound_holds_for_mixes_and_for_records_of_earlier_matches() -> None:
    for game in (Game(make()) for make in GAMES[:4]):
        told, earlier = Briefing("It always bets.", mix=True), 3
        bound = longest(game, True, False, told, earlier)
        most = {model.name: max(len(body_of(model, request)) for request in bound.requests) for model in MODELS}
        records: list[str] = []
        for seed in range(6):
            match = Match(game, seed)
            while not match.over:
                match.apply(match.menu.choice(seed % len(match.menu)))
            records.append(prompts.record(match, 0))
            with_records = replace(told, earlier=tuple(records[-earlier:]))
            for _, request in requests(game, seed, True, 0.0, with_records):
                for model in MODELS:
                    assert len(body_of(model, request)) <= most[model.name]


@pytest.mark.parametrize(("name", "moves", "times"), [("kuhn", (2, 1), 1.5), ("leduc", (4, 4), 2.0)])
def test_the_bound_is_near_where_matches_can_be_long(name: str, moves: tuple[int, int], times: float) -> None:
    game = Game(NAMED[name]())
    bound = longest(game, True)
    assert bound.moves == moves
    seen = max(len(body_of(MODELS[0], r)) for seed in range(60) for _, r in requests(game, seed, True, 0.0))
    assert max(len(body_of(MODELS[0], request)) for request in bound.requests) < times * seen
