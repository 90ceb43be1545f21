"""Speed of matches on one core through the Python loop: bots without logs, and with full prompts."""

from __future__ import annotations

from functools import cache

import pytest

from benches.bench_engine import Benchmark
from engine.builder.generate import generate
from engine.match import Game, Match
from engine.rules.named import NAMED
from tournament.players import Choice, Observation, Player, make_bot, play

GAMES = ("kuhn", "leduc", "appendix-b", "7@0.5", "8@0.5", "9@0.5")
PAIRS = (("random", "random"), ("passive", "aggressive"), ("l1", "mixed"))
MATCHES = 400


@cache
def _game(name: str) -> Game:
    if name in NAMED:
        return Game(NAMED[name]())
    seed, complexity = name.split("@")
    return Game(generate(int(seed), float(complexity)))


class Reader:
    """Reads the whole prompt before every choice, as a model would."""

    name = "reader"

    def __init__(self, player: Player) -> None:
        self._player = player

    def choose(self, observation: Observation) -> Choice:
        observation.prompt()
        return self._player.choose(observation)


def _matches(benchmark: Benchmark, game: Game, alice: Player, bob: Player, matches: int, log: bool) -> None:
    def all_matches() -> None:
        for seed in range(matches):
            play(Match(game, seed, log=log), alice, bob)

    benchmark.pedantic(all_matches, rounds=5, warmup_rounds=1)
    benchmark.extra_info["matches_per_second"] = matches / benchmark.stats.stats.median


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", GAMES)
def bench_bots(benchmark: Benchmark, name: str, pair: tuple[str, str]) -> None:
    game = _game(name)
    _matches(benchmark, game, make_bot(pair[0], game), make_bot(pair[1], game), MATCHES, log=False)


@pytest.mark.parametrize("name", GAMES)
def bench_prompts(benchmark: Benchmark, name: str) -> None:
    game = _game(name)
    reader = Reader(make_bot("random", game))
    _matches(benchmark, game, reader, reader, MATCHES // 4, log=True)
