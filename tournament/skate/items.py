"""Questions with all attempts to set them, and each player's answers: in lists, in the terminal and in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np

from antemill.tournament.pages.evidence import item, listed
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.base import taken_over
from antemill.tournament.runs.finished import FinishedCounter
from antemill.tournament.runs.items import Decision, Entry, Event, Items, Row
from antemill.tournament.runs.kind import Behind
from antemill.tournament.skate.findings import SkateFindings
from antemill.tournament.skate.results import GOOD
from antemill.tournament.skate.sampling import TRUTH, Score

_SHORT = 100  # characters of a question in a list


class SkateItems(Items):
    """See `antemill.tournament.runs.items.Items`."""

    facets = ("what", "players", "setter", "round", "outcome", "rejections", "discriminates", "status")
    measures = ("player", "question", "p", "own", "others", "variance", "rejected", "distance")

    def __init__(self, store: RunStore, *_: object) -> None:
        self._store = store
        self._finished = FinishedCounter(store)
        self._questions: dict[int, Row] = {}  # rows by number, including those of an earlier game
        self._scores: dict[int, dict[str, Score]] = {}  # by number and player

    def entry(self, record: Record) -> Entry:
        """The outcome of a question is accepted or empty, that of answers whether all, some or none are right."""
        data, row = record.item.data, record.row
        asked = data["what"] == "set"
        part = data["slot" if asked else "question"]
        if asked:
            outcome = "accepted" if row.get("accepted") else "empty"
            causes = {"rejected": len(row.get("failures", ()))}
            figures = {"accepted": float(row["accepted"])} if row else {}
        else:
            right, count = row.get("correct", 0), row.get("asked", 0)
            outcome = "correct" if right == count else "mixed" if right else "wrong"
            causes = {name: row.get(name, 0) for name in ("unread", "second")}
            figures = {"p": right / count} if row else {}
        return Entry(
            item=record.item.key,
            what=data["what"],
            players=(part["player"],),
            about=str(part["number"]),
            outcome=outcome if row else record.status,
            score=f"{row['correct']}/{row['asked']}" if row and not asked else "",
            causes={cause: count for cause, count in causes.items() if count},
            cost=record.cost,
            seconds=record.seconds,
            figures=figures,
        )

    def columns(self, record: Record) -> Row:
        """The question's number, setter, round and first words; of a question the setter's and the others' scores."""
        self._read()
        row = record.row
        if record.item.data["what"] != "set":
            question = record.item.data["question"]
            asked = self._questions.get(question["number"], {})
            found: Row = {"number": question["number"], "question": _begin(question["text"])}
            found |= {"setter": asked.get("setter", ""), "round": str(asked.get("round", ""))}
            score = {"asked": row["asked"], "p": row["correct"] / row["asked"]} if row else {}
            return found | score | {"interest": float(row.get("unread", 0))}
        slot = record.item.data["slot"]
        number, setter = slot["number"], slot["player"]
        found = {"number": number, "setter": setter, "round": str(slot["round_number"]), "interest": 10.0}
        if not row:
            return found
        known = self._scores.get(number, {})
        scores = {name: float(score.p) for name, score in known.items()}
        others = [p for name, p in scores.items() if name != setter]
        many = len(scores) > 1
        variance = float(np.var(list(scores.values()))) if many else None
        return found | {
            "interest": 10.0 + 10.0 * (variance or 0.0) + len(row["failures"]),
            "rejected": len(row["failures"]),
            "rejections": dict(Counter(_rule(failure["reason"]) for failure in row["failures"])),
            "question": _begin(row.get("text", "")),
            "distance": row.get("distance"),
            "own": scores.get(setter),
            "others": sum(others) / len(others) if others else None,
            "variance": variance,
            "discriminates": {name for name, score in known.items() if score.p >= GOOD} == {setter} if many else None,
        }

    def _read(self) -> None:
        if not self._finished.finished():
            return
        new = (record.row for record in self._store.records(finished_only=True) if record.status == "done")
        rows = [*taken_over(self._store.materials()).rows.values(), *new]
        self._questions = {row["number"]: row for row in rows if row["what"] == "set"}
        self._scores = {}
        for row in rows:
            if row["what"] == "answer":
                self._scores.setdefault(row["number"], {})[row["player"]] = Score(row["correct"], row["asked"])

    def events(self, record: Record, transcript: Any) -> list[Event]:
        """A question with its attempts and their result, or answers with each variant as it was shown."""
        row, data = record.row, record.item.data
        if data["what"] == "set":
            return [*_set(record.item.key, row, transcript)]
        question = data["question"]
        options = [question["truth"], *question["distractors"]]
        head = f"{record.item.key}: {row['correct']} of {row['asked']} correct"
        found: list[Event] = [head, "", *_indented(question["text"]), ""]
        for number, variant in enumerate(transcript, 1):
            shown = [options[place] for place in variant["order"]]
            marks = ["*" if place == TRUTH else " " for place in variant["order"]]
            found += [f"Variant {number}", *_lettered(shown, marks), *_answer(question, variant, shown)]
        return found


