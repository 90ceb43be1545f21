"""The solver on an extensive form that was written down by hand, without the engine."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.rules.named import NAMED
from antemill.solver import build_tree, exploitability, solve
from antemill.solver.algorithms.iterations import Iterations
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.table import ON_TREES, RULES
from antemill.solver.evaluation.measures import best_response, expected_value, measure
from antemill.solver.game import ALICE, BOB, END, NATURE, ExtensiveForm
from antemill.solver.trees.sequence_form import payoff_matrix, sides, uniform_policy
from tests.solver.by_hand import equilibrium, kuhn
from tests.solver.naive_cfr import NAIVE


def test_the_form_is_that_of_kuhn_poker() -> None:
    """What holds of every tree, on this one."""
    tree = kuhn()
    assert [tree.count(who) for who in (ALICE, BOB, NATURE, END)] == [12, 12, 1, 30]
    inner = np.flatnonzero(tree.player != END)
    children = np.concatenate([tree.first[node] + np.arange(tree.width[node]) for node in inner])
    assert sorted(children) == list(range(1, tree.nodes))
    for seat, mine in enumerate(tree.sets):
        for number, (low, high) in enumerate(pairwise(mine.start)):
            nodes = np.flatnonzero((tree.player == seat) & (tree.information_set == number))
            assert len(nodes) == 2
            assert set(tree.sequence[seat, nodes]) == {mine.parent_sequence[number]}
            for action in range(high - low):
                assert set(tree.sequence[seat, tree.first[nodes] + action]) == {low + action}


def test_nodes_in_another_order_are_refused() -> None:
    """The same game, level by level: the children of a node have consecutive numbers in this order, too."""
    tree = kuhn()
    order, level = [0], [0]
    while level:
        level = [int(tree.first[node]) + i for node in level for i in range(tree.width[node])]
        order += level
    number = np.argsort(order)
    first = number[np.minimum(tree.first, tree.nodes - 1)][order]
    names = "player", "width", "weight", "payoff", "information_set"
    player, width, weight, payoff, sets = (getattr(tree, name)[order] for name in names)
    assert np.array_equal(first[width > 0], (1 + np.cumsum(width) - width)[width > 0])
    with pytest.raises(UsageError, match=r"the nodes of Kuhn are not numbered depth first: see `antemill.solver.game`"):
        ExtensiveForm.of_nodes("Kuhn", "", player, first, width, weight, payoff, sets, tree.sets)


@pytest.mark.parametrize("nodes", [-1, 1])
def test_a_tree_with_other_nodes_than_its_moves_lead_to_is_refused(nodes: int) -> None:
    """Kernels would read beyond the end of its columns."""
    tree = kuhn()
    names = "player", "first", "width", "weight", "payoff", "information_set"
    player, first, width, weight, payoff, sets = (np.resize(getattr(tree, name), tree.nodes + nodes) for name in names)
    player[tree.nodes - 1 :] = END
    with pytest.raises(
        UsageError, match=f"Kuhn has {tree.nodes + nodes} nodes, but they are not one root and all children"
    ):
        ExtensiveForm.of_nodes("Kuhn", "", player, first, width, weight, payoff, sets, tree.sets)


@pytest.mark.parametrize("bluff", [0.0, 0.1, 1 / 3])
def test_kuhns_own_equilibria_can_not_be_exploited(bluff: float) -> None:
    found = measure(kuhn(), equilibrium(bluff))
    assert found.value == pytest.approx(-1 / 18, abs=1e-15)
    assert found.exploitability == pytest.approx(0.0, abs=1e-15)


def test_other_profiles_can() -> None:
    tree = kuhn()
    uniform = tuple(uniform_policy(side) for side in sides(tree))
    assert measure(tree, (uniform[0], uniform[1])).best_responses == pytest.approx((1 / 2, 5 / 12), abs=1e-15)
    alice, bob = equilibrium(0.0)
    wild = alice.copy()
    wild[1:3] = (0.0, 1.0)  # Alice always bets a jack
    assert exploitability(tree, (wild, bob)) > 1e-3
    honest = bob.copy()
    honest[9:11] = (1.0, 0.0)  # Bob never bets a jack
    best = best_response(tree, ALICE, honest)
    assert expected_value(tree, (best, honest)) > -1 / 18 + 1e-3
    assert expected_value(tree, (alice, honest)) >= -1 / 18 - 1e-15


def test_the_compiled_game_has_the_same_sequence_form() -> None:
    """Chance is one draw here and two there, and the compiled game has another order; else they agree."""
    want, got = sides(kuhn()), sides(build_tree(compile_spec(NAMED["kuhn"]())))
    by_hand, compiled = (payoff_matrix(*both).toarray() for both in (want, got))
    alice = [0, *(card + action for card in (0, 4, 8) for action in (2, 1, 3, 4))]  # bet, check, fold, call
    bob = [0, *(card + action for card in (4, 0, 8) for action in (4, 3, 1, 2))]  # fold, call, bet, check; king first
    assert np.allclose(by_hand, compiled[alice][:, bob], rtol=0, atol=1e-15)
    assert np.count_nonzero(by_hand) == 30
    assert [side.start.tolist() for side in want] == [side.start.tolist() for side in got]


@pytest.mark.parametrize("algorithm", ON_TREES)
def test_every_algorithm_solves_it(algorithm: str) -> None:
    tree = kuhn()
    run = solve(tree, algorithm, 2e-3)
    assert run.stopped == "target"
    assert run.exploitability == exploitability(tree, run.profile) <= 2e-3
    assert run.value == pytest.approx(-1 / 18, abs=4e-3)


def test_the_linear_program_is_exact_on_it() -> None:
    found = solve_exactly(sides(kuhn()))
    assert found.value == pytest.approx(-1 / 18, abs=1e-12)
    assert abs(found.exploitability) < 1e-12


@pytest.mark.parametrize("algorithm", RULES)
def test_iterations_are_those_of_the_papers(algorithm: str) -> None:
    """Against versions that walk the nodes and share nothing with the solver."""
    tree = kuhn()
    made = Iterations(sides(tree), RULES[algorithm])
    made.advance(25)
    got = made.average()
    want = NAIVE[algorithm](tree, 25)
    assert exploitability(tree, got) == pytest.approx(exploitability(tree, want), abs=1e-12)
    assert expected_value(tree, got) == pytest.approx(expected_value(tree, want), abs=1e-12)


@pytest.mark.parametrize("weight", [32_767, 32_768, 40_000, 65_536, 2_598_960])
def test_weights_of_any_size(weight: int) -> None:
    assert np.array_equal(kuhn(weight).chance, kuhn().chance)
    assert expected_value(kuhn(weight), equilibrium(0.2)) == pytest.approx(-1 / 18, abs=1e-12)
