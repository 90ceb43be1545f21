"""Runs on disks that lose bytes: a sentence for all damage, and what is whole is kept."""

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
from antemill.tournament.cli import health as commands
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import RunStore, open_run, read_status, reading
from antemill.tournament.runs import health as healths
from antemill.tournament.runs.health import Health
from antemill.tournament.runs.lock import locked
from antemill.tournament.runs.salvage import salvaged
from tests.tournament.runs.run_kinds import TOY, ToyConfig, run_toy, table_of, write_models, write_toy

ITEMS, CALLS = 12, 24
FLIPS = int(os.environ.get("ANTEMILL_TEST_FLIPS", "20"))


KINDS = {"toy": ToyConfig}


def examine(path: Path) -> Health:
    return healths.examine(path, KINDS)


def save(path: Path, target: Path) -> Health:
    return healths.save(path, target, KINDS)


def echo(request: Request) -> str:
    return f"{request.sample}:{'x' * 300}"


def unasked(request: Request) -> str:
    raise AssertionError(f"{request.sample} is asked again")


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


def resume(path: Path, script: Callable[[Request], str] = echo) -> None:
    with open_run(TOY, path) as session:
        session.run(quiet=True, scripts={"echo": script})


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


def in_one_sentence(action: Callable[[], object]) -> None:
    """Success, or an error that is a sentence with what to do."""
    said = "."
    try:
        action()
    except (AntemillError, LLMError) as error:
        said = str(error)
    assert "\n" not in said
    assert said.endswith(".")


@pytest.mark.parametrize("name", ["run.sqlite", "calls.sqlite"])
def test_flipped_bytes_and_cut_files_give_a_sentence_and_what_is_whole_can_be_saved(
    whole: Path, tmp_path: Path, name: str
) -> None:
    rng, table, worst = random.Random(7), table_of(whole), 0
    for flip in range(FLIPS):
        path = Path(shutil.copytree(whole, tmp_path / f"{flip}"))
        flipped(path / name, rng)
        in_one_sentence(lambda path=path: use_everything(Path(shutil.copytree(path, f"{path}-used"))))  # type: ignore[misc]
        before = (path / name).read_bytes()
        saved = path.with_name(f"{flip}-saved")
        try:
            health = save(path, saved)
        except StorageError:
            worst += 1
            continue
        assert (path / name).read_bytes() == before
        if (saved / "run.sqlite").exists():
            resume(saved)
            assert read_status("toy", saved).done == ITEMS
        if name == "run.sqlite":
            assert health.calls == CALLS
        else:
            assert health.items == ITEMS
            assert table_of(saved) == table
        assert health.items + health.damaged_items <= ITEMS
    assert worst == 0


def test_a_result_that_is_damaged_is_played_again_from_the_recorded_calls(run: Path, tmp_path: Path) -> None:
    table = table_of(run)
    changed(run / "run.sqlite", "UPDATE items SET row = '{\"answers\": [' WHERE position = 3")
    changed(run / "run.sqlite", "UPDATE items SET transcript = x'00ff' WHERE position = 4")
    with (
        pytest.raises(StorageError, match=r"run\.sqlite is damaged \('0\.3': .*antemill doctor"),
        reading(TOY, run) as it,
    ):
        it.store.records()
    health = save(run, tmp_path / "saved")
    assert (health.items, health.damaged_items, health.calls) == (ITEMS - 2, 2, CALLS)
    assert not health.planned_anew
    resume(tmp_path / "saved", unasked)
    assert table_of(tmp_path / "saved") == table


def test_a_plan_with_gaps_is_made_anew_and_costs_nothing(run: Path, tmp_path: Path) -> None:
    table = table_of(run)
    changed(run / "run.sqlite", "DELETE FROM items WHERE position = 5")
    health = save(run, tmp_path / "saved")
    assert health.planned_anew
    resume(tmp_path / "saved", unasked)
    assert table_of(tmp_path / "saved") == table


def test_a_missing_digest_is_a_sentence_and_the_calls_are_saved(run: Path, tmp_path: Path) -> None:
    changed(run / "run.sqlite", "DELETE FROM meta WHERE name = 'digest'")
    with pytest.raises(StorageError, match=r"damaged \(it has no digest\)"):
        read_status("toy", run)
    health = save(run, tmp_path / "saved")
    assert (health.items, health.calls) == (ITEMS, CALLS)
    assert not (tmp_path / "saved" / "run.sqlite").exists()
    write_models(tmp_path, "echo")
    run_toy(write_toy(tmp_path, f"questions = {ITEMS}"), tmp_path / "saved", {"echo": unasked})
    assert read_status("toy", tmp_path / "saved").done == ITEMS


@pytest.mark.parametrize("change", ["value = CAST(x'3132ff' AS TEXT)", "value = '1x'", "name = CAST(x'ff' AS TEXT)"])
def test_a_number_of_items_that_is_damaged_is_a_sentence_and_the_items_are_saved(
    run: Path, tmp_path: Path, change: str
) -> None:
    changed(run / "run.sqlite", f"UPDATE meta SET {change} WHERE name = 'total'")
    in_one_sentence(lambda: read_status("toy", run))
    assert "some of its metadata is damaged" in " ".join(examine(run).problems)
    health = save(run, tmp_path / "saved")
    assert (health.items, health.described) == (ITEMS, True)
    resume(tmp_path / "saved", unasked)
    assert read_status("toy", tmp_path / "saved").total == ITEMS


