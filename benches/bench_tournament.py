"""The tournament: matches through the Python loop, runs on disk, ratings of 38,000 matches, pools."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from fractions import Fraction
from functools import cache, partial
from itertools import count
from typing import Any

import numpy as np
import pytest

from antemill.axes.select import farthest_points
from antemill.axes.table import AXES
from antemill.engine.builder.generate import builder_hash, default_complexity, generate
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED
from antemill.engine.storage.store import CANDIDATES, GAMES, decode, encode, write
from antemill.llm import CallStore
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.pipeline import run_pipeline
from antemill.tournament.players import Choice, Observation, Player, make_bot, play
from antemill.tournament.pool.candidates import judged, table_of
from antemill.tournament.runs import start_run
from antemill.tournament.runs.records import Item, Played
from antemill.tournament.runs.session import Session
from antemill.tournament.runs.store import META, RunStore
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import SlotTable, from_codes
from antemill.tournament.statistics.next_match import Matchup, next_matchups
from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.strength import game_strengths
from antemill.tournament.statistics.trueskill import RULES, rate_questions
from benches.timing import Bench, Piece
from tests.llm.instant import instant_server

_SEEDS = 12_351  # the paper's candidates
_DRAWN = "7@0.5"  # The gate rejects it. Its speed is compared from release to release, so it stays.
_IN_FLIGHT = 64
_MODEL_COUNT, _GAME_COUNT, _PAIRS_A_GAME, _RUNS = 9, 50, 19, 20  # of the paper's size

# ------------------------------------------------------------------------------------------ matches


def _game(name: str) -> Game:
    if name in NAMED:
        return Game(NAMED[name]())
    seed, complexity = name.split("@")
    return Game(generate(int(seed), float(complexity)))


@pytest.mark.parametrize("pair", [("random", "random"), ("passive", "aggressive"), ("l1", "mixed")], ids="-".join)
@pytest.mark.parametrize("name", [*NAMED, _DRAWN])
def bench_matches(bench: Bench, name: str, pair: tuple[str, str]) -> None:
    """Bots, without logs."""
    game, matches = _game(name), bench.size(400, 2)
    alice, bob = (make_bot(bot, game) for bot in pair)
    piece = Piece(lambda: [play(Match(game, seed, log=False), alice, bob) for seed in range(matches)], matches)
    bench(f"matches-{name}-{'-'.join(pair)}", "matches/s", [piece])


class _Reader:
    """Reads the whole prompt before every choice, as a model would."""

    name = "reader"

    def __init__(self, player: Player) -> None:
        self._player = player
        self.prompts = 0

    def choose(self, observation: Observation) -> Choice:
        observation.prompt()
        self.prompts += 1
        return self._player.choose(observation)


@pytest.mark.parametrize("name", [*NAMED, _DRAWN])
def bench_prompts(bench: Bench, name: str) -> None:
    game, matches = _game(name), bench.size(100, 2)
    reader = _Reader(make_bot("random", game))

    def read() -> None:
        for seed in range(matches):
            play(Match(game, seed, log=True), reader, reader)

    read()
    bench(f"prompts-{name}", "prompts/s", [Piece(read, reader.prompts)])


@pytest.mark.parametrize("game", ["kuhn", "appendix-b"])
def bench_http(bench: Bench, game: str) -> None:
    """A tournament of two models: each decision a prompt, a request, a recorded call; each match a transaction."""
    url = bench.stack.enter_context(instant_server())
    entry = f'protocol = "openai-chat"\nbase_url = "{url}"\nconcurrency = {_IN_FLIGHT}\n'
    (bench.folder / "models.toml").write_text("".join(f"[{name}]\n{entry}" for name in ("one", "two")))
    config = bench.folder / "cup.toml"
    config.write_text(
        f'[tournament]\ngames = ["{game}"]\nmatches_per_seat = {bench.size(200, 2)}\n[limits]\nin_flight = '
        f'{_IN_FLIGHT}\n[players.one]\nmodel = "one"\n[players.two]\nmodel = "two"\n'
    )
    numbers, current = count(), bench.stack.enter_context(ExitStack())
    sessions: list[Session[Any]] = []

    def begin() -> None:
        current.close()
        sessions.append(current.enter_context(start_run(TOURNAMENT, config, bench.folder / str(next(numbers)))))

    begin()
    sessions[-1].run(quiet=True)
    current.close()
    with CallStore(bench.folder / "0" / "calls.sqlite") as calls:
        decisions = sum(1 for _ in calls.calls())
    piece = Piece(lambda: sessions[-1].run(quiet=True), decisions, begin)
    bench(f"http-{game}", "decisions/s", [piece], 3, warm=False)


def bench_records(bench: Bench) -> None:
    """Finished items put into a run's database, a transaction each."""
    items = [Item(f"item {number}", {"seed": number}) for number in range(bench.size(500, 5))]
    played = Played({"margin": 1.0, "moves_alice": 3}, ["a line of a transcript"] * 40)
    numbers, current = count(), bench.stack.enter_context(ExitStack())
    stores: list[RunStore] = []

    def begin() -> None:
        current.close()
        stores.append(current.enter_context(RunStore(bench.folder / f"{next(numbers)}.sqlite")))
        stores[-1].create(dict.fromkeys(META, ""), {})
        stores[-1].plan(items, 0, len(items))

    def finish() -> None:
        for item in items:
            stores[-1].finish(item.key, played, 0.0, 0.1, 1.0)

    bench("records", "matches/s", [Piece(finish, len(items), begin)])


