"""Duels in pages: a row for each duel, solution and tagging, and each with every puzzle, reply, verdict and attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antemill.tournament.duel.judge import puzzle_name
from antemill.tournament.duel.puzzles import Puzzles, PuzzleUse
from antemill.tournament.runs.browse import Calls
from antemill.tournament.runs.explore import Row, said
from antemill.tournament.runs.item import Record
from antemill.tournament.runs.store import RunStore


class DuelExplorer:
    """See `antemill.tournament.runs.explore.Explorer`."""

    facets = ("what", "players", "pair", "outcome", "outcomes", "tags", "causes", "status")

    def __init__(self, store: RunStore, calls: Calls) -> None:
        self._store = store
        self._calls = calls
        self._puzzles = Puzzles(store)
        self._tried: dict[str, tuple[str, Any]] = {}  # attempts outside of the duels, with their verdicts, by item

    def columns(self, record: Record) -> Row:
        """Of a duel the pair, the points and how each turn ended; of all the tags of their puzzles and the replies that
        could not be read.
        """
        data, row = record.item.data, record.row
        if data["what"] != "duel":
            found: Row = {"puzzle": puzzle_name(data["code"])}
            if record.status == "done":
                tags = self._puzzles.tags(found["puzzle"])
                found |= {"tags": tags, "unread": row.get("format_failures", 0), "verdict": row.get("attempt_verdict")}
            return found
        found = {"pair": " · ".join(sorted((data["first"], data["second"]))), **_seats(data)}
        if record.status == "done":
            turns = row["turns"]
            first, second = row["points"]
            found |= {
                "points": row["points"],
                "margin": abs(first - second),
                "strip": strip(turns),
                "outcomes": dict(Counter(turn["outcome"] for turn in turns)),
                "tags": sorted({tag for turn in turns for tag in self._puzzles.tags(turn["puzzle"])}),
                "unread": sum(turn["proposer_format_failures"] + turn["solver_format_failures"] for turn in turns),
            }
        return found

    def detail(self, record: Record, transcript: Any) -> Row:
        """A duel turn by turn, or one player's attempt on a puzzle or tags for it.

        Every reply has its call as it was recorded. Each puzzle has the attempts that were made outside of the duel.
        """
        data, row = record.item.data, record.row
        if data["what"] == "duel":
            turns = [self._turn(turn, spoken) for turn, spoken in zip(row["turns"], transcript, strict=True)]
            return {"turns": turns, "prompts": row["prompts"], "duels": self._between(data["first"], data["second"])}
        found = {
            "player": data["player"],
            "code": data["code"],
            "replies": self._replies(transcript["replies"]),
            "used": [_used(use) for use in self._puzzles.uses(puzzle_name(data["code"]))],
            "again": self._again(puzzle_name(data["code"]), record.item.key),
        }
        if data["what"] == "solve":
            return found | {"attempt": transcript["attempt"], "verdict_of_attempt": transcript["verdict"]}
        return found | {"explanation": data["explanation"]}

    def interest(self, row: Row) -> float:
        """Duels before solutions, those with penalties and unsolved puzzles first."""
        outcomes = row.get("outcomes") or {}
        return float(10 * (row["what"] == "duel") + outcomes.get("penalty", 0) + outcomes.get("unsolved", 0))

    def _turn(self, turn: Mapping[str, Any], spoken: Mapping[str, Any]) -> Row:
        named = ("number", "proposer", "solver", "outcome", "puzzle", "code", "solution", "explanation", "attempt")
        return {name: turn[name] for name in named} | {
            "sample": spoken["sample"],
            "verdict": spoken["attempt"],
            "proposed": self._replies(spoken["proposed"]),
            "solved": self._replies(spoken["solved"]),
            "tags": self._puzzles.tags(turn["puzzle"]),
            "again": self._again(turn["puzzle"]),
        }

    def _replies(self, heard: Sequence[Mapping[str, Any]]) -> list[Row]:
        """Replies; the text stands there only if the call is not on record, which has it too."""
        found = []
        for one in heard:
            call = said(self._calls, one["call"])
            text = one["text"] if call is None else None
            about = {"problem": one["problem"], "finish": one["finish"], "taken": one.get("taken", "")}
            found.append({**about, "text": text, "call": call})
        return found

    def _again(self, puzzle: str, but: str = "") -> list[Row]:
        """What others, and its own proposer, made of a puzzle outside of the duels."""
        proposers = {use.proposer for use in self._puzzles.uses(puzzle)}
        found = []
        for item, row in self._puzzles.again(puzzle):
            if item != but:
                attempt, verdict = self._attempt(item)
                tried = {
                    "item": item,
                    "player": row["player"],
                    "solved": row["solved"],
                    "own": row["player"] in proposers,
                }
                found.append(tried | {"attempt": attempt, "verdict": verdict})
        return found

    def _attempt(self, item: str) -> tuple[str, Any]:
        """Of an item that every turn with its puzzle shows."""
        if item not in self._tried:
            told = self._store.transcript(item)
            self._tried[item] = told["attempt"], told["verdict"]
        return self._tried[item]

    def _between(self, *players: str) -> list[Row]:
        """The duels of these two, for the strip above each of them."""
        found = []
        for item, row in self._puzzles.duels(*players):
            found.append(_seats(row) | {"item": item, "points": row["points"], "strip": strip(row["turns"])})
        return found


def strip(turns: Sequence[Mapping[str, Any]]) -> str:
    """A duel in letters, one a turn: s(olved), u(nsolved), p(enalty); in capitals where the second player proposed."""
    letters = (turn["outcome"][0] for turn in turns)
    return "".join(letter.upper() if i % 2 else letter for i, letter in enumerate(letters))


def _seats(data: Mapping[str, Any]) -> Row:
    return {"first": data["first"], "second": data["second"]}


def _used(use: PuzzleUse) -> Row:
    return {"item": use.item, "number": use.number, "proposer": use.proposer, "solver": use.solver} | {
        "outcome": use.outcome,
        "solution": use.solution,
    }


def explorer(store: RunStore, calls: Calls, _path: Path) -> DuelExplorer:
    """The duels of a run."""
    return DuelExplorer(store, calls)
