"""Processes that work on a run and are killed at chosen moments."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

from llm import CallStore


def started(run: Callable[..., object], *arguments: object) -> BaseProcess:
    """A process that runs something, forked from one that has everything loaded (with ANTEMILL_TEST_WARM=1)."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.tournament.cards.tournament_runs"])
    process = context.Process(target=run, args=arguments)
    process.start()
    return process


def lines(path: Path) -> list[str]:
    """The words of a log."""
    return path.read_text().split() if path.exists() else []


def kill_after(process: BaseProcess, log: Path, calls: int, pause: float) -> bool:
    """Kill (SIGKILL) a moment after the log has so many lines; False if the process has ended by itself."""
    deadline = time.monotonic() + 60
    while len(lines(log)) < calls and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(pause)
    alive = process.is_alive()
    process.kill()
    process.join()
    return alive


def stored(out: Path) -> set[str]:
    """The samples of all calls that are answered on record."""
    if not (out / "calls.sqlite").exists():
        return set()
    try:
        with CallStore(out / "calls.sqlite") as calls:
            return {call.sample for call in calls.calls() if call.status == "ok"}
    except sqlite3.Error:
        return set()
