"""Runs as logs of Inspect: read back by Inspect itself, and opened in its viewer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antemill.llm import Answer, Request, Usage
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import SkateKind
from tests.tournament.cards.tournament_runs import obedient, run_cup, write_cup
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config as write_duels
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

pytestmark = pytest.mark.extended
HOSTILE = "<img src=x onerror=alert(1)> **bold** \u202e"
PLAYERS = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n'


class Cup:
    """A tournament of a model and a bot. The model counts its tokens, and remembers what it was asked."""

    def __init__(self, home: Path) -> None:
        self.asked: dict[str, Request] = {}
        self.folder = home / "cup"
        config = write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 2', PLAYERS)
        self.records = {record.item.key: record for record in run_cup(config, self.folder, {"m": self.answer})}

    def answer(self, request: Request) -> Answer:
        self.asked[request.sample] = request
        text = obedient(request) if len(self.asked) > 1 else HOSTILE
        usage = Usage(input_uncached=7, input_cached=3, output_visible=5, reasoning=2, cost_reported=0.25)
        return Answer(text, "stop", usage, model="m-2026")


def exported(*arguments: object) -> EvalLog:
    from inspect_ai.log import read_eval_log

    assert command([str(one) for one in arguments]) == 0
    return read_eval_log(str(arguments[-1]), resolve_attachments="full")


def test_matches_are_samples_with_every_message_as_it_was_sent(tmp_path: Path) -> None:
    cup = Cup(tmp_path)
    log = exported("export", cup.folder, "-o", tmp_path / "log.eval")
    assert (log.status, log.eval.task, log.eval.model) == ("success", "antemill/tournament", "m")
    assert log.eval.viewer is not None
    assert log.eval.viewer.trust_content is False
    assert log.eval.model_roles is not None
    assert {role: one.model for role, one in log.eval.model_roles.items() if not isinstance(one, list)} == {"m": "m"}
    assert log.samples is not None
    assert sorted(str(sample.id) for sample in log.samples) == sorted(cup.records)
    assert len({sample.uuid for sample in log.samples}) == len(cup.records)
    seen = dict[str, list[tuple[str, str]]]()
    for sample in log.samples:
        row = cup.records[str(sample.id)].row
        assert sample.scores is not None
        assert {name: score.value for name, score in sample.scores.items() if name != "outcome"} == {
            "alice": row["payoff"],
            "bob": -row["payoff"],
        }
        calls = [event for event in sample.events if event.event == "model"]
        decided = [e for e in sample.events if e.event == "model" or (e.event == "info" and e.source == "move")]
        assert len(decided) == row["moves_alice"] + row["moves_bob"]
        for event in calls:
            assert event.metadata is not None
            number = decided.index(event)
            seen[f"{sample.id}:{number}"] = [(one.role, one.text) for one in event.input]
            assert (event.role, event.model, event.output.model) == ("m", "m", "m-2026")
            assert event.output.usage is not None
            assert event.output.usage.model_dump(exclude_none=True) == {
                "input_tokens": 7,
                "input_tokens_cache_read": 3,
                "input_tokens_cache_write": 0,
                "output_tokens": 7,
                "reasoning_tokens": 2,
                "total_tokens": 17,
                "total_cost": 0.25,
            }
            assert event.output.message in sample.messages
            assert {*(one.text for one in event.input)} <= {one.text for one in sample.messages}
        asked = len(calls) + row["second_alice"] + row["second_bob"]
        assert [one.role for one in sample.messages] == (["system"] + ["user", "assistant"] * asked if calls else [])
    assert seen == {
        name: [(message.role, message.text) for message in request.messages] for name, request in cup.asked.items()
    }
    assert log.stats.model_usage["m"].total_cost == pytest.approx(0.25 * len(cup.asked))
    assert HOSTILE in {one.text for sample in log.samples for one in sample.messages}
    assert log.results is not None
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    payoffs = [record.row["payoff"] for record in cup.records.values()]
    assert means == {"alice": sum(payoffs) / len(payoffs), "bob": -sum(payoffs) / len(payoffs)}


def test_duels_and_questions_are_samples_too(tmp_path: Path) -> None:
    scripts = {"ace": duelists.strong, "dud": duelists.silent, "tagger": duelists.tagger}
    config = write_duels(
        tmp_path, players=tuple(scripts), extra='pairs = [["ace", "dud"]]\nturns = 2\ntagger = "tagger"'
    )
    with start_run(DuelKind(lambda _config: TrustingJudge()), config, tmp_path / "duels") as session:
        session.run(quiet=True, scripts=scripts)
    log = exported("export", tmp_path / "duels", "-o", tmp_path / "d.eval")
    assert log.samples is not None
    assert log.eval.model == "none/none"
    duel = log.samples[0]
    assert duel.scores is not None
    assert (duel.scores["first"].value, duel.scores["second"].value, duel.scores["outcome"].value) == (2, 0, "ace")
    assert [event.role for event in duel.events if event.event == "model"] == ["ace", *["dud"] * 4]
    shown = [event.data for event in duel.events if event.event == "info"]
    assert any("its own solution: " in str(text) for text in shown)

    skills = {"ace": 0.97, "low": 0.35}
    other = tmp_path / "skate"
    other.mkdir()
    with start_run(SkateKind(rules), write_skate(other, skills, rounds=1), other / "run") as session:
        session.run(quiet=True, scripts={name: skater(name, skill) for name, skill in skills.items()})
        rows = {record.item.key: record.row for record in session.store.records()}
    log = exported("export", other / "run", "-o", tmp_path / "s.eval")
    assert log.samples is not None
    assert {str(one.id) for one in log.samples} == {*rows}
    for sample in (one for one in log.samples if rows[str(one.id)]["what"] == "answer"):
        row = rows[str(sample.id)]
        assert sample.scores is not None
        assert sample.scores["p"].value == pytest.approx(row["correct"] / row["asked"])
        assert sum(event.event == "model" for event in sample.events) == row["asked"]
        calls = [event.metadata["correct"] for event in sample.events if event.event == "model" and event.metadata]
        assert sum(calls) == row["correct"]
