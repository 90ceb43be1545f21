"""`game play`: bots as documents, and a person at a scripted keyboard."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from antemill.engine.errors import UsageError
from antemill.engine.match import IllegalChoiceError, Match, Menu, Transcript, replay
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.engine.rules.spec import to_json
from antemill.tournament.cli import game_play
from antemill.tournament.cli.entry import run
from antemill.tournament.players import Observation, make_bot, play, solver_players
from antemill.tournament.players.consequences import Question
from antemill.tournament.players.human import Human, QuitError, read_choice
from antemill.tournament.players.terminal_table import menu_panel
from tests.engine.text.test_vocabulary import LEAKS, TESTS
from tests.specs import every_construct


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lines that will be typed."""

    def type_lines(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_lines


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


# ------------------------------------------------------------------------------------------ bots


@pytest.mark.parametrize(("who", "told"), [("cfr", True), ("best:cfr", True), ("l1", False)])
def test_before_a_large_game_is_solved_the_player_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, who: str, told: bool
) -> None:
    def solving(*_: object) -> None:
        raise UsageError("that took minutes.")

    monkeypatch.setattr(game_play, "make_bots", solving)
    arguments = ("game", "play", "kuhn", "--alice", who, "--bob", "random")
    assert complaint(capsys, *arguments) == "antemill: that took minutes.\n"
    monkeypatch.setattr(solver_players, "LIMIT", 20)
    first, *others = complaint(capsys, *arguments).splitlines()
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
    assert "Kuhn poker, play seed 0" in text
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
    said(capsys, "game", "disguise", "kuhn", "--theme", "harbour", "--keep-seats", "-o", path)
    keyboard("?", "l", "bet", "CAST")
    text = said(capsys, "game", "play", path, "--bob", "passive")
    assert "'bet' is not possible here." in text
    assert LEAKS.findall(TESTS.sub("", "".join([text.replace("'bet'", ""), *pages]))) == []
    for words in ("You choose cast.", "Bob chooses berth.", "The game is over by landfall", "into the chest and took"):
        assert words in text
    assert re.search(r"Chest \d+", text)
    record = said(capsys, "game", "play", path, "--alice", "aggressive", "--bob", "passive")
    assert "Prompts say: cast for bet, float for check, sink for fold," in record
    assert "bet, check -> bet" in record


def test_the_names_of_choices_are_no_markup() -> None:
    console = Console(file=io.StringIO(), width=60)
    asked = Question("Duel", "choose", Menu(("[red] flag", "[/b]"), (0, 1)), [2, 0], ["[dim]", ""], "")
    console.print(menu_panel(asked))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert re.search(r"1 +\[red\] flag \(2 chips\) \[dim\]\s+2 +\[/b\]", text), text


