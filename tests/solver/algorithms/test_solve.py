"""The run loop: limits, what is left when it ends, what it tells, and which algorithm `auto` takes."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.solver import Outside
from antemill.solver.algorithms.iterations import Iterations
from antemill.solver.algorithms.loop import Progress
from antemill.solver.algorithms.solve import Run, chosen, solve
from antemill.solver.algorithms.table import ON_TREES, RULES
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
    again = solve(both, algorithm, 0.0, 2_345)
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


@pytest.mark.parametrize("how", ["keyboard", "watch"])
def test_an_interrupted_run_leaves_the_best_policy(how: str) -> None:
    both = game("leduc", False)
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        if len(told) == 5 and how == "keyboard":
            raise KeyboardInterrupt
        return len(told) < 5

    run = solve(both, "cfr+", 1e-9, watch=watch)
    check(both, run)
    assert run.stopped == "interrupted"
    assert len(told) == len(run.trace) == 5
    assert [(t.iteration, t.measure) for t in told] == [(t.iteration, t.measure) for t in run.trace]
    assert all((t.algorithm, t.target) == ("cfr+", 1e-9) for t in told)


def test_the_best_policy_is_kept_when_later_ones_are_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    both = game("kuhn", False)
    measured = Iterations.exploitability
    seen: list[StrategyProfile] = []

    def spoilt(pool: Iterations) -> float:
        seen.append(pool.average())
        if len(seen) == 4:
            for total in pool.totals():
                total[:] = 0.0  # the uniform policy, until further iterations are made
        return measured(pool)

    monkeypatch.setattr(Iterations, "exploitability", spoilt)
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


def test_auto_takes_the_algorithm_for_the_kind_of_game() -> None:
    """The linear program where a game has more than ten payoffs a sequence."""
    rng = np.random.default_rng(0)
    for actions, algorithm in ((20, "hs-pdcfr+"), (30, "lp")):
        builder, names = Outside("matrix", ("A", "B")), [str(one) for one in range(actions)]
        builder.decision(0, "a", "a", names)
        for _ in names:
            builder.decision(1, "b", "b", names)
            for paid in rng.integers(1, 9, actions):
                builder.end((int(paid), -int(paid)))
        both = sides(builder.tree())
        assert (len(both[0].columns) > 10 * (both[0].sequences + both[1].sequences)) == (algorithm == "lp")
        assert chosen(both) == algorithm
        run = solve(both, "auto", 1e-3)
        check(both, run)
        assert (run.algorithm, run.stopped) == (algorithm, "target")
    assert chosen(sides(build_tree(bigger_leduc(6)))) == "hs-pdcfr+"
