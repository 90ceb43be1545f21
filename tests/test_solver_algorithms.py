"""The CFR family and the linear program: known values, each other's, and naive versions' (N13)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.branches import count_nodes
from engine.compile import compile_spec
from engine.errors import UsageError
from engine.games import NAMED
from engine.generate import generate
from engine.program import Program
from engine.spec import GameSpec
from solver.linear_program import solve_exactly
from solver.measures import exploitability, measure
from solver.parallel import Crew
from solver.run import RULES, solve_tree
from solver.sequence_form import Sides, fill_plan, sides, uniform_policy
from solver.shares import divide
from solver.tree import build_tree
from tests.naive_cfr import NAIVE
from tests.test_solver_tree import alice_alone

KUHN = -1 / 18
LEDUC = -0.085606424078  # OpenSpiel's and the literature's
GAMES = [("kuhn", False, KUHN, 1e-12), ("leduc", False, LEDUC, 1e-9), ("leduc", True, LEDUC, 1e-9)]
SMALL = [pytest.param(NAMED["kuhn"](), id="kuhn"), *(pytest.param(generate(s, 0.05), id=str(s)) for s in (0, 1))]


@cache
def game(name: str, suited: bool) -> Sides:
    return sides(build_tree(compile_spec(NAMED[name](), suited=suited)))


def tractable(seed: int) -> Program:
    """A generated game with a small tree."""
    program = compile_spec(generate(seed, 0.05))
    return program if count_nodes(program, 5_000) <= 5_000 else compile_spec(NAMED["appendix-b"]())


@pytest.mark.parametrize(("name", "suited", "value", "tolerance"), GAMES)
def test_the_linear_program_is_exact(name: str, suited: bool, value: float, tolerance: float) -> None:
    both = game(name, suited)
    found = solve_exactly(both)
    assert found.value == pytest.approx(value, abs=tolerance)
    assert abs(found.exploitability) < 1e-9
    assert exploitability(both, found.joint) == found.exploitability


def test_the_linear_program_keeps_to_its_time() -> None:
    with pytest.raises(TimeoutError, match="longer than 1e-06 seconds"):
        solve_exactly(game("leduc", True), 1e-6)


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "pcfr+"])
@pytest.mark.parametrize(("name", "suited", "value", "tolerance"), GAMES)
def test_algorithms_reach_their_target(algorithm: str, name: str, suited: bool, value: float, tolerance: float) -> None:
    both = game(name, suited)
    run = solve_tree(both, algorithm, 1e-4)
    found = measure(both, run.joint)
    assert run.exploitability == found.exploitability <= 1e-4
    assert -found.best_responses[1] - tolerance <= value <= found.best_responses[0] + tolerance
    assert run.value == found.value
    assert abs(found.value - value) <= found.nash_conv + tolerance


def test_plain_cfr_gets_there_too() -> None:
    """Its bound falls with the inverse root of the iterations only."""
    both = game("kuhn", False)
    run = solve_tree(both, "cfr", 2e-3, 100_000)
    assert run.stopped == "target"
    assert abs(run.value - KUHN) <= 4e-3


@pytest.mark.parametrize("seed", range(12))
def test_all_agree_on_generated_games(seed: int) -> None:
    both = sides(build_tree(tractable(seed)))
    exact = solve_exactly(both)
    assert abs(exact.exploitability) < 1e-7
    for algorithm, target in (("cfr", 0.1), ("cfr+", 1e-2), ("dcfr", 1e-2), ("pcfr+", 1e-2), ("auto", 1e-3)):
        run = solve_tree(both, algorithm, target, 20_000)
        assert run.exploitability <= target
        assert abs(run.value - exact.value) <= 2 * run.exploitability + 1e-7


@pytest.mark.parametrize("algorithm", sorted(RULES))
@pytest.mark.parametrize("spec", SMALL)
def test_a_few_iterations_are_those_of_the_papers(algorithm: str, spec: GameSpec) -> None:
    tree = build_tree(compile_spec(spec))
    both = sides(tree)
    with Crew(both, RULES[algorithm]) as crew:
        crew.advance(7)
        for side, got, want in zip(both, crew.joint(), NAIVE[algorithm](tree, 7), strict=True):
            plan = np.empty(side.sequences)
            fill_plan(side, want, plan)
            reached = np.repeat(plan[side.past] > 1e-9, np.diff(side.start))  # elsewhere rounding decides
            assert np.allclose(got[1:][reached], want[1:][reached], rtol=0, atol=1e-12)
            assert reached.any()


@pytest.mark.parametrize("algorithm", sorted(RULES))
@pytest.mark.parametrize("name", ["leduc", "21"])
def test_any_number_of_workers_finds_the_same(algorithm: str, name: str) -> None:
    """Bit for bit."""
    both = game("leduc", True) if name == "leduc" else sides(build_tree(tractable(21)))
    found = []
    for workers in (1, 2, 3, 5):
        with Crew(both, RULES[algorithm], workers) as crew:
            crew.advance(3)
            crew.advance(20)
            found.append([learner.regret.tobytes() + learner.total.tobytes() for learner in crew.learners])
    assert found[0] == found[1] == found[2] == found[3]


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("seat", [0, 1])
def test_shares_cover_all_sets_once(workers: int, seat: int) -> None:
    for both in (game("kuhn", False), game("leduc", True), *(sides(build_tree(tractable(s))) for s in range(4))):
        side = both[seat]
        found = divide(side, workers)
        spans = [np.arange(low, high) for low, high in zip(found.low, found.high, strict=True)]
        taken = np.concatenate([*spans, found.above[~found.root]]).astype(int)
        assert sorted(taken) == list(range(len(side.past)))
        assert len(found.first) == len(found.part) == workers + 1
        assert (found.first[0], found.first[-1]) == (0, len(found.low))
        assert (found.part[0], found.part[-1]) == (0, len(found.heavy))
        assert list(found.heavy) == list(found.above[~found.root])
        assert np.all(np.diff(found.first) >= 0)
        assert np.all(np.diff(found.part) >= 0)
        owner = np.concatenate(([-1], np.repeat(np.arange(len(side.past)), np.diff(side.start))))
        above = set(found.above[~found.root])
        for span in spans:  # whole subtrees: what leads to a set is in the span, above all spans, or nothing
            for i in span:
                parent = owner[side.past[i]]
                assert parent in span or parent in above or parent == -1
                assert parent in span or parent == -1 or i in set(found.above[found.root])


def test_both_threads_of_a_big_tree_have_about_as_much_to_do() -> None:
    side = game("leduc", True)[0]
    found = divide(side, 2)

    def work(worker: int) -> int:
        spans = [(found.low[s], found.high[s]) for s in range(*found.first[worker : worker + 2])]
        spans += [(i, i + 1) for i in found.heavy[slice(*found.part[worker : worker + 2])]]
        return sum(int(side.rows[side.start[high]] - side.rows[side.start[low]]) for low, high in spans)

    assert work(0) + work(1) == side.rows[-1] - side.rows[1]
    assert min(work(0), work(1)) > 0.8 * max(work(0), work(1))


def test_sets_in_another_order_are_left_to_one_thread() -> None:
    side = game("kuhn", False)[0]
    order = np.array([0, 2, 4, 1, 3, 5])
    assert np.all(np.diff(side.start) == 2)
    first = np.argsort(order)  # old number -> new one
    past = np.array([0 if p == 0 else 1 + 2 * first[(p - 1) // 2] + (p - 1) % 2 for p in side.past[order]])
    assert np.count_nonzero(past) == 3
    found = divide(side._replace(past=past.astype(np.int32)), 2)
    assert (list(found.low), list(found.high), list(found.first)) == ([0], [6], [0, 1, 1])
    assert len(found.above) == 0


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "pcfr+"])
def test_a_warm_start_is_not_thrown_away(algorithm: str) -> None:
    both = game("leduc", False)
    exact = solve_exactly(both)
    with Crew(both, RULES[algorithm], 1, exact.joint) as crew:
        crew.advance(3)
        assert exploitability(both, crew.joint()) < 1e-6
    near = solve_tree(both, algorithm, 1e-2).joint
    warm, cold = (solve_tree(both, algorithm, 1e-9, 30, None, start) for start in (near, None))
    assert warm.trace[0].exploitability <= 1e-2
    assert warm.exploitability < cold.exploitability
    for start, low, high in ((near, 0.0, 0.2), (None, 1.0, 2.0)):
        with Crew(both, RULES[algorithm], 1, start) as crew:
            crew.advance(5)
            assert low < exploitability(both, crew.joint()) < high
    with pytest.raises(UsageError, match="does not fit"):
        solve_tree(both, algorithm, start=(near[0], near[0][:-1]))


def test_the_start_itself_is_left_alone() -> None:
    both = game("kuhn", False)
    start = uniform_policy(both[0]), uniform_policy(both[1])
    before = [policy.copy() for policy in start]
    solve_tree(both, "cfr+", 1e-9, 50, start=start)
    assert all(np.array_equal(a, b) for a, b in zip(start, before, strict=True))


def test_a_player_alone_plays_the_best_response() -> None:
    both = sides(build_tree(compile_spec(alice_alone())))
    exact = solve_exactly(both)
    for algorithm in ("cfr+", "dcfr", "pcfr+"):
        for workers in (1, 2):
            run = solve_tree(both, algorithm, 1e-6, workers=workers)
            assert run.exploitability <= 1e-6
            assert run.value == pytest.approx(exact.value, abs=2e-6)
    assert exact.value == pytest.approx(measure(both, exact.joint).best_responses[0], abs=1e-12)
