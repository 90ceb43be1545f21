"""Questions with all attempts to set them, and each player's answers: in lists, in the terminal and in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
from msgspec import Struct

from antemill.tournament.runs import Record, RunFolder, RunStore, read_config
from antemill.tournament.runs.finished import FinishedCounter
from antemill.tournament.runs.items import Calls, Decision, Entry, Row, said
from antemill.tournament.runs.items import Event as Passage
from antemill.tournament.skate.config import SkateConfig
from antemill.tournament.skate.kind import whole_game
from antemill.tournament.skate.results import GOOD
from antemill.tournament.skate.sampling import TRUTH, Score

_SHORT = 100  # characters of a question in a list


class Sent(Struct, frozen=True):
    """A call of a setter. attempt: of the question, from 0; call: its row in calls.sqlite."""

    attempt: int
    purpose: str
    call: int


class Question(Struct, frozen=True):
    """A question that was set. asked: its setter's calls."""

    asked: list[Sent]


class Answers(Struct, frozen=True):
    """One player's answers to a question, one for each shown variant."""

    question: dict[str, Any]
    variants: list[dict[str, Any]]


class SkateItems:
    """See `antemill.tournament.runs.items.Items`."""

    facets = ("what", "players", "setter", "round", "outcome", "rejections", "discriminates", "status")
    measures = ("player", "question", "p", "own", "others", "variance", "rejected", "distance")

    def __init__(self, store: RunStore, calls: Calls, path: Path) -> None:
        self._store = store
        self._calls = calls
        self._config = read_config(RunFolder(path).config, SkateConfig)
        self._questions: dict[int, dict[str, Any]] = {}  # rows by number, including those of an earlier game
        self._scores: dict[int, dict[str, dict[str, Any]]] = {}  # rows of answers by number and player
        self._items: set[str] = set()  # those that are finished
        self._finished = FinishedCounter(store)

    def entry(self, record: Record) -> Entry:
        """The entry of an item: for a question accepted or not, for answers whether all, some or none are right."""
        data, row = record.item.data, record.row
        asked = data["what"] == "set"
        part = data["slot" if asked else "question"]
        outcome, score, causes = (
            (_question_outcome if asked else _answers_outcome)(row) if row else (record.status, "", {})
        )
        return Entry(
            item=record.item.key,
            what=data["what"],
            players=(part["player"],),
            about=str(part["number"]),
            outcome=outcome,
            score=score,
            causes={cause: count for cause, count in causes.items() if count},
            cost=record.cost,
            seconds=record.seconds,
            figures=_figures(row),
        )

    def columns(self, record: Record) -> Row:
        """The question's number, setter, round and first words; for a question also the setter's and others' scores."""
        data, row = record.item.data, record.row
        if data["what"] != "set":
            return self._answer_columns(data["question"], row)
        slot = data["slot"]
        found: Row = {"number": slot["number"], "setter": slot["player"], "round": str(slot["round_number"])}
        if record.status != "done":
            return found
        found |= {
            "rejected": len(row["failures"]),
            "rejections": dict(Counter(reason_kind(failure["reason"]) for failure in row["failures"])),
            "question": _begin(row.get("text", "")),
            "distance": row.get("distance"),
        }
        return found | self._told(slot["number"], slot["player"])

    def document(self, record: Record, transcript: Any) -> Question | Answers:
        """A question with its setter's calls, or a player's answers."""
        if record.item.data["what"] != "set":
            return Answers(record.item.data["question"], transcript)
        asked = []
        for sample, call in self._calls.sampled(f"{record.item.key}/"):
            attempt, _, purpose = sample.partition("/")
            asked.append(Sent(int(attempt), purpose, call))
        return Question(asked)

    def passages(self, record: Record, document: Question | Answers) -> list[Passage]:
        """A question with its attempts and their result, or answers with each variant as it was shown."""
        if isinstance(document, Question):
            return self._set(record, document.asked)
        question = document.question
        options = [question["truth"], *question["distractors"]]
        head = f"{record.item.key}: {record.row['correct']} of {record.row['asked']} correct"
        found: list[Passage] = [head, "", *_indented(question["text"]), ""]
        for number, variant in enumerate(document.variants, 1):
            shown = [options[place] for place in variant["order"]]
            found.append(f"Variant {number}")
            found += [
                f"  {letter}{'*' if place == TRUTH else ' '} {' '.join(text.split())}"
                for letter, place, text in zip(ascii_uppercase, variant["order"], shown)
            ]
            found.append(_answer(question, variant, shown))
        return found

    def detail(self, record: Record, document: Question | Answers) -> Row:
        """A question, or one player's answers to one."""
        if isinstance(document, Answers):
            return self._answers(document.question, document.variants)
        row = record.row
        number, own = row["number"], ("task", "prompts", "embedder", "threshold", "backend", "python", "explanation")
        found: Row = {name: row.get(name) for name in (*own, "text", "truth", "distractors", "distance")}
        return found | {
            "strategy": str(self._config.skate.strategy),
            "accepted": row["accepted"],
            "attempts": self._attempts(document.asked, row),
            "nearest": self._nearest(row),
            "answers": self._everybody(number) if row["accepted"] else [],
            "archive": [past["number"] for past in record.item.data["slot"]["archive"]],
        }

    def interest(self, row: Row) -> float:
        """Questions before answers; questions that discriminate between players come first."""
        if row["what"] == "set":
            return float(10.0 + 10.0 * (row.get("variance") or 0.0) + row["rejected"])
        return float(row["causes"].get("unread", 0))

    # ------------------------------------------------------------------------------------------ a question's answers

    def _read(self) -> None:
        if not self._finished.finished():
            return
        whole = whole_game(self._store)
        self._questions = {row["number"]: row for row in whole.questions}
        self._scores = {}
        for row in whole.answers:
            self._scores.setdefault(row["number"], {})[row["player"]] = row
        records = self._store.records(finished_only=True)
        self._items = {record.item.key for record in records if record.status == "done"}

    def _told(self, number: int, setter: str) -> Row:
        """The scores on a question in one line, as in `antemill.tournament.skate.results`. variance: of two or more."""
        self._read()
        scores = {name: float(_score(row).p) for name, row in self._scores.get(number, {}).items()}
        others = [p for name, p in scores.items() if name != setter]
        passed = {name for name, row in self._scores.get(number, {}).items() if _score(row).p >= GOOD}
        return {
            "own": scores.get(setter),
            "others": sum(others) / len(others) if others else None,
            "variance": float(np.var(list(scores.values()))) if len(scores) > 1 else None,
            "discriminates": passed == {setter} if len(scores) > 1 else None,
        }

    def _everybody(self, number: int) -> list[Row]:
        """The players who answered, with each variant in a few numbers. Those of an earlier game have no variants."""
        self._read()
        found = []
        for player, row in self._scores.get(number, {}).items():
            item = f"answer/{number}/{player}"
            asked = item in self._items
            variants = self._store.transcript(item) if asked else []
            shown = [[one["order"], one["place"]] for one in variants]
            found.append({"player": player, "item": item if asked else None, **_score_row(row), "variants": shown})
        return found

    # ------------------------------------------------------------------------------------------ one question

    def _set(self, record: Record, asked: Sequence[Sent]) -> list[Passage]:
        row = record.row
        head = f"{record.item.key}: question {row['number']} of round {row['round']} by {row['setter']}"
        found: list[Passage] = [f"{head}, {'accepted' if row['accepted'] else 'left empty'}"]
        for one in asked:
            failed = row["failures"][one.attempt :][:1]
            data = {"attempt": one.attempt, "rejected": failed[0]["reason"] if failed else None}
            text = self._calls.call(one.call).text
            found += ["", f"Attempt {one.attempt + 1}, {one.purpose}"]
            found.append(Decision(player=row["setter"], purpose=one.purpose, call=one.call, text=text, data=data))
        for number, failure in enumerate(row["failures"], 1):
            found += ["", f"Attempt {number} was rejected: {failure['reason']}", *_indented(failure["text"])]
        if row["accepted"]:
            found += ["", "The question", *_indented(row["text"]), f"  A* {' '.join(row['truth'].split())}"]
            found += [
                f"  {letter}  {' '.join(text.split())}" for letter, text in zip(ascii_uppercase[1:], row["distractors"])
            ]
            if row.get("distance") is not None:
                found.append(f"its distance to the setter's question {row['nearest']}: {row['distance']:.3f}")
            found.append(f"what its setter says about it: {row['explanation']}")
        return found

    def _attempts(self, asked: Sequence[Sent], row: Mapping[str, Any]) -> list[Row]:
        """The setter's attempts in order. reason: why an attempt was rejected, None for the accepted one."""
        calls: dict[int, list[Row]] = {}
        for one in asked:
            calls.setdefault(one.attempt, []).append({"purpose": one.purpose, "call": said(self._calls, one.call)})
        failures: list[Mapping[str, Any] | None] = [*row["failures"], *([None] if row["accepted"] else [])]
        return [
            {
                "reason": failure and failure["reason"],
                "kind": failure and reason_kind(failure["reason"]),
                "text": failure and failure["text"],
                "calls": calls.get(number, []),
            }
            for number, failure in enumerate(failures)
        ]

    def _nearest(self, row: Mapping[str, Any]) -> Row | None:
        """The nearest earlier question of the setter."""
        number = row.get("nearest")
        if number is None:
            return None
        self._read()
        other = self._questions.get(number, {})
        setter = other.get("setter", row["setter"])
        return {"number": number, "text": other.get("text", ""), "item": self._question_item(number, setter)}

    def _question_item(self, number: int, setter: str) -> str | None:
        """The item in which a question was set; None if it was set in an earlier game."""
        item = f"set/{number}/{setter}"
        return item if item in self._items else None

    # ------------------------------------------------------------------------------------------ one player's answers

    def _answer_columns(self, question: Mapping[str, Any], row: Mapping[str, Any]) -> Row:
        self._read()
        setter = self._questions.get(question["number"], {}).get("setter", "")
        begun = str(self._questions.get(question["number"], {}).get("round", ""))
        found = {"number": question["number"], "setter": setter, "round": begun, "question": _begin(question["text"])}
        return found | (_score_row(row) if row else {})

    def _answers(self, question: Mapping[str, Any], answered: Sequence[Mapping[str, Any]]) -> Row:
        """Each variant with the options in the order in which they were shown: 0 is the truth."""
        self._read()
        number = question["number"]
        setter = self._questions.get(number, {}).get("setter", "")
        variants = []
        for one in answered:
            call = said(self._calls, one["call"])
            reply = one["reply"] if call is None else None
            read = {name: one[name] for name in ("tries", "problem")}
            variants.append({"order": one["order"], "place": one["place"], "reply": reply, "call": call, **read})
        options = {"text": question["text"], "truth": question["truth"], "distractors": question["distractors"]}
        item = self._question_item(number, setter)
        return {**options, "task": self._config.skate.task, "variants": variants, "question_item": item}


