"""The kinds of decisions in the table of regrets."""

from __future__ import annotations

from typing import cast

from antemill.engine.compiler.names import _MOVES
from antemill.engine.match import DecisionRecord
from antemill.tournament.evaluation.regrets import kind_of


class Asked:
    """What `kind_of` reads of a record."""

    def __init__(self, move_type: str, move_name: str) -> None:
        self.move_type, self.move_name = move_type, move_name


def kinds() -> dict[str, str]:
    """The kind of every decision that is called the same in every game."""
    return {name: kind_of(cast(DecisionRecord, Asked(move_type, name))) for move_type, name, _ in _MOVES.values()}


def test_every_decision_with_a_name_of_its_own_has_a_kind() -> None:
    """A new one that the table does not know would be counted with the options of action rounds."""
    assert [name for name, kind in kinds().items() if kind == "action"] == []