def test_a_material_whose_name_is_no_text_is_a_sentence_and_the_calls_are_saved(run: Path, tmp_path: Path) -> None:
    changed(run / "run.sqlite", "UPDATE materials SET name = CAST(x'7175ff' AS TEXT)")
    in_one_sentence(lambda: use_everything(run))
    health = save(run, tmp_path / "saved")
    assert (health.described, health.calls) == (False, CALLS)
    assert health.problems


def test_rows_of_another_kind_that_turn_up_one_by_one_are_left_out() -> None:
    """As a damaged page can hold."""

    class Damaged:
        def execute(self, query: str, values: tuple[int, ...] = ()) -> Iterator[tuple[int | str, ...]]:
            if values:
                odd: dict[int, list[tuple[int | str, ...]]] = {5: [("question", "x")], 6: [(6, "b")]}
                yield from odd.get(values[0], [])
                return
            yield (9, "c") if "DESC" in query else (4, "a")
            raise sqlite3.DatabaseError("malformed")

    rows, all_of_them = salvaged(Damaged(), "items", 2)  # type: ignore[arg-type]
    assert (rows, all_of_them) == ([(4, "a"), (6, "b"), (9, "c")], False)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE calls SET usage = '{' WHERE id = 2",
        "UPDATE calls SET finish = 'odd' WHERE id = 2",
        'UPDATE calls SET request = \'{"messages": [{"$text": "gone"}]}\' WHERE id = 2',
        "UPDATE calls SET text = CAST(x'ff41' AS TEXT) WHERE id = 2",
    ],
)
def test_a_call_that_is_damaged_is_left_out_and_the_others_are_saved(run: Path, tmp_path: Path, change: str) -> None:
    changed(run / "calls.sqlite", change)
    health = save(run, tmp_path / "saved")
    assert (health.calls, health.damaged_calls) == (CALLS - 1, 1)
    with CallStore(tmp_path / "saved" / "calls.sqlite") as calls:
        assert len(list(calls.calls())) == CALLS - 1


def test_columns_in_another_order_are_saved_by_their_names(run: Path, tmp_path: Path) -> None:
    """As they are in a database that an earlier version made, and a later one changed."""
    with CallStore(run / "calls.sqlite") as calls:
        want = list(calls.calls())
    with closing(sqlite3.connect(run / "calls.sqlite")) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(calls)")]
        order = [names[0], *reversed(names[1:])]
        connection.execute(f"CREATE TABLE turned AS SELECT {', '.join(order)} FROM calls")
        connection.execute("DROP TABLE calls")
        connection.execute("ALTER TABLE turned RENAME TO calls")
    health = save(run, tmp_path / "saved")
    assert (health.calls, health.damaged_calls) == (CALLS, 0)
    with CallStore(tmp_path / "saved" / "calls.sqlite") as calls:
        assert list(calls.calls()) == want


def test_a_log_that_is_lost_is_no_traceback(whole: Path, tmp_path: Path) -> None:
    """WAL mode: what was not yet in the main file is gone with the log."""
    write_models(tmp_path, "echo")
    with open_run(TOY, Path(shutil.copytree(whole, tmp_path / "run"))) as session:
        changed(session.folder.database, "UPDATE items SET status = 'planned', row = '{}' WHERE position = 1")
        copy = Path(shutil.copytree(session.folder.path, tmp_path / "copy"))
    for log in copy.glob("*-wal"):
        log.unlink()
    in_one_sentence(lambda: use_everything(copy))


