"""Games of SKATE as they are played: rounds, attempts, answers, old questions for new players (S1 to S9, S13, S14)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.replies import ReplyError
from antemill.tournament.runs import Record, RunStore, start_run
from antemill.tournament.runs.bots import PlayerTable
from antemill.tournament.runs.questions import Asking
from antemill.tournament.skate import prompts
from antemill.tournament.skate.config import SkateConfig, SkateTable
from antemill.tournament.skate.kind import SkateKind, SkateRun, answers_in, questions_in
from antemill.tournament.skate.play import QuestionSlot, play_set
from antemill.tournament.skate.prompts import Strategy
from antemill.tournament.skate.tasks import InvalidQuestionError
from tests.tournament.replies_of import said
from tests.tournament.scripted import Scripted
from tests.tournament.skate import skaters
from tests.tournament.skate.skaters import rules, skater

SKILLS = {"ace": 0.97, "mid": 0.7, "low": 0.35}


def config(*names: str, **settings: Any) -> SkateConfig:
    return SkateConfig(players={name: PlayerTable(model=name) for name in names}, skate=SkateTable(**settings))


def finish(run: SkateRun, access: Scripted) -> Iterator[list[Record]]:
    """Play a game, stage by stage."""
    records: list[Record] = []
    while items := run.next_items(records):
        stage: list[Record] = []
        for item in items:
            played = asyncio.run(run.play(item, access))
            stage.append(Record(len(records) + len(stage), item, "done", played.row))
        records += stage
        yield stage


def game(earlier: Any = None, scripts: Any = None, **settings: Any) -> tuple[list[Record], Scripted]:
    players = scripts or {name: skater(name, skill) for name, skill in SKILLS.items()}
    access = Scripted(players)
    if earlier:
        settings["base"] = "earlier"
    made = config(*players, **settings)
    run = SkateRun(made, earlier or [], lambda: rules(made))
    return [record for stage in finish(run, access) for record in stage], access


def rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    return [record.row for record in records]


def test_s1_everybody_sets_and_everybody_answers_everything() -> None:
    records, access = game(rounds=3)
    sets = [record.row for record in records if record.row["what"] == "set"]
    answers = [record.row for record in records if record.row["what"] == "answer"]
    assert [(row["round"], row["setter"], row["number"]) for row in sets] == [
        (round_number, player, 3 * (round_number - 1) + place)
        for round_number in (1, 2, 3)
        for place, player in enumerate(SKILLS, 1)
    ]
    assert all(row["accepted"] for row in sets)
    assert [(row["number"], row["player"]) for row in answers] == [(n, p) for n in range(1, 10) for p in SKILLS]
    assert len({record.item.key for record in records}) == len(records)
    samples = [(model, request.sample) for model, request in access.asked]
    assert len(set(samples)) == len(samples)
    assert {request.temperature for _, request in access.asked} == {0.7}
    assert {row["prompts"] for row in sets + answers} == {prompts.VERSION}


def test_s6_planted_skills_come_out() -> None:
    records, _ = game(rounds=4, strategy=Strategy.FULL)
    sums = {name: [0, 0] for name in SKILLS}
    for row in answers_in(rows(records)):
        sums[row["player"]][0] += row["correct"]
        sums[row["player"]][1] += row["asked"]
        assert 400 * row["correct"] * (row["asked"] - row["correct"]) < row["asked"] ** 3
        assert row["unread"] == 0
    for name, (correct, asked) in sums.items():
        assert correct / asked == pytest.approx(SKILLS[name], abs=0.08)


def slot(own: tuple[tuple[int, str], ...] = ()) -> QuestionSlot:
    return QuestionSlot(number=5, round_number=2, rounds=50, player="a", model="a", archive=(), own=own)


def setting(*replies: str, own: tuple[tuple[int, str], ...] = ()) -> tuple[dict[str, Any], list[str]]:
    """The row of a setter who replies so, and the prompts."""
    source = iter(replies)
    access = Scripted({"a": lambda _request: next(source)})
    played = asyncio.run(play_set(slot(own), rules(config("a")), Asking(access, "set/5/a", temperature=0.7)))
    return played.row, [request.messages[-1].text for _, request in access.asked]


WRONG = json.dumps({"distractors": [f"wrong {i}" for i in range(9)]})


def test_s2_failures_are_fed_back_and_the_third_attempt_may_succeed() -> None:
    few = '{"distractors": ["7", "8"]}'
    row, asked = setting("[x]\nprint(1 / 0)", "[x]\nprint(7)", few, few, "[x]\nprint([7] * 2)", WRONG)
    assert row["accepted"]
    assert (row["text"], row["truth"], row["explanation"]) == ("print([7] * 2)", "[7, 7]", "x")
    assert [one["reason"] for one in row["failures"]] == [
        "not verifiable: it fails (ZeroDivisionError)",
        "not readable: 1 distinct wrong answers instead of 9.",
    ]
    assert [text.split("You only have ")[1][:10] for text in (asked[0], asked[1], asked[4])] == [
        "3 attempts",
        "2 attempts",
        "1 attempt ",
    ]
    assert "ZeroDivisionError" in asked[4]
    assert "1 distinct wrong" in asked[4]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("pass", "prints nothing"),
        ("print(1 < 2)", "prints a boolean"),
        ("print('x' * 3000)", "more than 2000 characters"),
    ],
)
def test_s3_what_is_no_question(code: str, reason: str) -> None:
    row, asked = setting(*[f"[x]\n{code}"] * 3)
    assert not row["accepted"]
    assert "truth" not in row
    assert len(asked) == 3
    assert all(reason in one["reason"] for one in row["failures"])


def test_s5_too_near_to_an_own_question() -> None:
    own = ((1, "def f(n):\n    return n * 2\nprint(f(4))"), (3, "print('abc'[::-1])"))
    near, far = "[x]\ndef g(k):\n    return k * 3\nprint(g(5))", "[x]\nprint(sorted({3: 1, 2: 2}.items()))"
    row, asked = setting(near, WRONG, far, WRONG, own=own)
    assert row["accepted"]
    assert row["failures"][0]["reason"].startswith("not unique enough: its distance to your question 1 is 0.")
    assert row["embedder"] == "token-hash-1"
    assert row["threshold"] == 0.336
    assert row["distance"] > 0.336
    assert row["nearest"] in (1, 3)
    assert "not unique enough" in asked[2]


def test_s1_a_failed_setter_leaves_its_slot_empty() -> None:
    scripts = {"a": skater("a", 1.0), "mute": lambda request: "A" if request.purpose == "answer" else "..."}
    records, _ = game(scripts=scripts, rounds=2)
    sets = [record.row for record in records if record.row["what"] == "set"]
    assert [row["accepted"] for row in sets] == [True, False, True, False]
    assert {row["number"] for row in answers_in(rows(records))} == {1, 3}
    assert len(sets[1]["failures"]) == 3


def test_a_game_in_which_nobody_succeeds_ends() -> None:
    records, _ = game(scripts={"mute": lambda _request: "..."}, rounds=3)
    assert [record.row["accepted"] for record in records] == [False] * 3


def test_s9_the_archive_grows_by_rounds() -> None:
    records, _ = game(rounds=3, strategy=Strategy.HISTORICAL_PERFORMANCE)
    for record in records:
        if record.item.data["what"] == "set":
            shown = record.item.data["slot"]["archive"]
            assert len(shown) == record.row["round"] - 1
            assert all(past["setter"] == record.row["setter"] for past in shown)
            assert all(set(past["scores"]) == set(SKILLS) for past in shown)
    full, _ = game(rounds=2, strategy=Strategy.FULL)
    assert [len(r.item.data["slot"]["archive"]) for r in full if r.item.data["what"] == "set"] == [0, 0, 0, 3, 3, 3]
    none, _ = game(rounds=2, strategy=Strategy.NO_INFO)
    assert all(not r.item.data["slot"]["archive"] for r in none if r.item.data["what"] == "set")


def test_s13_new_players_answer_old_questions_and_nothing_is_asked_again() -> None:
    records, _ = game(rounds=2)
    base = rows(records)
    scripts = {name: skater(name, skill) for name, skill in {**SKILLS, "new": 0.9}.items()}
    later, access = game(base, scripts)
    assert {model for model, _ in access.asked} == {"new"}
    assert [record.row["number"] for record in later] == [1, 2, 3, 4, 5, 6]
    joined, _ = game(base, scripts, setters=("new",), rounds=2)
    sets = [record.row for record in joined if record.row["what"] == "set"]
    assert [(row["setter"], row["number"]) for row in sets] == [("new", 7), ("new", 8)]
    fresh = [record.row for record in joined if record.row["what"] == "answer" and record.row["number"] > 6]
    assert [(row["number"], row["player"]) for row in fresh] == [(n, p) for n in (7, 8) for p in scripts]


@pytest.mark.parametrize("wrong", [config(), config("a", setters=("b",)), config("a", setters=())])
def test_a_game_has_players_and_setters_among_them(wrong: SkateConfig) -> None:
    with pytest.raises(UsageError):
        SkateRun(wrong, [], lambda: rules(wrong))


def test_s1_a_whole_run_with_its_store_and_one_upon_it(tmp_path: Path) -> None:
    scripts = {name: skater(name, skill) for name, skill in SKILLS.items()}
    path = skaters.write_config(tmp_path, SKILLS, rounds=2)
    with start_run(SkateKind(rules), path, tmp_path / "first") as session:
        session.run(quiet=True, scripts=scripts)
        first = rows(session.store.records())
    want, _ = game(rounds=2)
    assert [row["truth"] for row in questions_in(first)] == [row["truth"] for row in questions_in(rows(want))]
    assert len(answers_in(first)) == 18
    (tmp_path / "again").mkdir()
    path = skaters.write_config(tmp_path / "again", {**SKILLS, "new": 0.8}, base="../first")
    with start_run(SkateKind(rules), path, tmp_path / "second") as session:
        session.run(quiet=True, scripts=scripts | {"new": skater("new", 0.8)})
    store = RunStore(tmp_path / "second/run.sqlite", read_only=True)
    assert {record.row["player"] for record in store.records()} == {"new"}
    store.close()


def ask(text: str) -> Any:
    """A setter who replies so."""

    async def answer(_prompt: str, _purpose: str, parse: Any, _schema: Any = None) -> Any:
        try:
            return parse(said(text))
        except ReplyError as error:
            raise InvalidQuestionError(f"not readable: {error}", text) from None

    return answer


def brief() -> Any:
    from antemill.tournament.skate.prompts import Brief

    return Brief(
        player="a",
        round_number=1,
        rounds=2,
        attempts_left=3,
        failures=[],
        strategy=Strategy.NO_INFO,
        archive=[],
        key=1,
    )
