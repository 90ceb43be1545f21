"""Our tasks of Inspect, run by Inspect itself with scripted models: what is asked, how it is scored, what logs hold."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet as pq
import pytest

import antemill as am
from antemill.engine.errors import UsageError
from antemill.engine.match import prompt as prompts
from antemill.engine.rules.named import kuhn
from antemill.tournament.cli.entry import run as command
from antemill.tournament.replies import CAUSES
from antemill.tournament.statistics.inspect_logs import read_log

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

# The library's own: it starts before our filters see it.
pytestmark = [pytest.mark.extended, pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")]
LEGAL = re.compile(r'"([^"]+)"')


@pytest.fixture(scope="module", autouse=True)
def _collected() -> Iterator[None]:
    """What the library leaves open is collected here, where its warnings are ignored, not during another test."""
    yield
    gc.collect()


class Model:
    """Answers by a script of the last message."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.asked: list[tuple[str, str]] = []

    def answer(self, messages: list[Any], *_: Any) -> Any:
        from inspect_ai.model import ModelOutput, ModelUsage

        self.asked.append((messages[0].text, messages[-1].text))
        said = self.script(messages[-1].text)
        output = said if isinstance(said, ModelOutput) else ModelOutput.from_content("mockllm", said)
        output.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)  # else Inspect loads a tokenizer
        return output


def first_legal(message: str) -> str:
    """Takes the first legal action."""
    return json.dumps({"action": LEGAL.findall(message[message.index("Legal actions") :])[0]})


def evaluated(task: Any, folder: Path, script: Any, opponent: Any = None) -> tuple[EvalLog, Model]:
    """The log of a task with scripted models, by Inspect's own mock."""
    from inspect_ai import eval as evaluate
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import get_model

    model = Model(script)
    roles = {"opponent": get_model("mockllm/rival", custom_outputs=Model(opponent).answer)} if opponent else None
    [log] = evaluate(
        task,
        model=get_model("mockllm/model", custom_outputs=model.answer),
        model_roles=roles,
        display="none",
        log_dir=str(folder),
        max_samples=1,
    )
    assert log.status == "success", log.error
    return read_eval_log(log.location), model


def metrics(log: EvalLog) -> dict[str, dict[str, float]]:
    assert log.results is not None
    return {score.name: {name: one.value for name, one in score.metrics.items()} for score in log.results.scores}


def samples(log: EvalLog) -> Iterator[tuple[EvalSample, dict[str, Any]]]:
    for sample in log.samples or ():
        yield sample, {name: score.value for name, score in (sample.scores or {}).items()}


def test_matches_are_those_of_tournaments(tmp_path: Path) -> None:
    from antemill.tournament.inspect_tasks.cards import cards

    log, model = evaluated(cards(games="kuhn,leduc", opponent="cfr", matches=2), tmp_path, first_legal)
    found = list(samples(log))
    assert [one.metadata["seat"] for one, _ in found] == ["Alice", "Alice", "Bob", "Bob"] * 2
    systems = {prompts.system(spec) for spec in (kuhn(), am.game("leduc"))}
    assert {system for system, _ in model.asked} == systems
    asked = 0
    for sample, scores in found:
        calls = [event for event in sample.events if event.event == "model"]
        made = [event.data for event in sample.events if event.event == "info" and event.source == "decision"]
        assert len(calls) == len(made) == sample.store["decisions"] > 0
        assert all(event.data["cause"] is None for event in sample.events if event.event == "info" and event.source)  # type: ignore[index,call-overload]
        assert [event.output.completion for event in calls] == [json.dumps({"action": one["action"]}) for one in made]  # type: ignore[index,call-overload]
        assert [message.role for message in sample.messages[1:]] == ["user", "assistant"] * len(calls)
        assert abs(scores["chips"]) in range(1, 30)
        assert len(sample.scores["regret"].metadata["regrets"]) == len(calls)  # type: ignore[index]
        assert scores["fallbacks"] == dict.fromkeys(CAUSES, 0)
        asked += len(calls)
    assert asked == len(model.asked)
    figures = metrics(log)
    for name in ("chips", "aivat", "regret"):
        values = [scores[name] for _, scores in found]
        assert figures[name]["mean"] == pytest.approx(sum(values) / len(values))
        by_game = [sum(values[i : i + 4]) / 4 for i in (0, 4)]
        assert figures[name]["game: Kuhn poker"] == pytest.approx(by_game[0])
        # Two clusters of the same size: the error of the mean of their means.
        assert figures[name]["stderr"] == pytest.approx(abs(by_game[0] - by_game[1]) / 2)
        assert {f"{axis}: lower" for axis in am.AXES} <= set(figures[name])
    assert figures["aivat"]["stderr"] != figures["chips"]["stderr"]


