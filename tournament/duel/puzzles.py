"""The records of each puzzle of a run: its turns, its tags, and the later attempts on it.

They are read from the finished items, and again when more items are finished.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from antemill.tournament.runs.finished import FinishedCounter
from antemill.tournament.runs.store import RunStore


class PuzzleUse(Struct, frozen=True):
    """A turn with a puzzle. item: the duel; number: the turn's, from 1 on."""

    item: str
    number: int
    proposer: str
    solver: str
    outcome: str
    solution: str


class Puzzles:
    """The puzzles of a run by name (`judge.puzzle_name`)."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._tags: dict[str, list[str]] = {}
        self._again: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self._uses: dict[str, list[PuzzleUse]] = {}
        self._duels: dict[frozenset[str], list[tuple[str, dict[str, Any]]]] = {}
        self._finished = FinishedCounter(store)

    def tags(self, puzzle: str) -> list[str]:
        """The puzzle's tags; none if it was not tagged."""
        self._read()
        return self._tags.get(puzzle, [])

    def again(self, puzzle: str) -> list[tuple[str, dict[str, Any]]]:
        """The items in which the puzzle was solved again, with their rows."""
        self._read()
        return self._again.get(puzzle, [])

    def uses(self, puzzle: str) -> list[PuzzleUse]:
        """The turns with the puzzle, in the order of play."""
        self._read()
        return self._uses.get(puzzle, [])

    def duels(self, *pair: str) -> list[tuple[str, dict[str, Any]]]:
        """The finished duels of two players, in either order, with their rows."""
        self._read()
        return self._duels.get(frozenset(pair), [])

    def _read(self) -> None:
        if not self._finished.finished():
            return
        self._tags, self._again, self._uses, self._duels = {}, {}, {}, {}
        for record in self._store.records(finished_only=True):
            if record.status == "done":
                self._take(record.item.key, record.row)

    def _take(self, key: str, row: dict[str, Any]) -> None:
        if row["what"] == "tag":
            self._tags[row["puzzle"]] = row["tags"]
        elif row["what"] == "solve":
            self._again.setdefault(row["puzzle"], []).append((key, row))
        else:
            self._duels.setdefault(frozenset((row["first"], row["second"])), []).append((key, row))
            for turn in row["turns"]:
                if turn["puzzle"]:
                    names = (turn["number"], turn["proposer"], turn["solver"], turn["outcome"], turn["solution"])
                    self._uses.setdefault(turn["puzzle"], []).append(PuzzleUse(key, *names))
