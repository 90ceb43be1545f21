"""The run loop: limits, what is left when it ends, what it tells, and which algorithm `auto` takes."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

import antemill.solver.algorithms.solve as module
from antemill.engine.errors import UsageError
from antemill.solver.algorithms import turns
from antemill.solver.algorithms.auto import Choice, choose, linear_program_iterations
from antemill.solver.algorithms.loop import Progress
from antemill.solver.algorithms.solve import Run, solve
from antemill.solver.algorithms.table import ON_TREES, RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides, uniform_policy
from benches.games import bigger_leduc
from tests.solver.games import game


def check(both: Sides, run: Run) -> None:
    """What is true of every run."""
    assert run.exploitability == exploitability(both, run.profile) == run.trace[-1].measure
    assert run.trace[0].iteration == 0
    for before, after in pairwise(run.trace):
        assert after.measure <= before.measure
        assert after.iteration > before.iteration or run.algorithm == "lp"
        assert after.seconds >= before.seconds
    assert run.iterations == run.trace[-1].iteration
    assert run.seconds >= run.trace[-1].seconds


def at_once(both: Sides) -> Choice:
    """A plan in which the linear program begins after the first iteration."""
    return choose(both)._replace(patience=1)


@pytest.mark.parametrize("algorithm", ON_TREES)
def test_a_run_to_its_target(algorithm: str) -> None:
    both = game("leduc", False)
    run = solve(both, algorithm, 0.02)
    check(both, run)
    assert run.stopped == "target"
    assert run.exploitability <= 0.02 < run.trace[-2].measure
    assert run.algorithm != "auto"
    assert run.algorithm == algorithm or algorithm == "auto"
    uniform = uniform_policy(both[0]), uniform_policy(both[1])
    assert run.trace[0].measure == exploitability(both, uniform)


@pytest.mark.parametrize("algorithm", sorted(RULES))
def test_iterations_are_counted_and_kept_to(algorithm: str) -> None:
    both = game("kuhn", False)
    run = solve(both, algorithm, 0.0, 2_345)
    check(both, run)
    assert (run.stopped, run.iterations) == ("iterations", 2_345)
    again = solve(both, algorithm, 0.0, 2_345, workers=2)
    assert again.trace[-1][::2] == run.trace[-1][::2]
    assert all(np.array_equal(a, b) for a, b in zip(run.profile, again.profile, strict=True))


def test_time_is_kept_to() -> None:
    both = game("leduc", True)
    solve(both, "cfr", 0.0, 10)  # compiled by now
    begun = time.perf_counter()
    run = solve(both, "cfr", 0.0, seconds=0.5)
    check(both, run)
    assert run.stopped == "time"
    assert 0.5 <= time.perf_counter() - begun < 5.0
    assert run.iterations > 100


def test_the_linear_program_out_of_time_leaves_the_start() -> None:
    both = game("leduc", True)
    run = solve(both, "lp", 0.0, seconds=0.01)
    assert (run.stopped, len(run.trace)) == ("time", 1)
    check(both, run)


def test_nothing_is_done_where_the_start_will_do() -> None:
    both = game("kuhn", False)
    exact = solve(both, "lp", 0.0)
    run = solve(both, "cfr+", 1e-9, start=exact.profile)
    assert (run.stopped, run.iterations, len(run.trace)) == ("target", 0, 1)
    assert run.profile is exact.profile


@pytest.mark.parametrize(("how", "workers"), [("keyboard", 2), ("watch", 1)])
def test_an_interrupted_run_leaves_the_best_policy(how: str, workers: int) -> None:
    both = game("leduc", False)
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        if len(told) == 5 and how == "keyboard":
            raise KeyboardInterrupt
        return len(told) < 5

    run = solve(both, "cfr+", 1e-9, workers=workers, watch=watch)
    check(both, run)
    assert run.stopped == "interrupted"
    assert len(told) == len(run.trace) == 5
    assert [(t.iteration, t.measure) for t in told] == [(t.iteration, t.measure) for t in run.trace]
    assert all((t.algorithm, t.target) == ("cfr+", 1e-9) for t in told)


def test_the_best_policy_is_kept_when_later_ones_are_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    both = game("kuhn", False)
    measured = WorkerPool.exploitability
    seen: list[StrategyProfile] = []

    def spoilt(pool: WorkerPool) -> float:
        seen.append(pool.average())
        if len(seen) == 4:
            for total in pool.totals():
                total[:] = 0.0  # the uniform policy, until further iterations are made
        return measured(pool)

    monkeypatch.setattr(WorkerPool, "exploitability", spoilt)
    run = solve(both, "cfr+", 0.0, 3_000)
    assert len(seen) == 4
    assert all(np.array_equal(got, want) for got, want in zip(run.profile, seen[2], strict=True))
    assert run.trace[3].measure == run.trace[2].measure == run.exploitability
    assert run.iterations == 3_000


def test_time_left_is_guessed_from_the_run_and_its_limits() -> None:
    both = game("leduc", False)
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        return True

    solve(both, "cfr+", 1e-4, watch=watch)
    assert told[0].seconds_left is None
    guesses = [p.seconds_left for p in told[len(told) // 2 : -1] if p.seconds_left is not None]
    assert guesses
    assert all(guess >= 0.0 for guess in guesses)
    assert told[-1].seconds_left == 0.0
    told.clear()
    solve(both, "cfr+", 0.0, 5_000, seconds=1_000.0, watch=watch)
    assert told[0].seconds_left is not None
    assert 999.0 < told[0].seconds_left <= 1_000.0
    assert told[-1].seconds_left == 0.0


def test_what_can_not_be_is_refused() -> None:
    both = game("kuhn", False)
    with pytest.raises(
        UsageError, match=r"the argument `algorithm` must be one of 'auto', 'lp', 'cfr', .* and is 'mccfr'"
    ):
        solve(both, "mccfr")
    with pytest.raises(UsageError, match="the number of iterations must be positive, not 0"):
        solve(both, iterations=0)
    with pytest.raises(UsageError, match="the number of seconds must be positive, not nan"):
        solve(both, seconds=float("nan"))
    with pytest.raises(UsageError, match="the number of workers must be positive, not -1"):
        solve(both, workers=-1)


def test_auto_takes_the_algorithm_for_the_kind_of_game() -> None:
    """Dense payoffs have one of their own; elsewhere two take turns, unless the second would take much memory."""
    small, dense, large = game("kuhn", False), game("leduc", True), sides(build_tree(bigger_leduc(6)))
    plans = [choose(both) for both in (small, dense, large)]
    assert [bool(plan.rival) for plan in plans] == [True, False, False]
    assert plans[0].algorithm != plans[1].algorithm
    for both, plan in zip((small, dense, large), plans, strict=True):
        assert {plan.algorithm, plan.rival or plan.algorithm} <= set(RULES)
        assert plan.patience == int(0.7 * linear_program_iterations(both)) > 100
    run = solve(dense, "auto", 0.02)
    assert (run.algorithm, run.stopped) == (plans[1].algorithm, "target")
    assert 0 < run.iterations < plans[1].patience


def test_auto_goes_on_with_the_better_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take turns until both have made the iterations of the race; plain CFR is clearly behind then."""
    both, told, pair = game("leduc", False), [], ("cfr", "cfr+")
    monkeypatch.setattr(module, "choose", lambda _: Choice("cfr", "cfr+"))
    monkeypatch.setattr(turns, "RACE", 400)  # two turns in a game as small as this

    def watch(progress: Progress) -> None:
        told.append(progress)

    run = solve(both, "auto", 0.0, 3_000, watch=watch)
    check(both, run)
    turn, rounds = told[1].iteration, 2
    assert [progress.algorithm for progress in told[1 : 2 * rounds + 1]] == [*pair] * rounds
    assert {progress.algorithm for progress in told[2 * rounds + 1 :]} == {"cfr+"}
    alone = solve(both, "cfr+", 0.0, 3_000 - rounds * turn)
    assert (run.iterations, run.exploitability) == (3_000, alone.exploitability)


def test_auto_lets_the_linear_program_finish() -> None:
    both = game("leduc", False)
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        return True

    run = solve(both, "auto", 0.0, watch=watch)
    check(both, run._replace(iterations=run.trace[-1].iteration))
    first = choose(both)
    assert run.algorithm == "lp"
    assert abs(run.exploitability) < 1e-9
    assert run.iterations >= 0.7 * first.patience
    assert {p.algorithm for p in told[:-2]} == {first.algorithm}
    assert [p.algorithm for p in told[-2:]] == ["lp"] * 2


@pytest.mark.parametrize("how", ["time", "keyboard"])
def test_the_linear_program_of_auto_is_stopped(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the iterations beside it go on, far from the target."""
    both, told = sides(build_tree(bigger_leduc(6))), []
    monkeypatch.setattr(module, "choose", at_once)

    def watch(progress: Progress) -> bool:
        told.append(progress)
        if len(told) == 4 and how == "keyboard":
            raise KeyboardInterrupt
        return True

    run = solve(both, "auto", 0.0, seconds=0.3 if how == "time" else None, watch=watch)
    assert (run.stopped, run.algorithm) == ("time" if how == "time" else "interrupted", choose(both).algorithm)
    check(both, run)
