"""`list`, `show` and `export` of all kinds of runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Answer, Call, Request, conversation
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.plain import plain
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import SkateKind
from tests.tournament.cards.tournament_runs import obedient, run_cup, write_cup
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config as write_duels
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate

PLAYERS = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n[players.l1]\nbot = "l1"\n'
ESCAPE = "\x1b[2J<script>alert(1)</script>\u202e"


@pytest.fixture(name="said")
def _said(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command that succeeds prints."""

    def said(*arguments: object) -> str:
        code = command([str(one) for one in arguments])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    return said


def listed(said: Callable[..., str], folder: Path, *arguments: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said("list", folder, *arguments, "--json"))["items"]
    return found


class Cup:
    """A tournament with one model, which remembers what it was asked and writes commands to the terminal."""

    def __init__(self, home: Path) -> None:
        self.asked: list[Request] = []
        config = write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 2', PLAYERS)
        self.folder = home / "cup"
        self.records = run_cup(config, self.folder, {"m": self.answer})

    def answer(self, request: Request) -> str:
        self.asked.append(request)
        return f"{ESCAPE} no action" if request.sample.startswith("leduc:0:") else obedient(request)


def test_a_list_is_the_plan_and_every_filter_filters(tmp_path: Path, said: Callable[..., str]) -> None:
    cup = Cup(tmp_path)
    everything = listed(said, cup.folder)
    assert [one["item"] for one in everything] == [record.item.key for record in cup.records]
    for record, one in zip(cup.records, everything, strict=True):
        payoff, data = record.row["payoff"], record.item.data
        winner = "draw" if payoff == 0 else data["alice" if payoff > 0 else "bob"]
        assert (one["outcome"], one["about"], one["score"]) == (winner, data["game"], f"{payoff:+d}")
        assert one["cost"] == pytest.approx(record.cost)
        assert sum(one["causes"].values()) == record.fallbacks
    choices: list[tuple[list[str], Callable[[dict[str, Any]], bool]]] = [
        (["--player", "m"], lambda one: "m" in one["players"]),
        (["--player", "m", "--player", "l1"], lambda one: {"m", "l1"} == {*one["players"]}),
        (["--about", "leduc"], lambda one: one["about"] == "leduc"),
        (["--cause", "unparsable"], lambda one: "unparsable" in one["causes"]),
        (["--what", "match"], lambda one: one["what"] == "match"),
        (["--about", "kuhn", "--player", "m"], lambda one: one["about"] == "kuhn" and "m" in one["players"]),
    ]
    for option, takes in choices:
        wanted = [one["item"] for one in everything if takes(one)]
        assert wanted
        assert [one["item"] for one in listed(said, cup.folder, *option)] == wanted
    assert len(everything) == 24
    text = said("list", cup.folder, "--limit", 3)
    assert "24 items, 3 of them shown" in text
    assert sum("kuhn:" in line for line in text.splitlines()) == 3


def test_a_match_is_shown_with_what_was_sent_and_what_came(tmp_path: Path, said: Callable[..., str]) -> None:
    cup = Cup(tmp_path)
    item = next(record.item.key for record in cup.records if record.item.key.startswith("leduc:0:m:"))
    text = said("show", cup.folder, item)
    assert "fallback: unparsable" in text
    assert "\\x1b[2J<script>alert(1)</script>\\u202e no action" in text
    assert "\x1b" not in text
    assert "--- system" not in text
    assert "No model was asked" not in said("show", cup.folder, item, "--prompt")
    requests = [request for request in cup.asked if request.sample.startswith(f"{item}:")]
    with_prompts = said("show", cup.folder, item, "--prompt")
    for request in requests:
        for message in request.messages:
            assert "\n".join(f"      | {plain(line)}" for line in message.text.splitlines()) in with_prompts
    assert with_prompts.count("      --- user") == len(requests)
    assert "(none was sent)" in said("show", cup.folder, item, "--prompt")
    assert "--- reply of m" in said("show", cup.folder, item, "--raw")
    alone = json.loads(said("show", cup.folder, item, "--json"))
    document = json.loads(said("show", cup.folder, item, "--json", "--prompt", "--raw"))
    assert (document["item"], document["transcript"]) == (item, alone)
    last = {request.sample: request for request in requests}.values()  # which has what was said before
    sent = [[{"role": one.role, "content": one.text} for one in request.messages] for request in last]
    assert [call["messages"] for call in document["calls"]] == sent
    for request, call in zip(last, document["calls"], strict=True):
        assert json.dumps(cup.answer(request))[1:-1] in json.dumps(json.loads(call["reply"]))
    assert {key for call in document["calls"] for key in call} == {"call", "messages", "reasoning", "reply"}


