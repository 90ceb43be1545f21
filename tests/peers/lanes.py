"""OpenSpiel's own environments over our states, with the cards that the lanes of ours are dealt, beside ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.rl_agent import StepOutput
from open_spiel.python.vector_env import SyncVectorEnv

from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import outcome_number
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.policy import action_index
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import streams
from antemill.engine.machine.vm import advance
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import openspiel_vector_env
from antemill.tournament.adapters.openspiel import load_rules


class Dealt:
    """Chance as it is drawn in an episode of our streams: the machine is asked what the play so far has come to.

    OpenSpiel's state cannot be asked itself: of cards that no rule tells apart it has the first ones, wherever they
    lie, so that the same number drawn would be another card.
    """

    def __init__(self, program: Program, seed: int, episode: int) -> None:
        self.program, self.seed, self.episode = program, seed, episode

    def __call__(self, state: pyspiel.State) -> int:
        key, words = subkey(streams(self.seed).chance, self.episode), self.program.initial_state()
        for move in [*state.full_history(), None]:
            if advance(self.program.code, words) == at.DECIDE:
                assert move is not None
                words[at.CHOICE] = action_index(words, move.action)
            else:
                words[at.CHOICE] = below(key, words[at.ADDRESS], words[at.MENU])
                number = outcome_number(self.program, words, int(words[at.CHOICE]))
                assert move is None or move.action == number
        return number


class Followed(rl_environment.Environment):  # type: ignore[misc]
    """OpenSpiel's environment in the episodes of a lane, without those that ask no question."""

    def __init__(self, spec: GameSpec, seed: int, lane: int, lanes: int, **settings: Any) -> None:
        game = load_rules(spec)
        self.dealt, self.lanes = Dealt(game.program, seed, lane - lanes), lanes
        super().__init__(game, chance_event_sampler=self.dealt, **settings)

    def reset(self) -> rl_environment.TimeStep:
        while True:
            self.dealt.episode += self.lanes
            step = super().reset()
            if step.current_player() != pyspiel.PlayerId.TERMINAL:
                return step


def followed(spec: GameSpec, seed: int, lanes: int, **settings: Any) -> SyncVectorEnv:
    """OpenSpiel's vector environment in the episodes of ours."""
    return SyncVectorEnv([Followed(spec, seed, lane, lanes, **settings) for lane in range(lanes)])


def any_action(step: rl_environment.TimeStep, rng: np.random.Generator) -> int:
    """A legal action of the player to move; an illegal one after the end, where it is ignored."""
    player = step.current_player()
    return -7 if player < 0 else int(rng.choice(step.observations["legal_actions"][player]))


def compare(spec: GameSpec, seed: int, lanes: int, steps: int, **options: Any) -> None:
    """Steps and resets of ours and of OpenSpiel's, of all lanes and of some, are the same to the letter."""
    ours, theirs = openspiel_vector_env(spec, lanes, seed=seed, **options), followed(spec, seed, lanes, **options)
    rng = np.random.default_rng(seed)
    shown = ours.reset()
    assert repr(shown) == repr(theirs.reset())
    for _ in range(steps):
        if rng.random() < 0.1:
            some = (rng.random(lanes) < 0.3).tolist()
            shown = ours.reset(some)
            assert repr(shown) == repr(theirs.reset(some))
            continue
        outputs = [StepOutput(any_action(step, rng), None) for step in shown]
        renew = bool(rng.random() < 0.7)
        mine = ours.step(outputs, renew)
        assert repr(mine) == repr(theirs.step(outputs, renew))
        shown = mine[0]
    states = [env.get_state for env in ours.envs]
    assert [str(state) for state in states] == [str(env.get_state) for env in theirs.envs]
    assert [state.history() for state in states] == [env.get_state.history() for env in theirs.envs]
