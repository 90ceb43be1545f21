"""verifiers' own loader, agents and traces play our matches; the model is a scripted server on this machine.

Run by `make test-libraries`, in an environment of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import verifiers.v1 as vf
from antemill_verifiers import AntemillEnv, AntemillEnvConfig
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from antemill.engine.match import Match
from antemill.tournament.adapters.episode import Episode, ground

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


def test_a_service_that_fails_is_no_move(model: Model) -> None:
    model.status = 400
    ((_, episode),) = episodes(environment({"opponent": "random"}), model.context("careful"), 1)
    assert not episode.ok
    assert "could not be asked" in episode.errors[0].message
    assert not any(trace.rewards for trace in episode.traces)
