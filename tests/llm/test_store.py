"""The call store: what goes in comes out, in spite of failures of the process, the disk and the lock."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import msgspec
import pytest

from antemill import llm
from antemill.llm.errors import TIMED_OUT
from antemill.llm.records import SENT, Attempt, Call
from tests.llm.clocks import QuickClock
from tests.llm.stage import REQUEST

RULEBOOK = "Each player antes one chip.\n" * 300
BODY = msgspec.json.encode({"model": "x", "messages": [{"role": "system", "content": RULEBOOK}], "t": 0.5}).decode()
USAGE = llm.Usage(input_uncached=1, input_cached=2, cache_write=3, output_visible=4, reasoning=5, cost_estimated=0.5)


def call(key: str = "k", **changes: object) -> Call:
    """A row."""
    row = Call(
        key=key,
        model="m",
        protocol="scripted",
        gateway="scripted",
        remote="m-1",
        sample="0",
        purpose="move",
        status="ok",
        finish="stop",
        text="bet\x00 ✓",
        request=BODY,
        reply='{"raw": 1}',
        prompt_hash="h",
        usage=msgspec.structs.replace(USAGE, raw={"a": {"b": None}}),
        time=1.5,
        seconds=0.25,
        total_seconds=0.5,
        attempts=1,
    )
    return msgspec.structs.replace(row, **changes)


def attempt(**changes: object) -> Attempt:
    """A failed attempt."""
    row = Attempt(
        key="k",
        model="m",
        number=1,
        time=1.0,
        seconds=0.1,
        status=None,
        error=TIMED_OUT,
        message="late",
        body="",
        retry_after=None,
        risk=0.25,
    )
    return msgspec.structs.replace(row, **changes)


@pytest.mark.parametrize("name", ["calls.sqlite", ":memory:"])
def test_a_call_comes_out_as_it_went_in(name: str, tmp_path: Path) -> None:
    with llm.CallStore(name if name == ":memory:" else tmp_path / "new" / name) as store:
        assert store.find("k") is None
        tried = store.add_attempt(attempt())
        row = store.add(call(), [tried])
        assert store.call(row) == call()
        assert list(store.calls()) == [call()]
        assert store.failed_attempts(row) == [attempt()]
        reply = store.find("k")
        assert reply is not None
        assert (reply.text, reply.finish, reply.usage, reply.stored) == ("bet\x00 ✓", "stop", call().usage, True)
        with pytest.raises(llm.StoreError, match="no call 99"):
            store.call(99)


def test_a_rulebook_is_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    for _ in range(2):  # also by another process
        with llm.CallStore(path) as store:
            for i in range(20):
                store.add(call(f"k{i}"))
            assert store.call(1).request == BODY
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM texts").fetchone() == (1,)
    assert database.execute("SELECT max(length(request)) FROM calls").fetchone()[0] < 200
    database.close()


def test_failures_are_no_answers_and_the_first_answer_counts() -> None:
    with llm.CallStore(":memory:") as store:
        store.add(call(status="failed"))
        assert store.find("k") is None
        second = store.add(call(text="first"))
        store.add(call(text="second"))
        found = store.find("k")
        assert found is not None
        assert (found.text, found.call) == ("first", second)


def test_totals() -> None:
    with llm.CallStore(":memory:") as store:
        assert (store.totals(), store.spent()) == ({}, 0.0)
        store.add(call("a"))
        store.add(call("b", usage=llm.Usage(output_visible=6, cost_reported=2.0, cost_estimated=9.0)))
        store.add(call("c", status="failed", usage=llm.Usage()))
        store.add(call("d", model="other"))
        store.add_attempt(attempt())
        store.add_attempt(attempt(error="HTTP 500", risk=0.0))
        store.add_attempt(attempt(model="gone"))
        totals = store.totals()
        assert list(totals) == ["gone", "m", "other"]
        m = totals["m"]
        assert (m.calls, m.failed, m.failed_attempts, m.timeouts) == (2, 1, 2, 1)
        assert (m.output_visible, m.input_cached, m.cost) == (10, 2, 2.5)
        assert (totals["gone"].calls, totals["gone"].timeouts) == (0, 1)
        assert (store.cost(), store.risk(), store.spent()) == (3.0, 0.5, 3.5)


def test_others_read_while_a_run_writes(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with llm.CallStore(path) as writer, llm.CallStore(path) as reader:
        for i in range(50):
            writer.add(call(f"k{i}"))
            assert reader.totals()["m"].calls == i + 1
        writer._db.execute("BEGIN IMMEDIATE")  # in the midst of writing
        assert reader.totals()["m"].calls == 50
        assert reader.find("k7") is not None
        writer._db.execute("ROLLBACK")


def test_a_lock_is_reported_soon(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with llm.CallStore(path) as store, llm.CallStore(path) as other:
        other._db.execute("BEGIN EXCLUSIVE")
        begin = time.monotonic()
        with pytest.raises(llm.StoreLockedError, match="locked by another process"):
            store.add(call())
        assert time.monotonic() - begin < 5
        other._db.execute("ROLLBACK")
        store.add(call())


MODEL = llm.Model(name="m", protocol="scripted", prices=llm.Prices(input=1, output=1))


def test_a_full_disk_is_said_and_spoils_nothing(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with llm.CallStore(path) as store:
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages + 8}")
        added = 0

        def fill() -> None:
            nonlocal added
            while added < 100:
                tried = store.add_attempt(attempt())
                store.add(call(f"k{added}", request=BODY.replace("antes", f"antes {added}")), [tried])
                added += 1

        with pytest.raises(llm.StoreError, match="the disk is full: free some space"):
            fill()
        assert 0 < added < 100
        assert not store._db.in_transaction
        store._db.execute("PRAGMA max_page_count = 100000")
        store.add(call("more"))
    with llm.CallStore(path) as store:
        assert [row.key for row in store.calls()] == [*(f"k{i}" for i in range(added)), "more"]
        assert store._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("content", [b"no database at all, but text\n" * 100, None])
def test_another_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "calls.sqlite"
    if content is None:
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE ours (x)")
        database.commit()
        database.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(llm.StoreError, match="not a call store"):
        llm.CallStore(path)
    assert path.read_bytes() == before


def test_a_folder_that_can_not_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(llm.StoreError, match="cannot be read or written"):
        llm.CallStore(tmp_path / "file" / "calls.sqlite")


WRITER = """
    import asyncio, sys
    from antemill.llm import CallStore, Client, Message, Model, Request

    async def main():
        with CallStore(sys.argv[1]) as store:
            script = lambda request: request.sample * 3
            async with Client({"m": Model(name="m", protocol="scripted")}, store, scripts={"m": script}) as client:
                for i in range(100_000):
                    reply = await client.ask("m", Request(messages=(Message("user", "?"),), sample=str(i)))
                    print(i, reply.stored, flush=True)

    asyncio.run(main())
