"""A failure of the machine is no verdict: the code is judged again, then an error names the reason (D9, T6)."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.execute.sandbox import (
    CheckLimits,
    LostError,
    OutputCheck,
    PuzzleCheck,
    choose,
    helper_worker,
    make_sandbox,
)
from antemill.engine.execute.sandbox.conduct import conduct
from antemill.engine.execute.sandbox.helper import Helper
from antemill.engine.execute.sandbox.helper_worker import HelperWorker
from antemill.engine.execute.sandbox.native.backend import NativeBackend
from antemill.engine.execute.sandbox.pool import SandboxPool
from antemill.engine.execute.sandbox.wasm.backend import WasmBackend
from tests.engine.execute.sandbox.backends import HERE, NATIVE
from tests.engine.execute.sandbox.host import descendants

BRIEF = CheckLimits(seconds=1.0)
RIGHT = PuzzleCheck("def mystery(x):\n    return x == 3", "3", BRIEF)
HUGE = PuzzleCheck(f"def mystery(x):\n    return x == 3\n#{'x' * 900_000}", "3", CheckLimits(seconds=30.0))
FOREVER = PuzzleCheck("def mystery(x):\n    while True: pass", "1", CheckLimits(seconds=20))


def backend(name: str) -> NativeBackend | WasmBackend:
    return NativeBackend() if name == "native" else WasmBackend()


@pytest.fixture(params=HERE)
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[HelperWorker]:
    """A worker that is not patient."""
    monkeypatch.setattr(helper_worker, "PATIENCE", 2.0)
    one = backend(request.param).worker()
    yield one
    one.close()


def struck(one: HelperWorker, number: int) -> None:
    """From now on every helper of the worker gets a signal as soon as it is up."""
    start = one._start

    def start_and_strike(seed: int) -> Helper:
        helper = start(seed)
        os.kill(helper.pid, number)
        if number == signal.SIGKILL:
            os.waitid(os.P_PID, helper.pid, os.WEXITED | os.WNOWAIT)
        return helper

    one._start = start_and_strike


@pytest.mark.parametrize("check", [replace(RIGHT, limits=HUGE.limits), HUGE])
def test_a_stopped_helper_is_replaced(made: HelperWorker, check: PuzzleCheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending to it has a deadline, too: a request of 900 kB does not fit into its socket."""
    start_anew = made._start

    def patiently(seed: int) -> Helper:
        monkeypatch.setattr(helper_worker, "PATIENCE", 30.0)  # for helpers that are not stopped
        return start_anew(seed)

    made._start = patiently
    assert conduct(made, RIGHT, "").verdict == "true"
    (pid,) = made.pids()
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(helper_worker, "PATIENCE", 0.5 - check.limits.seconds)  # .5 s for the stopped one
    start = time.monotonic()
    assert conduct(made, check, "").verdict == "true"
    assert made.pids() != [pid]
    assert time.monotonic() - start < 20


def test_a_helper_that_is_stopped_again_and_again_is_an_error(
    made: HelperWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper_worker, "PATIENCE", 0.5 - RIGHT.limits.seconds)  # .5 s for each: none answers
    struck(made, signal.SIGSTOP)
    with pytest.raises(LostError, match=r"could not be judged, 2 times: its helper process is lost: it was stopped or"):
        conduct(made, RIGHT, "")


def test_a_helper_that_is_killed_again_and_again_is_an_error(made: HelperWorker) -> None:
    struck(made, signal.SIGKILL)
    with pytest.raises(LostError, match="killed by SIGKILL"):
        conduct(made, RIGHT, "")


