"""One duel, turn by turn, and one puzzle solved or tagged outside of a duel (T1 to T5).

If a reply cannot be read, the player is asked again with the same prompt, `format_attempts` times in all. After that
it is a penalty for a proposer and a failure for a solver. Every reply and its problem stay on record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from antemill.engine.execute.sandbox import Verdict
from antemill.llm import Message, Request
from antemill.tournament.answers import unread
from antemill.tournament.duel import history, prompts
from antemill.tournament.duel.config import DuelTable
from antemill.tournament.duel.judge import Judge, holds, puzzle_name
from antemill.tournament.duel.parse import FormatError, Puzzle, answer, parse_attempt, parse_puzzle
from antemill.tournament.duel.rounds import Outcome, Turn, points, proposer_of
from antemill.tournament.runs import Access, Played

T = TypeVar("T")


class ReadReply(Struct, frozen=True):
    """One reply. problem: why it could not be read, "" if it could. call: its row in the call store. taken: the parts
    that were removed before reading, in words. cause: the problem as one of few names, "" if there is none.
    """

    text: str
    problem: str
    finish: str
    call: int
    taken: str = ""
    cause: str = ""


class Player(Struct, frozen=True):
    """A player to ask. name: in the tables; model: the entry of models.toml."""

    name: str
    model: str


class Asked(Struct, frozen=True):
    """Asks the models, `format_attempts` times at most. item: makes the samples of its requests unique."""

    access: Access
    item: str
    attempts: int

    async def read(
        self, player: Player, prompt: str, parse: Callable[[str], T], sample: str
    ) -> tuple[T | None, list[ReadReply]]:
        """The first reply that can be read (None if there is none), and all replies."""
        replies: list[ReadReply] = []
        for attempt in range(self.attempts):
            request = Request(
                messages=(Message("user", prompt),),
                sample=f"{self.item}/{sample}/{attempt}",
                purpose=sample.rpartition("/")[2],
            )
            reply = await self.access.ask(player.model, request)
            said = answer("" if reply.finish == "refusal" else reply.text, reply.finish == "length")
            taken = said.note
            try:
                found = parse(said.text)
            except FormatError as error:
                problem = _problem(str(error), reply.finish)
                cause = unread(reply.text, reply.finish)
                replies.append(ReadReply(reply.text, problem, reply.finish, reply.call, taken, cause))
            else:
                replies.append(ReadReply(reply.text, "", reply.finish, reply.call, taken))
                return found, replies
        return None, replies


class _Played(Struct, frozen=True):
    """A turn with its replies and verdicts. sample, attempt: the judge's verdicts, None if nothing was judged."""

    turn: Turn
    proposed: list[ReadReply]
    solved: list[ReadReply]
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
    fallbacks = sum((not one.turn.puzzle) + bool(one.solved and one.solved[-1].problem) for one in played)
    replies = [reply for one in played for reply in (*one.proposed, *one.solved)]
    return Played(row, [_turn_transcript(one) for one in played], fallbacks, replies_of(replies))


def replies_of(replies: Sequence[ReadReply]) -> tuple[tuple[int, str], ...]:
    """For `Played.replies`."""
    return tuple((one.call, one.cause) for one in replies)


async def _play_turn(
    number: int, pair: tuple[Player, Player], past: Sequence[Turn], table: DuelTable, asked: Asked, judge: Judge
) -> _Played:
    place = proposer_of(number)
    seen = history.past(past, place, table.show_attempts, table.first_turn)
    prompt = prompts.proposer_prompt(seen, _rules(table))
    puzzle, proposed = await asked.read(
        pair[place], prompt, lambda text: parse_puzzle(text, table.strip_backticks), f"{number}/propose"
    )
    found = puzzle or Puzzle("", "", "")
    sample = await judge.check(found.code, found.solution) if puzzle else None
    solution, solved, verdict = "", list[ReadReply](), None
    if holds(sample):
        solution, solved, verdict = await attempt(pair[1 - place], found.code, table, asked, judge, f"{number}/solve")
    turn = Turn(
        number=number,
        proposer=place,
        puzzle=found.code,
        solution=found.solution,
        explanation=found.explanation,
        attempt=solution,
        outcome=_outcome(sample, verdict),
    )
    return _Played(turn, proposed, solved, sample, verdict)


async def attempt(
    player: Player, code: str, table: DuelTable, asked: Asked, judge: Judge, sample: str
) -> tuple[str, list[ReadReply], Verdict | None]:
    """A player's attempt on a puzzle: its text ("" if none could be read), the replies and the verdict."""
    prompt = prompts.solver_prompt(code, _rules(table))
    solution, replies = await asked.read(
        player, prompt, lambda text: parse_attempt(text, table.strip_backticks), sample
    )
    return (solution, replies, await judge.check(code, solution)) if solution is not None else ("", replies, None)


def _rules(table: DuelTable) -> str:
    return prompts.rules(table.seconds, table.memory) if table.judge_rules else ""


async def play_solve(player: Player, code: str, table: DuelTable, asked: Asked, judge: Judge) -> Played:
    """A reference model's attempt on a puzzle, outside of any duel (T10)."""
    solution, replies, verdict = await attempt(player, code, table, asked, judge, "solve")
    row = {
        "what": "solve",
        "puzzle": puzzle_name(code),
        "player": player.name,
        "solved": holds(verdict),
        **_verdict_row("attempt", verdict),
        "format_failures": sum(bool(one.problem) for one in replies),
    }
    return Played(
        row, {"attempt": solution, "replies": replies, "verdict": verdict}, int(verdict is None), replies_of(replies)
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
        "proposer_format_failures": sum(bool(reply.problem) for reply in one.proposed),
        "solver_format_failures": sum(bool(reply.problem) for reply in one.solved),
    }


def _verdict_row(name: str, verdict: Verdict | None) -> dict[str, str]:
    """A verdict without its seconds: rows do not depend on clocks."""
    found = verdict or Verdict("error")
    row = {"verdict": found.verdict, "detail": found.detail, "backend": found.backend, "python": found.python}
    return {f"{name}_{key}": text if verdict else "" for key, text in row.items()}


def _turn_transcript(one: _Played) -> dict[str, Any]:
    return {
        "turn": one.turn,
        "proposed": one.proposed,
        "solved": one.solved,
        "sample": one.sample,
        "attempt": one.attempt,
    }


def _problem(reason: str, finish: str) -> str:
    return reason + {"length": " (the reply was cut off)", "refusal": " (a refusal)"}.get(finish, "")