def test_the_command(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_kinds", lambda: KINDS)
    assert command(["doctor", str(run)]) == 0
    assert "All is well." in capsys.readouterr().out
    with locked(run):
        assert command(["doctor", str(run)]) == 0  # as it is while a process works on it
        assert "All is well so far" in capsys.readouterr().out
        assert command(["doctor", str(run), "--save", str(tmp_path / "forked")]) == 2
        assert "stop it first" in capsys.readouterr().err
    changed(run / "run.sqlite", "UPDATE items SET row = '[' WHERE position = 3")
    assert command(["doctor", str(run), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["damaged_items"] == 1
    assert json.loads(out)["running"] is False
    assert "'0.3' is damaged" in err
    assert "--save NEW" in err
    with locked(run):
        assert command(["doctor", str(run)]) == 2
        assert "a process is working on it: stop that process" in capsys.readouterr().err
    assert command(["doctor", str(run), "--save", str(tmp_path / "saved")]) == 0
    assert f"antemill toy resume {tmp_path / 'saved'}" in capsys.readouterr().out.replace("\n", "")
    assert command(["doctor", str(run), "--save", str(tmp_path / "saved")]) == 2
    assert "exists already" in capsys.readouterr().err
    assert command(["doctor", str(tmp_path / "none")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert command(["doctor", "--save", "x"]) == 2


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


def test_a_folder_that_can_not_be_written_is_read_while_its_log_has_changes(whole: Path, tmp_path: Path) -> None:
    source = Path(shutil.copytree(whole, tmp_path / "run"))
    with open_run(TOY, source) as session:
        session.store._db.execute("UPDATE items SET fallbacks = 5 WHERE position = 0")
        copy = Path(shutil.copytree(source, Path(mkdtemp()) / "run", ignore=shutil.ignore_patterns("*-shm")))
    assert (copy / "run.sqlite-wal").stat().st_size
    for path in (*copy.iterdir(), copy, copy.parent):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        assert read_status("toy", copy).fallbacks == ITEMS + 4
    finally:
        if root:
            os.seteuid(0)
        for path in (copy.parent, copy):
            path.chmod(0o755)
        shutil.rmtree(copy.parent)


# ------------------------------------------------------------------------------------------------ what can go on


def said_next(run: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert command(["doctor", str(run), "--save", str(target)]) == 0
    return capsys.readouterr().out.replace("\n", "").partition("Next: ")[2]


@pytest.mark.parametrize("gone", ["digest", "kind", "run.sqlite", "material"])
def test_without_the_description_the_next_command_is_the_one_that_works(
    run: Path,
    whole: Path,
    tmp_path: Path,
    gone: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commands, "_kinds", lambda: KINDS)
    if gone == "run.sqlite":
        (run / gone).unlink()
    elif gone == "material":
        changed(run / "run.sqlite", "UPDATE materials SET data = x'21'")
    else:
        changed(run / "run.sqlite", "DELETE FROM meta WHERE name = ?", gone)
    saved = tmp_path / "saved"
    config = saved / "config.toml" if gone == "run.sqlite" else whole.parent / "toy.toml"
    assert said_next(run, saved, capsys) == f"antemill toy run {config} --out {saved}"
    run_toy(config, saved, {"echo": unasked})
    assert table_of(saved) == table_of(whole)


def test_a_material_that_is_damaged_is_named_and_not_the_configuration(run: Path, tmp_path: Path) -> None:
    changed(run / "run.sqlite", "UPDATE materials SET data = x'21'")
    with pytest.raises(StorageError, match=r"run\.sqlite is damaged \(question is not what the run began with\)"):
        resume(run)
    health = save(run, tmp_path / "saved")
    assert health.problems == ["run.sqlite: question is not what the run began with"]
    assert not (tmp_path / "saved" / "run.sqlite").exists()


def test_a_configuration_that_was_changed_is_found(run: Path) -> None:
    (run / "config.toml").write_text(f"[toy]\nquestions = {ITEMS + 1}\n")
    assert "if config.toml was changed, put it back" in examine(run).problems[0]
    (run / "config.toml").write_text(f"[toy]\nquestions = {ITEMS}\n[budget]\ndollars = 9999\n")
    assert examine(run).problems == []


def test_a_run_without_hashes_of_its_materials_is_verified_by_its_digest(run: Path, tmp_path: Path) -> None:
    changed(run / "run.sqlite", "DELETE FROM meta WHERE name = 'materials'")
    assert examine(run).problems == []
    changed(run / "run.sqlite", "UPDATE materials SET data = x'21'")
    assert not save(run, tmp_path / "saved").described


@pytest.mark.parametrize("change", ["file", "DELETE FROM calls", "DELETE FROM calls WHERE id > 20"])
def test_calls_that_are_lost_are_found_and_stay_spent(run: Path, tmp_path: Path, change: str) -> None:
    with CallStore(run / "calls.sqlite") as calls:
        spent = calls.spent()
    if change == "file":
        (run / "calls.sqlite").unlink()
    else:
        changed(run / "calls.sqlite", change)
    problems = examine(run).problems
    assert any("some are lost" in problem for problem in problems)
    assert any("calls.sqlite is missing" in problem for problem in problems) == (change == "file")
    health = save(run, tmp_path / "saved")
    assert health.lost_dollars + health.dollars == pytest.approx(spent)
    with CallStore(tmp_path / "saved" / "calls.sqlite") as calls:
        assert calls.spent() == pytest.approx(spent)
    assert examine(tmp_path / "saved").problems == []
    resume(tmp_path / "saved", unasked)


def test_calls_of_a_free_model_that_are_lost_are_found(run: Path) -> None:
    changed(run / "run.sqlite", "UPDATE items SET cost = 0")
    assert examine(run).problems == []
    (run / "calls.sqlite").unlink()
    assert examine(run).problems == ["calls.sqlite is missing, and with it all prompts and replies"]


@pytest.mark.parametrize("read_only", [True, False])
def test_a_folder_in_the_place_of_the_database_is_said(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "run.sqlite"
    path.mkdir()
    with pytest.raises(StorageError, match=r"run\.sqlite is a folder, and not the database of a run: move it away"):
        RunStore(path, read_only=read_only)
    assert "run.sqlite cannot be read at all (it is a folder)" in examine(tmp_path).problems
