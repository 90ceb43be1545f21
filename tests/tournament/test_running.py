"""`run`: every kind of run by one call, in scripts and where an event loop is running."""

from __future__ import annotations

import asyncio
import math
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill.engine.errors import AntemillError, StorageError, UsageError
from antemill.tournament import running
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import RunStore
from antemill.tournament.toml import to_toml

run: Any = running.run  # as callers without types see it

CUP = {
    "tournament": {"games": ["kuhn"], "matches_per_seat": 4},
    "players": {"rnd": {"bot": "random"}, "l1": {"bot": "l1"}},
}
GRADES = {name: {"bot": name} for name in ("novice", "master")}
CONFIGS: dict[str, dict[str, Any]] = {
    "tournament": CUP,
    "duel": {"duel": {"turns": 2, "pairs": [["novice", "master"]]}, "players": GRADES},
    "skate": {"skate": {"rounds": 1}, "players": GRADES},
    "eval": {"eval": {"games": ["kuhn"], "matches_per_seat": 2}, "players": CUP["players"]},
}
WRITTEN = {"tournament": "slots", "duel": "turns", "skate": "answers", "eval": "slots"}  # what `analyze` writes

TABLE = {"tournament": "fallbacks", "duel": "ratings", "skate": "ratings", "eval": "losses"}