def test_rules_and_log_can_be_read_in_between(
    capsys: pytest.CaptureFixture[str], keyboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []
    monkeypatch.setattr("pydoc.pager", pages.append)
    keyboard("?", "l", "b")
    said(capsys, "game", "play", "kuhn", "--bob", "passive")
    assert pages[0].index("Betting") < pages[0].index("Overview")  # the phase before the whole
    assert "Phase Details" in pages[0]
    assert "You are dealt 1 card: Q♥." in pages[1]


@pytest.mark.parametrize("line", ["q", "QUIT", "exit"])
def test_a_person_can_leave(capsys: pytest.CaptureFixture[str], keyboard: Any, line: str) -> None:
    keyboard(line)
    assert said(capsys, "game", "play", "kuhn").endswith("You have left the table.\n")


def test_the_end_of_the_input_is_leaving(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    keyboard()
    assert said(capsys, "game", "play", "kuhn").endswith("You have left the table.\n")


def test_several_matches_keep_the_score(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    keyboard("bet", "", "bet")
    text = said(capsys, "game", "play", "kuhn", "--bob", "passive", "--matches", "2")
    assert "match 1 of 2, play seed 0" in text
    assert "match 2 of 2, play seed 1" in text
    assert "After 1 match: Alice (human) is 2 chips ahead." in text
    assert "After 2 matches: " in text
    keyboard("bet", "q")
    text = said(capsys, "game", "play", "kuhn", "--bob", "passive", "--matches", "2")
    assert text.endswith("You have left the table.\n")


def test_two_people_share_a_terminal(capsys: pytest.CaptureFixture[str], keyboard: Any) -> None:
    keyboard("", "bet", "", "call")
    text = said(capsys, "game", "play", "kuhn", "--bob", "human")
    assert "Alice's turn: press Enter when nobody else is looking." in text
    assert "Bob's turn: press Enter" in text
    assert text.endswith("Alice wins 2 chips.\n")


def test_a_game_from_a_file(capsys: pytest.CaptureFixture[str], keyboard: Any, tmp_path: Any) -> None:
    path = tmp_path / "rules.json"
    path.write_bytes(to_json(every_construct()))
    keyboard(*["1"] * 80)
    text = said(capsys, "game", "play", str(path), "--bob", "random")
    assert "What you could not see" in text


def test_names_are_not_taken_for_markup(capsys: pytest.CaptureFixture[str], keyboard: Any, tmp_path: Any) -> None:
    spec = kuhn()
    phases = tuple(msgspec.structs.replace(p, name="[red]Betting") if p.name == "Betting" else p for p in spec.phases)
    sequence = tuple("[red]Betting" if name == "Betting" else name for name in spec.sequence)
    path = tmp_path / "rules.json"
    path.write_bytes(to_json(msgspec.structs.replace(spec, name="[bold]K[/]", phases=phases, sequence=sequence)))
    keyboard("bet")
    text = said(capsys, "game", "play", str(path), "--bob", "passive")
    assert "[bold]K[/], play seed 0" in text
    assert "─ [red]Betting ─" in text
    assert "Phase: [red]Betting" in text
    assert "[bold]K[/]: Alice" in said(capsys, "game", "play", str(path), "--alice", "random", "--bob", "random")


# ------------------------------------------------------------------------------------------ the table on a terminal


class Keyboard:
    """Answers in order, then the end of the input."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def __call__(self, _prompt: str) -> str:
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)


def terminal(height: int = 30, encoding: str = "utf-8") -> Console:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return Console(file=file, force_terminal=True, width=90, height=height, color_system=None)


def screen(console: Console) -> str:
    console.file.flush()
    data: bytes = console.file.buffer.getvalue()  # type: ignore[attr-defined]
    return data.decode(console.encoding)


def test_the_table_never_shows_what_the_seat_does_not_know() -> None:
    """In Kuhn poker: the opponent's card."""
    for seed in range(12):
        console = terminal()
        human = Human(console, Keyboard("check"))
        match = Match(kuhn(), seed, ("human", "x"))
        with pytest.raises(QuitError):
            play(match, human, make_bot("aggressive", match.game))
        hidden = match.game.names.ranks[match.piles().hands[1][0]]
        assert f"{({11: 'J', 12: 'Q', 13: 'K'})[hidden]}♥" not in screen(console)


def test_a_terminal_is_cleared_and_a_long_log_is_cut() -> None:
    console = terminal(height=24)
    human = Human(console, Keyboard("check", "hold", "check"))
    match = Match(appendix_b(), 0, ("human", "passive"))
    with pytest.raises(QuitError):
        play(match, human, make_bot("passive", match.game))
    text = screen(console)
    assert text.count("\x1b[2J") == 4
    assert "earlier lines, l shows them" in text


def test_a_terminal_without_suit_symbols_gets_names() -> None:
    console = terminal(encoding="latin-1")
    match = Match(every_construct(), 0, ("human", "human"))
    with pytest.raises(QuitError):
        play(match, Human(console, Keyboard()), make_bot("random", match.game))
    text = screen(console)
    assert "-hearts" in text or "-spades" in text
    assert "♥" not in text


# ------------------------------------------------------------------------------------------ reading a choice


@pytest.mark.parametrize(
    ("answer", "choice"),
    [("1", "Raise"), ("3", "2"), ("2", "2"), ("raise", "Raise"), ("raise t", "Raise the Stakes"), ("4", "2 more")],
)
def test_what_a_person_types(answer: str, choice: str) -> None:
    """A name goes before a number, and a whole name before the beginning of a longer one."""
    menu = Menu(("Raise", "Raise the Stakes", "2", "2 more"), (0, 1, 2, 3))
    assert read_choice(menu, answer) == choice


@pytest.mark.parametrize("answer", ["r", "0", "5", "x", "", "1000000", "²"])
def test_what_a_person_can_not_type(answer: str) -> None:
    menu = Menu(("Raise", "Raise the Stakes", "2", "2 more"), (0, 1, 2, 3))
    with pytest.raises(IllegalChoiceError):
        read_choice(menu, answer)


def test_a_person_is_asked_about_the_observation_only() -> None:
    match = Match(kuhn(), 0, ("human", "x"))
    human = Human(terminal(), Keyboard("2"))
    assert human.choose(Observation(match)) == "check"
    assert match.ply == 0
