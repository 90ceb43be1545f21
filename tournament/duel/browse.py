"""Duels turn by turn, and puzzles that were solved or tagged outside of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from antemill.engine.execute.sandbox import Verdict
from antemill.tournament.duel.judge import holds, puzzle_name
from antemill.tournament.duel.play import Heard
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.browse import Calls, Decision, Entry, Passage


class DuelBrowser:
    """See `antemill.tournament.runs.browse.Browser`."""

    def entry(self, record: Record) -> Entry:
        """A duel: its outcome is the name of who won. A solution: whether it holds."""
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

    def passages(self, record: Record, transcript: Any) -> list[Passage]:
        """Every turn with its puzzle, all replies and the judge's verdicts."""
        data, row = record.item.data, record.row
        if data["what"] == "duel":
            head = f"{record.item.key}: {row['first']} {row['points'][0]}, {row['second']} {row['points'][1]}"
            turns = zip(row["turns"], transcript, strict=True)
            return [head, *(passage for turn, said in turns for passage in _turn(turn, said))]
        found: list[Passage] = [f"{record.item.key}: {data['player']}", "", *_code(data["code"]), ""]
        found += _heard(transcript["replies"], data["player"], data["what"], transcript.get("verdict"))
        if data["what"] == "solve":
            return [*found, _verdict("its attempt", transcript["attempt"], transcript["verdict"])]
        return [*found, f"tags: {', '.join(row['tags']) or 'none'}"]


def _duel_outcome(row: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    first, second = row["points"]
    winner = "draw" if first == second else row["first"] if first > second else row["second"]
    causes = Counter[str]()
    for turn in row["turns"]:
        causes["penalty"] += turn["outcome"] == Outcome.PENALTY
        causes["format"] += turn["proposer_format_failures"] + turn["solver_format_failures"]
        causes.update(
            turn[f"{side}_verdict"] for side in ("sample", "attempt") if turn[f"{side}_verdict"] not in ("", "true")
        )
    return winner, f"{first}:{second}", {cause: count for cause, count in causes.items() if count}


def _outcome(row: dict[str, Any]) -> str:
    if row.get("what") == "solve":
        return "solved" if row["solved"] else "unsolved"
    return "tagged" if row.get("tags") else "untagged"


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    """Points of a duel; whether a puzzle was solved; how many tags it has."""
    if not row:
        return {}
    if row["what"] == "duel":
        return {"first": float(row["points"][0]), "second": float(row["points"][1])}
    return {"solved": float(row["solved"])} if row["what"] == "solve" else {"tags": float(len(row["tags"]))}


def _causes(row: dict[str, Any]) -> dict[str, int]:
    found = {"format": row.get("format_failures", 0)}
    if (verdict := row.get("attempt_verdict", "")) not in ("", "true"):
        found[verdict] = 1
    return {cause: count for cause, count in found.items() if count}


def _turn(turn: dict[str, Any], said: dict[str, Any]) -> list[Passage]:
    solver = turn["solver"]
    about = {"turn": turn["number"], "puzzle": turn["puzzle"], "turn_outcome": turn["outcome"]}
    proposed = _heard(said["proposed"], turn["proposer"], "propose", said["sample"], about)
    found = ["", f"Turn {turn['number']}: {turn['proposer']} proposes, {solver} solves: {turn['outcome']}", *proposed]
    if turn["code"]:
        found += [*_code(turn["code"]), _verdict("its own solution", turn["solution"], said["sample"])]
    if said["solved"]:
        found += _heard(said["solved"], solver, "solve", said["attempt"], about)
        found.append(_verdict(f"{solver}'s attempt", turn["attempt"], said["attempt"]))
    return found


def _heard(
    replies: Sequence[dict[str, Any]],
    player: str,
    purpose: str,
    verdict: dict[str, Any] | None,
    about: Mapping[str, Any] = {},
) -> list[Passage]:
    """All replies. Only the last one can have been read, and judged."""
    heard = [msgspec.convert(reply, Heard) for reply in replies]
    return [
        Decision(
            player=player,
            purpose=purpose,
            call=one.call,
            text=one.text,
            data={
                **about,
                "problem": one.problem,
                "taken": one.taken,
                "verdict": verdict["verdict"] if verdict and not one.problem else None,
            },
            notes=(
                *((f"could not be read: {one.problem}",) if one.problem else ()),
                *((f"taken off before it was read: {one.taken}",) if one.taken else ()),
            ),
        )
        for one in heard
    ]


def _code(code: str) -> list[Passage]:
    return [f"    {line}" for line in code.splitlines()]


def _verdict(what: str, solution: str, found: dict[str, Any] | None) -> str:
    if found is None:
        return f"{what} could not be read"
    verdict = msgspec.convert(found, Verdict)
    why = f" ({verdict.detail})" if verdict.detail and not holds(verdict) else ""
    return f"{what}: {solution} -> {verdict.verdict}{why}, {verdict.seconds:.2f} s, {verdict.backend}"


def browser(_store: RunStore, _calls: Calls) -> DuelBrowser:
    """The duels of a run."""
    return DuelBrowser()
