"""What is killed, stopped or cancelled: no process and no file is left, and the next verdict is right (D9, T6).

The tests wait for what happens, not for a time: a run says that it has begun by the processor time that it takes.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox import (
    CheckLimits,
    LostError,
    OutputCheck,
    PuzzleCheck,
    Sandbox,
    Verdict,
    examine,
    make_sandbox,
    process,
    sandbox,
)
from antemill.engine.execute.sandbox.judge import conduct
from antemill.engine.execute.sandbox.process import Worker
from tests.engine.execute.sandbox.backends import NATIVE, verdicts
from tests.engine.execute.sandbox.host import descendants

ROOT = Path(__file__).resolve().parents[4]
RIGHT = PuzzleCheck("def mystery(x):\n    return x == 'ab'", "'a' + 'b'")
FOREVER = PuzzleCheck("def mystery(x):\n    while True: pass", "1", CheckLimits(seconds=60))
ENDLESS = OutputCheck("while True: pass", None, CheckLimits(seconds=60))
pytestmark = pytest.mark.skipif(not NATIVE, reason="the sandbox is Linux's")


def until(happens: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait for it; what it returns then."""
    end = time.monotonic() + seconds
    while not (found := happens()):
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for has ended, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def computed(pid: int) -> float:
    """The seconds of processor time that a process has had."""
    with suppress(OSError):
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def judged(worker: Worker) -> str:
    return conduct(worker, RIGHT).verdict


@contextmanager
def at_work(worker: Worker, check: PuzzleCheck | OutputCheck) -> Iterator[tuple[int, list[Any]]]:
    """The run of a check that does not end, when it runs its code, and what becomes of the check after the block."""
    assert judged(worker) == "true"
    before, outcome = descendants(), list[Any]()

    def conducted() -> None:
        try:
            outcome.append(conduct(worker, check))
        except LostError as error:
            outcome.append(error)

    thread = threading.Thread(target=conducted)
    thread.start()
    try:
        # many times what a run takes to start; the servers do not compute so long
        yield until(lambda: [pid for pid in descendants() - before if computed(pid) >= 0.3])[0], outcome
    finally:
        worker.kill()
        thread.join()


def test_a_killed_server_is_replaced_before_the_next_check(worker: Worker) -> None:
    assert judged(worker) == "true"
    for _ in range(2):
        (pid,) = worker.pids()
        os.kill(pid, signal.SIGKILL)
        assert judged(worker) == "true"
        assert worker.pids() != [pid]


@pytest.mark.parametrize("check", [FOREVER, ENDLESS])
def test_a_server_that_is_killed_takes_its_run_with_it(worker: Worker, check: PuzzleCheck | OutputCheck) -> None:
    """The check is judged again by a new server."""
    with at_work(worker, check) as (run, outcome):
        server, before = _parent(run), {*worker.pids()}
        os.kill(server, signal.SIGKILL)
        until(lambda: gone(run))
        until(lambda: {*worker.pids()} - before)
        assert not outcome
    assert judged(worker) == "true"


def test_a_run_that_is_killed_is_judged_again(worker: Worker) -> None:
    """By whom is not known, so it is no fault of the program's; a second time it is, and never the machine's."""
    others = descendants()
    with at_work(worker, FOREVER) as (run, outcome):
        os.kill(run, signal.SIGKILL)
        until(lambda: gone(run))
        again = until(lambda: [pid for pid in descendants() - others - {*worker.pids()} if computed(pid) >= 0.3])[0]
        assert not outcome
        os.kill(again, signal.SIGKILL)
        (verdict,) = until(lambda: outcome)
    assert (verdict.verdict, verdict.detail) == ("error", "its process was ended by SIGKILL")
    assert judged(worker) == "true"


def test_a_verdict_is_right_though_its_run_was_killed(worker: Worker) -> None:
    slow = OutputCheck("n = 0\nfor _ in range(8_000_000): n += 1\nprint(n)", None, CheckLimits(seconds=60))
    with at_work(worker, slow) as (run, outcome):
        os.kill(run, signal.SIGKILL)
        (verdict,) = until(lambda: outcome)
    assert (verdict.verdict, verdict.stdout) == ("true", "8000000\n")


def test_a_program_that_has_itself_killed_gains_no_second_run() -> None:
    """The kernel ends it for its processor time, with a signal that it can not catch."""
    worker = Worker()
    program = """
import hashlib, signal, threading
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
def work():
    while True: hashlib.sha256(bytes(1 << 20)).digest()
for _ in range(9): threading.Thread(target=work).start()
"""
    verdict = conduct(worker, OutputCheck(program, None, CheckLimits(seconds=4)))
    assert verdict.verdict in ("error", "timeout")
    assert verdict.seconds < 8, "no second run"
    worker.close()


def test_a_run_that_is_stopped_is_no_players_fault(worker: Worker) -> None:
    """It is judged again, and then it is the machine's failure."""
    others = descendants()  # servers of other sandboxes among them
    with at_work(worker, PuzzleCheck(FOREVER.code, "1", CheckLimits(seconds=3))) as (run, outcome):
        os.kill(run, signal.SIGSTOP)
        until(lambda: gone(run))
        again = until(lambda: [pid for pid in descendants() - others - {*worker.pids()} if computed(pid) >= 0.3])[0]
        os.kill(again, signal.SIGSTOP)
        (error,) = until(lambda: outcome)
    assert isinstance(error, LostError)
    assert "2 times: its process was stopped" in str(error)
    assert judged(worker) == "true"


