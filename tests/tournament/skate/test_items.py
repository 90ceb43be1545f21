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
from antemill.tournament.runs.lists import facets, selected
from antemill.tournament.skate.kind import skate_type
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
    with start_run(skate_type(rules), config, tmp_path / "run") as session:
        session.run(quiet=True, scripts={name: stumbling(name, skill) for name, skill in SKILLS.items()})
    with opened(tmp_path / "run") as found:
        yield found


def details(run: OpenRun, what: str) -> dict[str, dict[str, Any]]:
    keys = [record.item.key for record in run.store.records() if record.item.data["what"] == what]
    return {key: run.item(key) for key in keys}


def test_every_call_of_a_game_is_shown_once(run: OpenRun) -> None:
    calls = [one["call"] for q in details(run, "set").values() for attempt in q["attempts"] for one in attempt["calls"]]
    calls += [one["call"] for answers in details(run, "answer").values() for one in answers["variants"]]
    with CallStore(run.path / "calls.sqlite", read_only=True) as store:
        want = [(call.model, conversation(call).messages[-1].text, call.text) for call in store.calls()]
    assert Counter((one["model"], one["messages"][-1]["text"], one["reply"]) for one in calls) == Counter(want)


def test_rejected_attempts_stand_with_their_reason(run: OpenRun) -> None:
    for key, question in details(run, "set").items():
        row = run.store.record(key).row
        assert row["accepted"]
        kinds = [attempt["kind"] for attempt in question["attempts"]]
        assert kinds == ["not readable", "not readable", None]
        assert [one["reason"] for one in question["attempts"][:2]] == [one["reason"] for one in row["failures"]]
        assert question["attempts"][0]["text"] == "I have no idea, sorry."
        purposes = [[call["purpose"] for call in attempt["calls"]] for attempt in question["attempts"]]
        assert purposes == [
            ["question"] * 2,
            ["question", *["distractors"] * 2],
            ["question", "distractors"],
        ]
        assert question["strategy"] == "full"
    rows = list(run.rows())
    assert len(selected(rows, {"rejections": ["not readable"]})) == 4
    assert facets(rows, run.items.facets)["rejections"] == {"not readable": 4}


def test_answers_stand_in_the_order_shown_with_what_was_picked(run: OpenRun) -> None:
    for key, answers in details(run, "answer").items():
        row = run.store.record(key).row
        options = [answers["truth"], *answers["distractors"]]
        for one in answers["variants"]:
            prompt = one["call"]["messages"][-1]["text"]
            for letter, option in zip("ABCD", one["order"], strict=True):
                assert f"{letter}) {options[option]}\n" in prompt
            assert one["call"]["reply"] == "ANSWER: " + "ABCD"[one["place"]]
        right = sum(one["order"][one["place"]] == 0 for one in answers["variants"])
        assert (right, len(answers["variants"])) == (row["correct"], row["asked"])
        assert answers["p"] == pytest.approx(right / len(answers["variants"]))
        question = run.item(answers["question_item"])
        assert answers["task"] == question["task"] == "output-prediction"
        assert question["number"] == row["number"]
        (mine,) = [one for one in question["answers"] if one["player"] == row["player"]]
        assert mine["variants"] == [[one["order"], one["place"]] for one in answers["variants"]]
        assert (mine["item"], mine["correct"], mine["asked"]) == (key, row["correct"], row["asked"])


def test_a_question_says_what_its_setter_and_the_others_scored_and_what_it_is_near_to(run: OpenRun) -> None:
    questions = details(run, "set")
    scores = {
        (one["number"], one["player"]): one["correct"] / one["asked"]
        for one in (record.row for record in run.store.records())
        if one["what"] == "answer"
    }
    for key, question in questions.items():
        number, setter = question["number"], question["setter"]
        (other,) = {*SKILLS} - {setter}
        mine, theirs = scores[number, setter], scores[number, other]
        assert (question["own"], question["others"]) == (pytest.approx(mine), pytest.approx(theirs))
        assert question["variance"] == pytest.approx((mine - theirs) ** 2 / 4)
        assert question["discriminates"] is (mine >= 0.55 > theirs)
        row = run.store.record(key).row
        assert question["distance"] == row["distance"]
        if question["round"] == "1":
            assert question["nearest"] is None
            assert question["archive"] == []
        else:
            assert question["archive"] == [1, 2]
            before = questions[question["nearest"]["item"]]
            assert (before["setter"], before["text"]) == (setter, question["nearest"]["text"])
    telling = {row["item"] for row in run.rows() if row.get("discriminates")}
    assert {row["item"] for row in selected(list(run.rows()), {"discriminates": ["true"]})} == telling


def test_a_slot_that_stayed_empty_and_a_game_upon_a_game(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    with start_run(skate_type(rules), write_config(first, {"a": 0.9}, rounds=1), first / "run") as session:
        session.run(quiet=True, scripts={"a": skater("a", 0.9)})
    config = write_config(tmp_path, {"b": 0.5, "mute": 0.5}, rounds=1, base="first/run", setters=["mute"])
    config.write_text(config.read_text() + "[limits]\nfallbacks = 0\n")
    scripts = {"b": skater("b", 0.5), "mute": lambda request: "" if request.purpose == "question" else "ANSWER: A"}
    with start_run(skate_type(rules), config, tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
    with opened(tmp_path / "run") as run:
        (empty,) = details(run, "set").values()
        assert (empty["accepted"], empty["answers"], empty["nearest"], len(empty["attempts"])) == (False, [], None, 3)
        assert all(attempt["reason"] for attempt in empty["attempts"])
        old = run.item("answer/1/b")
        assert (old["setter"], old["question_item"]) == ("a", None)
        assert old["variants"]
