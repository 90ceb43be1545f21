"""Questions as pages show them: all attempts, all answers in the order shown, and how near questions are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import CallStore, Request, conversation
from antemill.tournament.runs import start_run
from antemill.tournament.runs.browse import OpenRun, opened
from antemill.tournament.runs.items import Decision
from antemill.tournament.runs.lists import facets, selected
from antemill.tournament.skate.kind import SkateKind
from tests.tournament.skate.skaters import rules, skater, write_config

SKILLS = {"a": 0.95, "ab": 0.4}  # one name begins with the other


def stumbling(name: str, skill: float) -> Callable[[Request], str]:
    """Each round first something without a program, then a question with too few wrong answers, then one to accept."""
    play = skater(name, skill)

    def answer(request: Request) -> str:
        attempt = request.sample.split("/")[-2]
        if request.purpose == "question" and attempt == "0":
            return "I have no idea, sorry."
        if request.purpose == "distractors" and attempt == "1":
            return json.dumps(["only", "two"])
        return play(request)

    return answer


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Iterator[OpenRun]:
    config = write_config(tmp_path, SKILLS, rounds=2, strategy="full")
    with start_run(SkateKind(rules), config, tmp_path / "run") as session:
        session.run(quiet=True, scripts={name: stumbling(name, skill) for name, skill in SKILLS.items()})
    with opened(tmp_path / "run") as found:
        yield found


def decisions(run: OpenRun, what: str) -> dict[str, list[Decision]]:
    keys = [record.item.key for record in run.store.records() if record.item.data["what"] == what]
    return {key: [event for event in run.events(key) if isinstance(event, Decision)] for key in keys}


def lines(run: OpenRun, key: str) -> list[str]:
    return [event for event in run.events(key) if isinstance(event, str)]


def listed(run: OpenRun) -> list[dict[str, Any]]:
    return [run.row(record) for record in run.store.records()]


def test_every_call_of_a_game_is_shown_once(run: OpenRun) -> None:
    shown = [one.call for what in ("set", "answer") for found in decisions(run, what).values() for one in found]
    with CallStore(run.path / "calls.sqlite", read_only=True) as store:
        assert Counter(shown) == Counter(row for row, _ in enumerate(store.calls(), 1))


def test_rejected_attempts_stand_with_their_reason(run: OpenRun) -> None:
    for key, found in decisions(run, "set").items():
        row = run.store.record(key).row
        assert row["accepted"]
        assert [(one.data["attempt"], one.purpose) for one in found] == [
            *[(0, "question")] * 2, (1, "question"), *[(1, "distractors")] * 2, (2, "question"), (2, "distractors"),
        ]  # fmt: skip
        assert [one.data["rejected"] for one in found][::3] == [*(one["reason"] for one in row["failures"]), None]
        told = lines(run, key)
        for number, failure in enumerate(row["failures"], 1):
            assert f"Attempt {number} was rejected: {failure['reason']}" in told
        assert "    I have no idea, sorry." in told
    rows = listed(run)
    assert len(selected(rows, {"rejections": ["not readable"]})) == 4
    assert facets(rows, run.items.facets)["rejections"] == {"not readable": 4}


def test_answers_stand_in_the_order_shown_with_what_was_picked(run: OpenRun) -> None:
    for key, found in decisions(run, "answer").items():
        row = run.store.record(key).row
        for one in found:
            assert one.call is not None
            prompt = conversation(run.calls.call(one.call)).messages[-1].text
            for letter, option in zip("ABCD", one.data["options"], strict=True):
                assert f"{letter}) {option}\n" in prompt
            letter = "ABCD"[one.data["place"]]
            assert one.text == f"ANSWER: {letter}"
            assert one.notes == (f"{letter}: {'correct' if one.data['correct'] else 'wrong'}",)
        assert (sum(one.data["correct"] for one in found), len(found)) == (row["correct"], row["asked"])


def test_a_question_says_what_its_setter_and_the_others_scored(run: OpenRun) -> None:
    scores = {
        (one["number"], one["player"]): one["correct"] / one["asked"]
        for one in (record.row for record in run.store.records())
        if one["what"] == "answer"
    }
    rows = listed(run)
    for question in (row for row in rows if row["what"] == "set"):
        number, setter = question["number"], question["setter"]
        assert question["outcome"] == "accepted"
        (other,) = {*SKILLS} - {setter}
        mine, theirs = scores[number, setter], scores[number, other]
        assert (question["own"], question["others"]) == (pytest.approx(mine), pytest.approx(theirs))
        assert question["variance"] == pytest.approx((mine - theirs) ** 2 / 4)
        assert question["discriminates"] is (mine >= 0.55 > theirs)
        record = run.store.record(question["item"])
        assert question["distance"] == record.row["distance"]
        archive = [past["number"] for past in record.item.data["slot"]["archive"]]
        assert archive == ([] if question["round"] == "1" else [1, 2])
        near = f"its distance to the setter's question {record.row['nearest']}: {record.row['distance'] or 0:.3f}"
        assert (near in lines(run, question["item"])) == bool(archive)
    telling = {row["item"] for row in rows if row.get("discriminates")}
    assert {row["item"] for row in selected(rows, {"discriminates": ["true"]})} == telling


def test_a_slot_that_stayed_empty_and_a_game_upon_a_game(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    with start_run(SkateKind(rules), write_config(first, {"a": 0.9}, rounds=1), first / "run") as session:
        session.run(quiet=True, scripts={"a": skater("a", 0.9)})
    config = write_config(tmp_path, {"b": 0.5, "mute": 0.5}, rounds=1, base="first/run", setters=["mute"])
    config.write_text(config.read_text() + "[limits]\nfallbacks = 0\n")
    scripts = {"b": skater("b", 0.5), "mute": lambda request: "" if request.purpose == "question" else "ANSWER: A"}
    with start_run(SkateKind(rules), config, tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
    with opened(tmp_path / "run") as run:
        ((key, found),) = decisions(run, "set").items()
        assert [one.data["attempt"] for one in found] == [0, 0, 1, 1, 2, 2]
        assert all(one.data["rejected"] for one in found)
        assert lines(run, key)[0].endswith("by mute, left empty")
        assert {row["outcome"] for row in listed(run) if row["what"] == "set"} == {"empty"}
        (old,) = (row for row in listed(run) if row["item"] == "answer/1/b")
        assert (old["setter"], old["round"]) == ("a", "1")
