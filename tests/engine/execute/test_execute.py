"""antemill.engine.execute: one conformance suite for all executors, then processes, whole programs, progress."""

import ast
import io
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import ExecutionError, SpecError
from antemill.engine.execute import (
    Executor,
    Job,
    Outcome,
    Setup,
    beside,
    default_workers,
    progress_bar,
    run,
)
from antemill.engine.execute import workers as process_module
from antemill.engine.execute.ray import on_ray
from antemill.engine.execute.workers import AHEAD
from tests.engine.execute import execute_jobs as work

ROOT = Path(__file__).parents[3]
ALL = ["serial", "threads", "processes"]


@pytest.fixture(scope="module", params=ALL)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with Executor(request.param, workers=2) as made:
        yield made


@pytest.fixture(params=ALL)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of an executor."""
    return str(request.param)


def jobs(function: Callable[..., Any], count: int, *args: Any) -> list[Job[Any]]:
    return [Job(f"job {seed}", seed, function, args) for seed in range(count)]


def only(executor: Executor, function: Callable[..., Any], *args: Any) -> Outcome[Any]:
    """The outcome of one job, and a proof that the executor still works after it."""
    first, after = run([*jobs(function, 1, *args), Job("after", 7, work.square)], executor)
    assert (first.key, after.key, after.value) == ("job 0", "after", 49)
    return first


# -------------------------------------------------------------------------------------------- all executors


def test_outcomes_come_in_the_order_of_the_jobs(executor: Executor) -> None:
    outcomes = list(run(jobs(work.stagger, 12, 0.1), executor))
    assert [(outcome.key, outcome.value) for outcome in outcomes] == [(f"job {seed}", seed) for seed in range(12)]
    assert all(outcome.ok and outcome.error == "" for outcome in outcomes)


def test_no_jobs(executor: Executor) -> None:
    assert list(run([], executor)) == []


def test_seconds_are_those_of_the_job(executor: Executor) -> None:
    outcome = only(executor, work.sleep, 0.1)
    assert 0.1 <= outcome.seconds < 30.0


def test_values_survive_the_journey(executor: Executor) -> None:
    value = {"bytes": bytes(3_000_000), "nested": [(1, None), "ä"]}
    assert only(executor, work.identity, value).unwrap() == value


def test_an_exception_is_an_error_in_one_sentence(executor: Executor) -> None:
    outcome = only(executor, work.fail)
    assert (outcome.ok, outcome.value, outcome.error) == (False, None, "ValueError: bad seed 0")
    assert "execute_jobs.py" in outcome.trace
    with pytest.raises(ExecutionError, match=r"^job job 0 failed: ValueError: bad seed 0$"):
        outcome.unwrap()


def test_our_own_errors_speak_for_themselves(executor: Executor) -> None:
    outcome = only(executor, work.fail_politely)
    assert outcome.error == "the deck has no cards."
    assert isinstance(outcome.cause, SpecError)


def test_sys_exit_ends_the_job_only(executor: Executor) -> None:
    assert only(executor, work.leave).error == "SystemExit: 4"


def test_memory_error(executor: Executor) -> None:
    assert only(executor, work.exhaust).error == "there was not enough memory."


def test_resumption_skips_what_is_done(executor: Executor) -> None:
    done = {"job 0", "job 3"}
    assert [outcome.key for outcome in run(jobs(work.square, 5), executor, done=done)] == ["job 1", "job 2", "job 4"]


def test_progress_counts_everything_in_order(executor: Executor) -> None:
    seen: list[tuple[int, int | None]] = []
    list(run(jobs(work.square, 5), executor, done={"job 2"}, on_progress=lambda *counts: seen.append(counts)))
    assert seen == [(number, 5) for number in range(1, 6)]
    list(run(iter(jobs(work.square, 1)), executor, on_progress=lambda *counts: seen.append(counts)))
    assert seen[-1] == (1, None)


def test_jobs_are_read_no_further_than_the_window(executor: Executor) -> None:
    taken: list[int] = []
    numbers = work.endless(1_000_000, taken)
    with closing(run((Job(number, number, work.square) for number in numbers), executor)) as outcomes:
        for expected in range(30):
            assert next(outcomes).value == expected**2
            assert len(taken) <= expected + executor.window


def test_an_exception_in_the_iterable_of_jobs_passes(executor: Executor) -> None:
    def broken() -> Iterator[Job[int]]:
        yield Job(0, 0, work.square)
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        list(run(broken(), executor))
    assert only(executor, work.square).value == 0


def test_a_new_run_after_close(executor: Executor) -> None:
    executor.close()
    executor.close()
    assert only(executor, work.square).ok


def test_results_do_not_depend_on_executor_or_workers(kind: str) -> None:
    want = [work.draw(seed, 50) for seed in range(8)]
    for workers in (1, 3):
        assert [outcome.unwrap() for outcome in run(jobs(work.draw, 8, 50), kind, workers)] == want


# ------------------------------------------------------------------------------------ all but the serial one


def test_who_no_longer_waits_ends_nothing(executor: Executor) -> None:
    """asyncio cancels the future of a job when the last that waits for it goes."""
    futures = [executor.submit(job) for job in jobs(work.stagger, 3, 0.3)]
    assert not any(future.cancel() for future in futures)
    assert [future.result().value for future in futures] == [0, 1, 2]
    assert only(executor, work.square).ok


def test_leaving_early_is_prompt_and_the_executor_goes_on() -> None:
    executor = Executor("processes", workers=2)
    slow = [Job("first", 1, work.square), *jobs(work.wait_politely, 20, 600.0)]
    with closing(run(slow, executor)) as outcomes:
        assert next(outcomes).value == 1
        start = time.monotonic()
    assert only(executor, work.square).ok
    executor.close()
    assert time.monotonic() - start < 300  # less than what is left would take


# -------------------------------------------------------------------------------------------- processes


@pytest.mark.parametrize("how", [work.die, work.die_by_signal])
def test_a_lost_worker_ends_the_run_in_a_sentence_and_a_new_one_works(how: Callable[[int], object]) -> None:
    with Executor("processes", workers=2) as executor:
        for _ in range(2):
            with pytest.raises(ExecutionError, match=r"^a worker process died: it was killed, crashed, .* memory\.$"):
                list(run([*jobs(work.square, 1), *jobs(how, 1), *jobs(work.sleep, 9, 60.0)], executor))
            assert [outcome.value for outcome in run(jobs(work.square, 3), executor)] == [0, 1, 4]


def test_a_lost_server_ends_the_run_in_a_sentence_and_a_new_one_works() -> None:
    """Killed while it is to make a worker."""
    with Executor("processes", workers=2) as executor:
        server = executor.submit(Job(0, 0, work.parent_id)).result().unwrap()
        executor.close()
        os.kill(server, signal.SIGSTOP)
        threading.Timer(0.5, os.kill, (server, signal.SIGKILL)).start()
        with pytest.raises(ExecutionError, match=r"^a worker process died: "):
            list(run(jobs(work.square, 3), executor))
        assert [outcome.value for outcome in run(jobs(work.square, 3), executor)] == [0, 1, 4]


def test_an_unpicklable_call_or_result_is_an_error() -> None:
    with Executor("processes", workers=1) as executor:
        for outcome in (only(executor, work.closure), only(executor, work.identity, lambda: 0)):
            assert any(word in outcome.error for word in ("pickle", "local object"))  # by the version of Python


def test_a_function_of_main_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work.talk, "__module__", "__main__")
    with pytest.raises(ExecutionError, match=r"^workers do not import __main__: move talk to another module\.$"):
        list(run(jobs(work.talk, 1), "processes", 1))


def test_workers_are_kept() -> None:
    with Executor("processes", workers=1) as executor:
        first, second = (outcome.unwrap() for outcome in run(jobs(work.process_id, 2), executor))
        (third,) = (outcome.unwrap() for outcome in run(jobs(work.process_id, 1), executor))
    assert first == second == third != os.getpid()
    assert gone(first)


def test_closing_leaves_no_process(tmp_path: Path) -> None:
    executor = Executor("processes", workers=2)
    futures = [executor.submit(job) for job in jobs(work.note_and_sleep, 8, str(tmp_path), 600.0)]
    workers = wait_for_files(tmp_path, 2)
    executor.close()
    assert all(gone(pid) for pid in workers)
    for future in futures:
        with pytest.raises(ExecutionError):
            future.result()


def test_a_killed_worker_takes_its_own_processes_along(tmp_path: Path) -> None:
    with Executor("processes", workers=1) as executor:
        executor.submit(Job(0, 0, work.start_and_sleep, (str(tmp_path),)))
        (grandchild,) = wait_for_files(tmp_path, 1)
    assert gone(grandchild)


def test_workers_import_the_modules_of_every_executor() -> None:
    for module in ("wave", "colorsys"):
        (outcome,) = run(jobs(work.is_imported, 1, module), "processes", 1, setup=Setup((module,)))
        assert outcome.unwrap()
    with pytest.raises(ExecutionError, match="could not start"):
        list(run(jobs(work.square, 1), "processes", 1, setup=Setup(("no_such_module",))))


def test_workers_that_are_started_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS."""
    monkeypatch.setattr(process_module, "_context", lambda *_: multiprocessing.get_context("spawn"))
    plan: list[Job[Any]] = [Job(0, 5, work.square), Job(1, 0, work.is_imported, ("wave",))]
    assert [outcome.unwrap() for outcome in run(plan, "processes", 1, setup=Setup(("wave",)))] == [25, True]


