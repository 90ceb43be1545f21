"""Overhead of a tournament: decisions per second end to end, when the model's server answers at once.

The server is a process of its own. 64 matches are in flight; every decision is a prompt, an HTTP request, a recorded
call; every match a transaction.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benches.bench_engine import Benchmark
from llm import CallStore
from tournament.cards import TOURNAMENT
from tournament.runs import start_run

GAMES = ("kuhn", "appendix-b", "7@0.5")
IN_FLIGHT = 64
CONFIG = """
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
MODEL = """
[{name}]
protocol = "openai-chat"
base_url = "http://127.0.0.1:{port}/v1"
concurrency = {in_flight}
"""


@contextmanager
def answering_server() -> Iterator[int]:
    """The port of a server in its own process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benches.answering_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def decisions_per_second(folder: Path, game: str, matches: int) -> float:
    """Play a tournament of two models; calls answered per second of the run."""
    with answering_server() as port:
        models = [MODEL.format(name=name, port=port, in_flight=IN_FLIGHT) for name in ("one", "two")]
        (folder / "models.toml").write_text("".join(models))
        config = folder / "cup.toml"
        config.write_text(CONFIG.format(game=game, matches=matches, in_flight=IN_FLIGHT))
        with start_run(TOURNAMENT, config, folder / "run") as session:
            start = time.perf_counter()
            session.run(quiet=True)
            seconds = time.perf_counter() - start
    with CallStore(folder / "run" / "calls.sqlite") as calls:
        return sum(1 for _ in calls.calls()) / seconds


@pytest.mark.parametrize("game", GAMES)
def bench_decisions(benchmark: Benchmark, tmp_path: Path, game: str) -> None:
    found: list[float] = []

    def once() -> None:
        folder = tmp_path / str(len(found))
        folder.mkdir()
        found.append(decisions_per_second(folder, game, 200))

    benchmark.pedantic(once, rounds=3, warmup_rounds=1)
    benchmark.extra_info["decisions_per_second"] = sorted(found)[len(found) // 2]