def _set(key: str, row: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> Iterator[Event]:
    outcome = "accepted" if row["accepted"] else "left empty"
    yield f"{key}: question {row['number']} of round {row['round']} by {row['setter']}, {outcome}"
    for number, failure in enumerate([*row["failures"], None]):
        for asked in (one for one in told if one["attempt"] == number):
            yield from ("", f"Attempt {number + 1}, {asked['purpose']}")
            data = {"attempt": number, "rejected": failure and failure["reason"]}
            yield from _heard(row["setter"], asked["purpose"], asked["said"], data)
        if failure is not None:
            yield from ("", f"Attempt {number + 1} was rejected: {failure['reason']}", *_indented(failure["text"]))
    if row["accepted"]:
        yield from ("", "The question", *_indented(row["text"]))
        yield from _lettered([row["truth"], *row["distractors"]], "*" + " " * len(row["distractors"]))
        if row.get("distance") is not None:
            yield f"its distance to the setter's question {row['nearest']}: {row['distance']:.3f}"
        yield f"what its setter says about it: {row['explanation']}"


def _heard(
    player: str, purpose: str, replies: Sequence[Mapping[str, Any]], data: Row, *notes: str
) -> Iterator[Decision]:
    """All replies to a question; the notes belong to the last one."""
    for one in replies:
        problem = (f"could not be read: {one['problem']}",) if one["problem"] else ()
        said = problem + (notes if one is replies[-1] else ())
        about = data | {"problem": one["problem"]}
        yield Decision(player=player, purpose=purpose, call=one["call"], text=one["text"], data=about, notes=said)


def _answer(question: Mapping[str, Any], variant: Mapping[str, Any], shown: list[str]) -> Iterator[Decision]:
    place = variant["place"]
    result = "correct" if variant["correct"] else "wrong"
    note = "no letter could be read" if place is None else f"{ascii_uppercase[place]}: {result}"
    data = {"question": question["number"], "options": shown, "place": place, "correct": variant["correct"]}
    return _heard(question["player"], "answer", variant["said"], data, note)


def _lettered(options: Sequence[str], marks: Sequence[str]) -> list[str]:
    return [f"  {letter}{mark} {' '.join(text.split())}" for letter, mark, text in zip(ascii_uppercase, marks, options)]


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def _rule(reason: str) -> str:
    """The rule by which an attempt was rejected: what stands before the colon of its reason."""
    return reason.partition(":")[0]


def _begin(text: str) -> str:
    """The first line with text."""
    lines = (line.strip() for line in text.splitlines())
    found = next((line for line in lines if line and not line.startswith(("#", "import ", "from "))), "")
    return found if len(found) <= _SHORT else found[: _SHORT - 1] + "…"


def cells(a: SkateFindings) -> dict[str, Behind]:
    """What is behind the cells of some columns."""
    own = {(row["number"], row["setter"]) for row in a.slots}

    def question(row: Mapping[str, Any]) -> str:
        known = (row["number"], row["setter"]) in own
        return item(f"set/{row['number']}/{row['setter']}") if known else ""

    def accepted(row: Mapping[str, Any]) -> str:
        tested = "kind" in row  # the row counts the questions on which its player was tested
        setter = "" if tested else row.get("setter", row.get("player"))
        return listed(("what", "set"), ("setter", setter), ("outcome", "accepted")) if setter else ""

    return {
        "number": question,
        "questions": accepted,
        "failed": lambda row: listed(("setter", row["setter"]), ("rejections", row["rule"])),
        "discriminatory": lambda row: listed(("setter", row["setter"]), ("discriminates", "true")),
    }


items = SkateItems
