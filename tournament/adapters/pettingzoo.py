"""Our games as PettingZoo environments (AEC). It needs the extra antemill[pettingzoo].

    from antemill.tournament.adapters.pettingzoo import env
    table = env("7@0.1")                      a GAME as on our command line, a spec, or a seed
    table.reset(seed=1)
    for agent in table.agent_iter():
        observation, reward, termination, truncation, info = table.last()
        action = None if termination else table.action_space(agent).sample(info["action_mask"])
        table.step(action)

player_0 is Alice, player_1 Bob. Actions, and the mask of legal ones in `info`, are numbered as in the decision type:
option numbers or chips. Observations are those of `antemill.engine.vector.state_observation`. The reward is the payoff
in chips, once, at the end. Chance is drawn from the seed of the last seeded reset: the first episode after
`reset(seed=s)` has the cards of `game playout --play-seed s`, each further reset the next ones.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.lanes import Lanes
from antemill.engine.machine.rollout import Streams, streams
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import action_name
from antemill.engine.vector.state_observation import StateObservation, Vector
from antemill.tournament.adapters.given import whole_number

AGENTS = ("player_0", "player_1")


def env(game: str | int | GameSpec = "kuhn") -> AECEnv[str, Vector, int]:
    """The environment of a game, with PettingZoo's wrappers against actions out of range or out of turn."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(Table(game)))


class Table(AECEnv[str, Vector, int]):  # type: ignore[misc]
    """The environment itself. Raises UsageError, StorageError or SpecError if `game` is no game."""

    def __init__(self, game: str | int | GameSpec) -> None:
        super().__init__()
        spec = game if isinstance(game, GameSpec) else resolve(str(game))
        self.metadata = {"name": "antemill_v0", "render_modes": [], "is_parallelizable": False}
        self.render_mode = None
        self.program = compile_spec(spec)
        self.state_observation = StateObservation(self.program)
        self.possible_agents = list(AGENTS)
        low, high = self.state_observation.bounds()
        self.observation_spaces = {agent: spaces.Box(low, high, dtype=np.float32) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.state_observation.actions) for agent in AGENTS}
        self._lane = Lanes(self.program, 1)
        self._keys: Streams | None = None
        self._episode = 0

    @property
    def words(self) -> npt.NDArray[np.int64]:
        """The state of the machine."""
        state: npt.NDArray[np.int64] = self._lane.states[0]
        return state

    def observation_space(self, agent: str) -> spaces.Box:
        """A box of `StateObservation.size` numbers."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """All actions of all decision types; `info["action_mask"]` says which are legal."""
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

    def observe(self, agent: str) -> Vector:
        """float32[StateObservation.size]: what the agent sees now."""
        return self.state_observation.vector(self.words, AGENTS.index(agent))

    def step(self, action: int | None) -> None:
        """The selected agent acts; None once it is terminated. Raises UsageError for an action that is not legal."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        choice = None if action is None else self.state_observation.choice(self.words, int(action))
        if choice is None:
            legal = np.flatnonzero(self.infos[agent]["action_mask"]).tolist()
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

    def _info(self, seat: int) -> dict[str, Any]:
        """action_mask: int8[actions]; actions: the names of the legal ones in order."""
        mask = self.state_observation.legal(self.words, seat)
        kind = self.program.names.decisions[int(self.words[at.DECISION])]
        return {"action_mask": mask, "actions": [action_name(kind, int(action)) for action in np.flatnonzero(mask)]}
