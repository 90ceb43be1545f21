"""A new kind of runs plays, resumes, lists, shows, reports and is analysed without a change anywhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Request
from antemill.tournament.cli.entry import run
from antemill.tournament.kinds import KINDS, RunKind
from antemill.tournament.runs import open_run, start_run
from antemill.tournament.runs.analyze import analyze, leaderboard
from antemill.tournament.runs.honest import standing
from tests.tournament.runs.guessing import KIND

MODELS = "".join(f'[{name}]\nprotocol = "scripted"\nmodel = "{name}"\n' for name in ("halver", "counter", "mumbler"))
TABLES = "[guess]\nup_to = 30\nnumbers = 12\n"


def halver(request: Request) -> str:
    low, high = 1, 30
    for guess, word in re.findall(r"\('(\d+)', '(\w+)'\)", request.messages[0].text):
        low, high = (int(guess) + 1, high) if word == "more" else (low, int(guess) - 1)
    return str((low + high) // 2)


def counter(request: Request) -> str:
    return str(1 + request.messages[0].text.count("more"))


def mumbler(request: Request) -> str:
    return "dunno" if len(request.sample) % 2 else halver(request)


SCRIPTS = {"halver": halver, "counter": counter, "mumbler": mumbler}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(KINDS, "guess", RunKind(name="guess", module="tests.tournament.runs.guessing", example="g"))
    (tmp_path / "models.toml").write_text(MODELS)
    return tmp_path


def play(home: Path, name: str, players: str, numbers: int = 12) -> Path:
    text = f"players = {players}\n[limits]\nfallbacks = 0\n{TABLES}".replace("= 12", f"= {numbers}")
    (home / f"{name}.toml").write_text(text)
    with start_run(KIND, home / f"{name}.toml", home / name) as session:
        session.run(quiet=True, scripts=SCRIPTS)
    return home / name


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run([*arguments]) == 0
    return capsys.readouterr().out


def test_it_has_all_that_a_run_has(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = play(home, "guesses", '["halver", "counter"]')
    assert "24 of 24 (100.0%)" in said(capsys, "status", str(folder))
    assert "24 items" in said(capsys, "list", str(folder))
    assert "said: 8" in said(capsys, "show", str(folder), "8/counter")
    lines = [json.loads(line) for line in said(capsys, "export", str(folder)).splitlines()]
    assert {line["player"] for line in lines} == {"halver", "counter"}
    assert all(line["messages"] for line in lines)
    text = said(capsys, "analyze", str(folder))
    assert "halver guesses least." in text
    rows = (folder / "tables" / "guesses.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["player", "halver", "counter"]
    assert run(["report", str(folder)]) == 0
    page = (folder / "report.html").read_text()
    assert '<p class="finding">halver guesses least.</p>' in page
    assert run(["report", str(folder), "-o", f"{home / 'site'}/"]) == 0
    assert "8/counter" in "".join(path.read_text() for path in (home / "site" / "data").iterdir())
    capsys.readouterr()
    assert said(capsys, "start", str(home / "guesses.toml"), "--dry-run").startswith("About 24 items.")


def test_it_goes_on_and_several_runs_are_more_folders(home: Path) -> None:
    folder = play(home, "one", '["halver", "counter"]')
    with open_run(KIND, folder) as session:
        session.run(quiet=True, scripts=dict.fromkeys(SCRIPTS, lambda _: pytest.fail("nothing is asked again")))
    other = play(home, "two", '["halver"]', 3)
    shown: list[dict[Any, Any]] = [
        {row[0]: row[1] for row in leaderboard(KIND, some).rows} for some in ([folder], [folder, other])
    ]
    alone, both = shown
    assert both["halver"] > alone["halver"]
    assert both["counter"] == alone["counter"]


def test_who_did_not_play_its_own_moves_takes_no_rank(home: Path) -> None:
    folder = play(home, "bad", '["halver", "mumbler"]')
    now = standing([folder])
    assert list(now.unranked) == ["mumbler"]
    summary, sheets = analyze(KIND, [folder], folder)
    found: dict[str, Any] = {sheet.name: sheet for sheet in sheets}
    assert [column.key for column in found["guesses"].columns][-2:] == ["second_tries", "unusable"]
    assert {row[0]: row[-1] for row in found["guesses"].rows}["halver"] == 0
    assert any("mumbler takes no rank" in said for said in summary.warnings)
    clean = {row[0]: row[1] for row in found["guesses_clean"].rows}
    assert clean["mumbler"] < {row[0]: row[1] for row in found["guesses"].rows}["mumbler"]
    assert run(["report", str(folder)]) == 0
    assert "mumbler takes no rank" in (folder / "report.html").read_text()
