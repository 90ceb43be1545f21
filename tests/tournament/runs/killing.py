"""Processes that work on a run and are killed at chosen moments."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sqlite3
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

from antemill.llm import CallStore, Request


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


def hold(log: Path, line: float) -> None:
    """Let the calls of a run wait from this line of its log on: for ever, or until a later line is set."""
    new = log.with_suffix(".new")
    new.write_text(f"{line}")
    os.replace(new, log.with_suffix(".held"))  # it may be read meanwhile


async def written(log: Path, request: Request) -> None:
    """Write a line for a call, and wait as long as the call is held. In a process that is alone with the log."""
    with open(log, "ab", buffering=0) as file:
        file.write(f"{word(request.sample, len(request.messages))}\n".encode())
    line, end = len(lines(log)), time.monotonic() + 300
    while line >= float(log.with_suffix(".held").read_text()):
        assert time.monotonic() < end, "the test that holds the call has failed"
        await asyncio.sleep(0.01)


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


def word(sample: str, messages: int) -> str:
    """The word for a call: its sample, and how many messages it has, for a second question has more than the first."""
    return f"{sample}#{messages}"


def stored(out: Path) -> set[str]:
    """The words of all calls that are answered on record."""
    if not (out / "calls.sqlite").exists():
        return set()
    try:
        with CallStore(out / "calls.sqlite") as calls:
            found = [call for call in calls.calls() if call.status == "ok"]
            return {word(call.sample, len(json.loads(call.request)["messages"])) for call in found}
    except sqlite3.Error:
        return set()
