"""Sampling without a tree: it comes near the known values, is a function of its seed, and its tables hold together."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import ActionRound, Deck, GameSpec, Option, Showdown
from antemill.solver.algorithms import loop, mccfr
from antemill.solver.algorithms.loop import Progress
from antemill.solver.algorithms.mccfr import SampledRun, solve_sampled
from antemill.solver.evaluation.measures import Measures, measure
from antemill.solver.policies.on_tree import policies_of
from antemill.solver.policies.policy import Policy, check_table
from antemill.solver.trees import build
from antemill.solver.trees.abstract_sets import AbstractSides, abstract_sets, lift
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides
from tests.solver.games import KUHN, LEDUC


@cache
def program(name: str) -> Program:
    return compile_spec(NAMED[name]()) if name in NAMED else compile_spec(generate(int(name), 0.02))


@cache
def on_tree(name: str, abstraction: Abstraction) -> tuple[Sides, AbstractSides]:
    whole = build_tree(program(name))
    return sides(whole), abstract_sets(program(name), whole, abstraction)


def real(name: str, table: Policy) -> Measures:
    """A table's policy in the real game."""
    both, abstract = on_tree(name, table.abstraction)
    policies, _ = policies_of(abstract, table)
    return measure(both, (lift(abstract[0], policies[0]), lift(abstract[1], policies[1])))


def same(a: SampledRun, b: SampledRun) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a.table[1:], b.table[1:], strict=True))


@pytest.mark.parametrize(
    ("name", "iterations", "value", "near"), [("kuhn", 100_000, KUHN, 0.005), ("leduc", 60_000, LEDUC, 0.1)]
)
def test_it_comes_near_the_known_value_without_a_tree(
    name: str, iterations: int, value: float, near: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(build, "build_tree", None)
        patch.setattr(build, "_enumerate", None)
        run = solve_sampled(program(name), iterations=iterations, seed=1)
    assert (run.iterations, run.stopped, run.trace) == (iterations, "iterations", [])
    assert math.isnan(run.exploitability)
    check_table(run.table)
    found = real(name, run.table)
    assert found.exploitability < near
    assert abs(found.value - value) < near
    early = real(name, solve_sampled(program(name), iterations=iterations // 50, seed=1).table)
    assert found.exploitability < early.exploitability / 2


def test_the_rows_are_the_information_sets() -> None:
    table = solve_sampled(program("leduc"), iterations=5_000).table
    _, abstract = on_tree("leduc", Abstraction.NONE)
    for seat in (0, 1):
        mine = table.seat == seat
        assert sorted(table.key[mine]) == sorted(abstract[seat].key)
        place = np.argsort(abstract[seat].key)
        at = place[np.searchsorted(abstract[seat].key[place], table.key[mine])]
        assert np.array_equal(table.decision[mine], abstract[seat].decision[at])
        for row, number in zip(np.flatnonzero(mine), at, strict=True):
            want = abstract[seat].action[abstract[seat].start[number] : abstract[seat].start[number + 1]]
            assert np.array_equal(table.action[table.start[row] : table.start[row + 1]], want)


def test_it_is_a_function_of_seed_and_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the iterations are batched, and however little room there is at first."""
    want = solve_sampled(program("leduc"), iterations=3_000, seed=7)
    monkeypatch.setattr(mccfr, "_ROWS", 4)
    monkeypatch.setattr(mccfr, "_LEVELS", 1)
    monkeypatch.setattr(mccfr, "_PLACES", 1)
    monkeypatch.setattr(loop, "_BATCH_SECONDS", 1e-5)
    monkeypatch.setattr(mccfr, "_STEPS", 7)
    assert same(solve_sampled(program("leduc"), iterations=3_000, seed=7), want)
    assert not same(solve_sampled(program("leduc"), iterations=3_000, seed=8), want)


def test_a_measured_run_keeps_the_best_and_stops_at_the_target() -> None:
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        return True

    def measured(table: Policy) -> float:
        return real("kuhn", table).exploitability

    run = solve_sampled(program("kuhn"), iterations=10**9, watch=watch, measured=measured, target=0.004)
    assert run.stopped == "target"
    assert run.exploitability == measured(run.table) <= 0.004
    figures = [point.measure for point in run.trace]
    assert figures == sorted(figures, reverse=True)
    assert run.trace[-1].iteration == run.iterations == told[-1].iteration
    assert told[-1].algorithm == "mccfr"


def test_a_walk_that_takes_for_ever_stops_in_time() -> None:
    """Forty binary decisions in a row: the first iteration would visit a million million nodes."""
    rounds = [ActionRound(f"Round {i}", "alice", (Option("a"), Option("b")), picks=4) for i in range(10)]
    names = (*(each.name for each in rounds), "Showdown")
    spec = GameSpec("long", Deck((2, 3), ("hearts",)), 3, (*rounds, Showdown("Showdown")), names)
    run = solve_sampled(compile_spec(spec), seconds=0.2)
    assert (run.stopped, run.iterations) == ("time", 0)
    assert run.seconds < 20
    check_table(run.table)


def test_a_run_without_end_is_refused() -> None:
    with pytest.raises(UsageError, match="limit the iterations or the seconds"):
        solve_sampled(program("kuhn"))
    with pytest.raises(UsageError, match="the number of iterations must be positive, not 0"):
        solve_sampled(program("kuhn"), iterations=0)
    with pytest.raises(UsageError, match=r"the number of seconds must be positive, not -1\.0"):
        solve_sampled(program("kuhn"), seconds=-1.0)
