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
