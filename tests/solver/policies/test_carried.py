"""Policies of a game in its disguise: the same value and the same exploitability, by a map that is checked."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import antemill as am
from antemill import solver
from antemill.engine.errors import SpecError, UsageError

GAMES = ["kuhn", "59"]


@pytest.mark.parametrize("name", GAMES)
def test_value_and_exploitability_are_carried_over(name: str) -> None:
    spec = am.game(name)
    tree = am.build_tree(spec)
    run = am.solve(tree, target=0.05)
    rng = np.random.default_rng(1)
    profiles = [run.profile, _random(tree, rng)]
    turned = set()
    both = {found.exchanged: found for found in (am.disguise(spec, seed) for seed in range(6))}
    for found in both.values():
        there, sign = am.build_tree(found.game), -1 if found.exchanged else 1
        turned.add(found.exchanged)
        for profile in profiles:
            policy = solver.carry(found, profile)
            value = solver.expected_value(tree, profile)
            assert solver.expected_value(there, policy) == pytest.approx(sign * found.scale * value, abs=1e-9)
            want = found.scale * am.exploitability(tree, profile)
            assert am.exploitability(there, policy) == pytest.approx(want, abs=1e-9)
    assert turned == {True, False}


def _random(tree: solver.ExtensiveForm, rng: np.random.Generator) -> solver.StrategyProfile:
    found = []
    for mine in tree.sets:
        policy = np.ones(mine.sequences)
        for low, high in zip(mine.start[:-1], mine.start[1:], strict=True):
            policy[low:high] = rng.dirichlet(np.ones(high - low))
        found.append(policy)
    return found[0], found[1]


def test_a_map_that_is_not_that_of_the_disguise_is_refused() -> None:
    found = next(found for seed in range(9) if (found := am.disguise("kuhn", seed)).exchanged)
    profile = am.solve("kuhn", target=0.1).profile
    with pytest.raises(SpecError, match="the information sets of the disguise are not those of its game"):
        solver.carry(replace(found, exchanged=False), profile)
    with pytest.raises(SpecError, match="the information sets of the disguise are not those of its game"):
        solver.carry(replace(found, scale=found.scale + 1), profile)
    kept = am.disguise("kuhn", 1, seats=False)
    for wrong in (replace(kept, scale=kept.scale + 1), replace(kept, original=am.game("leduc"))):
        with pytest.raises(SpecError, match="the information sets of the disguise are not those of its game"):
            solver.carry(wrong, am.solve(wrong.original, iterations=2).profile)
    with pytest.raises(UsageError, match="more than 10 nodes: raise the limit"):
        solver.carry(found, profile, 10)
