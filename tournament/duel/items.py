"""Duels turn by turn, and puzzles solved or tagged outside of a duel: in lists, in the terminal and in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.execute.sandbox import Verdict
from antemill.tournament.duel.judge import holds, puzzle_name
from antemill.tournament.duel.puzzles import Puzzles, PuzzleUse
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.replies import Said
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.items import Calls, Decision, Entry, Row, said
from antemill.tournament.runs.items import Event as Passage


class Turn(Struct, frozen=True):
    """A turn of a duel. row: the turn in the duel's row; proposed, solved: the replies of the proposer and the solver;
    sample, attempt: the judge's verdicts on their solutions, None if no solution could be read."""

    row: Mapping[str, Any]
    proposed: list[Said]
    solved: list[Said]
    sample: dict[str, Any] | None
    attempt: dict[str, Any] | None


class Single(Struct, frozen=True):
    """One player's attempt at a puzzle, or tags for it."""

    replies: list[Said]
    attempt: str | None = None
    verdict: dict[str, Any] | None = None


class DuelItems:
    """See `antemill.tournament.runs.items.Items`."""

    facets = ("what", "players", "pair", "outcome", "outcomes", "turned", "proposer", "tags", "causes", "status")
    measures = ("strip",)

    def __init__(self, store: RunStore, calls: Calls) -> None:
        self._store = store
        self._calls = calls
        self._puzzles = Puzzles(store)
        self._tried: dict[str, tuple[str, Any]] = {}  # attempts outside of the duels, with their verdicts, by item

    def entry(self, record: Record) -> Entry:
        """The entry of an item. The outcome of a duel is the winner's name, that of a solution whether it is right."""
        data, row = record.item.data, record.row
        duel = data["what"] == "duel"
        outcome, score, causes = _duel_outcome(row) if duel and row else (_outcome(row), "", _causes(row))
        return Entry(
            item=record.item.key,
            what=data["what"],
            players=(data["first"], data["second"]) if duel else (data["player"],),
            about="" if duel else puzzle_name(data["code"]),
            outcome=outcome if row else record.status,
            score=score,
            causes=causes,
            cost=record.cost,
            seconds=record.seconds,
            figures=_figures(row),
        )

    def columns(self, record: Record) -> Row:
        """For a duel the pair, the points and the outcome of each turn; for all items the tags of their puzzles and the
        replies that could not be read; for the others who proposed the puzzle.
        """
        data, row = record.item.data, record.row
        if data["what"] != "duel":
            found: Row = {"puzzle": puzzle_name(data["code"])}
            found["proposer"] = list(dict.fromkeys(use.proposer for use in self._puzzles.uses(found["puzzle"])))
            if record.status == "done":
                tags = self._puzzles.tags(found["puzzle"])
                found |= {"tags": tags, "unread": int(bool(row.get("unread"))), "verdict": row.get("attempt_verdict")}
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
                "turned": dict(Counter(one for turn in turns for one in self._turned(turn))),
                "tags": sorted({tag for turn in turns for tag in self._puzzles.tags(turn["puzzle"])}),
                "unread": sum(bool(turn["proposer_unread"]) + bool(turn["solver_unread"]) for turn in turns),
            }
        return found

    def document(self, record: Record, transcript: Any) -> list[Turn] | Single:
        """The turns of a duel, or a player's question outside of a duel."""
        if record.item.data["what"] == "duel":
            turns = zip(record.row["turns"], transcript, strict=True)
            return [msgspec.convert({"row": row, **spoken}, Turn) for row, spoken in turns]
        return msgspec.convert(transcript, Single)

    def passages(self, record: Record, document: list[Turn] | Single) -> list[Passage]:
        """Every turn with its puzzle, all replies and the judge's verdicts."""
        data, row = record.item.data, record.row
        if not isinstance(document, Single):
            head = f"{record.item.key}: {row['first']} {row['points'][0]}, {row['second']} {row['points'][1]}"
            return [head, *(passage for turn in document for passage in _turn_passages(turn))]
        found: list[Passage] = [f"{record.item.key}: {data['player']}", "", *_code(data["code"]), ""]
        found += _heard(document.replies, data["player"], data["what"], document.verdict)
        if data["what"] == "solve":
            return [*found, _verdict("its attempt", document.attempt, document.verdict)]
        return [*found, f"tags: {', '.join(row['tags']) or 'none'}"]

    def detail(self, record: Record, document: list[Turn] | Single) -> Row:
        """A duel turn by turn, or one player's attempt on a puzzle, or its tags.

        Every reply has its recorded call. Each puzzle has the attempts that were made outside of the duel.
        """
        data, row = record.item.data, record.row
        if not isinstance(document, Single):
            turns = [self._turn(turn) for turn in document]
            return {"turns": turns, "prompts": row["prompts"], "duels": self._between(data["first"], data["second"])}
        found = {
            "player": data["player"],
            "code": data["code"],
            "replies": self._replies(document.replies),
            "used": [_used(use) for use in self._puzzles.uses(puzzle_name(data["code"]))],
            "again": self._again(puzzle_name(data["code"]), record.item.key),
        }
        if data["what"] == "solve":
            return found | {"attempt": document.attempt, "verdict_of_attempt": document.verdict}
        return found | {"explanation": data["explanation"]}

    def interest(self, row: Row) -> float:
        """Duels before solutions, those with penalties and unsolved puzzles first."""
        outcomes = row.get("outcomes") or {}
        return float(10 * (row["what"] == "duel") + outcomes.get("penalty", 0) + outcomes.get("unsolved", 0))

    def _turn(self, turn: Turn) -> Row:
        named = ("number", "proposer", "solver", "outcome", "puzzle", "code", "solution", "explanation", "attempt")
        return {name: turn.row[name] for name in named} | {
            "sample": turn.sample,
            "verdict": turn.attempt,
            "proposed": self._replies(turn.proposed),
            "solved": self._replies(turn.solved),
            "tags": self._puzzles.tags(turn.row["puzzle"]),
            "again": self._again(turn.row["puzzle"]),
        }

    def _turned(self, turn: Mapping[str, Any]) -> list[str]:
        """What the column `turned` says of a turn: how it ended, by number and by player, and the proposer's tags."""
        ended = [(f"turn {turn['number']}", turn["outcome"])]
        ended += [(f"{turn[role]} as {role}", turn["outcome"]) for role in ("proposer", "solver")]
        tagged = [(f"{turn['proposer']} as proposer", tag) for tag in self._puzzles.tags(turn["puzzle"])]
        return [turned_as(*one) for one in (*ended, *tagged)]

    def _replies(self, replies: Sequence[Said]) -> list[Row]:
        """Replies. Their text is included only if the call, which also holds it, is not on record."""
        found = []
        for one in replies:
            call = said(self._calls, one.call)
            text = one.text if call is None else None
            about = {"problem": one.problem, "finish": one.finish}
            found.append({**about, "text": text, "call": call})
        return found

    def _again(self, puzzle: str, but: str = "") -> list[Row]:
        """The attempts on a puzzle outside of the duels, by other players and by its proposer."""
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
        """An item's part that every turn with its puzzle shows."""
        if item not in self._tried:
            told = self._store.transcript(item)
            self._tried[item] = told["attempt"], told["verdict"]
        return self._tried[item]

    def _between(self, *players: str) -> list[Row]:
        """The duels of two players, for the strip above each of them."""
        found = []
        for item, row in self._puzzles.duels(*players):
            found.append(_seats(row) | {"item": item, "points": row["points"], "strip": strip(row["turns"])})
        return found