def test_a_suite_is_that_of_antemill_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cards and equilibria: who plays the same moves has the same losses, but for the equilibrium's draws."""
    from antemill.tournament.evaluation.scorecard import Scorecard
    from antemill.tournament.evaluation.suites import SUITES
    from antemill.tournament.inspect_tasks.cards import cards
    from antemill.tournament.inspect_tasks.suites import dealt

    games = ("158@0",)
    monkeypatch.setitem(SUITES, "standard", games)
    (tmp_path / "p.py").write_text(
        "class First:\n    name = 'first'\n    def __init__(self, game): pass\n"
        "    def choose(self, observation): return observation.menu.choice(0)\n"
    )
    (tmp_path / "e.toml").write_text(
        "[eval]\nsuite = 'standard'\nmatches_per_seat = 3\nseed = 5\n[players.First]\nscript = 'p.py:First'\n"
    )
    assert command(["start", str(tmp_path / "e.toml"), "--out", str(tmp_path / "score")]) == 0
    assert command(["analyze", str(tmp_path / "score")]) == 0
    card = msgspec.json.decode((tmp_path / "score" / "scorecard.json").read_bytes(), type=Scorecard)
    slots = pq.read_table(tmp_path / "score" / "slots.parquet").to_pylist()
    log, _ = evaluated(cards(suite="standard", matches=3, seed=5), tmp_path, first_legal)
    found = list(samples(log))
    assert len(found) == len(slots) == 6
    for game in games:
        assert {one["play_seed"] for one in slots if one["game"] == game} == set(dealt(game, 3, 5))
    assert {int(one.metadata["play_seed"]) for one, _ in found} == {one["play_seed"] for one in slots}
    assert -metrics(log)["aivat"]["mean"] == pytest.approx(card.players[0].loss.mean, abs=0.3)
    regrets = [scores["regret"] for _, scores in found if "regret" in scores]
    assert min(regrets) >= -1e-9
    assert max(regrets) > 0.1
    with pytest.raises(UsageError, match="a suite has its own games, opponent and solution"):
        cards(suite="standard", opponent="random")
    with pytest.raises(UsageError, match="there is no suite 'huge': use starter, standard, small"):
        cards(suite="huge")


def test_fallbacks_are_counted_by_cause(tmp_path: Path) -> None:
    from inspect_ai.model import ModelOutput

    from antemill.tournament.inspect_tasks.cards import cards

    said = iter(["I bet.", '{"action": "fly"}', "", *["I bet."] * 50])

    def script(_: str) -> Any:
        text = next(said)
        if text == "":
            return ModelOutput.from_content("mockllm", "", stop_reason="max_tokens")
        return text

    log, model = evaluated(cards(games=["kuhn"], matches=3), tmp_path, script)
    total = {cause: sum(scores["fallbacks"][cause] for _, scores in samples(log)) for cause in CAUSES}
    assert (total["illegal"], total["truncated"], total["empty"], total["refusal"]) == (1, 1, 0, 0)
    assert total["unparsable"] == len(model.asked) - 2
    assert metrics(log)["unparsable"]["mean"] == pytest.approx(total["unparsable"] / 6)


