"""Setting one question, and one player's answers to it (S2 to S6).

A setter has three attempts a round. The reason for a failed attempt is shown in the next prompt; a setter without a
question leaves its slot empty. A question is accepted if it is valid and farther than the embedder's threshold from all
earlier accepted questions of the same setter.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from msgspec import Struct

from antemill.engine.seeding import derive
from antemill.llm import Reply
from antemill.tournament.embedding import Embedder, distances
from antemill.tournament.runs import Played
from antemill.tournament.runs.questions import Asking
from antemill.tournament.skate import prompts
from antemill.tournament.skate.prompts import Brief, Failure, Past, Strategy
from antemill.tournament.skate.replies import answer_reader, answer_schema
from antemill.tournament.skate.sampling import TRUTH, Sampling, Score, option_orders, option_sets, variant
from antemill.tournament.skate.tasks import Draft, InvalidQuestionError, Task

TIMES = 10  # that each set and each order of options is asked, for figure 8
_FIGURE_8 = 8  # its streams
T = TypeVar("T")


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
    strategy: Strategy
    attempts: int
    sampling: Sampling
    temperature: float | None
    seed: int


async def play_set(slot: QuestionSlot, rules: Rules, asked: Asking) -> Played:
    """Set a question, or leave the slot empty."""
    failures: list[Failure] = []
    told: list[dict[str, Any]] = []
    found: dict[str, Any] = {}
    for attempt in range(rules.attempts):

        async def ask(
            prompt: str,
            purpose: str,
            parse: Callable[[Reply], T],
            schema: dict[str, Any] | None = None,
            attempt: int = attempt,
        ) -> T:
            read = await asked.read(slot.player, slot.model, prompt, f"{attempt}/{purpose}", parse, schema)
            told.append({"attempt": attempt, "purpose": purpose, "said": read.said})
            if read.value is None:
                last = read.said[-1]
                raise InvalidQuestionError(f"not readable: {last.problem}", last.text)
            return read.value

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
        "threshold": rules.embedder.threshold,
        **rules.task.judged,
        "unread": sum(bool(read.cause) for _, read in asked.reads),
        "failures": [{"text": one.text, "reason": one.reason} for one in failures],
        **found,
    }
    return asked.played(row, told)


async def _distinct(draft: Draft, own: Sequence[tuple[int, str]], rules: Rules) -> dict[str, Any]:
    """The setter's nearest earlier question and its distance. Raises InvalidQuestionError if it is too near (S5)."""
    if not own:
        return {"nearest": None, "distance": None}
    vectors = await rules.embedder.embed([draft.text, *(text for _, text in own)])
    apart = distances(vectors[0], vectors[1:])
    place = int(apart.argmin())
    number, distance = own[place][0], float(apart[place])
    if not distance > rules.embedder.threshold:
        raise InvalidQuestionError(
            f"not unique enough: its distance to your question {number} is {distance:.3f}, and has to be more than "
            f"{rules.embedder.threshold:.3f}",
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


async def play_answers(question: Answers, rules: Rules, asked: Asking) -> Played:
    """Ask variants of a question until the score is final. The calls of a batch are made at the same time."""
    key = derive(rules.seed, question.number, word(question.player))
    shown, score = list[dict[str, Any]](), Score()
    while count := rules.sampling.due(score):
        numbers = range(score.asked, score.asked + count)
        orders = [(variant(key, number, len(question.distractors)), str(number)) for number in numbers]
        batch = await _batch(question, orders, rules, asked)
        score = Score(score.correct + _right(batch), score.asked + count)
        shown += batch
    return asked.played(_row("answer", question, shown), shown)


async def play_options(question: Answers, rules: Rules, asked: Asking) -> Played:
    """Figure 8: ten sets of options, and ten orders of the first one, each asked ten times. The score is not rated."""
    key = derive(rules.seed, question.number, word(question.player), _FIGURE_8)
    sets = option_sets(key, len(question.distractors))
    groups = [("set", order) for order in sets] + [("order", order) for order in option_orders(key, sets[0])]
    shown, counts = list[dict[str, Any]](), list[tuple[str, int, int]]()
    for place, (kind, order) in enumerate(groups):
        batch = await _batch(question, [(order, f"{place}/{time}") for time in range(TIMES)], rules, asked)
        counts.append((kind, _right(batch), TIMES))
        shown += batch
    return asked.played(_row("option", question, shown) | {"groups": counts}, shown)


async def _batch(
    question: Answers, orders: Sequence[tuple[tuple[int, ...], str]], rules: Rules, asked: Asking
) -> list[dict[str, Any]]:
    """Ask variants, each an order of options and its sample, at the same time.

    If calls fail, the others, which are paid for, are awaited; then one error is raised.
    """
    calls = (_answer(question, order, sample, rules, asked) for order, sample in orders)
    found = await asyncio.gather(*calls, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return cast("list[dict[str, Any]]", found)


async def _answer(
    question: Answers, order: tuple[int, ...], sample: str, rules: Rules, asked: Asking
) -> dict[str, Any]:
    options, count = [question.truth, *question.distractors], len(order)
    prompt = rules.task.prompt(question.text, [options[place] for place in order])
    player, reader, schema = question.player, answer_reader(count), answer_schema(count)
    read = await asked.read(player, question.model, prompt, sample, reader, schema, "answer")
    correct = read.value is not None and order[read.value] == TRUTH
    return {"order": order, "place": read.value, "correct": correct, "said": read.said}


def _right(shown: Sequence[dict[str, Any]]) -> int:
    return sum(one["correct"] for one in shown)


def _row(what: str, question: Answers, shown: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "what": what,
        "number": question.number,
        "player": question.player,
        "correct": _right(shown),
        "asked": len(shown),
        "unread": sum(one["place"] is None for one in shown),
        "second": sum(len(one["said"]) > 1 for one in shown),
        "prompts": prompts.VERSION,
    }


def word(text: str) -> int:
    """A text, such as a player's name, as a number for the keys of streams."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
