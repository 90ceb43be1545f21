"""What a person is asked at the terminal and in the browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

from antemill.engine.compiler.names import _MOVES
from antemill.engine.match import Menu
from antemill.tournament import play
from antemill.tournament.players.consequences import Question
from antemill.tournament.players.terminal_table import menu_panel

AMOUNTS = sorted({move_type for move_type, _, labels in _MOVES.values() if not labels})


@pytest.mark.parametrize("move_type", AMOUNTS)
def test_every_amount_has_a_question_of_its_own(move_type: str) -> None:
    console = Console(width=100)
    with console.capture() as shown:
        console.print(menu_panel(Question("Betting", move_type, Menu((), (), 1, 4), [], [], "")))
    (question,) = re.findall(r"How .*\?", shown.get())
    assert question != "How much?"
    assert f'{move_type}: "{question}"' in (Path(play.__path__[0]) / "seat.js").read_text()
