"""One match as an episode: Alice and Bob are agents; the opponent plays the seat that does not learn.

An unreadable or illegal reply becomes a random legal action, as in tournaments, and so does every decision of an agent
that has reached one of its limits (turns, tokens, time). A failure of the model's service is not a move: it fails the
episode, which can be retried.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Literal

import verifiers.v1 as vf

from antemill.tournament.adapters.episode import Episode, ground
from antemill_verifiers.taskset import SEATS, AntemillTasksetConfig, MatchOf

PATIENCE = 1_800.0  # seconds for all replies of an agent, unless another limit is set


def _agent() -> vf.AgentConfig:
    return vf.AgentConfig(runtime=vf.SubprocessConfig(), timeout={"rollout": PATIENCE})


class AntemillEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The agents of both seats. A match against a bot asks only the agent of the learner's seat."""

    alice: vf.AgentConfig = _agent()
    bob: vf.AgentConfig = _agent()
    trainable: Literal["both", "alice", "bob"] = "both"
    """Whose replies are trained on if both seats are models, which may differ."""


class AntemillEnv(vf.Env[AntemillEnvConfig]):  # type: ignore[misc]
    """A match between two agents, or between one and a bot or a policy."""

    async def setup(self, agents: vf.Agents) -> None:
        """Mark the agents whose replies are trained on."""
        for name in SEATS:
            getattr(agents, name).trainable = self.config.trainable in ("both", name)

    async def run(self, task: MatchOf, agents: vf.Agents) -> None:
        """Play the match, and record each learner's reward."""
        config, data = self.config.taskset, task.data
        assert isinstance(config, AntemillTasksetConfig)
        learners = (0, 1) if data.seat is None else (data.seat,)
        episode = Episode(ground(data.game, config.setting), data.play_seed, learners)
        async with AsyncExitStack() as stack:
            found: dict[int, vf.Interaction] = {}
            while not episode.over:
                seat = episode.seat
                if seat not in found:  # an agent without a decision has no trace
                    found[seat] = await stack.enter_async_context(getattr(agents, SEATS[seat]).interaction(task))
                await _decide(episode, found[seat])
        for seat, interaction in found.items():
            _record(interaction.trace, episode, seat, config.reward)


async def _decide(episode: Episode, interaction: vf.Interaction) -> None:
    """Ask the agent for the decision at hand, and play its reply."""
    seat, trace = episode.seat, interaction.trace
    segment = await interaction.turn(episode.question())
    if not segment.terminated:
        episode.answer(segment.last_reply, truncated=trace.calls[-1].finish_reason == "length")
    elif trace.errors:
        raise vf.EnvError(f"{SEATS[seat]} could not be asked: {trace.errors[-1].message}")
    else:
        episode.leave(seat)


def _record(trace: vf.Trace, episode: Episode, seat: int, reward: str) -> None:
    score, causes = episode.score(seat), episode.causes[seat]
    trace.record_reward(reward, score.total)
    chips, decisions = episode.match.result.payoffs[seat], episode.match.moves[seat]
    trace.record_metrics({"payoff_chips": chips, "decisions": decisions, "played_for_it": len(causes)})
    trace.info["antemill"] = {"causes": list(causes), "moves": None if score.moves is None else list(score.moves)}
