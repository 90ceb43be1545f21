"""Workers and verdicts of the sandbox: what is lost comes back, what is stopped stops, what is forged is nothing."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox import (
    BACKENDS,
    CheckLimits,
    OutputCheck,
    PuzzleCheck,
    Sandbox,
    Verdict,
    make_sandbox,
)
from antemill.engine.execute.sandbox.conduct import conduct
from antemill.engine.execute.sandbox.contract import Reply
from antemill.engine.execute.sandbox.helper_worker import HelperWorker, _reply
from antemill.engine.execute.sandbox.native.backend import NativeBackend
from antemill.engine.execute.sandbox.request import ANSWERED, DEAD, SLOW
from antemill.engine.execute.sandbox.wasm import guest
from antemill.engine.execute.sandbox.wasm.backend import WasmBackend
from tests.engine.execute.sandbox.backends import HERE, verdicts
from tests.engine.execute.sandbox.host import descendants

RIGHT = PuzzleCheck("def mystery(x):\n    return x == 'ab'", "'a' + 'b'")
FOREVER = PuzzleCheck("def mystery(x):\n    while True: pass", "1", CheckLimits(seconds=20))


@pytest.fixture(params=HERE)
def worker(request: pytest.FixtureRequest) -> Iterator[HelperWorker]:
    made = (NativeBackend() if request.param == "native" else WasmBackend()).worker()
    yield made
    made.close()


def judged(worker: HelperWorker) -> str:
    return conduct(worker, RIGHT, "").verdict


def test_a_dead_helper_is_replaced_before_the_next_check(worker: HelperWorker) -> None:
    assert judged(worker) == "true"
    for _ in range(2):
        (pid,) = worker.pids()
        os.kill(pid, signal.SIGKILL)
        assert judged(worker) == "true"
        assert worker.pids() != [pid]


def test_a_kill_between_two_checks_costs_no_verdict(worker: HelperWorker) -> None:
    assert judged(worker) == "true"
    worker.kill()
    assert judged(worker) == "true"


def test_a_kill_ends_what_is_running_at_once(worker: HelperWorker) -> None:
    assert judged(worker) == "true"
    timer = threading.Timer(0.3, worker.kill)
    timer.start()
    start = time.monotonic()
    verdict = conduct(worker, FOREVER, "")
    assert (verdict.verdict, verdict.detail) == ("error", "its helper process is gone")
    assert time.monotonic() - start < 5
    assert judged(worker) == "true"
    timer.join()


def test_a_closed_worker_leaves_no_process(worker: HelperWorker) -> None:
    before = descendants()
    assert judged(worker) == "true"
    assert descendants() > before
    worker.close()
    assert descendants() == before


def test_a_check_can_be_cancelled_and_the_next_is_right(sandbox: Sandbox) -> None:
    async def cancelled_then_right() -> Verdict:
        task = asyncio.create_task(sandbox.check(FOREVER))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await sandbox.check(RIGHT)

    start = time.monotonic()
    assert asyncio.run(cancelled_then_right()).verdict == "true"
    assert time.monotonic() - start < 15


def test_many_checks_keep_their_order(sandbox: Sandbox) -> None:
    checks = [PuzzleCheck(f"def mystery(x):\n    return x == {n % 3}", str(n % 2)) for n in range(40)]
    want = ["true" if n % 3 == n % 2 else "false" for n in range(40)]
    with make_sandbox(sandbox.backend, workers=2) as two:
        assert [verdict.verdict for verdict in two.check_many(checks)] == want


def test_every_verdict_names_its_backend_and_its_time(sandbox: Sandbox) -> None:
    (verdict,) = verdicts(sandbox, RIGHT)
    assert verdict.backend == sandbox.backend
    assert 0 < verdict.seconds < 5


def test_a_backend_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="no sandbox 'none': use one of auto, native, wasm"):
        make_sandbox("none")
    with pytest.raises(ExecutionError, match="at least 1"):
        make_sandbox("auto", workers=0)
    assert BACKENDS[0] == "auto"


# ------------------------------------------------------------------------------------------------ determinism

_WHAT = (
    "import datetime, os, random, secrets, tempfile, time, uuid, zlib\n"
    "def mystery(x):\n"
    "    words = [random.random(), random.Random().random(), random.SystemRandom().random(), os.urandom(4),\n"
    "             uuid.uuid4(), secrets.token_hex(4), time.time(), time.monotonic(), time.perf_counter_ns(),\n"
    "             time.localtime()[:5], datetime.datetime.now(), datetime.date.today(), hash('a'),\n"
    "             list({'a', 'b', 'c'}), os.getpid()]\n"
    "    raise ValueError(zlib.crc32(repr(words).encode()), repr(words))\n"
)


def test_time_chance_and_hashes_are_the_same_in_every_check(sandbox: Sandbox) -> None:
    said = {verdict.detail for verdict in verdicts(sandbox, *[PuzzleCheck(_WHAT, "1")] * 3)}
    with make_sandbox(sandbox.backend, workers=1) as another:
        said |= {verdict.detail for verdict in verdicts(another, PuzzleCheck(_WHAT, "1"))}
    assert len(said) == 1
    assert "ValueError: (" in said.pop()


def test_a_programs_two_runs_differ_in_their_hashes(sandbox: Sandbox) -> None:
    programs = [
        "print({'a', 'b', 'c', 'd', 'e', 'f'})",
        "print(sorted({'a', 'b'}))",
        "print('\\u00e9')\nraise SystemExit",
    ]
    programs += ["print('x' * 70_000)", "raise KeyboardInterrupt", "1 / 0"]
    found = verdicts(sandbox, *map(OutputCheck, programs))
    assert [verdict.verdict for verdict in found] == ["false", "true", "true", "error", "error", "error"]
    assert [verdict.stdout for verdict in found[1:3]] == ["['a', 'b']\n", "é\n"]


@pytest.mark.parametrize("leave", ["exit", "quit", "sys.exit"])
def test_a_program_may_end_itself(sandbox: Sandbox, leave: str) -> None:
    """What `except Exception` surrounds ends, too, and `finally` runs; so it is with a code or a message."""
    program = f"import sys\nprint(1)\ntry:\n    {leave}({{}})\nexcept Exception:\n    print(2)\nfinally:\n    print(3)"
    caught = f"import sys\ntry:\n    {leave}(7)\nexcept SystemExit as leaving:\n    print(leaving.code)"
    programs = [*(program.format(code) for code in ("", "0", "False", "1", "'bye'", "0.0")), caught]
    found = verdicts(sandbox, *map(OutputCheck, programs))
    assert [one.stdout or one.detail for one in found] == ["1\n3\n"] * 6 + ["7\n"]


def test_an_expected_output_is_compared_but_for_one_newline(sandbox: Sandbox) -> None:
    cases = {
        ("print(1)", "1"): True,
        ("print(1)", "1\n"): True,
        ("print(1)", "1\n\n"): False,
        ("print(1)", " 1"): False,
    }
    cases[("print(1, end='')", "1\n")] = True
    found = verdicts(sandbox, *(OutputCheck(code, stdout) for code, stdout in cases))
    assert [verdict.matches for verdict in found] == list(cases.values())


# ------------------------------------------------------------------------------------------------ who says what


class Liar:
    """A worker whose stages answer as the test says."""

    python = ""

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.asked: list[str] = []

    def call(
        self, stage: str, _first: bytes, _second: bytes, _limits: CheckLimits, _seconds: float, _seed: int
    ) -> Reply:
        self.asked.append(stage)
        return Reply(self.letter, b"lie", 0.0)

    def kill(self) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize("letter", ["T", "F"])
def test_no_verdict_is_true_or_false_where_the_code_of_a_solution_ran(letter: str) -> None:
    liar = Liar(letter)
    verdict = conduct(liar, PuzzleCheck("", "f(1)"), "")
    assert (verdict.verdict, liar.asked) == ("error", ["evaluate"])
    assert conduct(Liar(letter), OutputCheck(""), "").verdict == "error"
    assert conduct(Liar(letter), PuzzleCheck("", "1"), "").verdict == {"T": "true", "F": "false"}[letter]


@pytest.mark.parametrize("letter", [*"NVBORX", ""])
def test_a_letter_that_is_not_for_a_stage_to_say_is_an_error(letter: str) -> None:
    stages = {"literal": "1", "evaluate": "f(1)"}
    for stage, solution in stages.items():
        liar = Liar(letter)
        verdict = conduct(liar, PuzzleCheck("", solution), "")
        assert verdict.verdict in ("error", "refused"), (stage, verdict)
        assert verdict.verdict == "error" or liar.asked[-1] in ("build", "isolated")


def test_only_the_secret_answers_mean_true_and_false() -> None:
    answers = [b"f" * 16, b"t" * 16]
    assert _reply(ANSWERED, b"t" * 16, answers, 0.0).letter == "T"
    assert _reply(ANSWERED, b"f" * 16, answers, 0.0).letter == "F"
    for forged in (
        b"T",
        b"F",
        b"S",
        b"True",
        b"t" * 15,
        b"t" * 17,
        b"T" + b"t" * 16,
        b"t" * 16 + b"f" * 16,
        b"",
        b"\xff",
    ):
        assert _reply(ANSWERED, forged, answers, 0.0).letter not in ("T", "F", "S")
    assert _reply(ANSWERED, b"t" * 16, [], 0.0).letter not in ("T", "F")
    assert _reply(SLOW, b"t" * 16, answers, 0.0).letter == "S"
    assert _reply(DEAD, b"t" * 16, answers, 0.0).letter == "D"
    with pytest.raises(ValueError, match="X"):
        _reply(b"X", b"", answers, 0.0)


# ------------------------------------------------------------------------------------------------ the guest


def test_the_guest_was_made_of_these_sources() -> None:
    """A change of inside/ or guest/ needs new guests: guest/build.py."""
    from antemill.engine.execute.sandbox.guest.build import origin

    assert guest.record().origin == origin()
    assert len(guest.record().guests) == 2


def test_a_damaged_guest_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    true = guest.record()
    wrong = guest.Record(true.origin, true.made_by, [guest.Build(1000, "0" * 64), *true.guests[1:]])
    monkeypatch.setattr(guest, "record", lambda: wrong)
    with pytest.raises(ExecutionError, match="its digest is wrong"):
        guest.unpack(0)
