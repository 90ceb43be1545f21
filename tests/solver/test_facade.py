"""The facade of `solver`, and that its lowest part needs numpy and compiled loops only."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from antemill import solver
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.rules.named import NAMED
from tests.imports import ROOT, imports, sources


def test_the_game_needs_numpy_and_kernels_only() -> None:
    (game,) = (source for source in sources(ROOT / "solver") if source.module == "antemill.solver.game")
    assert {found.module for found in imports(game)} <= {
        "antemill.engine.errors",
        "antemill.engine.kernel",
        "__future__",
        "dataclasses",
        "functools",
        "typing",
        "numpy",
        "numpy.typing",
    }


def test_every_name_of_the_facade_is_there() -> None:
    assert {"build_tree", "solve", "exploitability", "Policy"} <= set(solver.__all__)
    assert sorted(solver.__all__) == solver.__all__
    assert set(solver.__all__) <= set(dir(solver))
    for name in solver.__all__:
        found = getattr(solver, name)
        assert found.__module__.startswith("antemill.solver.") or name == "StrategyProfile"
    with pytest.raises(AttributeError, match=r"module 'antemill\.solver' has no attribute 'equilibrium'"):
        solver.equilibrium  # noqa: B018


def test_the_facade_solves_a_game() -> None:
    tree = solver.build_tree(compile_spec(NAMED["kuhn"]()))
    run = solver.solve(tree, "cfr+", target=1e-3)
    assert run.exploitability == solver.exploitability(tree, run.profile) <= 1e-3
    assert run.value == solver.expected_value(tree, run.profile) == pytest.approx(-1 / 18, abs=1e-3)
    best = solver.best_response(tree, 0, run.profile[1])
    assert solver.expected_value(tree, (best, run.profile[1])) > run.value


def test_a_target_that_is_none_is_refused() -> None:
    tree = solver.build_tree(compile_spec(NAMED["kuhn"]()))
    for wrong in (-1, float("nan")):
        with pytest.raises(UsageError, match=f"the target is {wrong}"):
            solver.solve(tree, "cfr+", target=wrong)


def _answer(given: bool | np.bool_, _: solver.Progress) -> bool:
    return given  # type: ignore[return-value]  # comparisons of numpy's numbers give its own kind of bool


def test_a_callback_that_returns_nothing_lets_the_run_go_on() -> None:
    tree = solver.build_tree(compile_spec(NAMED["kuhn"]()))
    told: list[int] = []
    run = solver.solve(tree, "cfr+", target=1e-3, watch=lambda progress: told.append(progress.iteration))
    assert (run.stopped, run.iterations) == ("target", told[-1])
    for no in (False, np.False_):
        assert solver.solve(tree, "cfr+", target=1e-3, watch=partial(_answer, no)).stopped == "interrupted"


def test_importing_the_package_is_cheap() -> None:
    heavy = {"numpy", "numba", "antemill.engine.rules", "antemill.engine.machine"}
    code = f"import sys, antemill.solver; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
