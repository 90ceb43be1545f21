"""A person at a terminal: what is shown, and how a typed choice is read."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from antemill.engine.match import IllegalChoiceError, Match, Menu
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.tournament.players import Observation, make_bot, play
from antemill.tournament.players.consequences import Question
from antemill.tournament.players.human import Human, QuitError, read_choice
from antemill.tournament.players.terminal_table import menu_panel
from tests.specs import every_construct

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


def test_the_names_of_choices_are_no_markup() -> None:
    console = Console(file=io.StringIO(), width=60)
    asked = Question("Duel", "choose", Menu(("[red] flag", "[/b]"), (0, 1)), [2, 0], ["[dim]", ""], "")
    console.print(menu_panel(asked))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert re.search(r"1 +\[red\] flag \(2 chips\) \[dim\]\s+2 +\[/b\]", text), text
