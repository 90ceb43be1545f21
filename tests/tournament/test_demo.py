"""`antemill demo` and `antemill init`: runs without a model, and configurations that name every key."""

import json
import tomllib
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import Struct

from antemill.engine.errors import StorageError
from antemill.llm import Model, read_models
from antemill.tournament import demo
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cli.entry import run
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.evaluation.config import EvalConfig
from antemill.tournament.runs.config import parse_config
from antemill.tournament.skate.config import SkateConfig
from antemill.tournament.templates import template

CONFIGS: dict[str, type[Any]] = {"tournament": CardConfig, "duel": DuelConfig, "skate": SkateConfig, "eval": EvalConfig}


def keys(shape: Any) -> set[str]:
    """The names of all keys of a configuration, at any depth."""
    if isinstance(shape, type) and issubclass(shape, Struct):
        return {name for field in msgspec.structs.fields(shape) for name in {field.name, *keys(field.type)}}
    return {name for part in get_args(shape) for name in keys(part)}


def missing(text: str, names: set[str]) -> set[str]:
    """The keys that a template does not explain: neither set, nor commented out, nor the name of a table."""
    lines = [line.lstrip("# ").removeprefix("[").replace(".", " ").split() for line in text.splitlines()]
    words = {word.strip("[]") for line in lines for word in line[:2]}
    return {name for name in names if name not in words}


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_template_explains_every_key(kind: str) -> None:
    assert len(keys(CONFIGS[kind])) > 15
    assert missing(template(kind), keys(CONFIGS[kind])) == set()
    assert missing(template(kind).replace("in_flight", "flight"), keys(CONFIGS[kind])) == {"in_flight"}


def test_the_list_of_models_explains_every_key() -> None:
    names = {field.name for field in msgspec.structs.fields(Model)} - {"name"}
    assert missing(template("models"), names) == set()


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_template_runs_as_it_is_and_with_its_comments_taken_away(kind: str) -> None:
    parse_config(template(kind).encode(), CONFIGS[kind], "it")
    alone = [line.removeprefix("# ") for line in template(kind).splitlines() if "=" in line and "antemill" not in line]
    for line in alone:  # every key, each with a value that TOML takes
        assert tomllib.loads(line)


@pytest.mark.parametrize("kind", CONFIGS)
def test_init_writes_what_can_be_run(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "mine.toml"
    assert run(["init", kind, str(config)]) == 0
    out = capsys.readouterr().out
    assert f"Next: antemill start {config} --out {tmp_path / 'mine'}\n" in out
    assert read_models(tmp_path / "models.toml") == {}
    assert run(["start", str(config), "--dry-run"]) == 0
    capsys.readouterr()
    assert run(["init", kind, str(config)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_init_leaves_a_list_of_models_alone(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text("# mine")
    assert run(["init", "duel", str(tmp_path / "d.toml")]) == 0
    assert (tmp_path / "models.toml").read_text() == "# mine"


def small_kinds() -> dict[str, Any]:
    """The runs of the demonstration, with little to play."""
    small = {
        "tournament": ('games = ["kuhn"]\nmatches_per_seat = 2\n', "games = "),
        "duel": ("turns = 2\n", "turns = "),
        "skate": ("rounds = 2\n", "rounds = "),
        "eval": ('games = ["kuhn"]\nmatches_per_seat = 2\n', "games = "),
    }
    kinds = {}
    for what, (text, opened) in demo._KINDS.items():
        lines = [line for line in text.splitlines() if not line.startswith((small[what][1], "matches_per_seat"))]
        kinds[what] = ("\n".join(lines).replace(f"[{what}]", f"[{what}]\n{small[what][0]}"), opened)
    return kinds


@pytest.mark.slow
def test_the_demonstration_plays_and_shows_all_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_KINDS", small_kinds())
    assert run(["demo", "--out", str(tmp_path / "demo"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["runs"]) == ["skate", "duel", "tournament", "eval"]
    for what, one in found["runs"].items():
        page = Path(one["report"]).read_text()
        assert page.startswith("<!doctype html>")
        assert ("l1" if what in ("tournament", "eval") else "master") in page
        assert (Path(one["folder"]) / "tables.md").exists()
    assert run([*["status", "--json"], str(tmp_path / "demo" / "duel")]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["done"], status["cost"]) == (status["total"], 0)
    monkeypatch.setattr(demo, "_KINDS", {"duel": demo._KINDS["duel"]})
    assert run(["demo", "--out", str(tmp_path / "demo")]) == 0  # goes on: there is nothing left to play


def failing(error: BaseException) -> Any:
    """A run of the demonstration that ends so."""

    def made() -> Any:
        raise error

    return made


def test_a_demonstration_that_fails_leaves_whole_runs_and_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, kinds = tmp_path / "new" / "my demo", small_kinds()
    fails = (kinds["duel"][0], failing(StorageError("the disk is full: free some space.")))
    broken = {"tournament": kinds["tournament"], "duel": fails}
    monkeypatch.setattr(demo, "_KINDS", broken)
    assert run(["demo", "--out", str(out)]) == 2
    printed = capsys.readouterr()
    assert printed.err == (
        "antemill: the disk is full: free some space; what was finished is kept: "
        f"`antemill demo --out '{out}'` goes on.\n"
    )
    assert printed.out.startswith(f"tournament: {out / 'tournament' / 'report.html'} is written (")
    assert sorted(path.name for path in out.iterdir()) == ["tournament", "tournament.toml"]
    monkeypatch.setattr(demo, "_KINDS", {"tournament": kinds["tournament"]})
    assert run(["demo", "--out", str(out)]) == 0


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (StorageError("the disk is full."), 2)])
def test_a_demonstration_that_fails_at_its_start_leaves_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
) -> None:
    monkeypatch.setattr(demo, "_KINDS", {"tournament": (demo._KINDS["tournament"][0], failing(error))})
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "notes").write_text("mine")
    for out in (tmp_path / "new" / "demo", tmp_path / "there"):
        assert run(["demo", "--out", str(out)]) == code
        assert "goes on" not in capsys.readouterr().err
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["there", "there/notes"]
