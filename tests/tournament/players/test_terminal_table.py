"""What a person is asked at the terminal."""

from __future__ import annotations

import pytest
from rich.console import Console

from antemill.engine.compiler.names import _MOVES
from antemill.engine.match import Menu
from antemill.tournament.players.consequences import ASKED, Question
from antemill.tournament.players.terminal_table import menu_panel

AMOUNTS = sorted({move_type for move_type, _, labels in _MOVES.values() if not labels})


@pytest.mark.parametrize("move_type", AMOUNTS)
def test_every_amount_has_a_question_of_its_own(move_type: str) -> None:
    console = Console(width=100)
    with console.capture() as shown:
        console.print(menu_panel(Question("Betting", move_type, Menu((), (), 1, 4), [], [], "", ASKED[move_type])))
    assert f"{ASKED[move_type]} A whole number from 1 to 4." in shown.get()
    assert [*ASKED.values()].count(ASKED[move_type]) == 1


def test_a_single_amount_is_said_to_be_the_only_one() -> None:
    console = Console(width=80)
    with console.capture() as shown:
        console.print(menu_panel(Question("Auction", "bid", Menu((), (), 0, 0), [], [], "", ASKED["bid"])))
    assert f"{ASKED['bid']} Only 0 is possible." in shown.get()


def test_what_belongs_to_a_case_stays_below_it_when_it_is_long() -> None:
    console, leads = Console(width=40), "If Bob plays cut:\n  If your hand has a card of rank J or K: You win."
    with console.capture() as shown:
        console.print(menu_panel(Question("Duel", "simultaneous", Menu(("cut",), (0,)), [], [leads], "")))
    lines = [line.rstrip() for line in shown.get().splitlines()[-3:]]
    assert lines[0] == " 1  cut If Bob plays cut:"
    assert [len(line) - len(line.lstrip()) for line in lines[1:]] == [10, 10]
