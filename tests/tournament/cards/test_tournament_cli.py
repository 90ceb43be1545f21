"""`antemill tournament`: run, resume, status, analyze, show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antemill.tournament.cli.entry import run
from tests.tournament.cards.tournament_runs import write_cup

MODEL = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n'


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that succeeds prints."""
    assert run([*arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(said(capsys, *arguments, "--json"))


def test_from_a_configuration_to_slots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, out = (
        str(write_cup(tmp_path, 'games = ["kuhn", "appendix-b"]\nmatches_per_seat = 3')),
        str(tmp_path / "cup"),
    )
    estimate = document(capsys, "start", config, "--dry-run")
    parts = {"items": 12, "parts": {"matches": 12}, "exact": True}
    money = {"dollars": 0, "low": 0, "high": 0, "budget": None, "uncounted": ""}
    assert estimate == parts | money | {"models": [], "too_long": []}
    text = said(capsys, "start", config, "--dry-run")
    assert "12 matches" in text
    assert not (tmp_path / "cup").exists()
    text = said(capsys, "start", config, "--out", out)
    assert "12 of 12 (100.0%)" in text
    assert f"Next: antemill analyze {out}" in text
    found = document(capsys, "status", out)
    assert {name: found[name] for name in ("done", "total", "cost", "fallbacks", "timeouts")} == {
        "done": 12,
        "total": 12,
        "cost": 0.0,
        "fallbacks": 0,
        "timeouts": 0,
    }
    assert not found["running"]
    assert "12 of 12" in said(capsys, "status", out)
    analysis = document(capsys, "analyze", out)
    assert analysis["finished"] == pq.read_table(Path(out) / "slots.parquet").num_rows == 12
    assert (analysis["complete"], {*analysis["players"]}) == (True, {"rnd", "l1"})
    assert all(Path(name).exists() for name in analysis["files"])
    assert document(capsys, "start", out)["done"] == 12
    assert document(capsys, "start", config, "-o", out)["done"] == 12