# ------------------------------------------------------------------- whole programs: signals, exit, output

PROGRAM = """
import os, sys, time
from contextlib import closing
from antemill.engine.execute import Executor, Job, run
from tests.engine.execute import execute_jobs as work
folder = sys.argv[1]
forever = [Job(seed, seed, work.note_and_sleep, (folder, 600.0)) for seed in range(100)]
"""


ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    "RAY_ADDRESS": "local",  # not the cluster of another test
}


def start_program(body: str, folder: Path) -> "subprocess.Popen[str]":
    code = PROGRAM + textwrap.dedent(body)
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", code, str(folder)]
    return subprocess.Popen(
        command, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def gone(pid: int) -> bool:
    """Whether the process ends within some seconds."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
            if is_zombie(pid):
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def is_zombie(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return state.startswith("Z")


def wait_for_files(folder: Path, count: int) -> list[int]:
    """The process numbers that jobs have left as file names."""
    end = time.monotonic() + 30
    while len(names := [path.name for path in folder.iterdir()]) < count:
        assert time.monotonic() < end, "the jobs did not start"
        time.sleep(0.02)
    return [int(name) for name in names]


def test_ctrl_c_ends_everything(tmp_path: Path) -> None:
    program = start_program("for outcome in run(forever, 'processes', 2): pass", tmp_path)
    workers = wait_for_files(tmp_path, 2)
    os.killpg(program.pid, signal.SIGINT)  # a terminal sends it to the whole group
    out, err = program.communicate(timeout=20)
    assert program.returncode != 0
    assert err.count("Traceback") == 1
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert out == ""
    assert all(gone(pid) for pid in workers)


def test_ctrl_c_leaves_the_server_alone_while_it_loads(tmp_path: Path) -> None:
    """It says nothing, and a program that goes on has workers of this very server."""
    slow = "import os, time; open(f'{os.environ[\"NOTED\"]}/{os.getpid()}', 'w').close(); time.sleep(1.0)"
    (tmp_path / "slow_to_load.py").write_text(slow)
    (noted := tmp_path / "noted").mkdir()
    body = """
        from antemill.engine.execute.workers import start_server
        os.environ |= {"PYTHONPATH": folder + os.pathsep + os.environ["PYTHONPATH"], "NOTED": folder + "/noted"}
        try:
            start_server(("slow_to_load",))
            time.sleep(600.0)
        except KeyboardInterrupt:
            pass
        with closing(Executor("processes", 1, ("slow_to_load",))) as executor:
            print(*(outcome.unwrap() for outcome in run([Job(7, 7, work.square)], executor)))
    """
    program = start_program(body, tmp_path)
    server = wait_for_files(noted, 1)
    os.killpg(program.pid, signal.SIGINT)
    assert program.communicate(timeout=20) == ("49\n", "")
    assert wait_for_files(noted, 1) == server


def test_an_exception_in_the_loop_ends_the_program(tmp_path: Path) -> None:
    body = """
        first = [Job("first", 1, work.square)]
        with closing(run(first + forever, "processes", 2)) as outcomes:
            for outcome in outcomes:
                while not os.listdir(folder):
                    time.sleep(0.01)
                raise RuntimeError("in the loop")
    """
    program = start_program(body, tmp_path)
    _, err = program.communicate(timeout=30)
    assert err.rstrip().endswith("RuntimeError: in the loop")
    assert err.count("Traceback") == 1
    assert all(gone(pid) for pid in wait_for_files(tmp_path, 1))


def test_workers_follow_a_killed_parent(tmp_path: Path) -> None:
    program = start_program("for outcome in run(forever, 'processes', 2): pass", tmp_path)
    workers = wait_for_files(tmp_path, 2)
    program.kill()
    program.communicate(timeout=20)  # returns when no process holds its stderr, not even the fork server
    assert all(gone(pid) for pid in workers)


def test_a_program_without_a_guard_and_with_noisy_jobs(tmp_path: Path) -> None:
    """Nothing is leaked (no warning in development mode), and jobs do not write to stdout."""
    body = """
        values = [outcome.unwrap() for outcome in run([Job(0, 0, work.talk), Job(1, 1, work.talk)], 'processes', 2)]
        print(*values)
    """
    program = start_program(body, tmp_path)
    out, err = program.communicate(timeout=30)
    assert (out, err.replace("\n", "")) == ("said said\n", "from the job" * 2)  # line ends are written on their own


def test_an_executor_by_name_leaves_nothing_behind(tmp_path: Path) -> None:
    body = """
        for _ in range(2):
            print(*[outcome.value for outcome in run([Job(0, 3, work.square), Job(1, 4, work.square)])])
    """
    program = start_program(body, tmp_path)
    out, _ = program.communicate(timeout=600)
    assert (out, program.returncode) == ("9 16\n9 16\n", 0)


# ------------------------------------------------------------------------------------------------ the rest


def test_unknown_executors_and_numbers_of_workers() -> None:
    with pytest.raises(ExecutionError, match=r"no executor 'dask': use one of serial, threads, processes\.$"):
        run([], "dask")
    with pytest.raises(ExecutionError, match=r"^the number of workers must be at least 1, not 0\.$"):
        run([], "threads", 0)


def test_the_default_number_of_workers() -> None:
    assert 1 <= default_workers() <= (os.cpu_count() or 1)
    assert Executor("processes").window == AHEAD * default_workers()


def test_ray_is_asked_for_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExecutionError, match=r"^the executor ray needs Ray, .* install antemill\[ray\]"):
        list(on_ray([]))


def test_jobs_and_outcomes_pickle() -> None:
    job = Job((1, "a"), 5, work.square)
    assert pickle.loads(pickle.dumps(job)) == job


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("building") as report:
        list(run(jobs(work.square, 3), "serial", on_progress=report))
    assert "building" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO, False), (Terminal, True)])
def test_no_bar_elsewhere(monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], quiet: bool) -> None:
    monkeypatch.setattr(sys, "stderr", captured := stream())
    with progress_bar("building", total=2, quiet=quiet) as report:
        report(1, None)
    assert captured.getvalue() == ""


# --------------------------------------------------------------- another process beside this one


def test_a_process_beside_this_one_is_its_own_and_ends_with_the_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not forked from the server of workers, which could then load nothing else."""
    monkeypatch.setattr(process_module, "default_workers", lambda: 2)
    file, before = tmp_path / "parent", set(multiprocessing.active_children())
    with beside(Job("beside", 0, work.write_parent, (file,))):
        while not file.exists():
            time.sleep(0.02)
        assert len(set(multiprocessing.active_children()) - before) == 1
    assert int(file.read_text()) == os.getpid()
    assert set(multiprocessing.active_children()) <= before


def test_with_one_processor_nothing_is_beside_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "default_workers", lambda: 1)
    before = set(multiprocessing.active_children())
    with beside(Job("beside", 0, work.write_parent, (tmp_path / "parent",))):
        assert set(multiprocessing.active_children()) <= before


