"""The CFR family and the linear program: known values, each other's, and naive versions' (N13)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.solver.algorithms.iterations import Iterations
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.solve import solve
from antemill.solver.algorithms.table import RULES
from antemill.solver.evaluation.measures import exploitability, measure
from antemill.solver.game import END
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from tests.solver.games import KUHN, LEDUC, alice_alone, game, tractable
from tests.solver.naive_cfr import NAIVE

GAMES = [("kuhn", False, KUHN, 1e-12), ("leduc", False, LEDUC, 1e-9), ("leduc", True, LEDUC, 1e-9)]
QUICK = [name for name in RULES if name != "cfr"]  # those that come near an equilibrium soon
SMALL = [pytest.param(NAMED["kuhn"](), id="kuhn"), *(pytest.param(generate(s, 0.05), id=str(s)) for s in (0, 1))]


@pytest.mark.parametrize(("name", "suited", "value", "tolerance"), GAMES)
def test_the_linear_program_is_exact(name: str, suited: bool, value: float, tolerance: float) -> None:
    both = game(name, suited)
    found = solve_exactly(both)
    assert found.value == pytest.approx(value, abs=tolerance)
    assert abs(found.exploitability) < 1e-9
    assert exploitability(both, found.profile) == found.exploitability


def test_the_linear_program_keeps_to_its_time() -> None:
    with pytest.raises(TimeoutError, match="was stopped before it was solved"):
        solve_exactly(game("leduc", True), 1e-6)


@pytest.mark.parametrize("algorithm", QUICK)
@pytest.mark.parametrize(("name", "suited", "value", "tolerance"), GAMES[:2])
def test_algorithms_reach_their_target(algorithm: str, name: str, suited: bool, value: float, tolerance: float) -> None:
    both = game(name, suited)
    run = solve(both, algorithm, 1e-4)
    found = measure(both, run.profile)
    assert run.exploitability == found.exploitability <= 1e-4
    assert -found.best_responses[1] - tolerance <= value <= found.best_responses[0] + tolerance
    assert run.value == found.value
    assert abs(found.value - value) <= found.nash_conv + tolerance


def test_plain_cfr_gets_there_too() -> None:
    """Its bound falls with the inverse root of the iterations only."""
    both = game("kuhn", False)
    run = solve(both, "cfr", 2e-3, 100_000)
    assert run.stopped == "target"
    assert abs(run.value - KUHN) <= 4e-3


@pytest.mark.parametrize("seed", [0, 2, 3, 5, 11])
def test_all_agree_on_generated_games(seed: int) -> None:
    both = sides(build_tree(tractable(seed)))
    exact = solve_exactly(both)
    assert abs(exact.exploitability) < 1e-7
    for algorithm, target in (("cfr", 0.1), *((name, 1e-2) for name in QUICK), ("auto", 1e-3)):
        run = solve(both, algorithm, target, 20_000)
        assert run.exploitability <= target
        assert abs(run.value - exact.value) <= 2 * run.exploitability + 1e-7


@pytest.mark.parametrize("algorithm", sorted(RULES))
@pytest.mark.parametrize("spec", SMALL)
def test_a_few_iterations_are_those_of_the_papers(algorithm: str, spec: GameSpec) -> None:
    """With noise on the payoffs: where regrets tie at 0, rounding decides between a pure policy and the uniform one."""
    tree = build_tree(compile_spec(spec))
    noise = np.random.default_rng(0).uniform(-0.1, 0.1, tree.nodes)
    content = np.where(tree.player == END, np.arange(tree.nodes, dtype=np.int32), tree.content)
    tree = replace(tree, content=content, payoffs=tree.payoff + noise)
    made = Iterations(sides(tree), RULES[algorithm])
    made.advance(7)
    for got, want in zip(made.average(), NAIVE[algorithm](tree, 7), strict=True):
        assert np.allclose(got[1:], want[1:], rtol=0, atol=1e-11)


@pytest.mark.parametrize("algorithm", sorted(RULES))
def test_measuring_on_the_way_changes_nothing(algorithm: str) -> None:
    both = game("leduc", True)
    plain, measured = Iterations(both, RULES[algorithm]), Iterations(both, RULES[algorithm])
    plain.advance(23)
    measured.advance(3)
    assert measured.exploitability() == exploitability(both, measured.average())
    measured.advance(20)
    for one, other in zip(plain.learners, measured.learners, strict=True):
        assert np.array_equal(one.regret, other.regret)
        assert np.array_equal(one.total, other.total)


def test_a_player_alone_plays_the_best_response() -> None:
    both = sides(build_tree(compile_spec(alice_alone())))
    exact = solve_exactly(both)
    for algorithm in QUICK:
        run = solve(both, algorithm, 1e-6)
        assert run.exploitability <= 1e-6
        assert run.value == pytest.approx(exact.value, abs=2e-6)
    assert exact.value == pytest.approx(measure(both, exact.profile).best_responses[0], abs=1e-12)
