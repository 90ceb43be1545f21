"""verifiers' own loader, agents and traces play our matches; the model is a scripted server on this machine.

Run by `make test-libraries`, in an environment of its own.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from antemill_verifiers import AntemillEnv, AntemillEnvConfig, AntemillHarness, AntemillTaskset, AntemillTasksetConfig
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from antemill.engine.errors import UsageError
from antemill.engine.match import Match
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.tournament.adapters import Curriculum
from antemill.tournament.adapters.episode import Episode, ground
from antemill.tournament.pool.build import build_pool

Script = Callable[[str], str]  # the user's message -> the reply

TIMED = {"timeout": {"rollout": 0.5}}


def check_or_fold(message: str) -> str:
    """The reply of a cautious player."""
    return '{"action": "check"}' if '"check"' in message else '{"action": "fold"}'


def bet_or_call(message: str) -> str:
    """The reply of a bold one."""
    return '{"action": "bet"}' if '"bet"' in message else '{"action": "call"}'


class Model:
    """A server that answers chat completions by a script for each model name."""

    def __init__(self, server: HTTPServer) -> None:
        self.server = server
        self.scripts: dict[str, Script] = {}
        self.asked: list[tuple[str, list[dict[str, str]]]] = []
        self.finish, self.status = "stop", 200
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        """One completion."""
        body = json.loads(request.get_data())
        self.asked.append((body["model"], body["messages"]))
        if self.status != 200:
            return Response('{"error": {"message": "no"}}', self.status, content_type="application/json")
        message = {"role": "assistant", "content": self.scripts[body["model"]](body["messages"][-1]["content"])}
        said = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        }
        return Response(json.dumps(said), content_type="application/json")

    def context(self, name: str) -> vf.ModelContext:
        """The model for a run."""
        client = vf.EvalClientConfig(base_url=self.server.url_for("/v1"), api_key_var="ANTEMILL_TEST_KEY")
        return vf.ModelContext(name, client, vf.Sampling())


@pytest.fixture
def model(httpserver: HTTPServer) -> Iterator[Model]:
    """The server, with two players on it."""
    found = Model(httpserver)
    found.scripts = {"careful": check_or_fold, "bold": bet_or_call}
    yield found
    httpserver.check()


def environment(taskset: dict[str, Any], **options: Any) -> AntemillEnv:
    """The environment as verifiers loads it by the name of the task set."""
    config = AntemillEnvConfig.model_validate({"taskset": {"id": "antemill-verifiers", **taskset}, **options})
    loaded = vf.load_environment(config)
    assert isinstance(loaded, AntemillEnv)
    return loaded


def episodes(env: AntemillEnv, context: vf.ModelContext, count: int) -> list[tuple[Any, vf.Episode]]:
    """The first tasks, and the episodes of them."""

    async def play() -> list[tuple[Any, vf.Episode]]:
        async with env.serving():
            return [(task, await env.run_episode(task, context)) for task in env.taskset.take(count)]

    return asyncio.run(play())


def test_verifiers_finds_everything_by_the_name_of_the_package() -> None:
    assert vf.environment_class("antemill-verifiers") is AntemillEnv
    assert vf.default_harness_id("antemill-verifiers") == "antemill-verifiers"
    loaded = vf.load_taskset(AntemillTasksetConfig(id="antemill-verifiers"))
    assert isinstance(loaded, AntemillTaskset)
    assert isinstance(
        vf.load_harness(vf.harness_config_type("antemill-verifiers")(id="antemill-verifiers")), AntemillHarness
    )


def test_the_task_set_has_no_end_and_is_the_same_each_time() -> None:
    taskset = environment({"games": ["kuhn", "leduc", "7@0.4"], "opponent": "random", "seed": 3}).taskset
    assert not taskset.bounded
    tasks = list(itertools.islice(taskset, 30))
    assert [task.key for task in tasks] == [task.key for task in itertools.islice(taskset, 30)]
    assert len({task.key for task in tasks}) == 30
    assert {task.data.game for task in tasks} == {"kuhn", "leduc", "7@0.4"}
    assert {task.data.seat for task in tasks} == {0, 1}
    assert len(list(taskset.take(5))) == 5


def test_games_are_drawn_from_a_pool(tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    build_pool(folder, (0, 60), workers=1)
    train, test = ({game.digest for game in Curriculum(folder, side=side).games} for side in ("train", "test"))
    taskset = environment({"pool": str(folder), "opponent": "random"}).taskset
    tasks = list(taskset.take(30))
    drawn = {canonical_digest(ground(task.data.game, taskset.config.setting).spec) for task in tasks}
    assert len(drawn) > 3
    assert drawn <= train
    assert not drawn & test
    assert [task.key for task in tasks] == [task.key for task in taskset.take(30)]


@pytest.mark.parametrize(("reward", "opponent"), [("payoff", "random"), ("aivat", "random"), ("regret", "cfr")])
def test_one_seat_against_a_bot(model: Model, reward: str, opponent: str) -> None:
    env = environment({"games": ["kuhn", "leduc"], "opponent": opponent, "reward": reward})
    setting = env.taskset.config.setting
    played = episodes(env, model.context("careful"), 6)
    sent = (messages for _, messages in model.asked)
    for task, episode in played:
        assert episode.ok, episode.errors
        (trace,) = episode.traces
        assert trace.agent.name == ("alice", "bob")[task.data.seat]
        again = Episode(ground(task.data.game, setting), task.data.play_seed, (task.data.seat,))
        asked = []
        while not again.over:
            asked.append(again.question())
            again.answer(check_or_fold(asked[-1]))
        for text in asked:
            system, user = next(sent)
            assert system == {"role": "system", "content": again.ground.system}
            assert user == {"role": "user", "content": text}
        score = again.score(task.data.seat)
        assert trace.rewards[reward].score == pytest.approx(score.total)
        assert trace.reward == pytest.approx(score.total)
        assert trace.metrics["decisions"] == len(asked) == trace.num_turns == len(trace.branches)
        assert trace.info["antemill"]["moves"] == (None if score.moves is None else pytest.approx(list(score.moves)))


def test_two_seats_that_learn_from_each_other(model: Model) -> None:
    env = environment({"games": ["kuhn", "leduc"]}, bob={"model": "bold"})
    for task, episode in episodes(env, model.context("careful"), 6):
        assert episode.ok, episode.errors
        traces = {trace.agent.name: trace for trace in episode.traces}
        assert all(trace.agent.trainable for trace in traces.values())
        assert sum(trace.reward for trace in traces.values()) == 0.0
        match = Match(ground(task.data.game, env.taskset.config.setting).game, task.data.play_seed)
        while not match.over:
            labels = match.menu.labels
            wanted = ("check", "fold") if match.seat == 0 else ("bet", "call")
            found = [name for name in wanted if name in labels]
            match.apply(found[0]) if found else match.apply_random()
        assert traces["alice"].reward == match.result.payoffs[0]
        assert traces["bob"].reward == match.result.payoffs[1]
    assert {name for name, _ in model.asked} == {"careful", "bold"}


def test_one_of_two_models_can_be_held_fixed(model: Model) -> None:
    env = environment({}, bob={"model": "bold"}, trainable="alice")
    ((_, episode),) = episodes(env, model.context("careful"), 1)
    assert {trace.agent.name: trace.agent.trainable for trace in episode.traces} == {"alice": True, "bob": False}


@pytest.mark.parametrize(
    ("reply", "finish", "cause"),
    [
        ("I pass.", "stop", "unparsable"),
        ("", "stop", "empty"),
        ('{"action": "fly"}', "stop", "illegal"),
        ('{"acti', "length", "truncated"),
    ],
)
def test_replies_that_can_not_be_played(model: Model, reply: str, finish: str, cause: str) -> None:
    model.scripts["careful"], model.finish = lambda _: reply, finish
    env = environment({"opponent": "random", "penalty": 10.0})
    for _, episode in episodes(env, model.context("careful"), 3):
        (trace,) = episode.traces
        assert episode.ok
        count = int(trace.metrics["decisions"])
        assert trace.info["antemill"]["causes"] == [cause] * count
        assert trace.reward == trace.metrics["payoff_chips"] - 10.0 * count


def test_an_agent_at_its_limit_is_played_for(model: Model) -> None:
    """Alice may reply once; in Leduc poker she has more decisions."""
    env = environment(
        {"games": ["leduc"], "opponent": "passive", "seat": "alice", "penalty": 10.0}, alice={"max_turns": 1}
    )
    for _, episode in episodes(env, model.context("careful"), 3):
        (trace,) = episode.traces
        assert episode.ok
        assert trace.num_turns == 1
        assert trace.metrics["decisions"] > 1
        assert trace.metrics["played_for_it"] == trace.metrics["decisions"] - 1
        assert trace.info["antemill"]["causes"] == ["empty"] * int(trace.metrics["played_for_it"])


def test_a_model_that_never_answers_is_played_for(model: Model) -> None:
    """The server is silent until the test is over, so the agent always runs out of time."""
    over = threading.Event()

    def silent(_: str) -> str:
        over.wait()
        return ""

    model.scripts["careful"] = silent
    env = environment({"opponent": "random", "penalty": 10.0}, alice=TIMED, bob=TIMED)
    try:
        ((_, episode),) = episodes(env, model.context("careful"), 1)
    finally:
        over.set()
    (trace,) = episode.traces
    assert trace.is_timeout
    assert trace.metrics["played_for_it"] == trace.metrics["decisions"] >= 1
    assert trace.reward <= 2.0 - 10.0


def test_a_service_that_fails_is_no_move(model: Model) -> None:
    model.status = 400
    ((_, episode),) = episodes(environment({"opponent": "random"}), model.context("careful"), 1)
    assert not episode.ok
    assert "could not be asked" in episode.errors[0].message
    assert not any(trace.rewards for trace in episode.traces)


def test_errors_are_the_sentences_of_antemill() -> None:
    for options, message in (
        ({"games": ["nonesuch"]}, "there is no game 'nonesuch'"),
        ({"reward": "aivat"}, "aivat needs an opponent whose policy is known"),
        ({"opponent": "unknown"}, "there is no player 'unknown'"),
    ):
        with pytest.raises(UsageError, match=message):
            next(iter(environment(options).taskset))
    with pytest.raises(ValueError, match="reward"):
        environment({"reward": "fun"})
