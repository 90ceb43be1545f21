"""Questions with everything that was tried, and every player's answers with the options as they were shown."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.browse import Calls, Decision, Entry, Passage
from antemill.tournament.skate.sampling import TRUTH


class SkateBrowser:
    """See `antemill.tournament.runs.browse.Browser`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def entry(self, record: Record) -> Entry:
        """A question, accepted or not; a player's answers: whether all of them, some or none are right."""
        data, row = record.item.data, record.row
        asked = data["what"] == "set"
        part = data["slot" if asked else "question"]
        outcome, score, causes = (_question if asked else _answers)(row) if row else (record.status, "", {})
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

    def passages(self, record: Record, transcript: Any) -> list[Passage]:
        """A question: its attempts and what became of it. Answers: each variant as it was shown."""
        if record.item.data["what"] == "set":
            return self._set(record)
        question = record.item.data["question"]
        options = [question["truth"], *question["distractors"]]
        head = f"{record.item.key}: {record.row['correct']} of {record.row['asked']} correct"
        found: list[Passage] = [head, "", *_indented(question["text"]), ""]
        for number, variant in enumerate(transcript, 1):
            shown = [options[place] for place in variant["order"]]
            found.append(f"Variant {number}")
            found += [
                f"  {letter}{'*' if place == TRUTH else ' '} {' '.join(text.split())}"
                for letter, place, text in zip(ascii_uppercase, variant["order"], shown)
            ]
            found.append(_answer(question, variant, shown))
        return found

    def _set(self, record: Record) -> list[Passage]:
        row = record.row
        head = f"{record.item.key}: question {row['number']} of round {row['round']} by {row['setter']}"
        found: list[Passage] = [f"{head}, {'accepted' if row['accepted'] else 'left empty'}"]
        for sample, call in self._calls.sampled(f"{record.item.key}/"):
            attempt, _, purpose = sample.partition("/")
            failed = row["failures"][int(attempt) :][:1]
            data = {"attempt": int(attempt), "rejected": failed[0]["reason"] if failed else None}
            said = self._calls.call(call)
            found += ["", f"Attempt {int(attempt) + 1}, {purpose}"]
            found.append(Decision(player=row["setter"], purpose=purpose, call=call, text=said.text, data=data))
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


def _question(row: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    return "accepted" if row["accepted"] else "empty", "", {"rejected": len(row["failures"])}


def _answers(row: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
    correct, asked = row["correct"], row["asked"]
    outcome = "correct" if correct == asked else "mixed" if correct else "wrong"
    return outcome, f"{correct}/{asked}", {"unread": row["unread"], "conflict": row.get("conflicts", 0)}


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    """Whether a question was accepted; the share of correct answers."""
    if not row:
        return {}
    return {"accepted": float(row["accepted"])} if row["what"] == "set" else {"p": row["correct"] / row["asked"]}


def _answer(question: dict[str, Any], variant: dict[str, Any], shown: list[str]) -> Decision:
    place = variant["place"]
    note = "no letter could be read" if place is None else f"{ascii_uppercase[place]}: "
    note += "" if place is None else "correct" if variant["correct"] else "wrong"
    others = [ascii_uppercase[other] for other in variant.get("others", ())]
    notes = [note]
    if others:
        notes.append(f"it also claims {', '.join(others)}; read as {variant['sure']}")
    if variant.get("taken"):
        notes.append(f"taken off before it was read: {variant['taken']}")
    data = {"question": question["number"], "options": shown, "place": place, "correct": variant["correct"]}
    data |= {name: variant[name] for name in ("sure", "others", "taken") if name in variant}
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


def browser(_store: RunStore, calls: Calls) -> SkateBrowser:
    """The questions and answers of a game."""
    return SkateBrowser(calls)
