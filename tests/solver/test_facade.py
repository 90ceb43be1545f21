"""The facade of `solver` and the order of its parts."""

from __future__ import annotations

import subprocess
import sys

import pytest

import solver
from engine.compiler.compile import compile_spec
from engine.rules.named import NAMED
from tests.imports import ROOT, Source, imports, sources

ORDER = ("game", "trees", "policies", "evaluation", "algorithms", "solving")  # each knows those before it only


def upward(source: Source) -> list[str]:
    """Imports, at any depth, of a part of `solver` that lies above the module's own."""
    parts = source.module.split(".")
    if len(parts) < 2:
        return []
    above = ORDER[ORDER.index(parts[1]) + 1 :]
    return [
        f"{source.module}:{found.line} imports {found.target}"
        for found in imports(source)
        if (found.module == "solver" and found.name not in ORDER)
        or any(f"{found.target}.".startswith(f"solver.{part}.") for part in above)
    ]


def test_the_parts_know_only_those_below() -> None:
    modules = sources(ROOT / "solver")
    assert {source.module.split(".")[1] for source in modules if "." in source.module} == set(ORDER)
    assert [line for source in modules for line in upward(source)] == []
    assert len(upward(Source("solver.trees.build", "def f():\n    from solver.policies import table"))) == 1
    assert len(upward(Source("solver.trees.build", "from solver import build_tree"))) == 1


def test_the_game_needs_numpy_only() -> None:
    (game,) = (source for source in sources(ROOT / "solver") if source.module == "solver.game")
    assert {found.module.partition(".")[0] for found in imports(game)} <= {
        "__future__",
        "dataclasses",
        "typing",
        "numpy",
    }


def test_every_name_of_the_facade_is_there() -> None:
    assert {"build_tree", "solve", "exploitability", "Policy"} <= set(solver.__all__)
    assert sorted(solver.__all__) == solver.__all__
    assert set(solver.__all__) <= set(dir(solver))
    for name in solver.__all__:
        found = getattr(solver, name)
        assert found.__module__.startswith("solver.") or name == "StrategyProfile"
    with pytest.raises(AttributeError, match="module 'solver' has no attribute 'equilibrium'"):
        solver.equilibrium  # noqa: B018


def test_the_facade_solves_a_game() -> None:
    tree = solver.build_tree(compile_spec(NAMED["kuhn"]()))
    run = solver.solve(tree, "cfr+", target=1e-3)
    assert run.exploitability == solver.exploitability(tree, run.profile) <= 1e-3
    assert run.value == solver.expected_value(tree, run.profile) == pytest.approx(-1 / 18, abs=1e-3)
    best = solver.best_response(tree, 0, run.profile[1])
    assert solver.expected_value(tree, (best, run.profile[1])) > run.value


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, solver; print({'numpy', 'numba', 'engine'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
