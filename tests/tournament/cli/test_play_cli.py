"""`game play`: bots as documents, and a person at a scripted keyboard."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from antemill.engine.errors import UsageError
from antemill.engine.match import Transcript, replay
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.engine.rules.spec import to_json
from antemill.tournament.cli import game_play
from antemill.tournament.cli.entry import run
from antemill.tournament.players import solver_players
from tests.engine.text.test_vocabulary import LEAKS, TESTS
from tests.tournament.cli.test_cli import complaint, document, said


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lines that will be typed."""

    def type_lines(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_lines


# ------------------------------------------------------------------------------------------ bots


@pytest.mark.parametrize(("who", "told"), [("cfr", True), ("best:cfr", True), ("l1", False)])
def test_before_a_large_game_is_solved_the_player_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, who: str, told: bool
) -> None:
    def solving(*_: object) -> None:
        raise UsageError("that took minutes.")

    monkeypatch.setattr(game_play, "make_bots", solving)
    arguments = ("game", "play", "kuhn", "--alice", who, "--bob", "random")
    assert run(arguments) == 2
    assert capsys.readouterr().err == "antemill: that took minutes.\n"
    monkeypatch.setattr(solver_players, "LIMIT", 20)
    assert run(arguments) == 2
    first, *others = capsys.readouterr().err.splitlines()
    assert ("more than 20 nodes" in first) == told
    assert others == ["antemill: that took minutes."] * told


def test_one_match_between_bots_is_a_transcript(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "game", "play", "kuhn", "--alice", "aggressive", "--bob", "passive", "--play-seed", "0")
    assert "Alice is aggressive, Bob is passive, play seed 0" in text
    assert "?     Alice, Betting: bet, check -> bet" in text
    assert "AB    Bob chooses call" in text
    assert text.endswith("payoff: Alice +2, Bob -2\n")


def test_one_match_as_a_document_can_be_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("game", "play", "appendix-b", "--alice", "l1", "--bob", "mixed", "--play-seed", "5", "--json")
    document = json.loads(said(capsys, *arguments))
    transcript = msgspec.convert(document["transcript"], Transcript)
    again = replay(transcript, appendix_b())
    assert document["players"] == {"alice": "l1", "bob": "mixed"}
    (only,) = document["matches"]
    assert only["payoff"] == {"alice": again.result.payoffs[0], "bob": again.result.payoffs[1]}
    assert only["play_seed"] == 5
    assert document["total"] == only["payoff"]


