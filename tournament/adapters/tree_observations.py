"""From a network to a strategy profile: what it plays in every information set of a game, for exact measures.

    sets = TreeObservations("kuhn")
    profile = sets.profile(lambda batch: network(batch.observations, batch.masks))
    exploitability(sets.tree, profile)

Observations and masks are those of `vector_env`. The tree is walked once; the network is asked in batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import ArgumentValueError, whole, wrong_type
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import STACK_FULL, WALKED, next_child, walk_tree
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.vm import advance
from antemill.engine.match.game import Game, Rules, program_of
from antemill.engine.vector.state_observation import StateObservation
from antemill.solver.game import ALICE, BOB
from antemill.solver.policies.profile import StrategyPair, StrategyProfile
from antemill.solver.trees.build import build_tree

LIMIT = 1_000_000  # nodes; a node takes some ten microseconds here
BATCH = 4_096  # information sets that the network is asked for at once


class Batch(NamedTuple):
    """Information sets, a row each."""

    observations: npt.NDArray[np.float32]  # [rows, size] as those of `vector_env` without events
    masks: npt.NDArray[np.int8]  # [rows, actions] 1 for each legal action
    seats: npt.NDArray[np.int8]  # [rows] 0: Alice, 1: Bob
    keys: npt.NDArray[np.int64]  # [rows] the recall key, as `keys()` of the lanes of `vector_env` gives it


class TreeObservations:
    """The observation and the legal actions in every information set of a game.

    game: rules, a name, a seed, a path of rules. limit: of the tree's nodes. Raises UsageError for a larger tree.
    """

    def __init__(self, game: Rules | Game, limit: int = LIMIT) -> None:
        program = program_of(game, "game")
        self.tree = build_tree(program, whole(limit, "limit", 1))
        self.state_observation = StateObservation(program)
        width, actions = self.state_observation.size, self.state_observation.actions
        count = [mine.size for mine in self.tree.sets]
        places = [{int(key): i for i, key in enumerate(mine.key)} for mine in self.tree.sets]
        views, masks = np.empty((sum(count), width), np.float32), np.empty((sum(count), actions), np.int8)
        missing: set[tuple[int, int]] = {(seat, i) for seat in (ALICE, BOB) for i in range(count[seat])}

        def meet(state: npt.NDArray[Any]) -> None:
            seat = int(state[at.SEAT])
            place = places[seat][int(recall_key(state, seat, state[at.DECISION]))]
            if (seat, place) in missing:
                missing.remove((seat, place))
                row = place + seat * count[ALICE]
                views[row] = self.state_observation.vector(state, seat)
                masks[row] = self.state_observation.legal(state, seat)

        def walk(stack: npt.NDArray[Any]) -> int:
            level = 0
            while missing:
                if stack[level, at.STOP] == at.DECIDE:
                    meet(stack[level])
                level = int(next_child(program.code, stack, level))
                if level < 0:
                    return level
                advance(program.code, stack[level])
                stack[level, at.CHOICE] = 0
            return WALKED

        found = walk_tree(program, walk)
        assert found != STACK_FULL
        assert not missing
        seats = np.repeat(np.array((ALICE, BOB), np.int8), count)
        self.sets = Batch(views, masks, seats, np.concatenate([mine.key for mine in self.tree.sets]))

    def profile(self, network: Callable[[Batch], Any], batch: int = BATCH) -> StrategyProfile:
        """The strategy profile of a network.

        network: takes a `Batch`; returns the probability of each action, [rows, actions] as numbers or a tensor on the
        processor. Probabilities are taken where the mask is 1 and scaled to sum to 1. batch: rows at a time. Raises
        UsageError for an answer of another shape, or without a positive probability of a legal action.
        """
        if not callable(network):
            wrong_type("network", network, "a function of a Batch", "give one that returns [rows, actions]")
        batch, rows = whole(batch, "batch", 1), len(self.sets.seats)
        weights = np.empty(self.sets.masks.shape)
        for low in range(0, rows, batch):
            view = slice(low, low + batch)
            part = Batch(
                self.sets.observations[view], self.sets.masks[view], self.sets.seats[view], self.sets.keys[view]
            )
            weights[low : low + batch] = _answered(network(part), part)
        alice, bob = (
            np.concatenate((np.ones(1), weights[self.sets.seats == seat][self.sets.masks[self.sets.seats == seat] > 0]))
            for seat in (ALICE, BOB)
        )
        return StrategyPair(alice, bob)


def _answered(answer: Any, part: Batch) -> npt.NDArray[np.float64]:
    """The probabilities of legal actions that a network has answered."""
    found = np.asarray(answer, np.float64)
    if found.shape != part.masks.shape:
        raise ArgumentValueError(
            f"the network answered an array of shape {found.shape}: give one probability for each action, "
            f"{part.masks.shape}."
        )
    found = np.where(part.masks > 0, found, 0.0)
    total = found.sum(axis=1, keepdims=True)
    if not (bool(np.all(np.isfinite(found))) and bool(np.all(found >= 0)) and bool(np.all(total > 0))):
        raise ArgumentValueError(
            "the network's probabilities of legal actions must be at least 0 with a positive sum: apply a softmax "
            "to its logits."
        )
    scaled: npt.NDArray[np.float64] = found / total
    return scaled
