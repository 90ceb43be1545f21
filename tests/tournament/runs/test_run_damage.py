"""Runs on disks that lose bytes: a sentence for all damage, and what is whole is counted."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

import pytest

from antemill.engine.errors import AntemillError, StorageError
from antemill.llm import CallStore, LLMError, Request
from antemill.tournament.cli import doctor as commands
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import health as healths
from antemill.tournament.runs import open_run, read_status, reading
from antemill.tournament.runs.health import Health
from antemill.tournament.runs.lock import locked
from tests.tournament.runs.run_kinds import TOY, ToyConfig, run_toy, write_models, write_toy

ITEMS, CALLS = 12, 24
FLIPS = int(os.environ.get("ANTEMILL_TEST_FLIPS", "6"))


KINDS = {"toy": ToyConfig}


def examine(path: Path) -> Health:
    return healths.examine(path, KINDS)


def echo(request: Request) -> str:
    return f"{request.sample}:{'x' * 300}"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    home = tmp_path_factory.mktemp("home")
    write_models(home, "echo")
    run_toy(write_toy(home, f"questions = {ITEMS}"), home / "run", {"echo": echo})
    return home / "run"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


def changed(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def resume(path: Path) -> None:
    with open_run(TOY, path) as session:
        session.run(quiet=True, scripts={"echo": echo})


def use_everything(path: Path) -> None:
    """All that reads a run."""
    read_status("toy", path)
    with reading(TOY, path) as loaded:
        for record in loaded.store.records():
            loaded.store.transcript(record.item.key)
    with CallStore(path / "calls.sqlite", read_only=True) as calls:
        list(calls.calls())
    resume(path)


def flipped(path: Path, rng: random.Random) -> None:
    """Change a few bytes, or cut the file."""
    data = bytearray(path.read_bytes())
    if rng.random() < 0.1:
        path.write_bytes(data[: rng.randrange(len(data))])
        return
    for _ in range(rng.choice([1, 3, 40])):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    path.write_bytes(data)


def in_one_sentence(action: Callable[[], object]) -> bool:
    """Whether it succeeds; if not, then with an error that is a sentence with what to do."""
    said = ""
    try:
        action()
    except (AntemillError, LLMError) as error:
        said = str(error)
    assert "\n" not in said
    assert not said or said.endswith(".")
    return said == ""


@pytest.mark.parametrize("name", ["run.sqlite", "calls.sqlite"])
def test_flipped_bytes_and_cut_files_give_a_sentence_and_what_stops_a_run_is_found(
    whole: Path, tmp_path: Path, name: str
) -> None:
    rng, found = random.Random(7), 0
    for flip in range(FLIPS):
        path = Path(shutil.copytree(whole, tmp_path / f"{flip}"))
        flipped(path / name, rng)
        before = (path / name).read_bytes()
        health = examine(path)
        assert (path / name).read_bytes() == before
        assert (health.calls if name == "run.sqlite" else health.items) == (CALLS if name == "run.sqlite" else ITEMS)
        assert health.items <= ITEMS
        found += bool(health.problems)
        assert in_one_sentence(lambda path=path: use_everything(path)) or health.problems  # type: ignore[misc]
    assert found > FLIPS / 4  # others change free space


def test_a_result_that_is_damaged_is_named(run: Path) -> None:
    changed(run / "run.sqlite", "UPDATE items SET row = '{\"answers\": [' WHERE position = 3")
    with (
        pytest.raises(StorageError, match=r"run\.sqlite is damaged \('0\.3': .*sqlite3 run.sqlite .recover"),
        reading(TOY, run) as it,
    ):
        it.store.records()
    health = examine(run)
    assert health.calls == CALLS
    assert len(health.problems) == 1
    assert "is damaged ('0.3': " in health.problems[0]


def test_a_transcript_that_is_damaged_is_named(run: Path) -> None:
    changed(run / "run.sqlite", "UPDATE items SET transcript = x'00ff' WHERE position = 4")
    (problem,) = examine(run).problems
    assert "is damaged ('0.4': " in problem


def test_what_the_run_did_not_begin_with_is_named(run: Path) -> None:
    text = (run / "config.toml").read_text()
    (run / "config.toml").write_text(text.replace(f"questions = {ITEMS}", "questions = 3"))
    (problem,) = examine(run).problems
    assert "was changed since the run began" in problem


def test_the_command(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "run_kinds", lambda: KINDS)
    assert command(["doctor", str(run)]) == 0
    assert "All is well." in capsys.readouterr().out
    with locked(run):
        assert command(["doctor", str(run)]) == 0  # as it is while a process works on it
        assert "All is well so far" in capsys.readouterr().out
    changed(run / "run.sqlite", "UPDATE items SET row = '[' WHERE position = 3")
    assert command(["doctor", str(run), "--json"]) == 2
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["running"] is False
    assert len(document["problems"]) == 1
    assert "`sqlite3 run.sqlite .recover` writes what can still be read" in err
    assert command(["doctor", str(tmp_path / "none")]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.fixture
def powerless(whole: Path) -> Iterator[Path]:
    """A copy in a folder that cannot be written, for a user who is not root."""
    folder = Path(mkdtemp())
    copy = Path(shutil.copytree(whole, folder / "run"))
    (copy / "run.lock").touch()
    for path in (*copy.iterdir(), copy, folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield copy
    finally:
        if root:
            os.seteuid(0)
        for path in (folder, copy):
            path.chmod(0o755)
        shutil.rmtree(folder)


def test_a_folder_that_can_not_be_written_is_read(powerless: Path) -> None:
    assert not os.access(powerless, os.W_OK, effective_ids=True)
    found = read_status("toy", powerless)
    assert (found.done, found.running, found.models[0].answered) == (ITEMS, False, CALLS)
    with reading(TOY, powerless) as loaded:
        assert len(loaded.store.records()) == ITEMS
    assert examine(powerless).problems == []


# ------------------------------------------------------------------------------------------------ what can go on


@pytest.mark.parametrize("change", ["file", "DELETE FROM calls WHERE id > 20"])
def test_calls_that_are_lost_are_found_with_their_cost(run: Path, change: str) -> None:
    with CallStore(run / "calls.sqlite") as calls:
        spent = calls.spent()
    if change == "file":
        (run / "calls.sqlite").unlink()
    else:
        changed(run / "calls.sqlite", change)
    health = examine(run)
    problems = health.problems
    assert any("some are lost" in problem for problem in problems)
    assert health.dollars < spent
