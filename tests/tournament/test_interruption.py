"""Signals: wherever one comes, the work is ended in order and the exit code is the signal's."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from antemill.tournament import interruption
from antemill.tournament.interruption import Interruption, interrupt
from antemill.tournament.runs.interrupts import run_async
from tests.imports import ROOT

CONFIG = '[tournament]\ngames = ["kuhn"]\n[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n'
MODELS = '[m]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:{port}/v1"\n'


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_work_and_does_not_break_into_it(number: signal.Signals) -> None:
    before, seen = signal.getsignal(number), []

    async def step(sends: bool) -> None:
        try:
            if sends:
                signal.raise_signal(number)
                seen.append("went on to its next await")
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0)
            seen.append("closed")

    async def work() -> None:
        await asyncio.gather(step(True), step(False))

    with pytest.raises(Interruption) as caught:
        run_async(work())
    assert caught.value.args == (number,)
    assert seen == ["went on to its next await", "closed", "closed"]
    assert signal.getsignal(number) is before


@pytest.fixture(autouse=True)
def nothing_before() -> None:
    interruption.forget()


@pytest.mark.parametrize("same", [0.0, 3600.0])
def test_a_signal_while_the_loop_is_closed_is_noted_and_a_second_one_ends_it(
    same: float, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(interruption, "SAME", same)

    async def forgotten(times: int) -> None:
        try:
            await asyncio.sleep(30)
        finally:  # when the loop is closed, after the work
            for _ in range(times):
                signal.raise_signal(signal.SIGTERM)
            ended.append(times)

    async def work(times: int) -> None:
        tasks.append(asyncio.create_task(forgotten(times)))
        await asyncio.sleep(0)

    tasks: list[asyncio.Task[None]] = []
    ended: list[int] = []
    with pytest.raises(Interruption) as caught:
        run_async(work(1))
    assert caught.value.args == (signal.SIGTERM,)
    assert tasks[0].cancelled()
    with pytest.raises(Interruption):
        run_async(work(2))
    assert ended == ([1] if same == 0.0 else [1, 2])  # one that only repeats the first cuts nothing
    assert not caplog.records


def test_a_signal_while_the_loop_begins_cancels_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("closed")

    def later(main: Coroutine[Any, Any, None]) -> None:
        signal.raise_signal(signal.SIGTERM)
        begun(main)

    begun = asyncio.run
    monkeypatch.setattr(asyncio, "run", later)
    with pytest.raises(Interruption) as caught:
        run_async(work())
    assert caught.value.args == (signal.SIGTERM,)
    assert ended == ["closed"]


def test_a_cancellation_that_nobody_asked_for_stays_one() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_async(work())


def test_nobody_runs_a_loop_that_a_signal_could_break() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tournament").rglob("*.py")
        if re.search(r"\basyncio\.(run|Runner)\(", path.read_text())
    }
    assert found == {"tournament/runs/interrupts.py"}


def test_an_interruption_inside_of_executed_text_ends_python_by_its_exit_code() -> None:
    program = (
        "import signal, sys\n"
        "from antemill.tournament.interruption import interrupt\n"
        "signal.signal(signal.SIGINT, interrupt)\n"
        "try:\n    exec('signal.raise_signal(signal.SIGINT)')\nexcept KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 130
    with pytest.raises(Interruption):
        interrupt(signal.SIGINT, None)


def test_a_signal_that_repeats_the_one_before_is_no_other() -> None:
    with pytest.raises(Interruption):
        interrupt(signal.SIGINT, None)
    interrupt(signal.SIGTERM, None)
    interruption.forget()
    with pytest.raises(Interruption):
        interrupt(signal.SIGTERM, None)


@pytest.mark.parametrize("signals", [1, 2])
def test_an_interruption_amid_an_import_comes_after_it_and_a_second_one_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signals: int
) -> None:
    name = f"interrupted_{signals}"
    send = "signal.raise_signal(signal.SIGINT)\n" * signals
    (tmp_path / f"{name}.py").write_text(
        f"import signal, time\nBEGUN.append(1)\n{send}time.sleep(0.2)\nBEGUN.append(2)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    begun: list[int] = []
    monkeypatch.setattr("builtins.BEGUN", begun, raising=False)
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with pytest.raises(Interruption):
            _import_and_wait(name)
    finally:
        signal.signal(signal.SIGINT, before)
    assert begun == ([1, 2] if signals == 1 else [1])


def _import_and_wait(name: str) -> None:
    importlib.import_module(name)
    time.sleep(30)


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interr")]
)
def test_a_signal_while_the_models_are_asked_is_one_sentence(
    tmp_path: Path, number: signal.Signals, code: int, word: str
) -> None:
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        (tmp_path / "cup.toml").write_text(CONFIG)
        (tmp_path / "models.toml").write_text(MODELS.format(port=server.getsockname()[1]))
        command = [sys.executable, "-m", "antemill.tournament.cli", "start", str(tmp_path / "cup.toml")]
        run = [*command, "--out", str(tmp_path / "cup")]
        with subprocess.Popen(run, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
            server.settimeout(60)
            connection, _ = server.accept()  # and never an answer
            for _ in range(2):  # the second comes while the command ends, or after it
                os.kill(process.pid, number)
            _, err = process.communicate(timeout=60)
            connection.close()
    assert process.returncode == code
    assert err.startswith(f"antemill: {word}")
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup.toml", "models.toml"]
