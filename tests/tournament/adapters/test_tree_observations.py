"""Networks measured on the tree: their profile is what they play in every information set."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.solver import exploitability, solve
from antemill.tournament.adapters import TreeObservations, vector_env
from antemill.tournament.adapters.tree_observations import Batch


@pytest.mark.parametrize("name", ["kuhn", "leduc", "3@0.05"])
def test_a_table_of_an_equilibrium_is_one_again(name: str) -> None:
    """A network that plays a solution by the keys of sets, in batches of any size."""
    sets = TreeObservations(name)
    run = solve(sets.tree, target=1e-4)
    rows = {
        int(key): policy[low:high]
        for mine, policy in zip(sets.tree.sets, run.profile, strict=True)
        for key, (low, high) in zip(mine.key, pairwise(mine.start), strict=True)
    }
    asked: list[int] = []

    def network(batch: Batch) -> np.ndarray:
        asked.append(len(batch.seats))
        answer = np.full(batch.masks.shape, 7.0)  # also for what is not legal
        for i, key in enumerate(batch.keys):
            answer[i, batch.masks[i] > 0] = rows[int(key)]
        return answer

    found = sets.profile(network, batch=5)
    assert exploitability(sets.tree, found) == pytest.approx(run.exploitability, abs=1e-12)
    assert max(asked) == 5
    assert sum(asked) == sum(mine.size for mine in sets.tree.sets)


def test_observations_are_those_of_the_environment() -> None:
    """Each that random play meets, with its mask, by the key of its set."""
    sets, table = TreeObservations("leduc"), vector_env("leduc", 64, events=False)
    rows = {int(key): i for i, key in enumerate(sets.sets.keys)}
    (observations, infos), dice, met = table.reset(seed=1), np.random.default_rng(1), set()
    for _ in range(30):
        for lane, key in enumerate(table.lanes[0].keys()):
            if infos["asked"][lane]:
                row = rows[int(key)]
                met.add(row)
                assert np.array_equal(observations["action_mask"][lane], sets.sets.masks[row])
                assert np.array_equal(observations["observation"][lane], sets.sets.observations[row])
        odds = observations["action_mask"] * dice.random(observations["action_mask"].shape)
        observations, _, _, _, infos = table.step(odds.argmax(axis=1))
    assert len(met) > 100


def test_answers_that_are_no_probabilities_are_refused() -> None:
    sets = TreeObservations("kuhn")
    with pytest.raises(UsageError, match=r"shape \(12,\): give one probability for each action, \(12, "):
        sets.profile(lambda batch: np.ones(len(batch.seats)))
    with pytest.raises(UsageError, match="apply a softmax"):
        sets.profile(lambda batch: -np.ones(batch.masks.shape))
    with pytest.raises(UsageError, match="the limit is 10"):
        TreeObservations("kuhn", 10)
