"""Our games as PettingZoo environments (AEC). It needs the extra antemill[pettingzoo].

    from antemill.tournament.adapters.pettingzoo import env
    table = env("7@0.1")                      a GAME as on our command line, a spec, or a seed
    table.reset(seed=1)
    for agent in table.agent_iter():
        observation, reward, termination, truncation, info = table.last()
        action = None if termination else table.action_space(agent).sample(observation["action_mask"])
        table.step(action)

player_0 is Alice, player_1 Bob. Actions are numbered as in the decision type: option numbers or chips. An observation
has, as in PettingZoo's classic games, `observation`, that of `antemill.engine.vector.state_observation`, and
`action_mask`, int8[actions]: 1 for each legal action, all ones for an agent that is not asked. `info` has the mask too.
The reward is the payoff in chips, once, at the end, and each agent has its own. Chance is drawn from the seed of the
last seeded reset: the first episode after `reset(seed=s)` has the cards of `game show --play-seed s`, each further
reset the next ones.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from antemill.engine.arguments import truth
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.lanes import Lanes
from antemill.engine.machine.rollout import Streams, streams
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import action_name
from antemill.engine.vector.state_observation import Mask, StateObservation
from antemill.tournament.adapters.given import reach, whole_number

AGENTS = ("player_0", "player_1")
Seen = dict[str, npt.NDArray[Any]]


def env(game: str | int | GameSpec = "kuhn", *, texts: bool = False) -> AECEnv[str, Seen, int]:
    """The environment of a game, with PettingZoo's wrappers against actions out of range or out of turn.

    texts: whether `info["actions"]` has the names of the legal actions, in order; libraries that stack infos refuse
    texts.
    """
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(Table(game, texts=texts)))


class Table(AECEnv[str, Seen, int]):  # type: ignore[misc]
    """The environment itself. Raises UsageError, StorageError or SpecError if `game` is no game."""

    def __init__(self, game: str | int | GameSpec, *, texts: bool = False) -> None:
        super().__init__()
        spec = game if isinstance(game, GameSpec) else resolve(str(game))
        self.metadata = {"name": "antemill_v0", "render_modes": [], "is_parallelizable": False}
        self.render_mode = None
        self.program = compile_spec(spec)
        self.state_observation = StateObservation(self.program)
        self.possible_agents = list(AGENTS)
        far = reach([spec])
        low, high = self.state_observation.bounds(far.stacks, far.variable)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.MultiBinary(self.state_observation.actions),
                }
            )
            for agent in AGENTS
        }
        self._texts = truth(texts, "texts")
        self.action_spaces = {agent: spaces.Discrete(self.state_observation.actions) for agent in AGENTS}
        self._lane = Lanes(self.program, 1)
        self._keys: Streams | None = None
        self._episode = 0

    @property
    def words(self) -> npt.NDArray[np.int64]:
        """The state of the machine."""
        state: npt.NDArray[np.int64] = self._lane.states[0]
        return state

    def observation_space(self, agent: str) -> spaces.Dict:
        """A box of `StateObservation.size` numbers, and a mask of all actions."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """All actions of all decision types; the mask says which are legal."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin an episode. A seed (any whole number) begins a series of episodes; without one the series continues.

        Options have no effect.
        """
        if seed is not None or self._keys is None:
            self._keys, self._episode = (
                streams(secrets.randbits(63) if seed is None else whole_number(seed, "the seed")),
                0,
            )
        self._lane.reset(self._keys, self._episode)
        self._episode += 1
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.agent_selection = AGENTS[0]
        self._show()

    def observe(self, agent: str) -> Seen:
        """What the agent sees now: float32[StateObservation.size], and the mask of its actions."""
        seat = AGENTS.index(agent)
        return {"observation": self.state_observation.vector(self.words, seat), "action_mask": self._mask(seat)}

    def step(self, action: int | None) -> None:
        """The selected agent acts; None once it is terminated. Raises UsageError for an action that is not legal."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        choice = None if action is None else self.state_observation.choice(self.words, int(action))
        if choice is None:
            legal = np.flatnonzero(self._mask(AGENTS.index(agent))).tolist()
            raise UsageError(f"action {action} is not legal for {agent} now: choose one of {legal}.")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._lane.choices[0] = choice
        self._lane.advance()
        self._show()
        self._accumulate_rewards()

    def close(self) -> None:
        """Nothing has to be released."""

    def _show(self) -> None:
        """Show the next decision, or the end."""
        if self._lane.done[0]:
            alice = float(self._lane.payoffs[0])
            self.rewards = dict(zip(AGENTS, (alice, -alice), strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
        else:
            self.agent_selection = AGENTS[self._lane.seats[0]]
        self.infos = {agent: self._info(seat) for seat, agent in enumerate(AGENTS)}

    def _mask(self, seat: int) -> Mask:
        legal = self.state_observation.legal(self.words, seat)
        return legal if legal.any() else np.ones_like(legal)

    def _info(self, seat: int) -> dict[str, Any]:
        """action_mask: int8[actions]; actions, on request: the names of the legal ones in order."""
        info: dict[str, Any] = {"action_mask": self._mask(seat)}
        if self._texts:
            kind = self.program.names.decisions[int(self.words[at.DECISION])]
            legal = np.flatnonzero(self.state_observation.legal(self.words, seat))
            info["actions"] = [action_name(kind, int(action)) for action in legal]
        return info
