"""Players with a policy stored in arrays (`antemill.engine.machine.policy`): mixed, best response, solved tables."""

from __future__ import annotations

import numpy as np

from antemill.axes.best_response import best_response
from antemill.axes.budgets import PRECISE
from antemill.axes.grouping import decisions
from antemill.axes.scores import default_seed
from antemill.axes.simplex import dirichlet_policies
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import key_of
from antemill.engine.machine.policy import Policy, mixed, pick
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.match import Game
from antemill.engine.seeding import Domain
from antemill.tournament.players.observation import Observation
from antemill.tournament.players.player import Choice


class PolicyPlayer:
    """Plays a policy with the same draws as a rollout with the same play seed."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self.policy = policy
        self._menu_state = np.zeros(at.SIZE, np.int64)  # a policy reads only the menu's registers

    def choose(self, observation: Observation) -> Choice:
        """A draw from the policy."""
        menu, state, keys = observation.menu, self._menu_state, observation.keys()
        state[at.MENU] = len(menu)
        state[at.MENU_LOW] = menu.low
        state[at.MENU_MASK] = sum(1 << action for action in menu.actions)
        index = pick(
            self.policy,
            state,
            observation.decision,
            keys.recall,
            keys.info,
            keys.context,
            observation.key,
            observation.counter,
        )
        return menu.choice(int(index))


def l1_policy(game: Game) -> Policy:
    """L1: the best response to the random play of the precise tier's budget (GENSTRAT appendix C)."""
    program = game.program
    log = rollout(program, PRECISE.level0, streams(default_seed(program), Domain.LEVEL0))
    return best_response(log, program)


def mixed_policy(game: Game, seed: int = 0) -> Policy:
    """A distribution for each decision type, drawn uniformly from its simplex."""
    program = game.program
    weights = dirichlet_policies(decisions(program), 1, key_of(default_seed(program), Domain.SOBOL, seed))
    return mixed(program, weights[0])