# Ctrl-C when the third match is finished, in the middle of others.
INTERRUPTED = """
import asyncio, signal, sys
from antemill.tournament.running import run
from antemill.tournament.runs.store import RunStore

finish, count = RunStore.finish, [0]
def finish_and_interrupt(*args):
    finish(*args)
    count[0] += 1
    if count[0] == 3:
        signal.raise_signal(signal.SIGINT)
RunStore.finish = finish_and_interrupt

async def awaited():
    await run(sys.argv[1], sys.argv[2])

async def gathered():
    await asyncio.gather(run(sys.argv[1], sys.argv[2]), run(sys.argv[1], sys.argv[2] + "_too"))

try:
    run(*sys.argv[1:3]) if sys.argv[3] == "blocking" else asyncio.run(globals()[sys.argv[3]]())
except KeyboardInterrupt:
    print("interrupted", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def written(folder: Path, config: dict[str, Any], name: str = "cup.toml") -> Path:
    path = folder / name
    path.write_text(to_toml(config))
    return path


def done(folder: Path) -> int:
    with RunStore(folder / "run.sqlite", read_only=True) as store:
        return store.counts().done


@pytest.mark.parametrize("name", CONFIGS)
def test_a_run_of_every_kind_is_played_read_and_gone_on_with(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, out = written(tmp_path, CONFIGS[name]), tmp_path / "out"
    result = run(str(config), out=str(out))
    assert (result.kind, result.folder) == (name, out)
    status = result.status()
    assert status.done == status.total == done(out) > 0
    assert repr(result) == f"<Run of a {name} in {out}: {status.done} of {status.done} done>"
    board = result.leaderboard()
    assert {row[0] for row in board.rows} == set(CONFIGS[name]["players"])
    assert str(board.rows[0][0]) in str(board)
    assert TABLE[name] in result.tables()
    assert (out / "tables.md").is_file()
    assert command(["analyze", str(out)]) == 0
    table = result.slots()
    assert table.num_rows > 0
    assert table.equals(pq.read_table(out / f"{WRITTEN[name]}.parquet"))
    before = (out / "run.sqlite").read_bytes()
    again = run(CONFIGS[name], out)  # the same, as a dict: nothing is left to be played
    assert again.slots().equals(table)
    assert len((out / "run.sqlite").read_bytes()) == len(before)
    capsys.readouterr()
    assert command(["start", str(config), "--out", str(out)]) == 0


def test_a_run_is_awaited_where_an_event_loop_is_running(tmp_path: Path) -> None:
    blocking = run(CUP, tmp_path / "blocking")
    steps: list[int] = []

    async def others() -> None:
        while True:
            steps.append(1)
            await asyncio.sleep(0)

    async def work() -> None:
        waiting = run(CUP, tmp_path / "awaited")
        assert "an event loop is running, so `await` it" in repr(waiting)
        assert not (tmp_path / "awaited").exists()
        with pytest.raises(StorageError, match="there is no run in"):
            waiting.status()
        other = asyncio.create_task(others())
        result = await waiting
        other.cancel()
        assert result is waiting
        assert await result is result
        assert result.slots().equals(blocking.slots())
        assert steps, "the loop was blocked"

    asyncio.run(work())
    assert run(CUP, tmp_path / "awaited").slots().equals(blocking.slots())

    async def finished() -> object:
        return await blocking

    assert asyncio.run(finished()) is blocking


def test_runs_go_on_at_the_same_time_and_leave_signals_as_they_were(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]

    async def work() -> list[int]:
        cups = (run(CUP, tmp_path / name) for name in "abc")
        return [result.status().done for result in await asyncio.gather(*cups)]

    assert asyncio.run(work()) == [8, 8, 8]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_a_cancelled_run_keeps_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finish = RunStore.finish

    async def work() -> None:
        task = asyncio.ensure_future(run({**CUP, "limits": {"in_flight": 1}}, tmp_path / "cup"))

        def finish_and_cancel(self: RunStore, *args: Any) -> None:
            finish(self, *args)
            task.cancel()

        monkeypatch.setattr(RunStore, "finish", finish_and_cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    monkeypatch.setattr(RunStore, "finish", finish)
    assert 0 < done(tmp_path / "cup") < 8
    assert run(CUP, tmp_path / "cup").slots().equals(run(CUP, tmp_path / "other").slots())


@pytest.mark.parametrize("form", ["blocking", pytest.param("gathered", marks=pytest.mark.slow)])
def test_ctrl_c_keeps_what_was_finished(form: str, tmp_path: Path) -> None:
    config = {**CUP, "limits": {"in_flight": 2}}
    path = written(tmp_path, config)
    arguments = [sys.executable, "-c", INTERRUPTED, str(path), str(tmp_path / "cup"), form]
    ended = subprocess.run(arguments, capture_output=True, text=True)
    assert (ended.stdout, ended.returncode) == ("interrupted True\n", 0), ended.stderr
    runs = ["cup", "cup_too"] if form == "gathered" else ["cup"]
    assert 3 <= sum(done(tmp_path / name) for name in runs) < 8 * len(runs)
    assert run(path, tmp_path / "cup").slots().equals(run(CUP, tmp_path / "other").slots())


class Odd:
    pass


WRONG: list[tuple[Callable[[], Any], type[Exception]]] = [
    (lambda: run(None), TypeError),
    (lambda: run(""), ValueError),
    (lambda: run("nowhere.toml", "out"), StorageError),
    (lambda: run(CUP), TypeError),
    (lambda: run(CUP, "cup", progress="no"), TypeError),
    (lambda: run({"players": {}}, "cup"), UsageError),
    (lambda: run({"tournament": {"games": Odd()}}, "cup"), TypeError),
    (lambda: run({3: {}}, "cup"), TypeError),
    (lambda: run({**CUP, "tournament": {"games": ["kuhm"]}}, "cup"), UsageError),
    (lambda: run({**CUP, "duel": {}}, "cup"), UsageError),
    (lambda: run({**CUP, "budget": {"dollars": math.nan}}, "cup"), UsageError),
    (lambda: run({**CUP, "players": {"a": {"model": "gpt"}, "b": {"bot": "l1"}}}, "cup"), UsageError),
]


def test_a_wrong_argument_is_one_sentence_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for call, kind in WRONG:
        with pytest.raises(kind) as raised:
            call()
        assert isinstance(raised.value, AntemillError)
        assert "\n" not in str(raised.value)
        assert "line" not in str(raised.value), "a dict has no lines"
        assert not [*tmp_path.iterdir()]


def test_nothing_is_finished_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tournament"

    def refuse(*_: Any) -> None:
        raise StorageError("the disk is full.")

    result = run(CONFIGS[name], tmp_path / "whole")
    whole = result.slots().schema
    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "finish", refuse)
        patch.setattr("antemill.tournament.runs.folder._begun", lambda _folder: True)
        with pytest.raises(StorageError, match="the disk is full"):
            run(CONFIGS[name], tmp_path / "cup")
    result.folder = tmp_path / "cup"
    assert result.status().done == 0
    assert result.slots().num_rows == 0
    assert result.slots().schema.equals(whole)
    with pytest.raises(UsageError, match=r"no match in .*cup is finished"):
        result.leaderboard()


TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_a_dict_is_read_again_from_its_toml(content: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(content)) == content


def test_numbers_of_numpy_and_paths_are_written_and_nothing_is_left_out() -> None:
    content = {"a": {"b": np.int64(3), "c": np.float32(0.5), "d": np.bool_(True), "e": Path("x/y"), "f": (1, 2)}}
    content["a"] |= {"none": None, "array": np.arange(3), "tables": [{"p": None, "q": 1}]}
    expected = {"b": 3, "c": 0.5, "d": True, "e": "x/y", "f": [1, 2], "array": [0, 1, 2], "tables": [{"q": 1}]}
    assert tomllib.loads(to_toml(content)) == {"a": expected}


def test_importing_it_loads_little() -> None:
    heavy = ("numba", "numpy", "pyarrow", "scipy", "httpx2", "rich")
    script = f"import antemill.tournament.running, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
