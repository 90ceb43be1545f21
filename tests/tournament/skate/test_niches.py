"""Niches, clusters, failed attempts, and figure 8 with its indifferent players (S6, S13)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import read_csv

from antemill.llm import Request
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import start_run
from antemill.tournament.skate import niches
from antemill.tournament.skate.kind import SkateKind
from antemill.tournament.skate.options import sensitive
from antemill.tournament.skate.results import Game
from antemill.tournament.skate.sampling import Score
from tests.tournament.skate import skaters
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.test_results import question


def game() -> Game:
    """Of four questions by a, only a passes 1, 2 and 4; b sets 5."""
    scores = {n: {"a": Score(10, 10), "b": Score(10 * (n == 3), 10)} for n in range(1, 6)}
    questions = [*(question(n, "a") for n in range(1, 5)), question(5, "b")]
    return Game(players=("a", "b"), questions=questions, scores=scores)


def test_discriminatory_questions_and_niches_of_each_setter() -> None:
    a, b = niches.niches(game(), [1, 1, 2, 3, 1])
    assert (a.questions, a.discriminatory, a.niches, a.discriminatory_niches) == (4, 3, 3, 2)
    assert (b.questions, b.discriminatory, b.niches, b.discriminatory_niches) == (1, 0, 1, 0)
    assert niches.niches(game(), None)[0].niches is None


def test_failed_attempts_are_counted_by_rule_and_reason() -> None:
    reasons = ["not verifiable: it fails (NameError: x)", "not verifiable: it fails (ValueError)"]
    reasons += ["not unique enough: its distance to your question 3 is 0.1", "not enough distractors: no JSON array"]
    rows: list[dict[str, Any]] = [{"setter": "a", "failures": [{"reason": one} for one in reasons]}]
    rows.append({"setter": "b", "failures": []})
    assert niches.failed_attempts(rows) == {
        ("a", "not verifiable", "it fails"): 2,
        ("a", "not unique enough", ""): 1,
        ("a", "not enough distractors", "no JSON array"): 1,
    }


def row(number: int, correct: list[int]) -> dict[str, Any]:
    """A test of a player whose sets have so many right of ten, and whose orders five each."""
    groups = [("set", count, 10) for count in correct] + [("order", 5, 10)] * 10
    return {"player": "a", "number": number, "groups": groups}


def test_the_spread_stands_beside_that_of_indifferent_players() -> None:
    random = np.random.default_rng(5)
    found, even = sensitive([row(n, random.binomial(10, 0.5, 10).tolist()) for n in range(10)])
    assert (found.kind, even.kind) == ("set", "order")
    assert found.indifferent == pytest.approx(np.sqrt(0.25 / 10 * 9 / 10), abs=0.01)
    assert found.spread < found.limit
    assert found.p > 0.05
    assert (even.spread, even.p) == (0.0, 1.0)
    caring, _ = sensitive([row(n, [10, 0] * 5) for n in range(10)])
    assert caring.spread == 0.5 > caring.limit
    assert caring.p == 0.0
    assert caring.shares.shape == (10, 10)


def fond_of_a(request: Request) -> str:
    """Sets questions as others do, and always names the first letter."""
    return skater("fond", 1.0)(request) if request.purpose != "answer" else "ANSWER: A"


def test_figure_8_of_a_game(tmp_path: Path) -> None:
    scripts = {"ace": skater("ace", 0.9), "fond": fond_of_a}
    path = skaters.write_config(tmp_path, dict.fromkeys(scripts, 0.9), rounds=2, options_of=[*scripts], options_on=3)
    path.write_text("[limits]\nfallbacks = 0\n" + path.read_text())
    with start_run(SkateKind(rules), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
        rows = [record.row for record in session.store.records() if record.row["what"] == "option"]
    asked = [(one["number"], one["player"], one["asked"]) for one in rows]
    assert asked == [(n, player, 200) for n in (1, 2, 3) for player in scripts]
    assert [len(one["groups"]) for one in rows] == [20] * 6
    assert command(["analyze", str(tmp_path / "run")]) == 0
    tables = {
        (one["player"], one["kind"]): one for one in read_csv(tmp_path / "run/tables/option_tests.csv").to_pylist()
    }
    ace, fond = (tables[player, "orders"] for player in scripts)
    assert ace["p"] > 0.01
    assert fond["spread"] > fond["limit"]
    assert fond["p"] == 0.0
    assert "indifferent" in (tmp_path / "run/figures/option_tests.svg").read_text()
    scores = pq.read_table(tmp_path / "run/answers.parquet").to_pylist()
    assert len(scores) == 4 * 2  # the tests are not rated
    costs = read_csv(tmp_path / "run/tables/costs.csv").to_pylist()
    assert {one["calls"] for one in costs if one["purpose"] == "options" and one["model"] != "total"} == {600}
    assert command(["list", str(tmp_path / "run"), "--what", "option"]) == 0
    assert command(["show", str(tmp_path / "run"), "option/1/ace"]) == 0
    assert command(["report", str(tmp_path / "run")]) == 0
    page = (tmp_path / "run/report.html").read_text()
    assert all(re.search(f">{title}<", page) for title in ("Fixed options", "Clusters", "Discriminatory questions"))
