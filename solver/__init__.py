"""Solving two-player zero-sum games: game trees, algorithms that approach an equilibrium, and measures of policies.

    tree = build_tree(program)                # the game in extensive form
    run = solve(tree, "auto", target=1e-3)    # a strategy profile near an equilibrium
    run.profile, run.value, run.exploitability
    exploitability(tree, run.profile)         # of any strategy profile, in chips per game

The sub-packages, from the bottom up; each imports only those before it, and `engine`:

game         the extensive form as flat arrays; nothing but numpy
trees        the tree of a program, its sequence form, and information abstractions
policies     strategy profiles on a tree, policies by information key, and their files
evaluation   expected values, best responses, exploitability, sampled bounds, and AIVAT
algorithms   CFR and its relatives, Monte Carlo CFR and the linear program; one table lists them
solving      one program solved from end to end, as `antemill solve` does it

The names below are imported when they are first used, so that `import solver` alone costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.algorithms.solve import Run, solve
    from solver.evaluation.measures import best_response, expected_value, exploitability
    from solver.game import ExtensiveForm
    from solver.policies.file import load_policy
    from solver.policies.profile import StrategyProfile
    from solver.policies.table import Policy
    from solver.solving import Settings, solve_game
    from solver.trees.build import build_tree

__all__ = [
    "ExtensiveForm",
    "Policy",
    "Run",
    "Settings",
    "StrategyProfile",
    "best_response",
    "build_tree",
    "expected_value",
    "exploitability",
    "load_policy",
    "solve",
    "solve_game",
]

_MODULES = {
    "ExtensiveForm": "game",
    "Policy": "policies.table",
    "Run": "algorithms.solve",
    "Settings": "solving",
    "StrategyProfile": "policies.profile",
    "best_response": "evaluation.measures",
    "build_tree": "trees.build",
    "expected_value": "evaluation.measures",
    "exploitability": "evaluation.measures",
    "load_policy": "policies.file",
    "solve": "algorithms.solve",
    "solve_game": "solving",
}


def __getattr__(name: str) -> Any:
    """Import a name of the facade on its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"solver.{_MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    """What the facade offers."""
    return sorted({*globals(), *__all__})