# --------------------------------------------------------------- no other module starts threads or processes

STARTERS = {"threading", "_thread", "multiprocessing", "concurrent", "subprocess", "ray"}
OS_STARTERS = ("fork", "forkpty", "system", "popen", "spawn", "posix_spawn", "exec")
PACKAGES = ("engine", "axes", "solver", "tournament", "llm")
MAY_START = ROOT / "engine" / "execute"


def starters(source: str) -> set[str]:
    """What a module imports or calls to start threads or processes. A module that names none of it is not parsed."""
    found: set[str] = set()
    if not re.search(rf"\b(?:os|{'|'.join(STARTERS)})\b", source):
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.partition(".")[0] in STARTERS}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            locks = node.module == "threading" and [alias.name for alias in node.names] == ["Lock"]  # starts nothing
            if node.module.partition(".")[0] in STARTERS and not locks:
                found.add(node.module)
            if node.module == "os":
                found |= {f"os.{alias.name}" for alias in node.names if alias.name.startswith(OS_STARTERS)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            if node.attr.startswith(OS_STARTERS):
                found.add(f"os.{node.attr}")
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = str(node.args[0].value)
            by_name = name.partition(".")[0] in STARTERS
            if by_name and ast.unparse(node.func) in ("importlib.import_module", "__import__"):
                found.add(name)
    return found


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("import threading", {"threading"}),
        ("from threading import Lock", set()),
        ("from threading import Lock, Thread", {"threading"}),
        ("import numpy, concurrent.futures as f", {"concurrent.futures"}),
        ("def f():\n    from multiprocessing import Pool", {"multiprocessing"}),
        ("from concurrent.futures import ThreadPoolExecutor", {"concurrent.futures"}),
        ("import importlib\nray = importlib.import_module('ray')", {"ray"}),
        ("import os\nos.fork()\nos.system('ls')", {"os.fork", "os.system"}),
        ("from os import posix_spawn", {"os.posix_spawn"}),
        ("import os\nos.path.join('a')\nos.replace('a', 'b')", set()),
        ("from antemill.engine.execute import threads\nfrom .threading import x\nfrom . import subprocess", set()),
    ],
)
def test_the_search_for_starters_finds_them(source: str, want: set[str]) -> None:
    assert starters(source) == want


def test_only_the_execution_layer_starts_threads_and_processes() -> None:
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    inside = [path for path in modules if path.is_relative_to(MAY_START)]
    assert {name for path in inside for name in starters(path.read_text())} >= {"threading", "multiprocessing", "ray"}
    outside = {str(path.relative_to(ROOT)): starters(path.read_text()) for path in modules if path not in inside}
    assert "engine/storage/files.py" in outside
    # The limit leaves room for each thread that another test has started.
    for path in ("engine/machine/batch.py", "engine/builder/generate.py", "engine/kernel_plain.py"):
        assert outside.pop(path) == {"threading"}
        assert re.findall(r"threading\.\w+", (ROOT / path).read_text()) == ["threading.local"]
    # Whether this process is a worker, which compiles in silence.
    assert outside.pop("engine/cache_root.py") == {"multiprocessing"}
    assert "from multiprocessing import parent_process\n" in (ROOT / "engine/cache_root.py").read_text()
    assert {path: found for path, found in outside.items() if found} == {}


def test_the_facade_imports_neither_ray_nor_rich() -> None:
    code = "import sys, antemill.engine.execute; print(*{'ray', 'rich', 'numba', 'numpy'} & sys.modules.keys())"
    result = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
