"""The run core: resumption, retries, time-outs, budget, locks, full disks, jumping clocks (D9)."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from antemill import llm
from antemill.engine.errors import StorageError, UsageError
from antemill.tournament.runs import Item, Limits, Played, RunStoppedError, RunStore, open_run, read_status, start_run
from antemill.tournament.runs import lock as locks
from antemill.tournament.runs.config import parse_config
from antemill.tournament.runs.estimate import forecast
from antemill.tournament.runs.pending import Pending
from antemill.tournament.runs.records import Record
from antemill.tournament.runs.runner import Runner
from antemill.tournament.runs.session import preview, reading
from tests.tournament.runs.hasty import hasty
from tests.tournament.runs.run_kinds import TOY, Toy, ToyConfig, ToyTable, run_toy, table_of, write_models, write_toy

LIMITS = "[limits]\n"


def echo(request: llm.Request) -> str:
    """A deterministic model."""
    return f"{request.sample}:{len(request.messages[0].text)}"


def gone() -> llm.AgainError:
    """Costs nothing, so that the client asks again until the deadline."""
    return llm.AgainError("no connection", kind="no connection")


def too_slow() -> llm.AgainError:
    """May be charged, so that three of them end a call."""
    return llm.AgainError("too slow", kind="time-out", billed=True)


class NoModels:
    """A client that is never asked."""

    async def ask(self, _model: str, request: llm.Request) -> llm.Reply:
        raise AssertionError(request)

    def drop(self) -> None:
        pass

    def watch(self) -> list[llm.ModelState]:
        return []


class Slow:
    """A model that waits, and remembers what it was asked."""

    def __init__(self, seconds: float = 0.001) -> None:
        self.seconds = seconds
        self.asked: list[str] = []
        self.now = self.most = 0

    async def __call__(self, request: llm.Request) -> str:
        self.asked.append(request.sample)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(self.seconds)
        self.now -= 1
        return echo(request)


class Faulty:
    """Raises the error at some of its first calls of each sample, then answers."""

    def __init__(self, error: Callable[[], Exception], times: int, only: str = "") -> None:
        self.error, self.times, self.only = error, times, only
        self.asked: Counter[str] = Counter()

    def __call__(self, request: llm.Request) -> str:
        self.asked[request.sample] += 1
        if self.asked[request.sample] <= self.times and request.sample.startswith(self.only):
            raise self.error()
        return echo(request)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_models(tmp_path, "echo")
    return tmp_path


# ------------------------------------------------------------------------------------------------ the same table


def test_a_run_and_its_files(home: Path) -> None:
    run_toy(write_toy(home), home / "run", {"echo": echo})
    assert [row[:4] for row in table_of(home / "run")][1] == (1, "0.1", "done", {"answers": ["0.1/0:18", "0.1/1:18"]})
    found = read_status("toy", home / "run")
    assert (found.done, found.total, found.discarded, found.fallbacks, found.timeouts) == (4, 4, 0, 4, 0)
    assert found.cost == pytest.approx(sum(row[4] for row in table_of(home / "run")))
    assert found.cost > 0
    assert found.rate is not None
    assert (found.seconds_left, found.running) == (0.0, False)
    with reading(TOY, home / "run") as run:
        assert run.store.transcript("0.1")["asked"] == "question 1 after 0"
        with pytest.raises(UsageError, match="no item"):
            run.store.transcript("9.9")


@pytest.mark.parametrize("in_flight", [1, 64])
def test_the_table_does_not_depend_on_concurrency(home: Path, in_flight: int) -> None:
    run_toy(write_toy(home, "questions = 7\nrounds = 3"), home / "a", {"echo": echo})
    config = write_toy(home, "questions = 7\nrounds = 3", f"[limits]\nin_flight = {in_flight}")
    model = Slow()
    run_toy(config, home / "b", {"echo": model})
    assert table_of(home / "a") == table_of(home / "b")
    assert len(table_of(home / "a")) == 21
    assert model.most <= min(in_flight, 8)


def test_rounds_are_planned_from_complete_results_and_never_twice(home: Path) -> None:
    config = write_toy(home, "questions = 3\nrounds = 3")
    with start_run(TOY, config, home / "run") as session:
        kind = session.kind
        assert isinstance(kind, Toy)
        session.run(quiet=True, scripts={"echo": Slow()})
        assert kind.plans == [0, 3, 6, 9]
    with open_run(TOY, home / "run") as session:
        kind = session.kind
        assert isinstance(kind, Toy)
        session.run(quiet=True, scripts={"echo": echo})
        assert kind.plans == [9]


def test_an_interrupted_run_resumes_without_asking_again(home: Path) -> None:
    """For every reason to stop: finished items are kept, stored replies are used again."""
    config = write_toy(home, "questions = 10\nrounds = 2\ncalls = 3", LIMITS)
    run_toy(config, home / "whole", {"echo": echo})
    asked: Counter[str] = Counter()
    stop_at = [5, 17, 30, 44]

    async def model(request: llm.Request) -> str:
        if stop_at and len(asked) >= stop_at[0]:
            stop_at.pop(0)
            raise llm.StopError("enough for now")
        await asyncio.sleep(0.0005)
        asked[request.sample] += 1
        return echo(request)

    for _ in range(4):
        with pytest.raises(RunStoppedError, match=r"enough for now.*kept"):
            run_toy(config, home / "parts", {"echo": model})
    run_toy(config, home / "parts", {"echo": model})
    assert table_of(home / "parts") == table_of(home / "whole")
    assert set(asked.values()) == {1}
    assert len(asked) == 60


def test_ctrl_c_awaits_the_calls_in_flight_and_the_next_drops_them(home: Path) -> None:
    config = write_toy(home, "questions = 8\ncalls = 2", "[limits]\nin_flight = 4")
    asked: list[str] = []
    answered: list[str] = []

    async def model(request: llm.Request) -> str:
        asked.append(request.sample)
        if len(asked) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.02)
        answered.append(request.sample)
        return echo(request)

    with pytest.raises(KeyboardInterrupt):
        run_toy(config, home / "run", {"echo": model})
    assert len(answered) == 4
    with llm.CallStore(home / "run" / "calls.sqlite") as calls:
        assert len(list(calls.calls())) == 4

    async def endless(_request: llm.Request) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)
        return ""

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_toy(config, home / "run", {"echo": endless})
    assert time.monotonic() - start < 10
    run_toy(config, home / "run", {"echo": model})
    run_toy(config, home / "whole", {"echo": echo})
    assert table_of(home / "run") == table_of(home / "whole")


# ------------------------------------------------------------------------------------------------ errors


def test_errors_of_the_infrastructure_are_retried_and_never_results(home: Path) -> None:
    config = write_toy(home, rest=LIMITS)
    run_toy(config, home / "whole", {"echo": echo})
    with hasty():
        run_toy(config, home / "run", {"echo": Faulty(gone, 1)})
    assert table_of(home / "run") == table_of(home / "whole")
    assert read_status("toy", home / "run").timeouts == 0


def test_a_call_that_times_out_three_times_discards_its_item(home: Path) -> None:
    """N2. The deadline is beyond the pauses between three attempts."""
    write_models(home, "echo", timeout=20.0)
    config = write_toy(home, rest=LIMITS)
    with hasty():
        run_toy(config, home / "run", {"echo": Faulty(too_slow, 2, only="0.1/0")})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded, found.timeouts) == (4, 0, 0)
    model = Faulty(too_slow, 99, only="0.1/1")
    with hasty():
        run_toy(config, home / "lost", {"echo": model})
    found = read_status("toy", home / "lost")
    assert (found.done, found.total, found.discarded, found.timeouts) == (3, 4, 1, 1)
    assert (model.asked["0.1/0"], model.asked["0.1/1"]) == (1, 3)
    assert found.seconds_left == 0.0
    with open_run(TOY, home / "lost", again=True) as session:
        session.run(quiet=True, scripts={"echo": echo})
    run_toy(config, home / "whole", {"echo": echo})
    assert table_of(home / "lost") == table_of(home / "whole")


def test_an_item_that_is_too_long_for_a_model_is_discarded_at_once(home: Path) -> None:
    model = Faulty(lambda: llm.ItemError("the prompt is too long"), 99, only="0.2")
    run_toy(write_toy(home, rest=LIMITS), home / "run", {"echo": model})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded, found.timeouts) == (3, 1, 0)
    assert model.asked["0.2/0"] == 1


def test_a_slow_model_times_out(home: Path) -> None:
    write_models(home, "echo", timeout=0.02)
    with pytest.raises(RunStoppedError, match=r"no answer from the script within 0\.02 s.*kept"):
        run_toy(write_toy(home, "questions = 2", LIMITS), home / "run", {"echo": Slow(30.0)})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded, found.timeouts) == (0, 0, 2)


@pytest.mark.parametrize(("patience", "said"), [(0.1, "nothing has succeeded"), (60.0, "gave no answer")])
def test_nothing_but_errors_stops_the_run_with_a_sentence(home: Path, patience: float, said: str) -> None:
    config = write_toy(home, rest=f"[limits]\npatience = {patience}")
    with hasty(), pytest.raises(RunStoppedError, match=rf"{said} .*no connection.*kept"):
        run_toy(config, home / "run", {"echo": Faulty(gone, 10**9)})
    run_toy(write_toy(home, rest=LIMITS), home / "run", {"echo": echo})
    assert read_status("toy", home / "run").done == 4


def test_the_budget_stops_the_run_cleanly_and_a_larger_one_continues(home: Path) -> None:
    config = write_toy(home, "questions = 6", LIMITS + "in_flight = 1\n[budget]\ndollars = 0.2")
    with pytest.raises(RunStoppedError, match=r"budget.*--budget"):
        run_toy(config, home / "run", {"echo": echo})
    found = read_status("toy", home / "run")
    assert 0 < found.done < 6
    assert 0 < found.cost <= 0.2
    with open_run(TOY, home / "run") as session, pytest.raises(RunStoppedError, match="budget"):
        session.run(quiet=True, scripts={"echo": echo})
    with open_run(TOY, home / "run", dollars=5.0) as session:
        session.run(quiet=True, scripts={"echo": echo})
    run_toy(write_toy(home, "questions = 6"), home / "whole", {"echo": echo})
    assert table_of(home / "run") == table_of(home / "whole")


def test_a_mistake_of_ours_keeps_its_traceback_and_what_is_finished(home: Path) -> None:
    def model(request: llm.Request) -> str:
        if request.sample.startswith("0.2"):
            raise ZeroDivisionError
        return echo(request)

    config = write_toy(home, rest="[limits]\nin_flight = 1")
    with pytest.raises(ZeroDivisionError):
        run_toy(config, home / "run", {"echo": model})
    assert read_status("toy", home / "run").done == 2


# ------------------------------------------------------------------------------------------------ the machine


def test_a_full_disk_stops_the_run_and_nothing_is_lost(home: Path) -> None:
    def long(request: llm.Request) -> str:
        return echo(request) + "x" * 500

    config = write_toy(home, "questions = 30", "[limits]\nin_flight = 1")
    with start_run(TOY, config, home / "run") as session:
        pages = session.store._db.execute("PRAGMA page_count").fetchone()[0]
        session.store._db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StorageError, match=r"full.*free some space and run the same command again"):
            session.run(quiet=True, scripts={"echo": long})
    run_toy(config, home / "run", {"echo": long})
    run_toy(config, home / "whole", {"echo": long})
    assert table_of(home / "run") == table_of(home / "whole")
    with llm.CallStore(home / "run" / "calls.sqlite") as calls:
        assert max(Counter(call.key for call in calls.calls()).values()) == 1


def test_a_full_disk_under_the_calls_stops_the_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = write_toy(home, "questions = 30", "[limits]\nin_flight = 2")
    add = llm.CallStore.add
    written = []

    def failing(self: llm.CallStore, call: llm.Call, attempts: tuple[int, ...] = (), sent: int | None = None) -> int:
        written.append(call.sample)
        if len(written) == 20:
            raise_full(self)
        return add(self, call, attempts, sent)

    def raise_full(self: llm.CallStore) -> None:
        with self._explained:
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(llm.CallStore, "add", failing)
    with pytest.raises(RunStoppedError, match=r"full.*what was finished is kept"):
        run_toy(config, home / "run", {"echo": echo})
    run_toy(config, home / "run", {"echo": echo})
    assert read_status("toy", home / "run").done == 30


@contextmanager
def held(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program's transaction."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        other.close()


def test_a_database_that_another_program_locks_is_waited_for(home: Path) -> None:
    config = write_toy(home, "questions = 6", LIMITS)
    run_toy(config, home / "whole", {"echo": echo})
    taken: list[sqlite3.Connection] = []

    async def model(request: llm.Request) -> str:
        if not taken:
            other = sqlite3.connect(home / "run" / "run.sqlite", isolation_level=None, check_same_thread=False)
            taken.append(other)
            other.execute("BEGIN IMMEDIATE")
            threading.Timer(0.3, other.close).start()
        await asyncio.sleep(0.001)
        return echo(request)

    run_toy(config, home / "run", {"echo": model})
    assert table_of(home / "run") == table_of(home / "whole")


def test_a_database_that_stays_locked_is_an_error_in_one_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antemill.tournament.runs.database.BUSY_SECONDS", 0.2)
    config = write_toy(home)
    refused = pytest.raises(StorageError, match=r"another program keeps .*run\.sqlite locked: close it and resume")
    with start_run(TOY, config, home / "run") as session, held(home / "run" / "run.sqlite"), refused:
        session.run(quiet=True, scripts={"echo": echo})
    run_toy(config, home / "run", {"echo": echo})
    assert read_status("toy", home / "run").done == 4


def test_a_jump_of_the_clock_changes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = write_toy(home, "questions = 8", "[limits]\npatience = 30")
    run_toy(config, home / "whole", {"echo": echo})
    now, jumps = time.time, [0.0]

    def model(request: llm.Request) -> str:
        jumps[0] += 7200.0 if len(request.sample) % 2 else -10_000.0
        return faulty(request)

    faulty = Faulty(gone, 1)
    monkeypatch.setattr(time, "time", lambda: now() + jumps[0])
    with hasty():
        run_toy(config, home / "run", {"echo": model})
    assert table_of(home / "run") == table_of(home / "whole")
    found = read_status("toy", home / "run")
    assert found.rate is not None
    assert 0 < found.rate < 1e6


def test_a_second_process_is_refused(home: Path) -> None:
    config = write_toy(home)
    with start_run(TOY, config, home / "run"):
        assert locks.is_locked(home / "run")
        assert read_status("toy", home / "run").running
        with (
            pytest.raises(StorageError, match=rf"process {os.getpid()}\) is working on the run"),
            open_run(TOY, home / "run"),
        ):
            pass
    assert not locks.is_locked(home / "run")


# ------------------------------------------------------------------------------------------------ configuration


def test_a_changed_configuration_is_refused_but_for_budget_and_limits(home: Path) -> None:
    run_toy(write_toy(home), home / "run", {"echo": echo})
    run_toy(write_toy(home, rest="[budget]\ndollars = 3\n[limits]\nin_flight = 2"), home / "run", {"echo": echo})
    assert "in_flight = 2" in (home / "run" / "config.toml").read_text()
    with pytest.raises(StorageError, match="another configuration"):
        run_toy(write_toy(home, "questions = 5"), home / "run", {"echo": echo})
    (home / "run" / "config.toml").write_text("[toy]\nquestions = 5\n")
    with pytest.raises(StorageError, match="was changed since the run began"), open_run(TOY, home / "run"):
        pass


def test_changed_models_are_refused(home: Path) -> None:
    config = write_toy(home)
    run_toy(config, home / "run", {"echo": echo})
    write_models(home, "echo", "other")
    with pytest.raises(StorageError, match="the file of models was changed"):
        run_toy(config, home / "run", {"echo": echo})


def test_a_run_needs_nothing_from_outside_once_it_has_begun(home: Path) -> None:
    config = write_toy(home)
    with start_run(TOY, config, home / "run"):
        pass
    config.unlink()
    (home / "models.toml").unlink()
    with open_run(TOY, home / "run") as session:
        session.run(quiet=True, scripts={"echo": echo})
    assert read_status("toy", home / "run").done == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[toy", "is no TOML file"),
        ("[toy]\nquestions = 'many'", "questions"),
        ("[toy]\nanswers = 3", "answers"),
        ("[budget]\ndollars = -1", "budget"),
        ("[limits]\nin_flight = 0", "in_flight"),
    ],
)
def test_wrong_configurations(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        parse_config(text.encode(), ToyConfig, "x.toml")
    assert str(error.value).startswith("x.toml")


def test_folders_that_are_no_runs(home: Path) -> None:
    config = write_toy(home)
    with pytest.raises(StorageError, match="there is no run in"), open_run(TOY, home / "none"):
        pass
    with pytest.raises(StorageError, match="there is no run in"):
        read_status("toy", home)
    with pytest.raises(UsageError, match="other files"):
        run_toy(config, home, {"echo": echo})
    with pytest.raises(StorageError, match="not a folder"):
        run_toy(config, config, {"echo": echo})
    run_toy(config, home / "run", {"echo": echo})
    with pytest.raises(StorageError, match="a run of the kind toy, not duel"):
        read_status("duel", home / "run")
    (home / "run" / "run.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StorageError, match="damaged"):
        read_status("toy", home / "run")


def test_models_that_are_missing(home: Path) -> None:
    with pytest.raises(UsageError, match="has no model 'other'"):
        run_toy(write_toy(home, "models = ['other']"), home / "run", {})
    assert not (home / "run").exists()
    with pytest.raises(RunStoppedError, match="script"):
        run_toy(write_toy(home), home / "run", {})


def test_a_creation_that_was_killed_begins_anew(home: Path) -> None:
    """Before the transaction that makes the database, nothing has begun."""
    (home / "run").mkdir()
    (home / "run" / "config.toml").write_text("[toy]\nquestions = 99\n")
    RunStore(home / "run" / "run.sqlite").close()
    run_toy(write_toy(home), home / "run", {"echo": echo})
    assert read_status("toy", home / "run").done == 4


def test_the_estimate_before_a_run(home: Path) -> None:
    found = preview(TOY, write_toy(home, "questions = 5\ncalls = 3"))
    (row,) = forecast(found.kind.estimate(), found.models)
    assert (row.model, row.calls, row.priced) == ("echo", 15, True)
    assert row.input_tokens == 15 * (29 + 6)
    assert row.output_tokens == 15 * 6
    assert row.dollars == pytest.approx(1e-3 * (row.input_tokens + row.output_tokens))
    assert row.low == pytest.approx(1e-3 * (row.input_tokens + 15 * 3))
    assert row.high == pytest.approx(1e-3 * (row.input_tokens + 15 * 10))  # the longest that a reply may be
    assert row.reserved == pytest.approx(1e-3 * (1.25 * (120 + 300) + 10))
    assert row.prices == "$1000 in, $1000 out per million tokens"
    assert not (home / "run").exists()


# ------------------------------------------------------------------------------------------------ what people see


# ------------------------------------------------------------------------------------------------ parts


def test_items_start_in_the_order_of_the_plan_where_their_models_have_room() -> None:
    def record(position: int, *models: str) -> Record:
        return Record(position, Item(str(position), {}, models))

    pending = Pending({"a": 1, "b": 2})
    pending.add([record(0, "a"), record(1, "a"), record(2, "b"), record(3, "a", "b"), record(4), record(5, "b")])
    taken = [pending.take() for _ in range(5)]
    assert [one and one.position for one in taken] == [0, 2, 4, 5, None]
    assert taken[0] is not None
    pending.release(taken[0])
    assert [one and one.position for one in (pending.take(), pending.take())] == [1, None]
    assert len(pending) == 1


def test_an_item_that_is_planned_twice_is_a_mistake_of_the_kind(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run.sqlite")
    store.create({"kind": "toy"}, {})
    with pytest.raises(StorageError):
        store.plan([Item("same"), Item("same")], 0)
    assert store.records() == []
    store.close()


def test_a_row_that_can_not_be_written_stops_the_run(tmp_path: Path) -> None:
    class Wrong(Toy):
        async def play(self, _item: Item, _access: object) -> Played:
            return Played({"odd": object()})

    store = RunStore(tmp_path / "run.sqlite")
    store.create({"kind": "toy"}, {})
    runner = Runner(store, Wrong(ToyConfig(toy=ToyTable(questions=2))), client=NoModels(), limits=Limits())
    with pytest.raises(TypeError):
        asyncio.run(runner.run())
    assert store.counts().done == 0
    store.close()