@contextmanager
def starts_struck(monkeypatch: pytest.MonkeyPatch, times: int) -> Iterator[list[int]]:
    """Within the block the first helpers that start are killed before they greet; yields their process numbers."""
    hit: list[int] = []

    class Struck(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            if len(hit) < times:
                self.kill()
                hit.append(self.pid)

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", Struck)
        yield hit


def test_a_helper_that_is_killed_while_it_starts_is_started_again(
    made: HelperWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper_worker, "PATIENCE", 30.0)
    with starts_struck(monkeypatch, 1) as hit:
        assert conduct(made, RIGHT, "").verdict == "true"
    assert len(hit) == 1
    assert made.pids() != hit


@pytest.mark.parametrize("judge", HERE)
def test_one_kill_during_the_self_check_does_not_matter(judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with starts_struck(monkeypatch, 1) as hit:
        finding = choose.examine(judge)
    assert len(hit) == 1
    assert finding.usable, finding.reason


def test_a_self_check_that_is_killed_every_time_is_no_fault_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is tried again the next time."""
    monkeypatch.setattr(choose, "_findings", {})
    with (
        starts_struck(monkeypatch, helper_worker.TRIES) as hit,
        pytest.raises(LostError, match=r"ended from outside.*by SIGKILL.*2 times.*run the command again") as raised,
    ):
        make_sandbox(HERE[0])
    assert len(hit) == helper_worker.TRIES
    assert "kernel" not in str(raised.value)
    with make_sandbox(HERE[0], workers=1) as sandbox:
        assert next(iter(sandbox.check_many([RIGHT]))).verdict == "true"


@contextmanager
def forks_struck(number: int) -> Iterator[set[int]]:
    """Within the block every process that is new gets a signal; yields those that have got it."""
    before, done = descendants(), threading.Event()
    hit: set[int] = set()

    def strike() -> None:
        while not done.wait(0.02):
            for pid in descendants() - before - hit:
                if done.wait(0.3):  # beyond its start
                    return
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
                    hit.add(pid)

    thread = threading.Thread(target=strike, daemon=True)
    thread.start()
    try:
        yield hit
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif(not NATIVE, reason="forks are the native backend's")
@pytest.mark.parametrize(
    ("number", "reason"),
    [(signal.SIGKILL, "from outside"), pytest.param(signal.SIGSTOP, "was stopped", marks=pytest.mark.slow)],
)
def test_a_fork_that_is_killed_or_stopped_from_outside_is_no_players_fault(number: int, reason: str) -> None:
    one = NativeBackend().worker()
    conduct(one, RIGHT, "")
    seconds = 20 if number == signal.SIGKILL else 4  # a fork that is stopped takes all of them
    with forks_struck(number) as hit, pytest.raises(LostError, match=reason):
        conduct(one, PuzzleCheck(FOREVER.code, "1", CheckLimits(seconds=seconds)), "")
    assert len(hit) == helper_worker.TRIES
    assert conduct(one, RIGHT, "").verdict == "true"
    one.close()


@pytest.mark.skipif(not NATIVE, reason="Linux takes processes when memory runs out")
def test_the_kernel_takes_the_check_before_the_server_and_the_server_before_us() -> None:
    one = NativeBackend().worker()
    conduct(one, RIGHT, "")
    (server,) = one.pids()
    thread = threading.Thread(target=conduct, args=(one, FOREVER, ""))
    before = descendants()
    thread.start()
    while not (forks := descendants() - before):
        time.sleep(0.01)
    order = (*forks, server, os.getpid())
    end = time.monotonic() + FOREVER.limits.seconds / 2
    while True:
        places = [int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in order]
        in_order = places == sorted(set(places), reverse=True)
        if in_order or time.monotonic() > end:
            break
        time.sleep(0.01)  # the fork begins at the server's place
    one.kill()
    thread.join()
    one.close()
    assert in_order, places


@pytest.mark.parametrize("judge", HERE)
def test_a_pool_stops_with_the_reason(judge: str) -> None:
    """And gives the verdicts that come before it."""

    class Doomed:
        name = "doomed"

        def worker(self) -> HelperWorker:
            one = backend(judge).worker()
            struck_at = iter([False, True, True, True])
            start: Callable[[int], Helper] = one._start

            def strike(seed: int) -> Helper:
                helper = start(seed)
                if next(struck_at):
                    helper.kill()
                    select.select([], [], [], 0.2)
                return helper

            one._start = strike
            return one

    with SandboxPool(Doomed(), workers=1) as pool:
        verdicts = pool.check_many([RIGHT, OutputCheck("print(1)", None, BRIEF)])
        assert next(verdicts).verdict == "true"
        with pytest.raises(LostError, match="killed by SIGKILL"):
            next(verdicts)


def test_the_sandbox_that_users_get_says_which_python_judged() -> None:
    found = {}
    for name in HERE:
        with make_sandbox(name, workers=1) as pool:
            (verdict,) = pool.check_many([RIGHT])
            found[name] = verdict.python
    assert "3.14" in found["wasm"]
    assert found.get("native", sys.version) == sys.version
