"""verifiers' own loader, agents and traces play our matches; the model is a scripted server on this machine.

Run by `make test-libraries`, in an environment of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import verifiers.v1 as vf
from antemill_verifiers import AntemillEnv, AntemillEnvConfig

from antemill.engine.match import Match
from antemill.tournament.adapters.episode import Episode, ground
from tests.tournament.runs.http_server import http_server

MOVES = {"careful": ("check", "fold"), "bold": ("bet", "call")}  # of each model: the first one that its menu has


def reply(model: str, message: str) -> str:
    """What a model says to a message that lists its actions."""
    first, second = MOVES[model]
    return json.dumps({"action": first if f'"{first}"' in message else second})


@pytest.fixture
def model() -> Iterator[SimpleNamespace]:
    """A running server of chat completions: its address, the status of its answers, and what it was asked."""
    found = SimpleNamespace(status=200, asked=[])

    def answer(_: str, body: Any) -> tuple[int, bytes]:
        name, messages = body["model"], body["messages"]
        found.asked.append((name, messages))
        message = {"role": "assistant", "content": reply(name, messages[-1]["content"])}
        said: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 0, "model": name}
        said["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
        said["usage"] = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        return found.status, json.dumps(said if found.status == 200 else {"error": {"message": "no"}}).encode()

    with http_server(answer) as found.url:
        yield found


def played(model: Any, count: int, taskset: dict[str, Any], **options: Any) -> tuple[AntemillEnv, list[Any]]:
    """The environment as verifiers loads it by the name of the task set; the first tasks with their episodes."""
    config = AntemillEnvConfig.model_validate({"taskset": {"id": "antemill-verifiers", **taskset}, **options})
    env = vf.load_environment(config)
    assert isinstance(env, AntemillEnv)
    client = vf.EvalClientConfig(base_url=model.url, api_key_var="ANTEMILL_TEST_KEY")
    context = vf.ModelContext("careful", client, vf.Sampling())

    async def play() -> list[Any]:
        async with env.serving():
            return [(task, await env.run_episode(task, context)) for task in env.taskset.take(count)]

    return env, asyncio.run(play())


@pytest.mark.parametrize(("reward", "opponent"), [("payoff", "random"), ("aivat", "random"), ("regret", "cfr")])
def test_one_seat_against_a_bot(model: Any, reward: str, opponent: str) -> None:
    env, found = played(model, 6, {"games": ["kuhn", "leduc"], "opponent": opponent, "reward": reward})
    sent = (messages for _, messages in model.asked)
    for task, episode in found:
        assert episode.ok, episode.errors
        (trace,) = episode.traces
        again = Episode(ground(task.data.game, env.taskset.config.setting), task.data.play_seed, (task.data.seat,))
        while not again.over:
            text = again.question()
            system, user = next(sent)
            assert (system["content"], user["content"]) == (again.ground.system, text)
            again.answer(reply("careful", text))
        score = again.score(task.data.seat)
        assert trace.rewards[reward].score == trace.reward == pytest.approx(score.total)
        assert trace.agent.name == ("alice", "bob")[task.data.seat]
        assert trace.metrics["decisions"] == again.match.moves[task.data.seat] == trace.num_turns == len(trace.branches)
        assert trace.info["antemill"]["moves"] == (None if score.moves is None else pytest.approx(list(score.moves)))


def test_two_seats_that_learn_from_each_other(model: Any) -> None:
    env, found = played(model, 6, {"games": ["kuhn", "leduc"]}, bob={"model": "bold"})
    for task, episode in found:
        assert episode.ok, episode.errors
        assert all(trace.agent.trainable for trace in episode.traces)
        match = Match(ground(task.data.game, env.taskset.config.setting).game, task.data.play_seed)
        while not match.over:
            wanted = [move for move in MOVES[("careful", "bold")[match.seat]] if move in match.menu.labels]
            match.apply(wanted[0]) if wanted else match.apply_random()
        rewards = {trace.agent.name: trace.reward for trace in episode.traces}
        assert (rewards["alice"], rewards["bob"]) == match.result.payoffs
    assert {name for name, _ in model.asked} == {"careful", "bold"}


def test_a_service_that_fails_is_no_move(model: Any) -> None:
    model.status = 400
    _, ((_, episode),) = played(model, 1, {"opponent": "random"})
    assert not episode.ok
    assert "could not be asked" in episode.errors[0].message
    assert not any(trace.rewards for trace in episode.traces)
