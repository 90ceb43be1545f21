"""How far a run is, where the number of items is unknown: never said to be whole before its end."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Request
from antemill.tournament import demo
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import read_status, start_run
from tests.tournament.runs.run_kinds import TOY, Toy, write_models, write_toy


class Terminal(StringIO):
    """A screen."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def begun(what: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of the demonstration that was stopped before its second round."""
    text, opened = demo._KINDS[what]
    config, out, rounds = folder / f"{what}.toml", folder / what, []
    config.write_text(text.replace("rounds = 6", "rounds = 3").replace("turns = 10", "turns = 2"))
    with opened() as (kind, _analyze), start_run(kind, config, out) as session:
        plan = session.kind.next_items

        def stops(finished: Any) -> Any:
            rounds.append(len(finished))
            if len(rounds) > 1:
                raise KeyboardInterrupt
            return plan(finished)

        monkeypatch.setattr(session.kind, "next_items", stops)
        with pytest.raises(KeyboardInterrupt):
            session.run(quiet=True)
    return out


@pytest.mark.slow
def test_a_run_that_grows_is_not_whole_in_its_first_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    what = "duel"
    out = begun(what, tmp_path, monkeypatch)
    assert command(["start", str(tmp_path / f"{what}.toml"), "--dry-run", "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)["items"]
    assert command(["status", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["total"], found["about"]) == (None, expected)
    assert 0 < found["done"] < expected
    assert found["seconds_left"] > 0
    assert command(["status", str(out)]) == 0
    shown = capsys.readouterr().out
    assert f"{found['done']} of about {expected}" in shown
    assert "%" not in shown
    assert command(["start", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["done"] == found["total"] == found["about"]
    assert command(["status", str(out)]) == 0
    assert f"{found['done']} of {found['done']} (100.0%)" in capsys.readouterr().out


def answer(_request: Request) -> str:
    """Of a model."""
    return "yes"


@pytest.mark.parametrize("expected", [3, 100])
def test_an_estimate_that_is_wrong_makes_no_run_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: int
) -> None:
    """Four items in two rounds."""
    monkeypatch.setattr(Toy, "total", None)
    monkeypatch.setattr(Toy, "parts", lambda _: {"questions": expected})
    seen: list[tuple[int, int | None, int]] = []

    def plans(toy: Toy, finished: Any) -> Any:
        if finished:
            status = read_status("toy", tmp_path / "run")
            seen.append((status.done, status.total, status.about))
        return original(toy, finished)

    original = Toy.next_items
    monkeypatch.setattr(Toy, "next_items", plans)
    write_models(tmp_path, "echo")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("COLUMNS", "200")
    with start_run(TOY, write_toy(tmp_path, "questions = 2\nrounds = 2\ncalls = 1"), tmp_path / "run") as session:
        session.run(scripts={"echo": answer})
    assert seen == [(2, None, max(2, expected)), (4, None, max(4, expected))]
    shown = terminal.getvalue()
    assert not {"%", "2/2", "4/4"} & set(shown.split())
    assert ("of about 100" in shown) == (expected == 100)
    status = read_status("toy", tmp_path / "run")
    assert (status.done, status.total, status.about) == (4, 4, 4)
