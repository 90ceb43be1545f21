"""What people see of a run while it works, and when it is interrupted or no model answers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from antemill import llm
from antemill.tournament import runs
from antemill.tournament.cli.entry import run as command
from tests.llm.events import Say, Status
from tests.llm.stage import stage
from tests.tournament.runs.run_kinds import TOY, run_toy, table_of, write_models, write_toy

SLOW = "[limits]\npatience = {patience}\n"


def echo(request: llm.Request) -> str:
    return request.sample


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_models(tmp_path, "echo")
    return tmp_path


def patient_models(folder: Path, *names: str) -> None:
    """Models whose calls wait long between attempts."""
    entry = '[{}]\nprotocol = "scripted"\ntimeout = 30.0\ndeadline = 3000.0\nprices = {{ input = 1.0, output = 1.0 }}\n'
    (folder / "models.toml").write_text("".join(entry.format(name) for name in names))


# ------------------------------------------------------------------------------------------------ what the client says


def test_the_client_says_what_each_call_does() -> None:
    async def main() -> None:
        async with stage(
            "openai-chat", Status(503, message="overloaded", retry_after=50.0), Say(), concurrency=1
        ) as on:
            on.clock.sleep = forever  # type: ignore[assignment]
            calls = [asyncio.create_task(on.ask(str(i))) for i in range(3)]
            await _until(lambda: on.client.watch()[0].retrying == 1)
            state = on.client.watch()[0]
            assert state.retry_in is not None
            assert 49 < state.retry_in < 52
            assert (state.in_flight, state.queued, state.failing) == (0, 2, 1)
            assert (state.errors, state.answered) == ({"HTTP 503": 1}, 0)
            assert "overloaded" in state.last_error
            on.client.drop()
            results = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(result, llm.CallDroppedError) for result in results)
            assert not on.client.watch()[0].busy
            assert on.asked == 1
            with pytest.raises(llm.CallDroppedError):
                await on.ask("4")

    asyncio.run(main())


def test_what_was_sent_arrives_and_is_recorded_although_the_rest_is_dropped() -> None:
    async def main() -> None:
        async with stage("openai-chat", Say(), concurrency=2) as on:
            calls = [asyncio.create_task(on.ask(str(i))) for i in range(6)]
            await _until(lambda: on.client.watch()[0].in_flight == 2)
            state = on.client.watch()[0]
            assert (state.queued, state.oldest is not None) == (4, True)
            assert 0 < (state.time_out_in or 0) <= 20
            on.client.drop()
            results = await asyncio.gather(*calls, return_exceptions=True)
            assert sum(isinstance(result, llm.CallDroppedError) for result in results) == 4
            assert len(list(on.store.calls())) == 2
            assert on.client.watch()[0].answered == 2

    asyncio.run(main())


async def forever(_seconds: float) -> None:
    await asyncio.Event().wait()


async def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0)


# ------------------------------------------------------------------------------------------------ live lines, status


def test_another_process_sees_what_the_run_waits_for(home: Path) -> None:
    seen: list[str] = []

    async def model(request: llm.Request) -> str:
        while not seen and request.sample == "0.0/0":
            await asyncio.sleep(0.01)
            found = runs.read_status("toy", home / "run")
            if any(state.in_flight for state in found.models):
                seen.append(found.waits_for)
                state = found.models[0]
                assert (state.name, state.in_flight, found.running, found.stopping) == ("echo", 1, True, False)
        if request.sample == "0.1/0" and not seen:
            raise llm.AgainError("it is down", status=500, retry_after=0.0)
        return echo(request)

    run_toy(write_toy(home, "questions = 2", "[limits]\nin_flight = 2"), home / "run", {"echo": model})
    assert seen[0].startswith("1 answer (echo 1), the oldest for ")
    found = runs.read_status("toy", home / "run")
    state = found.models[0]
    assert (found.running, found.waits_for, state.in_flight, state.answered) == (False, "", 0, 4)
    assert state.errors["HTTP 500"] >= 1
    assert state.last_error.startswith("it is down")
    assert state.cost == pytest.approx(found.cost)
    assert not (home / "run" / runs.live.NAME).exists()


def test_what_a_killed_process_left_behind_is_not_believed(home: Path) -> None:
    run_toy(write_toy(home), home / "run", {"echo": echo})
    runs.live.publish(home / "run", runs.live.Live(0.0, (llm.ModelState(name="echo", in_flight=7),), "7 answers"))
    found = runs.read_status("toy", home / "run")
    assert (found.waits_for, found.models[0].in_flight) == ("", 0)


# ------------------------------------------------------------------------------------------------ interruptions


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_says_what_is_waited_for_and_drops_what_only_waits(
    home: Path, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    patient_models(home, "echo")
    asked: list[str] = []

    async def model(request: llm.Request) -> str:
        asked.append(request.sample)
        if request.sample.startswith("0.0"):
            await asyncio.sleep(0.05)
            os.kill(os.getpid(), number)
            await asyncio.sleep(0.3)
            return echo(request)
        raise llm.AgainError("down", status=500, retry_after=500.0)

    began = time.monotonic()
    config = write_toy(home, "questions = 3")
    with pytest.raises(KeyboardInterrupt) as caught, runs.start_run(TOY, config, home / "run") as session:
        session.run(scripts={"echo": model})
    assert caught.value.args == (number,)  # for the exit code
    assert time.monotonic() - began < 5
    assert re.fullmatch(
        r"antemill: interrupted: waiting for 1 answer \(echo 1\), which is paid for, (30|2[0-9]) s at most; another "
        r"interruption drops it\.\n",
        capsys.readouterr().err,
    )
    assert sorted(asked) == ["0.0/0", "0.1/0", "0.2/0"]
    with llm.CallStore(home / "run" / "calls.sqlite") as calls:
        assert [call.sample for call in calls.calls()] == ["0.0/0"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_second_interruption_ends_a_run_whose_loop_is_blocked(home: Path) -> None:
    def model(_request: llm.Request) -> str:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)
        return ""

    before = signal.signal(signal.SIGALRM, lambda _number, _frame: os.kill(os.getpid(), signal.SIGINT))
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_toy(write_toy(home), home / "run", {"echo": model})
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 10


# ------------------------------------------------------------------------------------------------ no model answers


def test_a_run_stops_when_every_model_is_down_and_can_be_resumed(home: Path) -> None:
    """Long before the calls give up by themselves."""
    patient_models(home, "echo")

    def model(_request: llm.Request) -> str:
        raise llm.AgainError("no connection to nowhere", retry_after=0.05)

    began = time.monotonic()
    with pytest.raises(
        runs.RunStalledError, match=r"nothing has succeeded for \d s \(echo: no connection to nowhere\).*continues"
    ):
        run_toy(write_toy(home, rest=SLOW.format(patience=1.0)), home / "run", {"echo": model})
    assert 1.0 < time.monotonic() - began < 10
    with runs.open_run(TOY, home / "run") as session:
        session.run(quiet=True, scripts={"echo": echo})
    assert runs.read_status("toy", home / "run").done == 4


def test_a_model_that_answers_keeps_the_run_going_while_another_is_down(home: Path) -> None:
    patient_models(home, "echo", "down")

    async def model(request: llm.Request) -> str:
        await asyncio.sleep(0.3)
        return echo(request)

    def down(_request: llm.Request) -> str:
        raise llm.AgainError("down", retry_after=0.05)

    config = write_toy(
        home, "questions = 12\ncalls = 1\nmodels = ['echo', 'down']", SLOW.format(patience=1.0) + "in_flight = 7"
    )
    with pytest.raises(runs.RunStalledError):
        run_toy(config, home / "run", {"echo": model, "down": down})
    assert [row[2] for row in table_of(home / "run")] == ["done", "planned"] * 6


def test_a_slow_model_is_not_taken_for_one_that_is_down(home: Path) -> None:
    """One attempt has failed, the other takes longer than the patience, but not longer than its time-out."""
    patient_models(home, "echo")
    failed: list[str] = []

    async def model(request: llm.Request) -> str:
        if request.sample.startswith("0.1") and len(failed) < 2:
            failed.append(request.sample)
            raise llm.AgainError("down", retry_after=0.05)
        await asyncio.sleep(2.0 if request.sample == "0.0/0" else 0.0)
        return echo(request)

    run_toy(write_toy(home, "questions = 2", SLOW.format(patience=1.0)), home / "run", {"echo": model})
    assert runs.read_status("toy", home / "run").done == 2


def test_the_command_ends_with_a_code_of_its_own(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "models.toml").write_text('[m]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n')
    (home / "cup.toml").write_text(
        '[tournament]\ngames = ["kuhn"]\n[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n'
        "[limits]\npatience = 1\n"
    )
    arguments = ["start", str(home / "cup.toml"), "--out", str(home / "cup")]
    assert command(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert 'these cannot be used: "m" (no connection to 127.0.0.1:9: ' in err
    assert "--no-check" in err
    assert not (home / "cup").exists()
    assert command([*arguments, "--no-check"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "nothing has succeeded" in err
    assert command(["status", str(home / "cup"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["models"][0]
    assert (found["name"], found["in_flight"]) == ("m", 0)
    assert found["errors"]["no connection"] >= 1
    assert "127.0.0.1:9" in found["last_error"]


def test_a_finished_run_calls_no_player(home: Path) -> None:
    (home / "models.toml").write_text('[m]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n')
    with runs.start_run(TOY, write_toy(home, "questions = 2\ncalls = 0\nmodels = ['m']"), home / "run") as session:
        session.run(quiet=True)
    with runs.open_run(TOY, home / "run") as session:
        session.run(quiet=True, check=True)
    with (
        pytest.raises(runs.RunStoppedError, match="cannot be used"),
        runs.start_run(TOY, write_toy(home, "questions = 2\ncalls = 0\nmodels = ['m']"), home / "other") as session,
    ):
        session.run(quiet=True, check=True)
    assert not (home / "other").exists()
