"""One duel, turn by turn, and one puzzle solved or tagged outside of a duel (T1 to T5).

If a reply cannot be read, the player is told why and asked once more (`antemill.tournament.replies`). After that it is
a penalty for a proposer and a failure for a solver. Every reply and its problem stay on record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from antemill.engine.execute.sandbox import Verdict
from antemill.tournament.duel import history, prompts, tagging
from antemill.tournament.duel.config import DuelTable
from antemill.tournament.duel.judge import Judge, holds, puzzle_name
from antemill.tournament.duel.replies import ATTEMPT_SCHEMA, PUZZLE_SCHEMA, Puzzle, read_attempt, read_puzzle
from antemill.tournament.duel.rounds import Outcome, Turn, points
from antemill.tournament.replies import Read
from antemill.tournament.runs import Played
from antemill.tournament.runs.questions import Asking


class Player(Struct, frozen=True):
    """A player to ask. name: in the tables; model: the entry of models.toml."""

    name: str
    model: str


async def play_duel(pair: tuple[Player, Player], table: DuelTable, asked: Asking, judge: Judge) -> Played:
    """All turns of a duel; `pair[0]` proposes first."""
    turns, transcript = list[dict[str, Any]](), list[dict[str, Any]]()
    for number in range(1, table.turns + 1):
        roles = pair if number % 2 else (pair[1], pair[0])
        turn, told = await _play_turn(number, roles, turns, table, asked, judge)
        turns.append(turn)
        transcript.append(told)
    row = {
        "what": "duel",
        "first": pair[0].name,
        "second": pair[1].name,
        "points": list(points(turns, pair[0].name)),
        "prompts": f"{prompts.VERSION if table.judge_rules else prompts.PAPER}.{history.VERSION}",
        "turns": turns,
    }
    return asked.played(row, transcript)


async def _play_turn(
    number: int, roles: tuple[Player, Player], past: Sequence[Turn], table: DuelTable, asked: Asking, judge: Judge
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A turn of a proposer and a solver, as `rounds` has it, and its replies with the judge's verdicts."""
    proposer, solver = roles
    seen = history.past(past, proposer.name, table.show_attempts, table.first_turn)
    prompt, sample = prompts.proposer_prompt(seen, _rules(table)), f"{number}/propose"
    proposed = await asked.read(proposer.name, proposer.model, prompt, sample, read_puzzle, PUZZLE_SCHEMA)
    found = proposed.value or Puzzle("", "", "")
    own = await judge.check(found.code, found.solution) if proposed.value else None
    solved, verdict, outcome = None, None, Outcome.PENALTY
    if holds(own):
        solved, verdict = await _attempt(solver, found.code, table, asked, judge, f"{number}/solve")
        outcome = Outcome.SOLVED if holds(verdict) else Outcome.UNSOLVED
    turn = {
        "number": number,
        "proposer": proposer.name,
        "solver": solver.name,
        "outcome": str(outcome),
        "puzzle": puzzle_name(found.code) if found.code else "",
        "code": found.code,
        "explanation": found.explanation,
        "solution": found.solution,
        "attempt": (solved and solved.value) or "",
        **_verdict_row("sample", own),
        **_verdict_row("attempt", verdict),
        "proposer_tries": proposed.tries,
        "proposer_unread": proposed.cause,
        "solver_tries": solved.tries if solved else 0,
        "solver_unread": solved.cause if solved else "",
    }
    return turn, {"proposed": proposed.said, "solved": solved.said if solved else (), "sample": own, "attempt": verdict}


async def _attempt(
    player: Player, code: str, table: DuelTable, asked: Asking, judge: Judge, sample: str
) -> tuple[Read[str], Verdict | None]:
    """A player's attempt on a puzzle, None if it could not be read, and the verdict."""
    prompt = prompts.solver_prompt(code, _rules(table))
    read = await asked.read(player.name, player.model, prompt, sample, read_attempt, ATTEMPT_SCHEMA)
    return read, None if read.value is None else await judge.check(code, read.value)


def _rules(table: DuelTable) -> str:
    return prompts.rules(table.seconds, table.memory) if table.judge_rules else ""


async def play_solve(player: Player, code: str, table: DuelTable, asked: Asking, judge: Judge) -> Played:
    """A player's attempt on a puzzle outside of any duel (T10)."""
    read, verdict = await _attempt(player, code, table, asked, judge, "solve")
    row = {
        "what": "solve",
        "puzzle": puzzle_name(code),
        "player": player.name,
        "reference": player.name in table.references,
        "solved": holds(verdict),
        **_verdict_row("attempt", verdict),
        "tries": read.tries,
        "unread": read.cause,
    }
    return asked.played(row, {"attempt": read.value or "", "replies": read.said, "verdict": verdict})


async def play_tag(player: Player, code: str, explanation: str, asked: Asking) -> Played:
    """A puzzle's tags; none if no reply could be read."""
    prompt = tagging.tag_prompt(code, explanation)
    read = await asked.read(player.name, player.model, prompt, "tag", tagging.read_tags, tagging.SCHEMA)
    row = {
        "what": "tag",
        "puzzle": puzzle_name(code),
        "player": player.name,
        "tags": read.value or [],
        "tries": read.tries,
        "unread": read.cause,
        "prompts": str(tagging.VERSION),
    }
    return asked.played(row, {"replies": read.said})


def _verdict_row(name: str, verdict: Verdict | None) -> dict[str, str]:
    """A verdict without its seconds: rows do not depend on clocks."""
    found = verdict or Verdict("error")
    row = {"verdict": found.verdict, "detail": found.detail, "backend": found.backend, "python": found.python}
    return {f"{name}_{key}": text if verdict else "" for key, text in row.items()}