def reason_kind(reason: str) -> str:
    """The class of a reason for which an attempt was rejected: what stands before its colon."""
    return reason.partition(":")[0]


def _question_outcome(row: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    return "accepted" if row["accepted"] else "empty", "", {"rejected": len(row["failures"])}


def _answers_outcome(row: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    correct, asked = row["correct"], row["asked"]
    outcome = "correct" if correct == asked else "mixed" if correct else "wrong"
    return outcome, f"{correct}/{asked}", {"unread": row["unread"], "second": row["second"]}


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    """Whether a question was accepted, or the share of correct answers."""
    if not row:
        return {}
    return {"accepted": float(row["accepted"])} if row["what"] == "set" else {"p": row["correct"] / row["asked"]}


def _answer(question: dict[str, Any], variant: dict[str, Any], shown: list[str]) -> Decision:
    place = variant["place"]
    note = "no letter could be read" if place is None else f"{ascii_uppercase[place]}: "
    note += "" if place is None else "correct" if variant["correct"] else "wrong"
    notes = [note] + ([f"asked once more: {variant['problem']}"] if variant["tries"] > 1 else [])
    data = {"question": question["number"], "options": shown, "place": place, "correct": variant["correct"]}
    data |= {name: variant[name] for name in ("tries", "problem")}
    return Decision(
        player=question["player"],
        purpose="answer",
        call=variant["call"],
        text=variant["reply"],
        data=data,
        notes=tuple(notes),
    )


def _indented(text: str) -> list[Passage]:
    return [f"    {line}" for line in text.splitlines()]


def _score(row: Mapping[str, Any]) -> Score:
    return Score(row["correct"], row["asked"])


def _score_row(row: Mapping[str, Any]) -> Row:
    """p: the share correct; deviation: its standard deviation (Algorithm 1)."""
    score = _score(row)
    counts = {"correct": score.correct, "asked": score.asked, "unread": row.get("unread", 0)}
    return counts | {"p": float(score.p), "deviation": score.deviation}


def _begin(text: str) -> str:
    """The first line with text."""
    lines = (line.strip() for line in text.splitlines())
    found = next((line for line in lines if line and not line.startswith(("#", "import ", "from "))), "")
    return found if len(found) <= _SHORT else found[: _SHORT - 1] + "…"


def items(store: RunStore, calls: Calls, path: Path) -> SkateItems:
    """The questions and answers of a game."""
    return SkateItems(store, calls, path)