"""


def test_what_was_answered_survives_the_process_being_killed(tmp_path: Path) -> None:
    """Killed three times, each time after some answers: the next run finds every one that was reported."""
    path, reported = tmp_path / "calls.sqlite", 0
    for kill_after in (20, 45, 70):
        command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        lines = [process.stdout.readline().split() for _ in range(kill_after)]
        os.kill(process.pid, signal.SIGKILL)
        rest = [line.split() for line in process.stdout.read().splitlines()]
        process.wait()
        process.stdout.close()
        stored = [line[1] == "True" for line in lines]
        assert stored[:reported] == [True] * min(reported, kill_after)
        reported = len(lines) + len([line for line in rest if len(line) == 2])
    with llm.CallStore(path) as store:
        keys = [row.sample for row in store.calls()]
        assert len(keys) == len(set(keys)) >= reported
        assert all(row.text == row.sample * 3 for row in store.calls())


def test_a_request_is_on_record_before_its_reply_is_read(tmp_path: Path) -> None:
    """Seen by another process while the model thinks; and it stays so when the process is killed in that moment."""
    path = tmp_path / "calls.sqlite"
    code = """
        import asyncio, os, signal, sys
        from antemill.llm import CallStore, Client, Message, Model, Prices, Request

        def script(request):
            with CallStore(sys.argv[1]) as other:
                print(len(other.sent_attempts()), other.spent() > 0, len(other.failed_attempts()), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

        async def main():
            models = {"m": Model(name="m", protocol="scripted", prices=Prices(input=1, output=1))}
            with CallStore(sys.argv[1]) as store:
                async with Client(models, store, scripts={"m": script}) as client:
                    await client.ask("m", Request(messages=(Message("user", "?"),)))

        asyncio.run(main())
    """
    for sent in (1, 2):
        command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.returncode == -signal.SIGKILL
        assert found.stdout == f"{sent} True 0\n"
    with llm.CallStore(path) as store:
        [first, second] = store.sent_attempts()
        assert (first.error, first.number, second.key) == (SENT, 1, first.key)
        assert store.spent() == pytest.approx(first.risk + second.risk)
        assert store.failed_attempts() == []


@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_of_another_version_is_refused_in_one_sentence(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "calls.sqlite"
    with llm.CallStore(path) as store:
        store._db.execute("PRAGMA user_version = 2")
    with pytest.raises(llm.StoreError, match="is not a call store of this version"):
        llm.CallStore(path, read_only=read_only)


def test_a_time_out_that_may_have_been_billed_counts_against_the_budget() -> None:
    from antemill.llm import Budget

    async def main(store: llm.CallStore) -> None:
        failures = [llm.AgainError("late", billed=True), llm.AgainError("never sent")]

        def script(_request: llm.Request) -> str:
            if failures:
                raise failures.pop(0)
            return "bet"

        budget = Budget(1.0)
        clock = QuickClock()
        async with llm.Client({"m": MODEL}, store, scripts={"m": script}, clock=clock, budget=budget) as client:
            reply = await client.ask("m", REQUEST)
        first, second = store.failed_attempts(reply.call)
        assert first.risk > 0.004 > second.risk == 0
        assert store.spent() == pytest.approx(budget.spent)
        assert store.spent() == pytest.approx(reply.usage.cost + first.risk)

    with llm.CallStore(":memory:") as store:
        asyncio.run(main(store))


def test_two_runs_may_share_a_store(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    llm.CallStore(path).close()
    errors: list[BaseException] = []

    async def run(offset: int) -> None:
        with llm.CallStore(path) as store:
            async with llm.Client({"m": MODEL}, store, scripts={"m": lambda _request: "bet"}) as client:
                for i in range(100):
                    await client.ask("m", llm.Request(messages=REQUEST.messages, sample=str(offset + i)))

    def thread(offset: int) -> None:
        try:
            asyncio.run(run(offset))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=thread, args=(1000 * i,)) for i in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []
    with llm.CallStore(path) as store:
        assert store.totals()["m"].calls == 200


@pytest.mark.parametrize("read_only", [True, False])
def test_a_folder_in_the_place_of_the_store_is_said(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "calls.sqlite"
    path.mkdir()
    with pytest.raises(llm.StoreError, match=r"calls\.sqlite is not a call store; move it away"):
        llm.CallStore(path, read_only=read_only)