def test_two_models_play_each_other_and_the_log_is_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from antemill.tournament.inspect_tasks.cards import cards

    log, _ = evaluated(cards(games="kuhn", opponent="model", matches=3), tmp_path, first_legal, first_legal)
    found = list(samples(log))
    assert not any("aivat" in scores for _, scores in found)  # nothing is known of the other's policy
    rows = read_log(Path(log.location)).to_pylist()
    assert [(row["game"], row["alice"], row["bob"]) for row in rows] == (
        [("Kuhn poker", "mockllm/model", "mockllm/rival")] * 3 + [("Kuhn poker", "mockllm/rival", "mockllm/model")] * 3
    )
    own = [row["margin"] * (1 if row["alice"] == "mockllm/model" else -1) for row in rows]
    assert own == [scores["chips"] for _, scores in found]
    assert len({row["run"] for row in rows}) >= 3
    assert am.read_slots(log.location).margin.tolist() == [row["margin"] for row in rows]
    assert command(["rate", log.location, "--method", "margin", "--json"]) == 0
    rated = json.loads(capsys.readouterr().out)["ratings"]
    assert {one["name"] if "name" in one else one["player"] for one in rated} == {"mockllm/model", "mockllm/rival"}


def test_a_log_is_analyzed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from antemill.tournament.inspect_tasks.cards import cards

    log, _ = evaluated(cards(games="kuhn", opponent="l1", matches=3), tmp_path, first_legal)
    found = am.analyze(log.location, out=tmp_path / "analysis")
    assert (found.slots, found.players, found.games) == (6, 2, 1)
    told = (tmp_path / "analysis" / "tables.md").read_text()
    told_again = tmp_path / "again" / "tables.md"
    assert command(["analyze", log.location, "--out", str(told_again.parent)]) == 0
    assert "mockllm/model" in capsys.readouterr().out
    assert told_again.read_text() == told


def test_duels_of_the_paper_have_its_prompts_and_attempts(tmp_path: Path) -> None:
    """One attempt to write a puzzle that can be read, where ours allow more."""
    from antemill.tournament.inspect_tasks.duel import duel

    asked = {}
    for paper in (False, True):
        task = duel(opponent="model", duels=1, turns=2, paper=paper)
        _, model = evaluated(task, tmp_path / str(paper), lambda _: "nothing", lambda _: "nothing")
        asked[paper] = model.asked
    assert len(asked[True]) == 1 < len(asked[False])
    assert asked[True][0] != asked[False][0]


@pytest.mark.parametrize("opponent", ["expert", "model"])
def test_duels_are_samples(tmp_path: Path, opponent: str) -> None:
    from antemill.tournament.inspect_tasks.duel import duel

    def puzzle(message: str) -> str:
        if "def puzzle" in message or "def f" in message:
            return "no code"
        return "nothing"

    log, model = evaluated(duel(opponent=opponent, duels=2, turns=2), tmp_path, puzzle, lambda _: "nothing")
    found = list(samples(log))
    assert [one.metadata["proposes"] for one, _ in found] == ["first", "second"]
    for sample, scores in found:
        turns = [event for event in sample.events if event.event == "info" and event.source == "turn"]
        assert len(turns) == len(sample.store["outcomes"]) == 2
        own, other = sample.store["points"] if sample.metadata["proposes"] == "first" else sample.store["points"][::-1]
        assert scores["margin"] == own - other
        assert sum(scores["unread"].values()) > 0
        if opponent == "model":  # neither has a puzzle: each is a penalty, a point for the other
            assert sample.store["outcomes"] == ["penalty"] * 2
    unread = sum(sum(scores["unread"].values()) for _, scores in found)
    assert len(model.asked) == 2 * unread  # each question twice
    rows = read_log(Path(log.location)).to_pylist()
    assert {row["alice"] for row in rows} == {"mockllm/model", "mockllm/rival" if opponent == "model" else "expert"}