def turned_as(where: str, what: str) -> str:
    """A value of the column `turned`. where: "turn 3" or "ada as proposer"; what: an outcome or a tag."""
    return f"{where}: {what}"


def strip(turns: Sequence[Mapping[str, Any]]) -> str:
    """A duel as letters, one a turn: s(olved), u(nsolved), p(enalty); capitals if the second player proposed."""
    letters = (turn["outcome"][0] for turn in turns)
    return "".join(letter.upper() if i % 2 else letter for i, letter in enumerate(letters))


def _seats(data: Mapping[str, Any]) -> Row:
    return {"first": data["first"], "second": data["second"]}


def _used(use: PuzzleUse) -> Row:
    return {"item": use.item, "number": use.number, "proposer": use.proposer, "solver": use.solver} | {
        "outcome": use.outcome,
        "solution": use.solution,
    }


def _duel_outcome(row: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    first, second = row["points"]
    winner = "draw" if first == second else row["first"] if first > second else row["second"]
    causes = Counter[str]()
    for turn in row["turns"]:
        causes["penalty"] += turn["outcome"] == Outcome.PENALTY
        causes["unread"] += bool(turn["proposer_unread"]) + bool(turn["solver_unread"])
        causes.update(
            turn[f"{side}_verdict"] for side in ("sample", "attempt") if turn[f"{side}_verdict"] not in ("", "true")
        )
    return winner, f"{first}:{second}", {cause: count for cause, count in causes.items() if count}


def _outcome(row: dict[str, Any]) -> str:
    if row.get("what") == "solve":
        return "solved" if row["solved"] else "unsolved"
    return "tagged" if row.get("tags") else "untagged"


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    """The points of a duel, whether a puzzle was solved, or the number of its tags."""
    if not row:
        return {}
    if row["what"] == "duel":
        return {"first": float(row["points"][0]), "second": float(row["points"][1])}
    return {"solved": float(row["solved"])} if row["what"] == "solve" else {"tags": float(len(row["tags"]))}


def _causes(row: dict[str, Any]) -> dict[str, int]:
    found = {"unread": int(bool(row.get("unread")))}
    if (verdict := row.get("attempt_verdict", "")) not in ("", "true"):
        found[verdict] = 1
    return {cause: count for cause, count in found.items() if count}


def _turn_passages(turn: Turn) -> list[Passage]:
    row, solver = turn.row, turn.row["solver"]
    about = {"turn": row["number"], "puzzle": row["puzzle"], "turn_outcome": row["outcome"]}
    proposed = _heard(turn.proposed, row["proposer"], "propose", turn.sample, about)
    found = ["", f"Turn {row['number']}: {row['proposer']} proposes, {solver} solves: {row['outcome']}", *proposed]
    if row["code"]:
        found += [*_code(row["code"]), _verdict("its own solution", row["solution"], turn.sample)]
    if turn.solved:
        found += _heard(turn.solved, solver, "solve", turn.attempt, about)
        found.append(_verdict(f"{solver}'s attempt", row["attempt"], turn.attempt))
    return found


def _heard(
    replies: Sequence[Said],
    player: str,
    purpose: str,
    verdict: dict[str, Any] | None,
    about: Mapping[str, Any] = {},
) -> list[Passage]:
    """All replies. Only the last one can have been read and judged."""
    return [
        Decision(
            player=player,
            purpose=purpose,
            call=one.call,
            text=one.text,
            data={
                **about,
                "problem": one.problem,
                "verdict": verdict["verdict"] if verdict and not one.problem else None,
            },
            notes=(f"could not be read: {one.problem}",) if one.problem else (),
        )
        for one in replies
    ]


def _code(code: str) -> list[Passage]:
    return [f"    {line}" for line in code.splitlines()]


def _verdict(what: str, solution: str | None, found: dict[str, Any] | None) -> str:
    if found is None:
        return f"{what} could not be read"
    verdict = msgspec.convert(found, Verdict)
    why = f" ({verdict.detail})" if verdict.detail and not holds(verdict) else ""
    return f"{what}: {solution} -> {verdict.verdict}{why}, {verdict.seconds:.2f} s, {verdict.backend}"


def items(store: RunStore, calls: Calls, _path: Path) -> DuelItems:
    """The duels of a run."""
    return DuelItems(store, calls)
