"""CFR+ and the linear program: known values, and each other's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.branches import count_nodes
from engine.compile import compile_spec
from engine.errors import UsageError
from engine.games import NAMED
from engine.generate import generate
from engine.spec import GameSpec
from solver import cfr_plus
from solver.linear_program import solve_exactly
from solver.measures import Array, Joint, exploitability, measure
from solver.sequence_form import Sides, sides
from solver.tree import ALICE, BOB, END, NATURE, ExtensiveForm, build_tree
from tests.test_solver_tree import alice_alone

KUHN = -1 / 18
LEDUC = -0.085606424078  # OpenSpiel's and the literature's
GAMES = [("kuhn", False, KUHN, 1e-12), ("leduc", False, LEDUC, 1e-9), ("leduc", True, LEDUC, 1e-9)]


def game(name: str, suited: bool) -> Sides:
    return sides(build_tree(compile_spec(NAMED[name](), suited=suited)))


@pytest.mark.parametrize(("name", "suited", "value", "tolerance"), GAMES)
def test_the_linear_program_is_exact(name: str, suited: bool, value: float, tolerance: float) -> None:
    both = game(name, suited)
    found = solve_exactly(both)
    assert found.value == pytest.approx(value, abs=tolerance)
    assert abs(found.exploitability) < 1e-9
    assert exploitability(both, found.joint) == found.exploitability


@pytest.mark.parametrize(("name", "suited", "value", "tolerance"), GAMES)
def test_cfr_plus_reaches_its_target(name: str, suited: bool, value: float, tolerance: float) -> None:
    both = game(name, suited)
    joint, trace = cfr_plus.solve(both, 1e-4)
    found = measure(both, joint)
    assert found.exploitability == trace[-1].exploitability < 1e-4
    assert all(point.exploitability > 1e-4 for point in trace[:-1])
    assert -found.best_responses[1] - tolerance <= value <= found.best_responses[0] + tolerance
    assert abs(found.value - value) <= found.nash_conv + tolerance


@pytest.mark.parametrize("seed", range(12))
def test_both_agree_on_generated_games(seed: int) -> None:
    program = compile_spec(generate(seed, 0.05))
    if count_nodes(program, 5_000) > 5_000:
        program = compile_spec(NAMED["appendix-b"]())
    both = sides(build_tree(program))
    exact = solve_exactly(both)
    assert abs(exact.exploitability) < 1e-7
    joint, trace = cfr_plus.solve(both, 1e-2, 20_000)
    assert trace[-1].exploitability <= 1e-2
    assert abs(measure(both, joint).value - exact.value) <= 2 * trace[-1].exploitability + 1e-7


def naive_cfr_plus(tree: ExtensiveForm, iterations: int) -> Joint:
    """The average policies by walks over the tree's nodes, as in the paper."""
    policy, regret, total = ([np.zeros(mine.sequences) for mine in tree.sets] for _ in range(3))

    def match(seat: int, weights: Array, out: Array) -> None:
        out[0] = 1.0
        for low, high in pairwise(tree.sets[seat].start):
            whole = weights[low:high].sum()
            out[low:high] = weights[low:high] / whole if whole > 0 else 1 / (high - low)

    def walk(node: int, seat: int, others: float, change: Array) -> float:
        """The payoff of `seat`; adds its counterfactual regrets to `change`. `others`: everyone else's reach."""
        player = tree.player[node]
        children = tree.first[node] + np.arange(tree.width[node])
        if player == END:
            return float(tree.payoff[node] * (1 - 2 * seat))
        if player == NATURE:
            odds = tree.weight[children] / tree.weight[children].sum()
        else:
            low = tree.sets[player].start[tree.information_set[node]]
            odds = policy[player][low : low + len(children)]
        reach = [others if player == seat else others * p for p in odds]
        values = [walk(int(child), seat, r, change) for child, r in zip(children, reach, strict=True)]
        value = float(np.dot(odds, values))
        if player == seat:
            change[low : low + len(children)] += others * (np.array(values) - value)
        return value

    for seat in (ALICE, BOB):
        match(seat, regret[seat], policy[seat])
    for t in range(1, iterations + 1):
        for seat in (ALICE, BOB):
            change = np.zeros(len(regret[seat]))
            walk(0, seat, 1.0, change)
            regret[seat] = np.maximum(0.0, regret[seat] + change)
            match(seat, regret[seat], policy[seat])
            plan = policy[seat].copy()
            for past, (low, high) in zip(tree.sets[seat].past, pairwise(tree.sets[seat].start), strict=True):
                plan[low:high] *= plan[past]
            total[seat] += t * plan
    for seat in (ALICE, BOB):
        match(seat, total[seat], policy[seat])
    return policy[0], policy[1]


@pytest.mark.parametrize("spec", [NAMED["kuhn"](), generate(0, 0.05), generate(1, 0.05)], ids=["kuhn", "0", "1"])
def test_cfr_plus_is_that_of_the_paper(spec: GameSpec) -> None:
    tree = build_tree(compile_spec(spec))
    joint, _ = cfr_plus.solve(sides(tree), 0.0, 7)
    for got, want in zip(joint, naive_cfr_plus(tree, 7), strict=True):
        assert np.allclose(got, want, rtol=0, atol=1e-9)


def test_cfr_plus_stops_after_the_iterations_and_measures_the_rest_of_them() -> None:
    both = game("kuhn", False)
    joint, trace = cfr_plus.solve(both, 0.0, 25, 10)
    assert [point.iteration for point in trace] == [10, 20, 25]
    assert trace[-1].exploitability == exploitability(both, joint)
    again, _ = cfr_plus.solve(both, 0.0, 25, 25)
    assert all(np.array_equal(a, b) for a, b in zip(joint, again, strict=True))
    for wrong in ((0, 1), (1, 0)):
        with pytest.raises(UsageError, match="at least one iteration"):
            cfr_plus.solve(both, 0.0, *wrong)


def test_a_player_alone_plays_the_best_response() -> None:
    both = sides(build_tree(compile_spec(alice_alone())))
    exact = solve_exactly(both)
    joint, trace = cfr_plus.solve(both, 1e-6)
    assert trace[-1].exploitability <= 1e-6
    assert measure(both, joint).value == pytest.approx(exact.value, abs=2e-6)
    assert exact.value == pytest.approx(measure(both, exact.joint).best_responses[0], abs=1e-12)
