"""Setting one question, and one player's answers to it (S2 to S6).

A setter has three attempts a round. The reason for a failed attempt is shown in the next prompt; a setter without a
question leaves its slot empty. A question is accepted if it is valid and farther than the embedder's threshold from all
earlier accepted questions of the same setter.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from antemill.engine.seeding import derive
from antemill.llm import Message, Reply, Request
from antemill.tournament.embedding import Embedder, distances
from antemill.tournament.reading import read
from antemill.tournament.runs import Access, Played
from antemill.tournament.skate import prompts
from antemill.tournament.skate.prompts import Brief, Failure, Past, Strategy
from antemill.tournament.skate.sampling import TRUTH, Sampling, Score, variant
from antemill.tournament.skate.tasks import Draft, InvalidQuestionError, Task


class QuestionSlot(Struct, frozen=True, kw_only=True):
    """One setter's turn. number: the question's, unique in the game. archive: the questions the strategy may show.

    own: the setter's earlier questions with their numbers.
    """

    number: int
    round_number: int
    rounds: int
    player: str
    model: str
    archive: tuple[Past, ...]
    own: tuple[tuple[int, str], ...]


class Rules(Struct, frozen=True, kw_only=True):
    """The rules and services that all turns share."""

    task: Task
    embedder: Embedder
    threshold: float
    strategy: Strategy
    attempts: int
    sampling: Sampling
    temperature: float | None
    seed: int


class Asking(Struct, frozen=True):
    """Asks the models. item: makes the samples of its requests unique."""

    access: Access
    item: str
    temperature: float | None

    async def ask(self, model: str, prompt: str, sample: str, purpose: str) -> Reply:
        """Ask a model, and return its reply."""
        request = Request(
            messages=(Message("user", prompt),),
            sample=f"{self.item}/{sample}",
            temperature=self.temperature,
            purpose=purpose,
        )
        return await self.access.ask(model, request)


def word(name: str) -> int:
    """A player's name as a number for the keys of streams."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest())


async def play_set(slot: QuestionSlot, rules: Rules, table: Asking) -> Played:
    """Set a question, or leave the slot empty."""
    failures: list[Failure] = []
    found: dict[str, Any] = {}
    for attempt in range(rules.attempts):

        async def ask(prompt: str, purpose: str, attempt: int = attempt) -> str:
            return _said(await table.ask(slot.model, prompt, f"{attempt}/{purpose}", purpose))

        brief = Brief(
            player=slot.player,
            round_number=slot.round_number,
            rounds=slot.rounds,
            attempts_left=rules.attempts - attempt,
            failures=failures,
            strategy=rules.strategy,
            archive=slot.archive,
            key=derive(rules.seed, slot.number, attempt),
        )
        try:
            draft = await rules.task.make(ask, brief)
            truth = await rules.task.validate(draft)
            distractors = await rules.task.options(ask, draft, truth)
            nearest = await _distinct(draft, slot.own, rules)
        except InvalidQuestionError as error:
            failures.append(Failure(text=error.text, reason=error.reason))
        else:
            found = {"text": draft.text, "explanation": draft.explanation, "truth": truth, "distractors": distractors}
            found |= nearest
            break
    row = {
        "what": "set",
        "number": slot.number,
        "round": slot.round_number,
        "setter": slot.player,
        "accepted": bool(found),
        "task": rules.task.name,
        "prompts": prompts.VERSION,
        "embedder": rules.embedder.name,
        "threshold": rules.threshold,
        **rules.task.judged,
        "failures": [{"text": one.text, "reason": one.reason} for one in failures],
        **found,
    }
    return Played(row, None, int(not found))


def _said(reply: Reply) -> str:
    """The part of a reply to read. A thought that was cut off is left out, under every tag."""
    return read(reply.said, truncated=True).text if reply.finish == "length" else reply.said


async def _distinct(draft: Draft, own: Sequence[tuple[int, str]], rules: Rules) -> dict[str, Any]:
    """The setter's nearest earlier question and its distance. Raises InvalidQuestionError if it is too near (S5)."""
    if not own:
        return {"nearest": None, "distance": None}
    vectors = await rules.embedder.embed([draft.text, *(text for _, text in own)])
    apart = distances(vectors[0], vectors[1:])
    place = int(apart.argmin())
    number, distance = own[place][0], float(apart[place])
    if not distance > rules.threshold:
        raise InvalidQuestionError(
            f"not unique enough: its distance to your question {number} is {distance:.3f}, and has to be more than "
            f"{rules.threshold:.3f}",
            draft.text,
        )
    return {"nearest": number, "distance": distance}


class Answers(Struct, frozen=True):
    """One question for one player."""

    number: int
    player: str
    model: str
    text: str
    truth: str
    distractors: Sequence[str]


async def play_answers(question: Answers, rules: Rules, table: Asking) -> Played:
    """Ask variants of a question until the score is final. The calls of a batch are made at the same time."""
    options = [question.truth, *question.distractors]
    key = derive(rules.seed, question.number, word(question.player))
    score, shown = Score(), list[dict[str, Any]]()
    while count := rules.sampling.due(score):
        numbers = range(score.asked, score.asked + count)
        batch = await gather(*(_answer(question, options, key, number, rules, table) for number in numbers))
        shown += batch
        score = Score(score.correct + sum(one["correct"] for one in batch), score.asked + count)
    unread = sum(one["place"] is None for one in shown)
    row = {
        "what": "answer",
        "number": question.number,
        "player": question.player,
        "correct": score.correct,
        "asked": score.asked,
        "unread": unread,
        "conflicts": sum(bool(one["others"]) for one in shown),
        "prompts": prompts.VERSION,
    }
    replies = tuple((one["call"], "no letter" if one["place"] is None else "") for one in shown)
    return Played(row, shown, unread, replies)


async def _answer(
    question: Answers, options: Sequence[str], key: int, number: int, rules: Rules, table: Asking
) -> dict[str, Any]:
    order = variant(key, number, len(options) - 1)
    prompt = rules.task.prompt(question.text, [options[place] for place in order])
    reply = await table.ask(question.model, prompt, str(number), "answer")
    found = rules.task.judge(_said(reply), len(order))
    return {
        "order": order,
        "reply": reply.text,
        "place": found.place,
        "correct": found.place is not None and order[found.place] == TRUTH,
        "call": reply.call,
        "sure": found.sure,
        "others": found.others,
        "taken": found.taken,
    }


async def gather(*calls: Any) -> list[Any]:
    """All results, in order. If calls fail, the others, which are paid for, are awaited; then one error is raised."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
