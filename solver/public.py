"""Trees, solutions and measures for users. A function that takes a tree also takes the name of a game.

Our own code calls the functions below these, which take trees and do not import the builder or the compiler, so an edit
of those two recompiles no kernel of the solver.
"""

from __future__ import annotations

from typing import TypeAlias

from antemill.engine.arguments import number
from antemill.engine.match.game import RULES, Game, Rules, program_of
from antemill.solver.algorithms import solve as solving
from antemill.solver.algorithms.loop import Watch
from antemill.solver.algorithms.solve import Run
from antemill.solver.evaluation import measures, off_path
from antemill.solver.evaluation.off_path import RARE
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import Profiled, StrategyProfile
from antemill.solver.trees import build
from antemill.solver.trees.build import NODE_LIMIT
from antemill.solver.trees.sequence_form import Sides
from antemill.solver.trees.sequence_form import Tree as Trees

Tree: TypeAlias = ExtensiveForm | Sides | Rules | Game


def build_tree(program: Rules | Game, limit: int = NODE_LIMIT) -> ExtensiveForm:
    """A game's tree.

    program: a program, rules, a game's name, a seed, or the path of a file of rules. limit: the most nodes.
    Raises UsageError if the tree has more nodes or would need more memory than the machine has, or if the argument
    names no game.
    """
    return build.build_tree(program_of(program, "program"), limit)


def solve(
    game: Tree,
    algorithm: str = "auto",
    target: float | str = 1e-3,
    iterations: int | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> Run:
    """Solve until the exploitability is at most `target`, or one of the limits is reached.

    game: a tree, its sequence form, or what `build_tree` takes. target: chips, or for a tree a share of the range of
    its payoffs, such as "0.1%". watch: called after each measurement; ends the run by returning False.
    Raises UsageError if `game` names no game, for an unknown algorithm, a negative target, or a limit that is not
    positive.
    """
    return solving.solve(_tree(game), algorithm, target, iterations, seconds, watch)


def exploitability(game: Tree, profile: Profiled) -> float:
    """NashConv / 2 in chips per game: what a player gains on average by switching to a best response.

    game: a tree, its sequence form, or what `build_tree` takes. profile: a strategy profile, or a run, whose profile is
    taken. Raises UsageError if the profile is not one of this game.
    """
    return measures.exploitability(_tree(game), profile)


def expected_value(game: Tree, profile: Profiled) -> float:
    """Alice's expected payoff in chips per game; arguments and errors as those of `exploitability`."""
    return measures.expected_value(_tree(game), profile)


def best_response(game: Tree, seat: int, opponent: Array | Profiled) -> Array:
    """A best response of a player, as float64[sequences]; every probability in it is 0 or 1.

    game: as for `exploitability`. seat: 0 (Alice) or 1 (Bob), the player who responds. opponent: float64[sequences],
    the other player's policy; or a strategy profile or a run that contains it.
    Raises UsageError for a policy of another game.
    """
    return measures.best_response(_tree(game), seat, opponent)


def completed(game: Tree, profile: Profiled, rare: float = RARE) -> StrategyProfile:
    """The profile, completed where an average strategy means nothing: in the information sets that a player's own
    choices reach with probability `rare` at most, the player plays a best response to the opponent.

    Actions of equal value get equal probability. Sets that the opponent never reaches stay as they are. game, profile:
    as for `exploitability`. Raises UsageError if the profile is not one of this game.
    """
    return off_path.completed(_tree(game), profile, number(rare, "rare", 0, 1))


def _tree(game: Tree) -> Trees:
    """The tree that the argument is or names. Anything else is returned, and the functions below refuse it."""
    return build_tree(game) if isinstance(game, (*RULES, Game)) else game
