"""Pools in stores and in bad weather, by the commands that people use."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antemill.engine.builder.caps import Caps
from antemill.engine.storage import places
from antemill.tournament.cli.entry import run
from antemill.tournament.pool import build, candidates, score, spans, work
from antemill.tournament.pool.candidates import Candidate
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.spans import Span
from tests.engine.storage.stores import BusyStore
from tests.tournament.pool.pool_jobs import files_of

STORE = "fsspec+busy://bucket/pool"
QUICK = ("--workers", "1")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    BusyStore.reset(lambda _number: False)


@pytest.fixture
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "SHARD", 128)


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def stored() -> dict[str, bytes]:
    """The files of the pool in the store."""
    root = "busy://bucket/pool/"
    return {name.removeprefix(root): file.getvalue() for name, file in BusyStore.store.items()}


def test_a_store_gets_the_bytes_that_a_folder_gets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Although it answers every seventh request with 503."""
    BusyStore.reset(lambda number: number % 7 == 3)
    found = []
    for folder in (str(tmp_path / "pool"), STORE):
        built = document(capsys, "pool", "build", folder, "--seeds", "100:112", *QUICK)
        scored = document(capsys, "pool", "score", folder, "--only", "state-space", *QUICK)
        found.append([built["accepted"], scored["games"], scored["scored"]])
    assert found[0] == found[1]
    assert stored() == files_of(tmp_path / "pool")


def test_a_store_that_is_away_for_good_is_a_sentence_and_the_command_continues(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ("pool", "build", STORE, "--seeds", "120:140", *QUICK)
    BusyStore.reset(lambda number: number > 12)
    assert "HTTP status 503" in complaint(capsys, *command)
    left = stored()
    assert "pool.json" in left
    BusyStore.reset_busy(lambda _number: False)
    assert document(capsys, *command)["candidates"] == 20
    want = stored()
    BusyStore.reset(lambda _number: False)
    document(capsys, *command)
    assert stored() == want


@pytest.mark.usefixtures("_small_shards")
def test_a_pool_grows_in_both_directions_and_draws_no_seed_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    judged = candidates.judged

    def record(games: Sequence[tuple[int, float]], caps: Caps) -> list[Candidate]:
        drawn.extend(seed for seed, _ in games)
        return judged(games, caps)

    monkeypatch.setattr(work, "judged", record)
    for seeds in ("257:259", "257:261", "250:261", "250:264"):
        document(capsys, "pool", "build", str(tmp_path / "grown"), "--seeds", seeds, *QUICK)
        document(capsys, "pool", "score", str(tmp_path / "grown"), "--only", "risk", *QUICK)
    assert sorted(drawn) == list(range(250, 264))
    document(capsys, "pool", "build", str(tmp_path / "at once"), "--seeds", "250:264", *QUICK)
    document(capsys, "pool", "score", str(tmp_path / "at once"), "--only", "risk", *QUICK)
    assert files_of(tmp_path / "grown") == files_of(tmp_path / "at once")
    names = [Span(250, 256).file, Span(256, 264).file]
    assert [path.name for path in sorted((tmp_path / "grown" / "games").iterdir())] == names


@pytest.mark.usefixtures("_small_shards")
def test_what_a_stopped_command_had_drawn_is_not_drawn_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before its first write or removal, then before its second, and so on, always in the same folder."""
    command = ("pool", "build", str(tmp_path / "stopped"), "--seeds", "120:136", "--complexity", "0", *QUICK)
    document(capsys, *(str(tmp_path / "whole") if each.endswith("stopped") else each for each in command))
    want, drawn, stops = files_of(tmp_path / "whole"), list[int](), 0
    judged, changes = candidates.judged, {name: getattr(places.Place, name) for name in ("fill", "write", "remove")}

    def record(games: Sequence[tuple[int, float]], caps: Caps) -> list[Candidate]:
        drawn.extend(seed for seed, _ in games)
        return judged(games, caps)

    monkeypatch.setattr(work, "judged", record)
    while stops < 40:
        allowed = stops

        def count(function: Any, *arguments: Any) -> None:
            nonlocal allowed
            if allowed == 0:
                raise KeyboardInterrupt
            allowed -= 1
            function(*arguments)

        def counted(function: Any) -> Any:
            return lambda *arguments: count(function, *arguments)

        with monkeypatch.context() as patch:
            for name, function in changes.items():
                patch.setattr(places.Place, name, counted(function))
            if run(command) == 0:
                break
            stops += 1
    assert stops > 4
    capsys.readouterr()
    assert files_of(tmp_path / "stopped") == want
    assert len(drawn) <= 2 * 16  # each of the two parts was lost once at most, before it was written


@pytest.mark.parametrize(
    ("module", "name", "value", "words"),
    [
        (build, "numba_version", "0.1", "another numba"),
        (build, "builder_hash", "feedbeef", "another builder"),
        (score, "version_of", "feedbeef", "another version of the axes"),
    ],
)
def test_a_worker_with_other_packages_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    value: str,
    words: str,
) -> None:
    """As on a cluster whose nodes are not alike: the command that starts the workers has another version than they."""
    folder = str(tmp_path / "pool")
    if module is score:
        document(capsys, "pool", "build", folder, "--seeds", "0:2", *QUICK)
    monkeypatch.setattr(module, name, lambda *_: value)
    arguments = ("score",) if module is score else ("build", "--seeds", "0:2")
    sentence = complaint(capsys, "pool", arguments[0], folder, *arguments[1:], *QUICK)
    assert f"a worker has {words} (" in sentence
    assert f"than the command that started it ({value}): install the same" in sentence
    assert not [name for name in files_of(tmp_path) if "parts" in name]


def test_files_say_what_they_are_and_have_one_group_of_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document(capsys, "pool", "build", str(tmp_path), "--seeds", "0:20", *QUICK)
    settings = open_pool(tmp_path).settings
    for folder in ("candidates", "games"):
        metadata = pq.read_metadata(tmp_path / folder / Span(0, 20).file)
        header = json.loads(metadata.metadata[b"antemill"])
        assert (header["kind"], header["version"]) == (folder, settings.schema)
        assert (header["builder"], header["machine"]) == (settings.builder, settings.machine)
        assert header["gate"] == settings.gate
        assert metadata.num_row_groups == 1
