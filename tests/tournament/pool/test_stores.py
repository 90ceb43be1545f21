"""Pools in stores and in bad weather, by the commands that people use."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from antemill.axes import AXES
from antemill.axes.scores import axis_version
from antemill.engine.builder.caps import Caps
from antemill.engine.storage import places
from antemill.engine.storage.store import VERSION
from antemill.tournament.cli.entry import run
from antemill.tournament.pool import build, candidates, score, work
from antemill.tournament.pool.candidates import Candidate
from tests.engine.storage.stores import BusyStore
from tests.tournament.pool.pool_jobs import files_of

STORE = "fsspec+busy://bucket/pool"
QUICK = ("--workers", "1")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    BusyStore.reset(lambda _number: False)


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
        scored = document(capsys, "pool", "score", folder, *QUICK)
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


def test_what_a_stopped_command_had_drawn_is_not_drawn_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before its first write or removal, then before its second, and so on, always in the same folder."""
    command = ("pool", "build", str(tmp_path / "stopped"), "--seeds", "120:136", "--complexity", "0", *QUICK)
    document(capsys, *(str(tmp_path / "whole") if each.endswith("stopped") else each for each in command))
    want, drawn, stops = files_of(tmp_path / "whole"), list[int](), 0
    judged, changes = candidates.judged, {name: getattr(places.Place, name) for name in ("write", "remove")}

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
    assert stops > 2
    capsys.readouterr()
    assert files_of(tmp_path / "stopped") == want
    assert len(drawn) <= 4 * 16  # each of the two cells is lost twice at most, before each of its files


@pytest.mark.parametrize(
    ("module", "name", "value", "words"),
    [
        (build, "packages", "0.1", "another numba"),
        (build, "settings_here", None, "another builder"),
        (score, "version_of", "feedbeef", "another version of the axes"),
    ],
)
def test_a_worker_with_other_packages_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    value: str | None,
    words: str,
) -> None:
    """As on a cluster whose nodes are not alike: the command that starts the workers has another version than they."""
    folder = str(tmp_path / "pool")
    if module is score:
        document(capsys, "pool", "build", folder, "--seeds", "0:2", *QUICK)
    here = work.settings_here
    monkeypatch.setattr(module, name, lambda *_: {"numba": value} if name == "packages" else value)
    if value is None:
        value = "feedbeef"
        monkeypatch.setattr(module, name, lambda known: msgspec.structs.replace(here(known), builder="feedbeef"))
    arguments = ("score",) if module is score else ("build", "--seeds", "0:2")
    sentence = complaint(capsys, "pool", arguments[0], folder, *arguments[1:], *QUICK)
    assert f"a worker has {words} (" in sentence
    assert f"than the command that started it ({value}): install the same" in sentence
    assert not [name for name in files_of(tmp_path) if name.startswith("pool/scores" if module is score else "pool/g")]


def test_files_say_what_they_are_and_have_one_group_of_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All settings of the pool, with the seeds of the file; a file of scores says by which code each axis is."""
    document(capsys, "pool", "build", str(tmp_path), "--seeds", "0:70", *QUICK)
    document(capsys, "pool", "score", str(tmp_path), *QUICK)
    settings = json.loads((tmp_path / "pool.json").read_text())
    for path in tmp_path.rglob("*.parquet"):
        metadata, kind = pq.read_metadata(path), path.relative_to(tmp_path).parts[0]
        header = json.loads(metadata.metadata[b"antemill"])
        assert (header["kind"], header["version"]) == (kind, VERSION)
        seeds = [int(edge) for edge in path.stem.split("-")]
        assert header["settings"] == settings | {"seeds": seeds}
        assert (header["builder"], header["machine"]) == (settings["builder"], settings["machine"])
        assert metadata.num_row_groups <= 1
        place = path.relative_to(tmp_path).parts
        assert header["tier"] == ("/".join(place[1:3]) if kind == "scores" else None)
        if kind == "scores" and path.parent.name != "again":
            assert header["axes"] == {axis: axis_version(axis) for axis in AXES}