def test_a_server_that_is_stopped_is_replaced(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(worker) == "true"
    (pid,) = worker.pids()
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(process, "PATIENCE", -4.5)  # .5 s for the stopped one
    start = process._Server

    def patient(row: int) -> Any:
        monkeypatch.setattr(process, "PATIENCE", 30.0)
        return start(row)

    monkeypatch.setattr(process, "_Server", patient)
    assert judged(worker) == "true"
    assert worker.pids() != [pid]


def struck(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """The first servers that start are killed before they greet; their process numbers."""
    hit: list[int] = []

    class Struck(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            if len(hit) < times:
                self.kill()
                hit.append(self.pid)

    monkeypatch.setattr(subprocess, "Popen", Struck)
    return hit


def test_a_server_that_is_killed_while_it_starts_is_started_again(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    hit = struck(monkeypatch, 1)
    assert judged(worker) == "true"
    assert len(hit) == 1
    assert worker.pids() != hit


def test_servers_that_are_killed_again_and_again_are_an_error(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    hit = struck(monkeypatch, process.TRIES)
    with pytest.raises(LostError, match=r"does not start .it was killed by SIGKILL"):
        judged(worker)
    assert len(hit) == process.TRIES
    assert judged(worker) == "true"


def test_a_self_check_that_is_killed_every_time_is_no_fault_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is tried again the next time."""
    monkeypatch.setattr(sandbox, "_found", [])
    struck(monkeypatch, process.TRIES)
    with pytest.raises(LostError, match=r"ended from outside.*by SIGKILL.*run the command again"):
        make_sandbox()
    with make_sandbox(1) as made:
        assert verdicts(made, RIGHT)[0].verdict == "true"


def test_a_kill_between_two_checks_costs_no_verdict(worker: Worker) -> None:
    assert judged(worker) == "true"
    worker.kill()
    assert judged(worker) == "true"


def test_a_kill_ends_what_is_running(worker: Worker) -> None:
    with at_work(worker, FOREVER) as (run, outcome):
        worker.kill()
        (verdict,) = until(lambda: outcome)
        assert (verdict.verdict, verdict.detail) == ("error", "its server is gone")
        until(lambda: gone(run))
    assert judged(worker) == "true"


def test_a_closed_worker_leaves_no_process_and_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before, worker = descendants(), Worker()
    verdict = conduct(worker, OutputCheck("open('kept', 'w').write('x' * 9)\nprint(1)"))
    assert verdict.verdict == "true"
    assert len(worker.pids()) == 5
    assert descendants() > before
    assert len(list(tmp_path.iterdir())) == 5
    worker.close()
    assert descendants() == before
    assert list(tmp_path.iterdir()) == []


_PARENT = """
import sys
from antemill.engine.execute.sandbox import CheckLimits, OutputCheck
from antemill.engine.execute.sandbox.judge import conduct
from antemill.engine.execute.sandbox.process import Worker
worker = Worker()
assert conduct(worker, OutputCheck("print(1)")).verdict == "true"
print(*worker.pids(), flush=True)
conduct(worker, OutputCheck("while True: pass", None, CheckLimits(seconds=60)))
"""


def test_a_parent_that_is_killed_leaves_no_process_and_no_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PARENT]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as parent:
        assert parent.stdout is not None
        servers = [int(word) for word in parent.stdout.readline().split()]
        assert len(servers) == 5

        def runs() -> list[int]:
            parents = {pid: _parent(pid) for pid in descendants()}
            return [pid for pid, above in parents.items() if above in servers and computed(pid) >= 0.3]

        (run,) = until(runs)
        parent.kill()
    for pid in (*servers, run):
        until(partial(gone, pid))
    until(lambda: not list(tmp_path.iterdir()))


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def test_the_kernel_takes_the_run_before_the_server_and_the_server_before_us(worker: Worker) -> None:
    with at_work(worker, FOREVER) as (run, _):
        order = (run, *worker.pids(), os.getpid())
        places = [int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in order]
    assert places == sorted(set(places), reverse=True)


def test_a_check_can_be_cancelled_and_the_next_is_right(sandbox: Sandbox) -> None:
    assert verdicts(sandbox, RIGHT)[0].verdict == "true"
    before = descendants()

    async def cancelled_then_right() -> Verdict:
        task = asyncio.create_task(sandbox.check(FOREVER))
        while not any(computed(pid) >= 0.3 for pid in descendants() - before):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await sandbox.check(RIGHT)

    start = time.monotonic()
    assert asyncio.run(cancelled_then_right()).verdict == "true"
    assert time.monotonic() - start < FOREVER.limits.seconds


def test_many_checks_keep_their_order() -> None:
    checks = [PuzzleCheck(f"def mystery(x):\n    return x == {n % 3}", str(n % 2)) for n in range(40)]
    want = ["true" if n % 3 == n % 2 else "false" for n in range(40)]
    with make_sandbox(workers=2) as two:
        assert [verdict.verdict for verdict in two.check_many(checks)] == want


def test_a_verdict_names_interpreter_platform_and_time(sandbox: Sandbox) -> None:
    (verdict,) = verdicts(sandbox, RIGHT)
    assert verdict.backend == sandbox.backend == "native"
    assert verdict.python.startswith(sys.version)
    assert verdict.python.removeprefix(sys.version).startswith(" on linux ")
    assert 0 < verdict.seconds < 5


def test_no_worker_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="at least 1"):
        make_sandbox(workers=0)


def test_macos_says_in_one_sentence_where_code_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_found", [])
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not examine().usable
    with pytest.raises(ExecutionError, match=r"nothing was executed: it needs Linux: run .* in the container"):
        make_sandbox()
