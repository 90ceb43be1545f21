"""Stated mixes: what replies mean, and what is drawn from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antemill.engine.match import Match, Menu
from antemill.engine.rules.named import kuhn
from antemill.llm import Model, Request
from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cards.play import read_match
from antemill.tournament.cli.entry import run
from antemill.tournament.mixes import draw, mix_schema
from antemill.tournament.runs import reading, start_run
from tests.local_model import as_toml

OPTIONS = Menu(("fold", "call", "raise"), (0, 1, 2))
AMOUNT = Menu((), (), 0, 3)


def test_the_draw_is_the_seats_own_number_and_follows_the_probabilities() -> None:
    counts = [0, 0]
    for seed in range(400):
        match = Match(kuhn(), seed)
        place, number = draw(match, (0.3, 0.7))
        assert (place, number) == draw(match, (0.3, 0.7))
        assert place == (number >= 0.3)
        assert draw(match, (1.0, 0.0))[0] == 0
        counts[place] += 1
    assert counts[0] == pytest.approx(120, abs=40)


def test_a_schema_names_every_option_unless_it_may_not() -> None:
    schema: dict[str, Any] = mix_schema(AMOUNT) or {}
    assert schema["properties"]["mix"]["required"] == ["0", "1", "2", "3"]
    assert mix_schema(OPTIONS, moves=False) is None
    assert mix_schema(Menu((), (), 0, 1000)) is None


def half(request: Request) -> str:
    """Half of each option; once in a while nothing of the kind."""
    if '{"mix": {"<the name of a legal action>"' not in request.messages[1].text:
        return '{"action": "check"}'
    assert '"mix": {OPTION' in request.system
    return "well" if "You are Bob" in request.messages[1].text else '{"mix": {"check": 0.5, "bet": 0.5}}'


def test_a_tournament_records_stated_mixes_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "models.toml").write_text(as_toml(Model(name="half", protocol="scripted", model="half")))
    (tmp_path / "t.toml").write_text(
        '[tournament]\ngames = ["kuhn"]\nmatches_per_seat = 4\n[players.half]\nmodel = "half"\nanswer = "mix"\n'
        '[players.one]\nmodel = "half"\n[players.passive]\nbot = "passive"\n'
    )
    with start_run(TOURNAMENT, tmp_path / "t.toml", tmp_path / "run") as session:
        session.run(quiet=True, scripts={"half": half})
    with reading(TOURNAMENT, tmp_path / "run") as opened:
        matches = {
            record.item.key: read_match(opened.store.transcript(record.item.key)) for record in opened.store.records()
        }
    seen = set()
    for key, match in matches.items():
        mine = 0 if key.split(":")[2] == "half" else 1
        for move, record in zip(match.moves, match.transcript.decisions, strict=True):
            player = match.transcript.seats[move.seat]
            if player != "half":
                assert move.mix is None
            elif mine == 1:
                assert (move.mix, move.cause) == (None, "unparsable")
            elif move.cause is None:
                assert move.mix == (0.5, 0.5)
                assert move.drawn is not None
                assert record.choice == record.options[move.drawn >= 0.5]
                seen.add(record.choice)
    assert seen == {"bet", "check"}
    key = next(key for key in matches if key.split(":")[2] == "half")
    assert run(["show", str(tmp_path / "run"), key]) == 0
    assert "from the stated mix: bet 50%, check 50%" in capsys.readouterr().out


def test_only_models_answer_with_a_mix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.toml").write_text(
        '[tournament]\ngames = ["kuhn"]\n[players.a]\nbot = "random"\nanswer = "mix"\n[players.b]\nbot = "random"\n'
    )
    assert run(["start", str(tmp_path / "t.toml"), "--dry-run"]) == 2
    assert "[players.a] is no model, so that it has no answer" in capsys.readouterr().err
