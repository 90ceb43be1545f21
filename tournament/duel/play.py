"""One duel, turn by turn, and one puzzle solved or tagged outside of a duel (T1 to T5).

If a reply cannot be read, the player is told why and asked once more (`antemill.tournament.replies`). After that it is
a penalty for a proposer and a failure for a solver. Every reply and its problem stay on record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from antemill.engine.execute.sandbox import Verdict
from antemill.llm import Message, Reply, Request
from antemill.tournament.duel import history, prompts
from antemill.tournament.duel.config import DuelTable
from antemill.tournament.duel.judge import Judge, holds, puzzle_name
from antemill.tournament.duel.replies import ATTEMPT_SCHEMA, PUZZLE_SCHEMA, Puzzle, read_attempt, read_puzzle
from antemill.tournament.duel.rounds import Outcome, Turn, points, proposer_of
from antemill.tournament.replies import TRIES, Read, ask_read
from antemill.tournament.runs import Access, Played

T = TypeVar("T")


class Player(Struct, frozen=True):
    """A player to ask. name: in the tables; model: the entry of models.toml."""

    name: str
    model: str


class Asked(Struct, frozen=True):
    """Asks the models. item: makes the samples of its requests unique. paper: one try, in the paper's own form."""

    access: Access
    item: str
    paper: bool = False

    async def read(
        self, player: Player, prompt: str, parse: Callable[[Reply], T], sample: str, schema: dict[str, Any]
    ) -> Read[T]:
        """The answer to a prompt, and all replies."""
        request = Request(
            messages=(Message("user", prompt),),
            sample=f"{self.item}/{sample}",
            schema=schema,
            plain=self.paper,
            purpose=sample.rpartition("/")[2],
        )
        return await ask_read(self.access, player.model, request, parse, 1 if self.paper else TRIES)


class _Played(Struct, frozen=True):
    """A turn with its replies and verdicts. sample, attempt: the judge's verdicts, None if nothing was judged."""

    turn: Turn
    proposed: Read[Puzzle]
    solved: Read[str] | None
    sample: Verdict | None
    attempt: Verdict | None


async def play_duel(pair: tuple[Player, Player], table: DuelTable, asked: Asked, judge: Judge) -> Played:
    """All turns of a duel; `pair[0]` proposes first."""
    played: list[_Played] = []
    for number in range(1, table.turns + 1):
        played.append(await _play_turn(number, pair, [past.turn for past in played], table, asked, judge))
    turns = [one.turn for one in played]
    row = {
        "what": "duel",
        "first": pair[0].name,
        "second": pair[1].name,
        "points": list(points(turns)),
        "prompts": f"{prompts.VERSION if table.judge_rules else prompts.PAPER}.{history.VERSION}",
        "turns": [_turn_row(one, pair) for one in played],
    }
    reads = [read for one in played for read in (one.proposed, one.solved) if read is not None]
    fallbacks = sum(bool(read.cause) for read in reads)
    return Played(row, [_turn_transcript(one) for one in played], fallbacks, tuple(read.counted for read in reads))


async def _play_turn(
    number: int, pair: tuple[Player, Player], past: Sequence[Turn], table: DuelTable, asked: Asked, judge: Judge
) -> _Played:
    place = proposer_of(number)
    seen = history.past(past, place, table.show_attempts, table.first_turn)
    prompt = prompts.proposer_prompt(seen, _rules(table))
    proposed = await asked.read(pair[place], prompt, read_puzzle, f"{number}/propose", PUZZLE_SCHEMA)
    found = proposed.value or Puzzle("", "", "")
    sample = await judge.check(found.code, found.solution) if proposed.value else None
    solved, verdict = None, None
    if holds(sample):
        solved, verdict = await attempt(pair[1 - place], found.code, table, asked, judge, f"{number}/solve")
    turn = Turn(
        number=number,
        proposer=place,
        puzzle=found.code,
        solution=found.solution,
        explanation=found.explanation,
        attempt=(solved and solved.value) or "",
        outcome=_outcome(sample, verdict),
    )
    return _Played(turn, proposed, solved, sample, verdict)


async def attempt(
    player: Player, code: str, table: DuelTable, asked: Asked, judge: Judge, sample: str
) -> tuple[Read[str], Verdict | None]:
    """A player's attempt on a puzzle, None if it could not be read, and the verdict."""
    prompt = prompts.solver_prompt(code, _rules(table))
    read = await asked.read(player, prompt, read_attempt, sample, ATTEMPT_SCHEMA)
    return read, None if read.value is None else await judge.check(code, read.value)


def _rules(table: DuelTable) -> str:
    return prompts.rules(table.seconds, table.memory) if table.judge_rules else ""


async def play_solve(player: Player, code: str, table: DuelTable, asked: Asked, judge: Judge) -> Played:
    """A reference model's attempt on a puzzle, outside of any duel (T10)."""
    read, verdict = await attempt(player, code, table, asked, judge, "solve")
    row = {
        "what": "solve",
        "puzzle": puzzle_name(code),
        "player": player.name,
        "solved": holds(verdict),
        **_verdict_row("attempt", verdict),
        "tries": read.tries,
        "unread": read.cause,
    }
    return Played(
        row, {"attempt": read.value or "", "replies": read.said, "verdict": verdict}, bool(read.cause), (read.counted,)
    )


def _outcome(sample: Verdict | None, attempt: Verdict | None) -> Outcome:
    if not holds(sample):
        return Outcome.PENALTY
    return Outcome.SOLVED if holds(attempt) else Outcome.UNSOLVED


def _turn_row(one: _Played, pair: tuple[Player, Player]) -> dict[str, Any]:
    turn = one.turn
    return {
        "number": turn.number,
        "proposer": pair[turn.proposer].name,
        "solver": pair[1 - turn.proposer].name,
        "outcome": str(turn.outcome),
        "puzzle": puzzle_name(turn.puzzle) if turn.puzzle else "",
        "code": turn.puzzle,
        "explanation": turn.explanation,
        "solution": turn.solution,
        "attempt": turn.attempt,
        **_verdict_row("sample", one.sample),
        **_verdict_row("attempt", one.attempt),
        "proposer_tries": one.proposed.tries,
        "proposer_unread": one.proposed.cause,
        "solver_tries": one.solved.tries if one.solved else 0,
        "solver_unread": one.solved.cause if one.solved else "",
    }


def _verdict_row(name: str, verdict: Verdict | None) -> dict[str, str]:
    """A verdict without its seconds: rows do not depend on clocks."""
    found = verdict or Verdict("error")
    row = {"verdict": found.verdict, "detail": found.detail, "backend": found.backend, "python": found.python}
    return {f"{name}_{key}": text if verdict else "" for key, text in row.items()}


def _turn_transcript(one: _Played) -> dict[str, Any]:
    return {
        "turn": one.turn,
        "proposed": one.proposed.said,
        "solved": one.solved.said if one.solved else (),
        "sample": one.sample,
        "attempt": one.attempt,
    }
