"""`antemill tournament`: run, resume, status, analyze, show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antemill.llm import Answer, Request, Usage
from antemill.tournament.cli.entry import run
from tests.tournament.cards.tournament_runs import records_of, run_cup, write_cup

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
    assert 0 < estimate["precision"].pop("half_width") < estimate["precision"].pop("difference")
    assert estimate["precision"].pop("noise") > 0
    assert estimate.pop("precision") == {"players": 2, "runs": 6.0}
    assert estimate == parts | {"models": [], "dollars": 0, "worst": 0, "budget": None, "uncounted": "", "too_long": []}
    text = said(capsys, "start", config, "--dry-run")
    assert "12 matches" in text
    assert "With this schedule a player's strength is known to about ±" in text
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
    assert analysis["matches"] == pq.read_table(analysis["slots"]).num_rows == 12
    assert [rate["player"] for rate in analysis["rates"]] == ["rnd", "l1"]
    assert {line["player"] for line in analysis["summary"]["leaderboard"]} == {"rnd", "l1"}
    assert all(Path(name).exists() for name in analysis["summary"]["tables"] + analysis["summary"]["figures"])
    assert document(capsys, "start", out)["done"] == 12
    assert document(capsys, "start", config, "-o", out)["done"] == 12


def test_a_budget_that_is_called_enough_is_enough_for_the_longest_matches_and_replies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even if every match is as long as it can be, every byte a token, and every reply is charged at its most."""

    def model(request: Request) -> Answer:
        action = next((name for name in ("check", "bet", "call") if f'"{name}"' in request.messages[-1].text), "fold")
        return Answer(f'{{"action": "{action}"}}', "stop", Usage(counted=False))

    games = 'games = ["kuhn", "leduc", "47"]\nmatches_per_seat = 2\nschedule = "{}"\nmatches = 24\nbatch = 2'
    players = MODEL + '[players.other]\nmodel = "n"\n'
    for schedule in ("round-robin", "adaptive"):
        config = write_cup(tmp_path, games.format(schedule), players, "[budget]\ndollars = 1000.0")
        enough = document(capsys, "start", str(config), "--dry-run")["budget"]["safe"]
        config = write_cup(tmp_path, games.format(schedule), players, f"[budget]\ndollars = {enough}")
        assert "is enough, however long matches and replies are" in said(capsys, "start", str(config), "--dry-run")
        run_cup(config, tmp_path / schedule, {"m": model, "n": model})
        assert all(record.status == "done" for record in records_of(tmp_path / schedule))
