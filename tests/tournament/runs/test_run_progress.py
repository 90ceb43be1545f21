"""How far a run is, where the number of items is unknown: never said to be whole before its end."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Request
from antemill.tournament.runs import read_status, start_run
from tests.tournament.runs.run_kinds import TOY, Toy, write_models, write_toy


class Terminal(StringIO):
    """A screen."""

    def isatty(self) -> bool:
        """It is one."""
        return True


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
