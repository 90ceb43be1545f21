"""The results of a set of duels, read from its records: turns, attempts, tags, codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from antemill.tournament.duel.analysis.resolve import Attempt
from antemill.tournament.duel.analysis.topics import Tagged
from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.base import Base
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.runs import Record


class Duel(Struct, frozen=True):
    """One finished duel. key: of its item."""

    key: str
    first: str
    second: str
    points: tuple[int, int]
    turns: list[dict[str, Any]]

    @property
    def decided(self) -> tuple[str, dict[str, Any]] | None:
        """The winner, and the turn from which on it was ahead to the end; None for a draw."""
        leads, lead = [], 0
        for turn in self.turns:
            sign = 1 if turn["proposer"] == self.first else -1
            lead += sign * {Outcome.UNSOLVED: 1, Outcome.PENALTY: -1}.get(turn["outcome"], 0)
            leads.append(lead)
        if not lead:
            return None
        level = [i for i, one in enumerate(leads) if one * lead <= 0]
        return self.first if lead > 0 else self.second, self.turns[level[-1] + 1 if level else 0]


class Results(Struct, frozen=True, kw_only=True):
    """All results, in the order of the plan.

    codes: of the valid puzzles by name, in the order of play. attempts: those of the reference models; own: those of
    proposers on their own puzzles, a reference model's own among them. tagged: one for each turn that had a puzzle.
    beside: how many finished items of the run are no duels. earlier: how many duels are those of its base, which are
    the first and have no items in the run.
    """

    duels: list[Duel]
    turns: list[TurnRow]
    references: tuple[str, ...]
    codes: dict[str, str]
    attempts: list[Attempt]
    own: list[Attempt]
    tagged: list[Tagged]
    beside: int = 0
    earlier: int = 0

    @property
    def players(self) -> list[str]:
        """The names of the players."""
        return sorted({name for duel in self.duels for name in (duel.first, duel.second)})


def read_results(records: Sequence[Record], references: Sequence[str], base: Base | None = None) -> Results:
    """The results in a run's finished records, and those of its base.

    references: the players who solve every valid puzzle once more.
    """
    earlier = [(one.key, one.row) for one in base.items] if base else []
    done = [(record.item.key, record.row) for record in records if record.status == "done"]
    rows = [*earlier, *done]
    references = tuple(dict.fromkeys([*(base.references if base else ()), *references]))
    duels = [
        Duel(key, row["first"], row["second"], tuple(row["points"]), row["turns"])
        for key, row in rows
        if row["what"] == "duel"
    ]
    turns = [_turn(duel, turn) for duel in duels for turn in duel.turns]
    codes, proposers = dict[str, str](), dict[str, set[str]]()
    for duel in duels:
        for turn in duel.turns:
            if turn["outcome"] != Outcome.PENALTY:
                codes.setdefault(turn["puzzle"], turn["code"])
                proposers.setdefault(turn["puzzle"], set()).add(turn["proposer"])
    solved = [
        Attempt(puzzle=row["puzzle"], model=row["player"], solved=row["solved"])
        for _, row in rows
        if row["what"] == "solve"
    ]
    tags = {row["puzzle"]: frozenset[str](row["tags"]) for _, row in rows if row["what"] == "tag"}
    return Results(
        duels=duels,
        turns=turns,
        references=references,
        codes=codes,
        attempts=[one for one in solved if one.model in references],
        own=[one for one in solved if one.model in proposers.get(one.puzzle, ())],
        tagged=[
            Tagged(puzzle=turn.puzzle, proposer=turn.proposer, tags=tags[turn.puzzle])
            for turn in turns
            if turn.puzzle in tags
        ],
        beside=sum(row["what"] != "duel" for _, row in done),
        earlier=sum(row["what"] == "duel" for _, row in earlier),
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