def test_an_export_has_every_decision_with_its_messages(tmp_path: Path, said: Callable[..., str]) -> None:
    cup = Cup(tmp_path)
    lines = said("export", cup.folder).splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == sum(record.row["moves_alice"] + record.row["moves_bob"] for record in cup.records)
    asked = {request.sample: request for request in cup.asked}
    models = [row for row in rows if row["player"] == "m"]
    assert len(models) == len(asked)
    for row in models:
        request = asked[f"{row['item']}:{row['decision']}"]
        assert row["messages"] == [{"role": one.role, "content": one.text} for one in request.messages]
        assert row["reply"] == cup.answer(request)
        assert (row["fallback"] is None) == row["reply"].startswith("{")
        assert row["choice"] in row["menu"]
    assert all("messages" not in row and row["choice"] is not None for row in rows if row["player"] != "m")
    document = json.loads(said("export", cup.folder, "-o", tmp_path / "all.jsonl", "--json"))
    assert document == {"output": str(tmp_path / "all.jsonl"), "items": 24, "decisions": len(rows)}
    assert (tmp_path / "all.jsonl").read_text().splitlines() == lines
    whole = json.loads(said("export", cup.folder, "--json"))
    assert whole["rows"] == [json.loads(line) for line in lines]
    assert whole == document | {"output": None, "rows": whole["rows"]}


def test_items_that_are_not_finished_are_listed_and_can_not_be_shown(
    tmp_path: Path, said: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    def ends(request: Request) -> Answer | str:
        if request.sample.startswith("leduc"):
            raise KeyboardInterrupt
        return obedient(request)

    config = write_cup(tmp_path, 'games = ["kuhn", "leduc"]', '[players.m]\nmodel = "m"\n[players.r]\nbot = "random"')
    with pytest.raises(KeyboardInterrupt):
        run_cup(config, tmp_path / "cup", {"m": ends})
    found = listed(said, tmp_path / "cup")
    assert {one["outcome"] for one in found if one["about"] == "leduc"} == {"planned"}
    assert command(["show", str(tmp_path / "cup"), found[-1]["item"]]) == 2
    assert "is planned: only what is finished can be shown." in capsys.readouterr().err
    finished = {one["item"] for one in found if one["outcome"] != "planned"}
    rows = map(json.loads, said("export", tmp_path / "cup").splitlines())
    assert {row["item"] for row in rows} == finished


def test_duels_turn_by_turn(tmp_path: Path, said: Callable[..., str]) -> None:
    scripts = {"ace": duelists.strong, "dud": duelists.silent, "tagger": duelists.tagger}
    extra = 'pairs = [["ace", "dud"]]\nturns = 2\nreferences = ["ace"]\ntagger = "tagger"'
    config = write_duels(tmp_path, players=tuple(scripts), extra=extra)
    with start_run(DuelKind(lambda _config: TrustingJudge()), config, tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
    found = listed(said, tmp_path / "run")
    assert [(one["what"], one["outcome"]) for one in found] == [("duel", "ace"), ("solve", "solved"), ("tag", "tagged")]
    assert (found[0]["score"], found[0]["players"]) == ("2:0", ["ace", "dud"])
    assert found[0]["causes"]["penalty"] == 1
    shown = said("show", tmp_path / "run", "duel/ace/dud")
    assert "Turn 1: ace proposes, dud solves: unsolved" in shown
    assert "Turn 2: dud proposes, ace solves: unreadable" in shown
    assert "    def mystery(x):" in shown
    assert "its own solution: " in shown
    assert "could not be read: " in shown
    assert "    def mystery(x):" in said("show", tmp_path / "run", found[1]["item"])
    assert "tags: " in said("show", tmp_path / "run", found[2]["item"])
    rows = [json.loads(line) for line in said("export", tmp_path / "run").splitlines()]
    rows = [row for row in rows if row["what"] == "duel"]
    assert {(row["turn"], row["purpose"], row["player"]) for row in rows} == {
        (1, "propose", "ace"),
        (1, "solve", "dud"),
        (2, "propose", "dud"),
    }
    assert [row["verdict"] for row in rows if row["player"] == "ace"] == ["true"]
    assert all(row["problem"] and row["verdict"] is None for row in rows if row["player"] == "dud")
    assert all("You are the proposer." in row["messages"][0]["content"] for row in rows if row["purpose"] == "propose")


def test_questions_and_answers(tmp_path: Path, said: Callable[..., str]) -> None:
    skills = {"ace": 0.97, "low": 0.35}
    config = write_skate(tmp_path, skills, rounds=2)
    with start_run(SkateKind(rules), config, tmp_path / "run") as session:
        session.run(quiet=True, scripts={name: skater(name, skill) for name, skill in skills.items()})
        records = {record.item.key: record for record in session.store.records()}
    found = listed(said, tmp_path / "run")
    assert [one["item"] for one in found] == list(records)
    sets = [one for one in found if one["what"] == "set"]
    for one in sets:
        row = records[one["item"]].row
        assert (one["about"], one["outcome"]) == (str(row["number"]), "accepted" if row["accepted"] else "empty")
        shown = said("show", tmp_path / "run", one["item"])
        assert f"question {row['number']} of round {row['round']} by {row['setter']}" in shown
        if row["accepted"]:
            assert all(f"    {line}" in shown for line in row["text"].splitlines())
            assert all(" ".join(text.split()) in shown for text in [row["truth"], *row["distractors"]])
    rows = [json.loads(line) for line in said("export", tmp_path / "run").splitlines()]
    for one in found:
        if one["what"] == "answer":
            row = records[one["item"]].row
            assert one["score"] == f"{row['correct']}/{row['asked']}"
            mine = [row for row in rows if row["item"] == one["item"]]
            assert (len(mine), sum(line["correct"] for line in mine)) == (row["asked"], row["correct"])
            shown = said("show", tmp_path / "run", one["item"])
            assert shown.count(": correct") == row["correct"]
            assert shown.count("\nVariant ") == row["asked"]
    asked = [row for row in rows if row["what"] == "set"]
    assert {row["purpose"] for row in asked} >= {"question"}
    assert all(row["messages"] and row["reply"] for row in asked)


CHAT = {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "u"}]}]}
RESPONSES = {"instructions": "s", "input": [{"role": "user", "content": "u"}]}
ANTHROPIC = {"system": [{"type": "text", "text": "s"}], "messages": [{"role": "user", "content": "u"}]}
GEMINI = {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"role": "user", "parts": [{"text": "u"}]}]}


