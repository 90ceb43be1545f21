"""How many histories share an information set, against the exact probabilities on the tree."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.rules.named import NAMED
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.build import build_tree
from studies.histories_alike import histories_alike
from tests.solver.games import alice_alone


def exactly(tree: ExtensiveForm) -> float:
    """By the probability of every decision of a random playout, level by level."""
    chance, depth = np.ones(tree.nodes), np.zeros(tree.nodes, int)
    for node in range(tree.nodes):
        children = slice(tree.first[node], tree.first[node] + tree.width[node])
        if tree.player[node] < 2:
            chance[children] = chance[node] / max(1, tree.width[node])
            depth[children] = depth[node] + 1
        elif tree.width[node]:
            chance[children] = chance[node] * tree.chance[children] / tree.chance[node]
            depth[children] = depth[node]
    histories = sets = 0.0
    for level in range(int(depth.max())):
        here = np.flatnonzero((depth == level) & (tree.player < 2))
        alike: dict[tuple[int, int], float] = {}
        for node in here.tolist():
            name = int(tree.player[node]), int(tree.information_set[node])
            alike[name] = alike.get(name, 0.0) + chance[node]
        histories += 1 / float(np.sum(chance[here] ** 2))
        sets += 1 / sum(p * p for p in alike.values())
    return histories / sets


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_against_the_tree(name: str) -> None:
    program = compile_spec(NAMED[name]())
    found = histories_alike(program, 50_000)
    assert found.histories == pytest.approx(exactly(build_tree(program)), rel=0.05)
    assert found.decisions == found.longest == {"kuhn": 3, "leduc": 8}[name]


def test_by_hand_and_with_too_few_playouts() -> None:
    found = histories_alike(compile_spec(alice_alone()), 20_000)  # Bob has a card of the other rank twice as often
    assert found.histories == pytest.approx(1 / ((1 / 3) ** 2 + (2 / 3) ** 2), rel=0.02)
    few = histories_alike(compile_spec(NAMED["appendix-b"]()), 30)
    assert few.decisions < few.longest
