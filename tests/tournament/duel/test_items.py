"""Duels as pages show them: every reply with its call, every attempt on a puzzle, lists that are narrowed down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import CallStore
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import start_run
from antemill.tournament.runs.browse import OpenRun, opened
from antemill.tournament.runs.items import Decision
from antemill.tournament.runs.lists import facets, selected
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config

SCRIPTS = {"ace": duelists.strong, "dud": duelists.weak, "wrong": duelists.wrong, "tagger": duelists.tagger}


TYPE = DuelKind(lambda _config: TrustingJudge())


EXTRA = 'pairs = {pairs}\nturns = 4\nreferences = ["ace"]\nresolve_own = true\ntagger = "tagger"\n'


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Iterator[OpenRun]:
    pairs = [["ace", "dud"], ["dud", "ace"], ["ace", "wrong"]]
    path = write_config(tmp_path, players=tuple(SCRIPTS), extra=EXTRA.format(pairs=json.dumps(pairs)))
    with start_run(TYPE, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
    with opened(tmp_path / "run") as found:
        yield found


def listed(run: OpenRun) -> list[dict[str, Any]]:
    return [run.row(record) for record in run.store.records()]


def decisions(run: OpenRun) -> dict[str, list[Decision]]:
    keys = [record.item.key for record in run.store.records()]
    return {key: [event for event in run.events(key) if isinstance(event, Decision)] for key in keys}


def test_every_call_of_a_run_is_shown_once(run: OpenRun) -> None:
    shown = Counter(one.call for found in decisions(run).values() for one in found)
    with CallStore(run.path / "calls.sqlite", read_only=True) as store:
        calls = {row for row, _ in enumerate(store.calls(), 1)}
    assert shown == Counter(calls)
    assert len(calls) > 40


def test_a_duel_has_every_turn_with_its_attempts_and_verdicts(run: OpenRun) -> None:
    for key, found in decisions(run).items():
        row = run.store.record(key).row
        lines = [event for event in run.events(key) if isinstance(event, str)]
        for turn in row.get("turns", ()):
            mine = [one for one in found if one.data["turn"] == turn["number"]]
            proposed, solved = ([one for one in mine if one.purpose == name] for name in ("propose", "solve"))
            assert {one.player for one in proposed} == {turn["proposer"]}
            assert {one.player for one in solved} <= {turn["solver"]}
            assert len([one for one in proposed if one.notes]) == turn["proposer_tries"] - (not turn["proposer_unread"])
            assert len([one for one in solved if one.notes]) == max(
                0, turn["solver_tries"] - (not turn["solver_unread"])
            )
            assert (proposed[-1].data["verdict"] or "") == turn["sample_verdict"]
            assert all((one.data["verdict"] or "") == turn["attempt_verdict"] for one in solved[-1:])
            assert f"    {turn['code'].splitlines()[0]}" in lines
            told = f"its own solution: {turn['solution']} -> {turn['sample_verdict']}"
            assert any(line.startswith(told) for line in lines)
        if row["what"] == "solve":
            said = f"its attempt: {run.store.transcript(key)['attempt']} -> {row['attempt_verdict']}"
            assert any(line.startswith(said) for line in lines) or row["unread"]
        if row["what"] == "tag":
            assert "tags: number-theory, squares" in lines


def test_a_strip_says_how_each_turn_ended_and_who_proposed(run: OpenRun) -> None:
    rows = {row["item"]: row for row in listed(run)}
    assert rows["duel/ace/dud"]["strip"] == "uSuS"
    assert rows["duel/dud/ace"]["strip"] == "sUsU"
    assert rows["duel/ace/wrong"]["strip"] == "sPsP"
    assert rows["duel/ace/wrong"]["outcomes"] == {"solved": 2, "penalty": 2}
    assert rows["duel/ace/wrong"]["figures"] == {"first": 2.0, "second": 0.0}


def test_lists_are_narrowed_down_by_pair_tag_outcome_and_player(run: OpenRun) -> None:
    rows = listed(run)

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
    assert {row["item"] for row in rows if row["what"] != "duel" and row["proposer"] == ["ace", "dud"]}
    counts = facets(rows, run.items.facets)
    assert counts["pair"] == {"ace · dud": 2, "ace · wrong": 1}
    assert counts["tags"]["squares"] == len(rows)
