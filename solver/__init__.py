"""Solving two-player zero-sum games: game trees, algorithms that approach an equilibrium, and measures of policies.

    tree = build_tree(program)                # the game in extensive form; or read_efg("game.efg")
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

The names below are imported when they are first used, so that `import antemill.solver` alone costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.solver.algorithms.loop import Progress
    from antemill.solver.algorithms.solve import Run
    from antemill.solver.game import ExtensiveForm
    from antemill.solver.policies.dictionaries import as_dictionaries, as_profile, missing_sets
    from antemill.solver.policies.file import load_policy
    from antemill.solver.policies.policy import Policy
    from antemill.solver.policies.profile import StrategyProfile
    from antemill.solver.public import (
        best_response,
        build_tree,
        completed,
        expected_value,
        exploitability,
        solve,
    )
    from antemill.solver.solving import Settings, solve_game
    from antemill.solver.trees.efg import read_efg
    from antemill.solver.trees.outside import Outside

__all__ = [
    "ExtensiveForm",
    "Outside",
    "Policy",
    "Progress",
    "Run",
    "Settings",
    "StrategyProfile",
    "as_dictionaries",
    "as_profile",
    "best_response",
    "build_tree",
    "completed",
    "expected_value",
    "exploitability",
    "load_policy",
    "missing_sets",
    "read_efg",
    "solve",
    "solve_game",
]

__getattr__, __dir__ = lazily(__name__)
