"""`antemill game rulebook`: the rules in words, and the messages that a model gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from antemill.engine.disguise.disguise import disguised
from antemill.engine.match import Game
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.engine.rules.spec import Shuffle, Steps, to_json
from antemill.engine.text.rulebook import rulebook
from antemill.llm import Request
from antemill.tournament.cards.slots import read_slot
from antemill.tournament.cli.entry import run
from tests.tournament.cards.tournament_runs import obedient, run_cup, write_cup
from tests.tournament.play.auctions import only_alice_decides


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["game", "rulebook", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_rulebook_prints_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "appendix-b") == rulebook(appendix_b())
    document = json.loads(said(capsys, "kuhn", "--json"))
    assert document["markdown"] == rulebook(kuhn())
    assert document["characters"] == len(rulebook(kuhn()))
    assert document["digest"] == Game(kuhn()).digest


@pytest.mark.parametrize(
    ("top", "table", "player", "options"),
    [
        ("", "matches_per_seat = 2", "", ()),
        ("", "matches_per_seat = 2", 'answer = "mix"', ("--answer", "mix")),
        ("paper = true", "", "", ("--paper",)),
        ("paper = true", "", 'answer = "mix"', ("--paper", "--answer", "mix")),
    ],
)
def test_the_prompts_are_those_that_a_model_is_sent(
    top: str, table: str, player: str, options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of a disguise. The model is Alice, who acts first in Kuhn poker."""
    hidden = tmp_path / "hidden.json"
    hidden.write_bytes(to_json(disguised(kuhn(), 1, "harbour", seats=False).game))
    asked: dict[str, Request] = {}

    def model(request: Request) -> str:
        asked[request.sample] = request
        return obedient(request)

    players = f'[players.m]\nmodel = "m"\n{player}\n[players.r]\nbot = "random"\n'
    config = write_cup(tmp_path, f'games = ["kuhn", "hidden.json"]\n{table}', players)
    config.write_text(f"{top}\n{config.read_text()}")
    records = run_cup(config, tmp_path / "cup", {"m": model})
    first = [record.item for record in records if record.item.data["alice"] == "m"]
    capsys.readouterr()
    assert {item.data["game"] for item in first} == {"kuhn", "hidden.json"}
    for item in first:
        game = str(hidden) if item.data["game"] == "hidden.json" else "kuhn"
        seed = str(read_slot(item.data).play_seed)
        document = json.loads(said(capsys, game, "--prompt", *options, "--play-seed", seed, "--json"))
        sent = asked[f"{item.key}:0"].messages
        assert document["messages"] == [{"role": one.role, "content": one.text} for one in sent]
        assert (document["seat"], document["play_seed"]) == ("alice", int(seed))
        text = said(capsys, game, "--prompt", *options, "--seat", "alice", "--play-seed", seed)
        assert text.startswith(f"--- system\n\n{sent[0].text}\n--- user: Alice, play seed {seed}\n\nYou are Alice.")


def test_the_other_seat_has_a_first_decision_too(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(said(capsys, "kuhn", "--prompt", "--seat", "bob", "--json"))
    assert (document["seat"], document["play_seed"]) == ("bob", 0)
    message = document["messages"][1]["content"]
    assert message.startswith("You are Bob. Your opponent is Alice.")
    assert "Alice chooses" in message


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--seat", "bob"), "--seat, --play-seed, --paper and --answer need --prompt: give it too"),
        (("--play-seed", "0"), "--seat, --play-seed, --paper and --answer need --prompt: give it too"),
        (("--paper",), "--seat, --play-seed, --paper and --answer need --prompt: give it too"),
        (("--answer", "action"), "--seat, --play-seed, --paper and --answer need --prompt: give it too"),
        (("--prompt", "--play-seed", "-1"), "the play seed -1 is out of range"),
    ],
)
def test_what_chooses_no_decision_is_refused(
    arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["game", "rulebook", "kuhn", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_player_without_decisions_gets_no_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "alone.json"
    setup, *others = only_alice_decides().phases
    assert isinstance(setup, Steps)
    shuffled = replace(setup, steps=(Shuffle(), *setup.steps))
    path.write_bytes(to_json(replace(only_alice_decides(), phases=(shuffled, *others))))
    assert run(["game", "rulebook", str(path), "--prompt", "--seat", "bob"]) == 2
    assert "Bob has nothing to decide with play seed 0: give another --play-seed or --seat." in capsys.readouterr().err
