"""Other kinds of questions: solved games, and tasks of the user's (S14)."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.rules.named import NAMED
from antemill.engine.seeding import Stream
from antemill.llm import Request
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import measure
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides, uniform_policy
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import RunStore, start_run
from antemill.tournament.runs.bots import PlayerTable
from antemill.tournament.skate.config import SkateConfig, SkateTable
from antemill.tournament.skate.kind import KIND, SkateKind, game_rules, users_task
from antemill.tournament.skate.tasks import InvalidQuestionError, games
from antemill.tournament.skate.tasks.games import SolvedGame, truth, worded, wrong_amounts
from tests.tournament.skate import skaters
from tests.tournament.skate.test_play import ask, brief


def test_what_kuhn_is_worth_if_it_is_played_well() -> None:
    kuhn = sides(build_tree(compile_spec(NAMED["kuhn"]())))
    assert truth(kuhn, "equilibrium") == pytest.approx(-1 / 18, abs=1e-6)
    assert truth(kuhn, "ahead") == pytest.approx(-1 / 18, abs=1e-6)
    assert truth(kuhn, "best-response") == pytest.approx(0.5, abs=1e-9)
    assert worded(-1 / 18, "ahead") == "Bob, by 0.06"
    assert (worded(-0.004, "ahead"), worded(0.5, "ahead"), worded(-0.5, "equilibrium")) == (
        *("nobody", "Alice, by 0.50", "-0.50"),
    )


@pytest.mark.parametrize("asked", [*games.ASKED])
def test_a_solved_game_as_a_question(asked: str) -> None:
    """The truth agrees with another algorithm, and with the measure of a best response."""
    task = SolvedGame()
    draft = asyncio.run(task.make(ask(f'So: {{"seed": 7, "complexity": 0.0, "ask": "{asked}"}}'), brief()))
    assert draft.explanation == f"7@0.0 {asked}"
    found = asyncio.run(task.validate(draft))
    both = sides(build_tree(compile_spec(generate(7, 0.0))))
    random = uniform_policy(both[0]), uniform_policy(both[1])
    want = measure(both, random).best_responses[0] if asked == "best-response" else solve(both, "cfr+", 1e-3).value
    amount = {"Alice": 1.0, "Bob": -1.0}.get(found.partition(",")[0], 1.0) * float(re.sub(r"[^\d.-]", "", found) or 0)
    assert amount == pytest.approx(want, abs=0.0061)
    options = asyncio.run(task.options(ask("unused"), draft, found))
    assert len({found, *options}) == 10
    prompt = task.prompt(draft.text, [found, *options[:3]])
    assert games.ASKED[asked] in prompt
    assert f"A) {found}\nB) {options[0]}" in prompt


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"seed": 7, "complexity": 0.0}', '"ask" is none of best-response, equilibrium, ahead'),
        ('{"seed": 7, "complexity": 0.0, "ask": "luck"}', '"ask" is none of'),
        ("seed 7", "no JSON object"),
        ('{"seed": -1, "complexity": 0.0, "ask": "ahead"}', "A seed is a whole number"),
        ('{"seed": 7, "complexity": 1.5, "ask": "ahead"}', "a complexity a number from 0 to 1"),
    ],
)
def test_replies_without_a_solved_game(reply: str, why: str) -> None:
    with pytest.raises(InvalidQuestionError, match=why):
        asyncio.run(SolvedGame().make(ask(reply), brief()))


SUMS = """
from antemill.tournament.skate.prompts import answer_prompt
from antemill.tournament.skate.tasks import Draft, InvalidQuestionError

class Sums:
    name = "sums"
    judged = {"backend": "", "python": ""}

    async def make(self, ask, brief):
        return Draft(await ask(f"Round {brief.round_number}: a sum, please.", "question", lambda reply: reply.text))

    async def validate(self, draft):
        a, plus, b = draft.text.partition("+")
        if not plus:
            raise InvalidQuestionError("not verifiable: no sum", draft.text)
        return str(int(a) + int(b))

    async def options(self, ask, draft, truth):
        return [str(int(truth) + n) for n in range(1, 10)]

    def prompt(self, text, options):
        return answer_prompt(text, options)

class Half:
    name = "half"

