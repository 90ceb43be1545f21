"""The table of regrets: kinds of decisions, and what they give away."""

from __future__ import annotations

from typing import cast

import pytest

from antemill.engine.compiler.names import _MOVES
from antemill.engine.match import DecisionRecord
from antemill.tournament.evaluation.regrets import Decided, by_kind, kind_of
from antemill.tournament.statistics.losses import mean_of, skewed


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


def test_what_decisions_give_away_has_the_interval_of_rare_events() -> None:
    """Student's would reach below zero. Of a kind without a mistake nothing says how much one would cost."""
    costs = [0.0] * 9 + [3.0]
    found = {one.kind: one.regret for one in by_kind([*decisions("bet", costs), *decisions("call", [0.0] * 29)])}
    student = mean_of(costs)
    assert student.low is not None
    assert student.low < 0
    assert found["bet"].error == pytest.approx(student.error)
    wanted = skewed(student, 0.3)
    assert found["bet"].low == pytest.approx(wanted.low)
    assert found["bet"].high == pytest.approx(wanted.high)
    assert wanted.low is not None
    assert 0 < wanted.low < 0.3
    assert (found["call"].mean, found["call"].low, found["call"].high) == (0, None, None)


def decisions(kind: str, costs: list[float]) -> list[Decided]:
    """Decisions of one player, each in a pair of matches of its own."""
    return [
        Decided("p", kind, f"{run}", 1, (kind, run), kind, cost, "", "", "", None, False)
        for run, cost in enumerate(costs)
    ]