def test_many_matches_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("game", "play", "starter-2", "--alice", "random", "--bob", "aggressive", "--matches", "30")
    document = json.loads(said(capsys, *arguments, "--json"))
    assert [row["play_seed"] for row in document["matches"]] == list(range(30))
    assert document["total"]["alice"] == sum(row["payoff"]["alice"] for row in document["matches"])
    assert document["total"]["bob"] == -document["total"]["alice"]
    assert "transcript" not in document
    text = said(capsys, *arguments)
    assert "30 matches" in text
    assert f"{document['total']['alice']:+d}" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--alice", "deep blue"), "there is no player 'deep blue': use human, random"),
        (("--bob", "human", "--alice", "random", "--json"), "a person cannot play with --json"),
        (("--matches", "0"), "give a number of at least 1"),
        (("--play-seed", "-1"), "out of range"),
        (("--play-seed", str((1 << 63) - 1), "--matches", "2"), "out of range"),
    ],
)
def test_mistakes_in_the_arguments(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in complaint(capsys, "game", "play", "kuhn", *arguments)


# ------------------------------------------------------------------------------------------ a person


def test_a_person_plays_kuhn(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    """Play seed 0 deals the queen to Alice and the jack to Bob."""
    keyboard("bet")
    text = said(capsys, "game", "play", "kuhn", "--bob", "passive")
    assert "Kuhn poker, match 1 of 1, play seed 0" in text
    assert "Q♥" in text.partition("the end")[0]
    assert "J♥" not in text.partition("the end")[0]
    assert "1 bet (1 chip) You pay a bet of 1 chip into the pot (at most what you have)." in re.sub(" +", " ", text)
    assert "No chips move." in text
    assert "Bob is dealt 1 card: J♥." in text.partition("What you could not see")[2]
    assert "The game is over by showdown (high cards). You take the pot." in text
    assert "You began with 2 chips, put 2 into the pot and took 4 from it: you end with 4." in text
    assert text.endswith("You win 2 chips.\n")


def test_mistakes_are_explained_and_asked_again(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    keyboard("", "3", "fold", "BET", "0", "9", "many", "8")
    text = said(capsys, "game", "play", "appendix-b", "--bob", "passive", "--play-seed", "4")
    assert "Choose a number from 1 to 2, or a name." in text
    assert "'3' is not possible here." in text
    assert "'fold' is not possible here." in text
    assert "How many chips do you bet? A whole number from 1 to 8." in text
    for wrong in ("0", "9", "many"):
        assert f"'{wrong}' is not possible here. Give a whole number from 1 to 8." in text
    assert "You wager 8." in text


def test_a_disguise_is_played_in_its_own_words(
    capsys: pytest.CaptureFixture[str], keyboard: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the menu, the log, the rules and the result; a move is typed in them, too."""
    pages: list[str] = []
    monkeypatch.setattr("pydoc.pager", pages.append)
    path = str(tmp_path / "hidden.json")
    words = document(capsys, "game", "disguise", "kuhn", "--seed", "5", "-o", path)["words"]
    keyboard("?", "l", "bet", words["bet"].upper())
    text = said(capsys, "game", "play", path, "--bob", "passive")
    assert "'bet' is not possible here." in text
    assert LEAKS.findall(TESTS.sub("", "".join([text.replace("'bet'", ""), *pages]))) == []
    assert f"You choose {words['bet']}." in text
    assert re.search(rf"{words['pot'].capitalize()} \d+", text)
    record = said(capsys, "game", "play", path, "--alice", "aggressive", "--bob", "passive")
    assert f"Prompts say: {words['bet']} for bet" in record
    assert "bet, check -> bet" in record


def test_several_matches_keep_the_score(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    keyboard("bet", "", "bet")
    text = said(capsys, "game", "play", "kuhn", "--bob", "passive", "--matches", "2")
    assert "match 1 of 2, play seed 0" in text
    assert "match 2 of 2, play seed 1" in text
    assert "Alice has won +2 chips so far." in text
    keyboard("bet", "q")
    text = said(capsys, "game", "play", "kuhn", "--bob", "passive", "--matches", "2")
    assert text.endswith("You have left the table.\n")


def test_two_people_share_a_terminal(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    keyboard("", "bet", "", "call")
    text = said(capsys, "game", "play", "kuhn", "--bob", "human")
    assert "Alice's turn: press Enter when nobody else is looking." in text
    assert "Bob's turn: press Enter" in text
    assert text.endswith("Alice wins 2 chips.\n")


def test_names_are_not_taken_for_markup(capsys: pytest.CaptureFixture[str], keyboard: Any, tmp_path: Any) -> None:
    spec = kuhn()
    phases = tuple(msgspec.structs.replace(p, name="[red]Betting") if p.name == "Betting" else p for p in spec.phases)
    sequence = tuple("[red]Betting" if name == "Betting" else name for name in spec.sequence)
    path = tmp_path / "rules.json"
    path.write_bytes(to_json(msgspec.structs.replace(spec, name="[bold]K[/]", phases=phases, sequence=sequence)))
    keyboard("bet")
    text = said(capsys, "game", "play", str(path), "--bob", "passive")
    assert "[bold]K[/], match 1 of 1, play seed 0" in text
    assert "─ [red]Betting ─" in text
    assert "Phase: [red]Betting" in text
    assert "[bold]K[/]: Alice" in said(capsys, "game", "play", str(path), "--alice", "random", "--bob", "random")
