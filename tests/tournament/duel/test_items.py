"""Duels as pages show them: every reply with its call, every attempt on a puzzle, lists that are narrowed down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import CallStore, conversation
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import start_run
from antemill.tournament.runs.browse import OpenRun, opened
from antemill.tournament.runs.lists import facets, selected
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config

SCRIPTS = {"ace": duelists.strong, "dud": duelists.weak, "wrong": duelists.wrong, "tagger": duelists.tagger}


TYPE = duel_type(lambda _config: TrustingJudge())


EXTRA = 'pairs = {pairs}\nturns = 4\nreferences = ["ace"]\nresolve_own = true\ntagger = "tagger"\n'


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Iterator[OpenRun]:
    pairs = [["ace", "dud"], ["dud", "ace"], ["ace", "wrong"]]
    path = write_config(tmp_path, players=tuple(SCRIPTS), extra=EXTRA.format(pairs=json.dumps(pairs)))
    with start_run(TYPE, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
    with opened(tmp_path / "run") as found:
        yield found


def details(run: OpenRun) -> dict[str, dict[str, Any]]:
    return {record.item.key: run.item(record.item.key) for record in run.store.records()}


def replies(detail: dict[str, Any]) -> list[dict[str, Any]]:
    if detail["what"] != "duel":
        return list(detail["replies"])
    return [one for turn in detail["turns"] for one in [*turn["proposed"], *turn["solved"]]]


def test_every_call_of_a_run_is_shown_once(run: OpenRun) -> None:
    shown = [one["call"] for detail in details(run).values() for one in replies(detail)]
    with CallStore(run.path / "calls.sqlite", read_only=True) as store:
        calls = [(call.model, conversation(call).messages[-1].text, call.text) for call in store.calls()]
    assert Counter((one["model"], one["messages"][-1]["text"], one["reply"]) for one in shown) == Counter(calls)
    assert len(calls) > 40


def test_a_duel_has_every_turn_with_its_attempts_verdicts_and_tags(run: OpenRun) -> None:
    found = details(run)
    solvers: dict[str, set[str]] = {}  # of each valid puzzle
    for turn in (turn for detail in found.values() for turn in detail.get("turns", [])):
        if turn["outcome"] != "penalty":
            solvers.setdefault(turn["code"], {"ace"}).add(turn["proposer"])
    for key, detail in found.items():
        if detail["what"] != "duel":
            continue
        row = run.store.record(key).row
        for turn, want in zip(detail["turns"], row["turns"], strict=True):
            assert (turn["code"], turn["solution"], turn["attempt"]) == (
                want["code"],
                want["solution"],
                want["attempt"],
            )
            assert (turn["sample"] or {"verdict": ""})["verdict"] == want["sample_verdict"]
            assert (turn["verdict"] or {"verdict": ""})["verdict"] == want["attempt_verdict"]
            unread = [one for one in turn["solved"] if one["problem"]]
            assert len(unread) == max(0, want["solver_tries"] - (not want["solver_unread"]))
            assert turn["tags"] == ["number-theory", "squares"]
            assert {one["player"] for one in turn["again"]} == solvers.get(turn["code"], set())
            for one in turn["again"]:
                solved = run.store.record(one["item"]).row
                assert (one["player"], one["solved"]) == (solved["player"], solved["solved"])
                assert (one["verdict"]["verdict"] if one["verdict"] else "") == solved["attempt_verdict"]
    mine = {one["item"] for one in found["duel/ace/dud"]["duels"]}
    assert mine == {"duel/ace/dud", "duel/dud/ace"}
    assert [one["item"] for one in found["duel/ace/wrong"]["duels"]] == ["duel/ace/wrong"]
    owns = [one for detail in found.values() if detail["what"] == "duel" for t in detail["turns"] for one in t["again"]]
    assert {one["player"] for one in owns if one["own"]} == {"ace", "dud"}


def test_a_strip_says_how_each_turn_ended_and_who_proposed(run: OpenRun) -> None:
    rows = {row["item"]: row for row in run.rows()}
    assert rows["duel/ace/dud"]["strip"] == "uSuS"
    assert rows["duel/dud/ace"]["strip"] == "sUsU"
    assert rows["duel/ace/wrong"]["strip"] == "sPsP"
    assert rows["duel/ace/wrong"]["outcomes"] == {"solved": 2, "penalty": 2}
    assert rows["duel/ace/wrong"]["figures"] == {"first": 2.0, "second": 0.0}


def test_lists_are_narrowed_down_by_pair_tag_outcome_and_player(run: OpenRun) -> None:
    rows = list(run.rows())

    def items(**filters: str) -> set[str]:
        return {row["item"] for row in selected(rows, {name: [value] for name, value in filters.items()})}

    assert items(pair="ace · dud") == {"duel/ace/dud", "duel/dud/ace"}
    assert items(outcomes="penalty") == {"duel/ace/wrong"}
    assert items(turned="turn 2: penalty") == items(turned="wrong as proposer: penalty") == {"duel/ace/wrong"}
    assert items(turned="ace as solver: penalty") == {"duel/ace/wrong"}
    assert items(turned="ace as proposer: penalty") == set()
    assert items(turned="turn 2: penalty", outcomes="unsolved") == set()
    of_ace = {row["item"] for row in rows if row["what"] != "duel" and "ace" in row["proposer"]}
    assert items(proposer="ace") == of_ace != set()
    assert items(tags="squares") == {row["item"] for row in rows}
    assert items(tags="strings") == set()
    assert items(what="duel", players="wrong") == {"duel/ace/wrong"}
    counts = facets(rows, run.items.facets)
    assert counts["pair"] == {"ace · dud": 2, "ace · wrong": 1}
    assert counts["tags"]["squares"] == len(rows)


def test_a_puzzle_outside_of_a_duel_says_where_it_stood_and_who_else_tried(run: OpenRun) -> None:
    found = details(run)
    solutions = {key: one for key, one in found.items() if one["what"] == "solve"}
    for key, one in solutions.items():
        places = [
            (item, turn["number"])
            for item, duel in found.items()
            if duel["what"] == "duel"
            for turn in duel["turns"]
            if turn["code"] == one["code"]
        ]
        assert [(use["item"], use["number"]) for use in one["used"]] == places
        same = {other for other, two in solutions.items() if two["code"] == one["code"]}
        assert {again["item"] for again in one["again"]} == same - {key}
    tagged = next(one for one in found.values() if one["what"] == "tag")
    assert tagged["explanation"] == "A square root."
    assert tagged["tags"] == ["number-theory", "squares"]
