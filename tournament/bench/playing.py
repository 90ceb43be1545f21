"""Matches through the Python loop, on one core: bots without logs, full prompts, models over HTTP; runs on disk."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED
from antemill.llm import CallStore
from antemill.tournament.bench.measure import Measurement, Setting, Work
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.players import Choice, Observation, Player, make_bot, play
from antemill.tournament.runs import start_run
from antemill.tournament.runs.interrupts import run_async
from antemill.tournament.runs.kind import Item, Played
from antemill.tournament.runs.session import Session
from antemill.tournament.runs.store import META, RunStore

# The gate rejects: 7@0.5. Its speed is compared from release to release, so it stays.
_GAMES = {"kuhn": "Kuhn poker", "leduc": "a Leduc game", "appendix-b": "the paper's sample game", "7@0.5": "7@0.5"}
_PAIRS = (("random", "random"), ("passive", "aggressive"), ("l1", "mixed"))
_IN_FLIGHT = 64
_CONFIG = """
[tournament]
games = ["{game}"]
matches_per_seat = {matches}
[players.one]
model = "one"
[players.two]
model = "two"
[limits]
in_flight = {in_flight}
"""
_MODEL = """
[{name}]
protocol = "openai-chat"
base_url = "http://127.0.0.1:{port}/v1"
concurrency = {in_flight}
"""


def _game(name: str) -> Game:
    if name in NAMED:
        return Game(NAMED[name]())
    seed, complexity = name.split("@")
    return Game(generate(int(seed), float(complexity)))


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


def _bots(name: str, pair: tuple[str, str], setting: Setting) -> Sequence[Work]:
    game, matches = _game(name), setting.size(400, 2)
    alice, bob = (make_bot(bot, game) for bot in pair)
    return [Work(lambda: [play(Match(game, seed, log=False), alice, bob) for seed in range(matches)], matches)]


def _prompts(name: str, setting: Setting) -> Sequence[Work]:
    game, matches = _game(name), setting.size(100, 2)
    reader = _Reader(make_bot("random", game))

    def read() -> None:
        for seed in range(matches):
            play(Match(game, seed, log=True), reader, reader)

    read()
    return [Work(read, reader.prompts)]


@contextmanager
def answering_server() -> Iterator[int]:
    """The port of a server in its own process that answers chat completions at once."""
    process = subprocess.Popen(
        [sys.executable, "-m", "antemill.tournament.bench.answering_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def _over_http(game: str, setting: Setting) -> Sequence[Work]:
    """A tournament of two models, each decision a prompt, a request, a recorded call; each match a transaction."""
    folder = Path(setting.stack.enter_context(tempfile.TemporaryDirectory()))
    port = setting.stack.enter_context(answering_server())
    models = [_MODEL.format(name=name, port=port, in_flight=_IN_FLIGHT) for name in ("one", "two")]
    (folder / "models.toml").write_text("".join(models))
    config = folder / "cup.toml"
    config.write_text(_CONFIG.format(game=game, matches=setting.size(200, 2), in_flight=_IN_FLIGHT))
    numbers, current = count(), setting.stack.enter_context(ExitStack())
    sessions: list[Session[Any]] = []

    def begin() -> None:
        current.close()
        sessions.append(current.enter_context(start_run(TOURNAMENT, config, folder / str(next(numbers)))))

    begin()
    sessions[-1].run(quiet=True)
    current.close()
    with CallStore(folder / "0" / "calls.sqlite") as calls:
        decisions = sum(1 for _ in calls.calls())
    return [Work(lambda: sessions[-1].run(quiet=True), decisions, begin)]


def _records(setting: Setting) -> Sequence[Work]:
    """Finished items put into a run's database, a transaction each."""
    folder = Path(setting.stack.enter_context(tempfile.TemporaryDirectory()))
    items = [Item(f"item {number}", {"seed": number}) for number in range(setting.size(500, 5))]
    played = Played({"margin": 1.0, "moves_alice": 3}, ["a line of a transcript"] * 40)
    numbers, current = count(), setting.stack.enter_context(ExitStack())
    stores: list[RunStore] = []

    def begin() -> None:
        current.close()
        stores.append(current.enter_context(RunStore(folder / f"{next(numbers)}.sqlite")))
        stores[-1].create(dict.fromkeys(META, ""), {})
        run_async(stores[-1].plan(items, 0, len(items)))

    async def finish() -> None:
        for item in items:
            await stores[-1].finish(item.key, played, 0.0, 0.1, 1.0)

    return [Work(lambda: run_async(finish()), len(items), begin)]


MEASUREMENTS = (
    *(
        Measurement(
            f"matches-{name}-{'-'.join(pair)}",
            "matches",
            f"matches by bots, {' against '.join(pair)}: {words}",
            "matches/s",
            partial(_bots, name, pair),
        )
        for name, words in _GAMES.items()
        for pair in _PAIRS
    ),
    *(
        Measurement(f"prompts-{name}", "matches", f"full prompts: {words}", "prompts/s", partial(_prompts, name))
        for name, words in _GAMES.items()
    ),
    *(
        Measurement(
            f"http-{name}",
            "matches",
            f"decisions of models over HTTP, 64 matches in flight: {_GAMES[name]}",
            "decisions/s",
            partial(_over_http, name),
            repeats=3,
            warm=False,
        )
        for name in ("kuhn", "appendix-b")
    ),
    Measurement("records", "storage", "finished matches recorded, a transaction each", "matches/s", _records),
)
