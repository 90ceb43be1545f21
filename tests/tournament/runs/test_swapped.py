"""Another model behind the same address in the middle of a run: every verdict of every kind says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import antemill as am
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import read_status
from tests.tournament.runs.http_server import http_server

MODEL = '[m]\nprotocol = "openai-chat"\nbase_url = "{url}"\nprices = "free"\n'
PLAYERS = '[players.m]\nmodel = "m"\n'
EXPERT = '[players.expert]\nbot = "expert"\n[limits]\nin_flight = 1\n'
KINDS = {
    "tournament": f'[tournament]\ngames = ["kuhn"]\nmatches_per_seat = 4\n{PLAYERS}[players.l1]\nbot = "l1"\n',
    "duel": f'[duel]\nturns = 4\npairs = [["m", "expert"]]\n{PLAYERS}{EXPERT}',
    "skate": f"[skate]\nrounds = 1\nstep = 4\nleast = 4\ndeviation = 0.25\n{PLAYERS}{EXPERT}",
    "eval": f'[eval]\ngames = ["kuhn"]\nmatches_per_seat = 4\n{PLAYERS}',
}
SAID = "m was not one model throughout: its answers came from old fp-old at "


def filled(schema: dict[str, Any], text: str) -> Any:
    """What fits a schema."""
    if "properties" in schema:
        return {key: filled(inner, key) for key, inner in schema["properties"].items()}
    if "enum" in schema:
        return schema["enum"][0]
    known = {"program": "def mystery(x):\n    return x == 5", "solution": "5"}
    return {"array": [str(i) for i in range(9)], "integer": 1, "number": 0.5}.get(schema["type"], known.get(text, text))


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_one_served_model_is_a_sentence_in_every_verdict_and_a_warning_when_a_run_goes_on(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = 0

    def answer(_path: str, body: Any) -> tuple[int, bytes]:
        nonlocal asked
        if body is None:
            return 404, b"{}"
        asked += 1
        name = "old" if asked < 4 else "new"
        content = json.dumps(filled(body["response_format"]["json_schema"]["schema"], "")) if asked > 1 else "OK"
        message = {"message": {"content": content}, "finish_reason": "stop"}
        found = {"model": name, "system_fingerprint": f"fp-{name}", "choices": [message]}
        return 200, json.dumps(found | {"usage": {"prompt_tokens": 9000, "completion_tokens": 9}}).encode()

    config, run = tmp_path / "run.toml", tmp_path / "run"
    config.write_text(KINDS[kind])
    with http_server(answer) as url:
        (tmp_path / "models.toml").write_text(MODEL.format(url=url))
        assert command(["start", str(config), "--out", str(run)]) == 0
        assert [one.startswith(SAID) for one in read_status(kind, run).warnings] == [True]
        capsys.readouterr()
        for line in (["analyze", str(run)], ["report", str(run)], ["start", str(run)]):
            assert command(line) == 0
            out, err = capsys.readouterr()
            assert line[0] == "report" or SAID in out + err
    assert SAID in (run / "report.html").read_text()
    assert SAID in repr(am.run(config, out=run))
