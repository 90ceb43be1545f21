"""What a set of duels came to, read from its records: turns, attempts, tags, codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tournament.duel.analysis.resolve import Attempt
from tournament.duel.analysis.topics import Tagged
from tournament.duel.analysis.turns import TurnRow
from tournament.duel.rounds import Outcome
from tournament.runs import Record


class Duel(Struct, frozen=True):
    """One finished duel. key: of its item."""

    key: str
    first: str
    second: str
    points: tuple[int, int]
    turns: list[dict[str, Any]]


class Results(Struct, frozen=True, kw_only=True):
    """All of it, in the order of the plan. codes: of the valid puzzles by name, in the order of play."""

    duels: list[Duel]
    turns: list[TurnRow]
    codes: dict[str, str]
    attempts: list[Attempt]
    tagged: list[Tagged]

    @property
    def players(self) -> list[str]:
        """Who played, by name."""
        return sorted({name for duel in self.duels for name in (duel.first, duel.second)})


def read_results(records: Sequence[Record]) -> Results:
    """The results in a run's finished records."""
    rows = [(record.item.key, record.row) for record in records if record.status == "done"]
    duels = [
        Duel(key, row["first"], row["second"], tuple(row["points"]), row["turns"])
        for key, row in rows
        if row["what"] == "duel"
    ]
    turns = [_turn(duel, turn) for duel in duels for turn in duel.turns]
    codes, proposers = dict[str, str](), dict[str, str]()
    for duel in duels:
        for turn in duel.turns:
            if turn["outcome"] != Outcome.PENALTY:
                codes.setdefault(turn["puzzle"], turn["code"])
                proposers.setdefault(turn["puzzle"], turn["proposer"])
    return Results(
        duels=duels,
        turns=turns,
        codes=codes,
        attempts=[
            Attempt(puzzle=row["puzzle"], model=row["player"], solved=row["solved"])
            for _, row in rows
            if row["what"] == "solve"
        ],
        tagged=[
            Tagged(puzzle=row["puzzle"], proposer=proposers[row["puzzle"]], tags=frozenset(row["tags"]))
            for _, row in rows
            if row["what"] == "tag" and row["puzzle"] in proposers
        ],
    )


def _turn(duel: Duel, turn: dict[str, Any]) -> TurnRow:
    return TurnRow(
        duel=duel.key,
        number=turn["number"],
        proposer=turn["proposer"],
        solver=turn["solver"],
        outcome=Outcome(turn["outcome"]),
        puzzle=turn["puzzle"],
    )