def ran(programs):
    assert type(programs).__name__ == "SandboxPrograms"
    return Sums()
"""


def summer(request: Request) -> str:
    """Sets sums, and adds."""
    text = request.messages[-1].text
    if request.purpose == "question":
        number = int(re.findall(r"Round (\d+)", text)[0])
        return f"{number}{'+' if number < 3 else ' and '}{17 * number}"
    a, b = re.findall(r"(\d+)\+(\d+)", text)[0]
    options: dict[str, str] = {option: letter for letter, option in re.findall(r"^([A-D])\) (.*)$", text, re.MULTILINE)}
    return f"ANSWER: {options[str(int(a) + int(b))]}"


@pytest.mark.parametrize("name", ["Sums", "ran"])
def test_a_task_of_the_users(tmp_path: Path, name: str) -> None:
    (tmp_path / "mine.py").write_text(SUMS)
    path = skaters.write_config(tmp_path, {"a": 1.0, "b": 1.0}, rounds=3, task=f"mine.py:{name}", attempts=1)
    path.write_text(path.read_text() + "[skate.embedder]\nthreshold = 0.0\n")
    with KIND.opened() as kind, start_run(kind, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"a": summer, "b": summer})
        rows = [record.row for record in session.store.records() if record.row]
    asked = [row for row in rows if row["what"] == "set"]
    assert [(row["task"], row["accepted"]) for row in asked] == [("sums", True)] * 4 + [("sums", False)] * 2
    assert {row["truth"] for row in asked[:4]} == {"18", "36"}
    assert {(row["correct"], row["asked"]) for row in rows if row["what"] == "answer"} == {(10, 10)}
    assert command(["analyze", str(tmp_path / "run")]) == 0
    assert command(["list", str(tmp_path / "run")]) == 0
    with RunStore(tmp_path / "run" / "run.sqlite", read_only=True) as store:
        assert store.materials()["task.py"] == SUMS.encode()
    (tmp_path / "mine.py").write_text(SUMS + "\n# another one\n")
    assert command(["start", str(path), "--out", str(tmp_path / "run")]) != 0
    (tmp_path / "mine.py").unlink()
    assert command(["report", str(tmp_path / "run")]) == 0  # reading needs no task


def test_a_changed_task_is_refused_when_a_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SUMS)
    table = SkateConfig(players={"a": PlayerTable(model="a")}, skate=SkateTable(task="mine.py:Sums"))
    materials = SkateKind(skaters.rules).materials(table, tmp_path)
    assert materials["task.py"] == SUMS.encode()
    assert users_task(table, tmp_path, materials) is not None
    (tmp_path / "mine.py").write_text(SUMS + "\n# another one\n")
    with pytest.raises(UsageError, match="was changed since the game began"):
        users_task(table, tmp_path, materials)


def test_a_game_of_solved_games(tmp_path: Path) -> None:
    """Set, judged and answered in a run; a question that was set before is none."""

    def player(request: Request) -> str:
        if request.purpose == "question":
            assert request.schema == games.SCHEMA
            return json.dumps({"seed": 7, "complexity": 0.0, "ask": "ahead"})
        return "A"

    path = skaters.write_config(tmp_path, {"a": 1.0}, rounds=2, task="solved-game", attempts=1)
    with game_rules() as rules, start_run(SkateKind(rules), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"a": player})
        rows = [record.row for record in session.store.records() if record.row]
    asked = [row for row in rows if row["what"] == "set"]
    assert [(row["task"], row["accepted"]) for row in asked] == [("solved-game", True), ("solved-game", False)]
    assert "not unique enough" in asked[1]["failures"][0]["reason"]


def test_wrong_amounts_beside_a_truth_of_nothing() -> None:
    found = wrong_amounts(0.0, Stream(1))
    assert len(set(found)) == 9
    assert min(abs(a - b) for i, a in enumerate([0.0, *found]) for b in [0.0, *found][:i]) > 0.0499


def test_too_large_a_game_is_not_solved() -> None:
    draft = asyncio.run(SolvedGame().make(ask('{"seed": 7, "complexity": 1, "ask": "ahead"}'), brief()))
    with pytest.raises(InvalidQuestionError, match="more than 20,000 positions"):
        asyncio.run(SolvedGame().validate(draft))
