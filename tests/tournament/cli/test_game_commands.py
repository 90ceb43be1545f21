"""`antemill game export`, `rulebook` and `disguise`; and what every command says of a game that the gate rejects."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from antemill.engine.builder.resolve import read_spec
from antemill.engine.disguise.disguise import disguised
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.engine.rules.spec import from_json, to_json
from antemill.engine.text.rulebook import rulebook
from antemill.llm import Request
from antemill.solver.trees.efg import read_efg
from antemill.tournament.cards import slots
from antemill.tournament.cli.entry import run
from tests.tournament.cards.tournament_runs import obedient, run_cup, write_cup
from tests.tournament.cli.test_cli import complaint, document, said

SENTENCE = "antemill: the gate rejects game {} (rare phases: "
BOTS = ("--alice", "random", "--bob", "passive", "--matches", "2")


# ------------------------------------------------------------------------------------------------ export


def test_the_tree_and_the_rules_go_to_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    tree, rules = tmp_path / "leduc.efg", tmp_path / "kuhn.json"
    found = document(capsys, "game", "export", "leduc", "-o", str(tree))
    assert found == {
        **{"game": "Leduc poker", "output": str(tree), "nodes": 1939, "chance_nodes": found["chance_nodes"]},
        **{"terminals": found["terminals"], "information_sets": {"alice": 144, "bob": 144}},
    }
    assert read_efg(tree, 2_000).nodes == 1939
    assert said(capsys, "game", "export", "kuhn", "-o", str(rules)) == f"Kuhn poker written to {rules}\n"
    assert read_spec(rules) == kuhn()
    assert from_json(said(capsys, "game", "export", "kuhn")) == kuhn()
    assert document(capsys, "game", "export", "kuhn")["rules"] == json.loads(rules.read_text())


def test_a_refused_export_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antemill.engine.text.efg.NODE_LIMIT", 100)
    assert "more than 100 nodes" in complaint(capsys, "game", "export", "leduc", "-o", str(tmp_path / "leduc.efg"))
    assert "says no format" in complaint(capsys, "game", "export", "kuhn", "-o", str(tmp_path / "kuhn.xml"))
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------ rulebook, disguise


def test_rulebook_prints_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "game", "rulebook", "appendix-b") == rulebook(appendix_b())
    found = document(capsys, "game", "rulebook", "kuhn")
    assert (found["markdown"], found["characters"]) == (rulebook(kuhn()), len(rulebook(kuhn())))
    assert found["digest"] == Game(kuhn()).digest
    assert "--paper needs --prompt" in complaint(capsys, "game", "rulebook", "kuhn", "--paper")


@pytest.mark.parametrize("paper", [False, True])
def test_the_prompts_are_those_that_a_model_is_sent(
    paper: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a disguise. The model is Alice, who acts first in Kuhn poker; the cards are those of the play seed 0."""
    hidden = tmp_path / "hidden.json"
    hidden.write_bytes(to_json(disguised(kuhn(), 1, "harbour", seats=False).game))
    asked: dict[str, Request] = {}

    def model(request: Request) -> str:
        asked[request.sample] = request
        return obedient(request)

    config = write_cup(
        tmp_path, 'games = ["kuhn", "hidden.json"]', '[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n'
    )
    config.write_text(f"paper = true\n{config.read_text()}" if paper else config.read_text())
    records = run_cup(config, tmp_path / "cup", {"m": model})
    capsys.readouterr()
    first = [record.item for record in records if record.item.data["alice"] == "m"]
    assert {item.data["game"] for item in first} == {"kuhn", "hidden.json"}
    for item in first:
        seed = slots.read_slot(item.data).play_seed
        monkeypatch.setattr("antemill.engine.match.Match", lambda game, _, seed=seed: Match(game, seed))
        name = str(hidden) if item.data["game"] == "hidden.json" else "kuhn"
        found = document(capsys, "game", "rulebook", name, "--prompt", *(["--paper"] if paper else []))
        sent = asked[f"{item.key}:0"].messages
        assert found["messages"] == [{"role": one.role, "content": one.text} for one in sent]
        assert found["seat"] == "alice"
    text = said(capsys, "game", "rulebook", "kuhn", "--prompt")
    assert text.startswith("--- system\n\n")
    assert "\n--- user: Alice\n\nYou are Alice." in text


def test_a_disguise_is_written_and_is_the_same_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "disguise.json"
    assert "in disguise written to" in said(capsys, "game", "disguise", "kuhn", "--seed", "3", "-o", str(path))
    found = document(capsys, "game", "check", "kuhn", str(path))
    assert (found["same"], found["same_as_written"]) == (True, False)
    told = document(capsys, "game", "disguise", "kuhn", "--seed", "3")
    assert told["rules"] == json.loads(path.read_text())
    assert told["digest"] == found["digests"][1]
    assert json.loads(said(capsys, "game", "disguise", "kuhn", "--seed", "3")) == told["rules"]
    shown = said(capsys, "game", "rulebook", str(path))
    assert told["words"]["pot"] in shown
    assert re.search(r"\b(?:bets?|pot|ante|showdown)\b", shown) is None
    assert f"Prompts say: {told['words']['bet']} for bet" in said(capsys, "game", "show", str(path))


# ------------------------------------------------------------------------------------------------ rejected games


def heard(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """What a command that succeeds says on stdout and stderr."""
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    return out, err


@pytest.mark.parametrize(
    "command", [("game", "show", "GAME"), ("game", "play", "GAME", *BOTS), ("solve", "GAME", "--iterations", "1")]
)
def test_a_command_says_that_the_gate_rejects_its_game(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = heard(capsys, *(word.replace("GAME", "7") for word in command))
    assert out
    assert err.startswith(SENTENCE.format(7))
    assert err.count("\n") == 1
    assert heard(capsys, *(word.replace("GAME", "kuhn") for word in command))[1] == ""


def test_a_document_stands_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = heard(capsys, "game", "play", "7", *BOTS, "--json")
    assert isinstance(json.loads(out), dict)
    assert err.startswith(SENTENCE.format(7))
    out, err = heard(capsys, "game", "show", "7", "--json")
    assert json.loads(out)["gate"]["broken"] == ["rare phases", "dead branches"]
    assert err == ""


def test_a_person_is_told_before_the_first_hand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert heard(capsys, "game", "play", "7")[1].startswith(SENTENCE.format(7))


def test_a_configuration_names_each_game_that_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "cup.toml"
    players = '[players.a]\nbot = "random"\n[players.b]\nbot = "passive"\n'
    config.write_text(f'[tournament]\ngames = ["kuhn", "7", "8@0.4"]\nmatches_per_seat = 1\n{players}')
    for more in (["--dry-run"], ["--dry-run", "--json"], ["--out", str(tmp_path / "cup")]):
        _, err = heard(capsys, "start", str(config), *more)
        assert [line.partition(" (")[0] for line in err.splitlines()] == [
            f"antemill: the gate rejects game {game}" for game in ("7", "8@0.4")
        ]
