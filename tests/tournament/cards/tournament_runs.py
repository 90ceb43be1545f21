"""Small tournaments for tests: configurations, scripted models, and one that runs in a process that may be killed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from antemill.engine.match import Game, Match
from antemill.engine.rules.named import kuhn
from antemill.llm import Request, Script
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cards.rows import slots_table
from antemill.tournament.players import make_bot, play
from antemill.tournament.runs import Record, RunStore, start_run
from tests.tournament.runs.killing import written

BOTS = """
[players.rnd]
bot = "random"
[players.l1]
bot = "l1"
"""

MODELS = """
[{name}]
protocol = "scripted"
timeout = {seconds}
deadline = {seconds}
prices = {{ input = 1.0, output = 10.0 }}
"""


def write_cup(
    folder: Path, table: str = 'games = ["kuhn"]', players: str = BOTS, rest: str = "", seconds: float = 5.0
) -> Path:
    """A configuration, with the models that it names as scripted ones, which are waited for so many seconds."""
    path = folder / "cup.toml"
    path.write_text(f"[tournament]\n{table}\n{players}\n{rest}\n")
    names = [line.split('"')[1] for line in players.splitlines() if line.startswith("model")]
    (folder / "models.toml").write_text("".join(MODELS.format(name=name, seconds=seconds) for name in names))
    return path


def run_cup(config: Path, out: Path, scripts: Mapping[str, Script] | None = None) -> list[Record]:
    """Run it to its end; the records."""
    with start_run(TOURNAMENT, config, out) as session:
        session.run(quiet=True, scripts=scripts)
    return records_of(out)


def records_of(out: Path) -> list[Record]:
    """All items of a run."""
    store = RunStore(out / "run.sqlite", read_only=True)
    try:
        return store.records()
    finally:
        store.close()


def unplay(out: Path, keep: int = 0) -> None:
    """A run as one that was killed after its first matches: what came after them is still planned."""
    database = sqlite3.connect(out / "run.sqlite")
    with database:
        database.execute(
            "UPDATE items SET status = 'planned', row = '{}', transcript = NULL, attempts = 0 WHERE position >= ?",
            (keep,),
        )
    database.close()


def options_of(request: Request) -> list[str]:
    """The legal actions that a prompt lists."""
    text = request.messages[1].text  # also where it is asked once more
    line = next(line for line in text.splitlines() if line.startswith("- Legal actions: "))
    return [part.strip('"') for part in line.removeprefix("- Legal actions: ").split(", ")]


def number_of(*parts: str) -> int:
    """A fixed number from texts."""
    return int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest()[:4])


def thoughtful(request: Request) -> str:
    """A deterministic model: mostly a legal action, sometimes another reply."""
    number, options = number_of(request.sample, request.messages[1].text), options_of(request)
    replies = ["I pass.", '{"action": "nothing"}', ""]
    if number % 10 < len(replies):
        return replies[number % 10]
    return f'{{"action": "{options[number // 10 % len(options)]}"}}'


def obedient(request: Request) -> str:
    """A deterministic model that always plays the first option."""
    return f'{{"action": "{options_of(request)[0]}"}}'


# ------------------------------------------------------------------------------------------------ killed processes

LONG_CUP = 'games = ["kuhn", "leduc"]\nmatches_per_seat = 8\nseed = 4'
LONG_PLAYERS = """
[players.one]
model = "one"
[players.two]
model = "two"
[players.mine]
script = "mine.py:Mine"
[players.rnd]
bot = "random"
"""
MINE = """
class Mine:
    name = "mine"

    def __init__(self, game):
        pass

    def choose(self, observation):
        return observation.menu.choice(len(observation.menu) - 1)
"""


def write_long_cup(folder: Path) -> Path:
    """A tournament of some hundreds of calls, none of which is given up while it is held."""
    (folder / "mine.py").write_text(MINE)
    return write_cup(folder, LONG_CUP, LONG_PLAYERS, "[limits]\nin_flight = 8", seconds=600.0)


def logged(log: Path, seconds: float) -> Script:
    """`thoughtful`, with a delay, and with a line in a file for every call before it is answered; calls may be held."""

    async def model(request: Request) -> str:
        await written(log, request)
        await asyncio.sleep(seconds * (number_of(request.sample) % 100) / 50)
        return thoughtful(request)

    return model


def run_logged(config: Path, out: Path, log: Path, seconds: float) -> None:
    """A tournament to be killed: run in a process of its own."""
    model = logged(log, seconds)
    with start_run(TOURNAMENT, config, out) as session:
        session.run(quiet=True, scripts={"one": model, "two": model})
    os._exit(0)


def table_of(out: Path) -> pa.Table:
    """slots.parquet's content."""
    return slots_table(records_of(out))


def warm_up() -> None:
    """Load what a match needs, so that a process forked from this one begins at once."""
    game = Game(kuhn())
    play(Match(game, 0), make_bot("random", game), make_bot("random", game))


if os.environ.get("ANTEMILL_TEST_WARM") == "1":
    warm_up()