# ------------------------------------------------------------------------------------------ ratings


@cache
def _tournament() -> SlotTable:
    """A rotating half of all pairs on every game, 20 runs of two matches each."""
    random = np.random.default_rng(1)
    low, high = np.triu_indices(_MODEL_COUNT, 1)
    pair = np.concatenate([random.permutation(len(low))[:_PAIRS_A_GAME] for _ in range(_GAME_COUNT)])
    game = np.repeat(np.arange(_GAME_COUNT), _PAIRS_A_GAME * _RUNS)
    pair, run = np.repeat(pair, _RUNS), np.tile(np.arange(_RUNS), _GAME_COUNT * _PAIRS_A_GAME)
    strengths = np.linspace(1.0, -1.0, _MODEL_COUNT)
    gap = strengths[low[pair]] - strengths[high[pair]]
    margin = np.concatenate((gap + random.normal(0.0, 3.0, len(gap)), -gap + random.normal(0.0, 3.0, len(gap))))
    seats = (np.concatenate((low[pair], high[pair])), np.concatenate((high[pair], low[pair])))
    names = (tuple(f"m{k}" for k in range(_MODEL_COUNT)), tuple(f"g{k:02d}" for k in range(_GAME_COUNT)))
    return from_codes(*names, np.tile(game, 2), np.tile(run, 2), *seats, margin.round())


_ANALYSES: dict[str, tuple[int, Callable[[SlotTable, int], object]]] = {  # by name: how many resamples of what
    "leaderboard": (1, lambda table, _: leaderboard(table)),
    "game-strengths": (500, lambda table, resamples: game_strengths(cluster_bootstrap(table, resamples))),
    "elo": (1, lambda table, _: rate(table, RatingOptions("elo"))),
}


@pytest.mark.parametrize("name", _ANALYSES)
def bench_analysis(bench: Bench, name: str) -> None:
    resamples, analyse = _ANALYSES[name]
    bench(name, "ms", [Piece(partial(analyse, _tournament(), bench.size(resamples, 10)))], 5)


def bench_trueskill(bench: Bench) -> None:
    """SKATE: shares of right answers of nine models, 36 updates a question."""
    shares = np.random.default_rng(1).integers(0, 21, (bench.size(100, 2), _MODEL_COUNT))
    questions = [[Fraction(int(share), 20) for share in row] for row in shares]
    piece = Piece(lambda: rate_questions(questions, _MODEL_COUNT, RULES["relative"]), len(questions))
    bench("trueskill", "questions/s", [piece])


def bench_next_matchups(bench: Bench) -> None:
    """The next 40 of 1,800 matches, adaptive."""
    table = _tournament()
    names = [(a, b) for k, a in enumerate(table.models) for b in table.models[k + 1 :]]
    candidates = [Matchup(game, a, b) for game in table.games for a, b in names]
    bench("next-matchups", "ms", [Piece(lambda: next_matchups(table, candidates, np.ones(len(candidates)), 40))], 5)


# ------------------------------------------------------------------------------------------ pools


def bench_candidates(bench: Bench) -> None:
    """A pool's candidates on one processor, from their seeds to the rows that are kept of them."""
    seeds = [(seed, default_complexity(seed)) for seed in range(bench.size(512, 5))]
    bench("candidate", "ms", [Piece(lambda: table_of(judged(seeds)), len(seeds))])


def bench_select(bench: Bench) -> None:
    """Fifty of 2,357 games."""
    points = np.random.default_rng(1).random((bench.size(2_357, 60), len(AXES)))
    bench("select", "ms", [Piece(lambda: farthest_points(points, 50))])


def bench_store(bench: Bench) -> None:
    """A pool's two files of some seeds, each complete or absent."""
    candidates = table_of(judged([(seed, default_complexity(seed)) for seed in range(bench.size(500, 5))]))
    games = candidates.filter(candidates["accepted"])

    def store() -> None:
        write(bench.folder / "games.parquet", GAMES, games, builder_hash())
        write(bench.folder / "candidates.parquet", CANDIDATES, candidates, builder_hash())

    bench("store", "candidates/s", [Piece(store, candidates.num_rows)])


def bench_cell(bench: Bench) -> None:
    """The two files of a cell of a pool, there and back."""
    candidates = table_of(judged([(seed, default_complexity(seed)) for seed in range(bench.size(128, 5))]))

    def there_and_back() -> None:
        decode(encode(CANDIDATES, candidates, builder_hash()), CANDIDATES, "the cell")
        decode(encode(GAMES, candidates.filter(candidates["accepted"]), builder_hash()), GAMES, "the cell")

    bench("cell", "candidates/s", [Piece(there_and_back, candidates.num_rows)])


def bench_run(bench: Bench) -> None:
    """`antemill run` with two workers; a small run has warmed kernels and workers."""
    numbers = count()

    def run(seeds: int) -> None:
        run_pipeline(bench.folder / str(next(numbers)), (0, seeds), 50, 2, quiet=True)

    small = bench.size(200, 20)
    run(small)
    bench("run", "s", [Piece(lambda: run(bench.size(_SEEDS, small)))], 3, warm=False)
