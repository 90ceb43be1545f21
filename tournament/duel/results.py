"""The results of sets of duels, read from their finished rows: turns, attempts, tags, codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from antemill.tournament.duel.analysis.resolve import Attempt
from antemill.tournament.duel.analysis.topics import Tagged
from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.rounds import Outcome


class Duel(Struct, frozen=True):
    """One finished duel. key: of its item."""

    key: str
    first: str
    second: str
    points: tuple[int, int]
    turns: list[dict[str, Any]]


class Results(Struct, frozen=True, kw_only=True):
    """All results, in the order of the plan.

    references: players who solve every valid puzzle once more. codes: of the valid puzzles by name, in the order of
    play. attempts: those of the references; own: those of proposers on their own puzzles, a reference's among them.
    tagged: one for each turn that had a puzzle. beside: how many rows are no duels.
    """

    duels: list[Duel]
    turns: list[TurnRow]
    references: tuple[str, ...] = ()
    codes: dict[str, str] = {}
    attempts: list[Attempt] = []
    own: list[Attempt] = []
    tagged: list[Tagged] = []
    beside: int = 0

    @property
    def players(self) -> list[str]:
        """The names of the players."""
        return sorted({name for duel in self.duels for name in (duel.first, duel.second)})


def read_results(rows: Mapping[str, dict[str, Any]], references: Sequence[str]) -> Results:
    """The results in finished rows by key. references: players who solve every valid puzzle once more."""
    sorts = {what: [row for row in rows.values() if row["what"] == what] for what in ("solve", "tag")}
    duels = [msgspec.convert({**row, "key": key}, Duel) for key, row in rows.items() if row["what"] == "duel"]
    turns = [msgspec.convert({**turn, "duel": duel.key}, TurnRow) for duel in duels for turn in duel.turns]
    codes, proposers = dict[str, str](), dict[str, set[str]]()
    for turn in (turn for duel in duels for turn in duel.turns if turn["outcome"] != Outcome.PENALTY):
        codes.setdefault(turn["puzzle"], turn["code"])
        proposers.setdefault(turn["puzzle"], set()).add(turn["proposer"])
    solved = [Attempt(puzzle=row["puzzle"], model=row["player"], solved=row["solved"]) for row in sorts["solve"]]
    tags = {row["puzzle"]: frozenset[str](row["tags"]) for row in sorts["tag"]}
    return Results(
        duels=duels,
        turns=turns,
        references=tuple(dict.fromkeys(references)),
        codes=codes,
        attempts=[one for one in solved if one.model in references],
        own=[one for one in solved if one.model in proposers.get(one.puzzle, ())],
        tagged=[
            Tagged(puzzle=turn.puzzle, proposer=turn.proposer, tags=tags[turn.puzzle])
            for turn in turns
            if turn.puzzle in tags
        ],
        beside=len(rows) - len(duels),
    )