@pytest.mark.parametrize(
    ("protocol", "request_body", "reply"),
    [
        ("openai-chat", CHAT, {"choices": [{"message": {"content": "a", "reasoning_content": "why"}}]}),
        ("openai-chat", CHAT, {"choices": [{"message": {"content": "a", "reasoning": "why"}}]}),
        ("openai-responses", RESPONSES, {"output": [{"type": "reasoning", "summary": [{"text": "why"}]}]}),
        (
            "openai-responses",
            RESPONSES,
            {"output": [{"type": "reasoning", "content": [{"text": "why"}]}]},
        ),
        ("anthropic", ANTHROPIC, {"content": [{"type": "thinking", "thinking": "why"}, {"type": "text", "text": "a"}]}),
        (
            "gemini",
            GEMINI,
            {"candidates": [{"content": {"parts": [{"text": "why", "thought": True}, {"text": "a"}]}}]},
        ),
    ],
)
def test_messages_and_reasoning_of_every_protocol(
    protocol: str, request_body: dict[str, Any], reply: dict[str, Any]
) -> None:
    said = conversation(recorded(protocol, json.dumps(request_body), json.dumps(reply)))
    assert [(message.role, message.text) for message in said.messages] == [("system", "s"), ("user", "u")]
    assert (said.text, said.reasoning) == ("a", "why")


def recorded(protocol: str, request: str, reply: str) -> Call:
    """A call as the store has it."""
    return Call(
        key="k",
        model="m",
        protocol=protocol,
        gateway="g",
        remote="m",
        sample="s",
        purpose="move",
        status="ok",
        text="a",
        request=request,
        reply=reply,
        prompt_hash="h",
        time=0.0,
        total_seconds=0.0,
        attempts=1,
    )
