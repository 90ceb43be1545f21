"""Unfinished evaluations: what is said of them, and that they are compared as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antemill.tournament.cli.entry import run
from tests.tournament.cards.tournament_runs import unplay

WHOLE, PLAYED = 32, 11  # two players, two games, two seats, four matches; the last of those played has no other seat


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run as it is after it was killed."""
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(
        '[eval]\ngames = ["kuhn", "starter-1"]\nmatches_per_seat = 4\n'
        '[players.random]\nbot = "random"\n[players.l1]\nbot = "l1"\n'
    )
    assert run(["start", "e.toml", "--out", "kl"]) == 0
    unplay(Path("kl"), PLAYED)
    capsys.readouterr()
    return Path("kl")


def test_a_run_that_went_on_is_compared_as_it_is(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A card of it that was written before counts no longer. Only pairs of which both matches are finished count."""
    assert run(["analyze", "kl"]) == 0
    before = (killed / "scorecard.json").read_bytes()
    capsys.readouterr()
    some = document(capsys, "analyze", "kl:random", "kl:l1")
    assert (some["pairs"], some["unfinished"]) == (2, {"kl": [PLAYED, WHOLE]})
    assert run(["start", "kl"]) == 0
    capsys.readouterr()
    all_ = document(capsys, "analyze", "kl:random", "kl:l1")
    assert (all_["pairs"], all_["unfinished"]) == (8, {})
    assert (killed / "scorecard.json").read_bytes() == before
    assert run(["analyze", "kl"]) == 0
    said_of_it = capsys.readouterr().out
    assert "is not finished" not in said_of_it
    assert document(capsys, "analyze", "kl:random", "kl:l1") == all_
    (killed / "scorecard.json").unlink()
    assert document(capsys, "analyze", "kl:random", "kl:l1") == all_
    assert said(capsys, "list", "kl", "--limit", "2").startswith("32 items, 2 of them shown")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The last line that a command prints."""
    assert run(list(words)) == 0
    return capsys.readouterr().out.strip().splitlines()[-1]


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command prints as JSON."""
    assert run([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
