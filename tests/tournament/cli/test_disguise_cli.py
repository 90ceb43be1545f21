"""`antemill game disguise`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from antemill.tournament.cli.entry import run


def test_a_disguise_is_written_and_is_the_same_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "disguise.json"
    assert run(["game", "disguise", "kuhn", "--seed", "3", "--theme", "orchard", "-o", str(path)]) == 0
    assert "Kuhn poker in disguise written to" in capsys.readouterr().out
    assert run(["game", "same", "kuhn", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["same"], found["same_as_written"]) == (True, False)
    assert run(["game", "disguise", "kuhn", "--seed", "3", "--theme", "orchard", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rules"] == json.loads(path.read_text())
    assert told["digest"] == found["digests"][1]
    assert (told["theme"], told["names"]["phases"]["Betting"]) == ("orchard", told["rules"]["sequence"][2])
    assert run(["game", "disguise", "kuhn", "--seed", "3", "--theme", "orchard"]) == 0
    assert json.loads(capsys.readouterr().out) == told["rules"]
    assert run(["game", "rulebook", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "takes the whole barrel" in shown
    assert told["words"]["pot"] == "barrel"
    assert re.search(r"\b(?:bets?|pot|ante|showdown)\b", shown) is None
    assert run(["game", "playout", str(path)]) == 0
    assert "Prompts say: scatter for bet, pause for check," in capsys.readouterr().out
    assert run(["game", "disguise", "kuhn", "--theme", "casino"]) == 2
    assert "`theme` must be one of" in capsys.readouterr().err
