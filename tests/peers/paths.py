"""The adapters, compared with the plain interpreter on one game, as `tests.engine.machine.paths` compares what is ours.

A comparison raises AssertionError.
"""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antemill.engine.machine.rollout import streams
from antemill.engine.rules.spec import GameSpec, to_json
from antemill.tournament.extent import extent
from tests.engine.machine.paths import Addressed, DistinctChooser, distinct
from tests.naive import Decision, every_playout, play


def compare_pettingzoo(spec: GameSpec, seed: int) -> int:
    """An episode of random play: who is asked, what is legal, stacks, rewards; returns its number of decisions."""
    from antemill.tournament.adapters.pettingzoo import AGENTS, Table

    table = Table(spec)
    stacks = [table.state_observation.names.index(name) for name in ("own stack", "other stack")]

    class Follower(Addressed):
        """As `Addressed`, and the environment is at the same decision and takes the same step."""

        def decide(self, decision: Decision) -> int:
            observation, reward, over, _, info = table.last()
            assert (table.agent_selection, reward, over) == (AGENTS[decision.seat], 0.0, False)
            assert tuple(np.flatnonzero(info["action_mask"])) == tuple(sorted(set(distinct(decision))))
            assert table.infos[AGENTS[1 - decision.seat]]["action_mask"].all()  # it is not asked
            assert np.array_equal(observation["action_mask"], info["action_mask"])
            chips = np.array([decision.chips[decision.seat], decision.chips[1 - decision.seat]])
            np.testing.assert_allclose(observation["observation"][stacks], chips / spec.chips, rtol=1e-6)
            assert table.observation_space(table.agent_selection).contains(observation)
            action = super().decide(decision)
            table.step(min(action, decision.chips[decision.seat]) if decision.move_type == "bid" else action)
            return action

    table.reset(seed=seed)
    want = play(spec, Follower(streams(seed)))
    assert table.terminations == dict.fromkeys(AGENTS, True)
    assert [table.rewards[agent] for agent in AGENTS] == [want.payoff, -want.payoff]
    bound = extent(spec)
    assert len(want.decisions) <= bound.decisions
    assert abs(want.payoff) <= spec.chips + bound.score
    return len(want.decisions)


def openspiel_game(spec: GameSpec, folder: Path) -> Any:
    """The game in OpenSpiel, by way of a file."""
    import pyspiel

    import antemill.tournament.adapters.openspiel  # noqa: F401 (registers the games)

    path = folder / "game.json"
    path.write_bytes(to_json(spec))
    return pyspiel.load_game("antemill", {"game": str(path)})


def compare_openspiel_bounds(spec: GameSpec, folder: Path, seed: int) -> None:
    """Random play stays within what the game has announced."""
    game, rng = openspiel_game(spec, folder), random.Random(seed)
    state, draws, decisions = game.new_initial_state(), 0, 0
    while not state.is_terminal():
        chance = state.is_chance_node()
        draws, decisions = draws + chance, decisions + (not chance)
        legal = [action for action, _ in state.chance_outcomes()] if chance else state.legal_actions()
        assert legal
        assert max(legal) < (game.max_chance_outcomes() if chance else game.num_distinct_actions())
        state.apply_action(rng.choice(legal))
    assert draws <= game.max_chance_nodes_in_history()
    assert decisions <= game.max_game_length()
    assert game.min_utility() <= min(state.returns()) == -max(state.returns()) <= 0.0


def compare_openspiel(spec: GameSpec, folder: Path) -> None:
    """The whole tree: how payoffs are distributed under uniform play, exactly, and each seat's information states."""
    want: dict[int, Fraction] = defaultdict(Fraction)
    sets: tuple[set[object], set[object]] = (set(), set())
    for playout, weight in every_playout(spec, DistinctChooser):
        want[playout.payoff] += weight
        for decision, _ in playout.decisions:
            sets[decision.seat].add((decision.recall, decision.phase, decision.move_name))
    got: dict[int, float] = defaultdict(float)
    texts: tuple[set[str], set[str]] = (set(), set())
    stack = [(openspiel_game(spec, folder).new_initial_state(), 1.0)]
    while stack:
        state, reach = stack.pop()
        if state.is_terminal():
            got[int(state.returns()[0])] += reach
            continue
        if not state.is_chance_node():
            texts[state.current_player()].add(state.information_state_string())
        legal = state.legal_actions()
        odds = state.chance_outcomes() if state.is_chance_node() else [(a, 1.0 / len(legal)) for a in legal]
        stack += [(state.child(action), reach * p) for action, p in odds]
    assert dict(got) == pytest.approx({payoff: float(p) for payoff, p in want.items()}, abs=1e-9)
    assert tuple(map(len, texts)) == tuple(map(len, sets))
