"""Players that solve the game when they are made: `cfr`, and `best`, the exact best response to the opponent.

Both stop after a number of iterations, not of seconds, so that they play the same everywhere.
"""

from __future__ import annotations

from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.machine.program import Program
from antemill.engine.match import Game
from antemill.solver.algorithms.loop import Watch
from antemill.solver.evaluation.measures import best_response, measure
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.on_tree import policy_of_tree, policy_on_tree, profile_on
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.players.player import Player
from antemill.tournament.players.policy import PolicyPlayer
from antemill.tournament.players.scripted import Random
from antemill.tournament.players.solved import SolvedPlayer

LIMIT = 300_000  # nodes of a tree that is solved while a person waits
TREE_ITERATIONS = 1_000
SAMPLED_ITERATIONS = 100_000
TARGET = 1e-3  # chips


def cfr_player(game: Game, watch: Watch | None = None) -> SolvedPlayer:
    """A player near an equilibrium of the game, or of its default abstraction if the game's tree is too large.

    watch: is called with the progress, and returns whether to go on.
    """
    fits = fits_a_tree(game)
    settings = Settings(
        target=TARGET,
        limit=LIMIT,
        abstraction=(Abstraction.NONE if fits else Abstraction.DEFAULT).label,
        iterations=TREE_ITERATIONS if fits else SAMPLED_ITERATIONS,
        episodes=0,
    )
    return SolvedPlayer("cfr", solve_game(game.program, settings, watch).saved, game)


def fits_a_tree(game: Game) -> bool:
    """Whether `cfr` solves the whole game; otherwise it samples an abstraction, which takes minutes."""
    return count_nodes(game.program, LIMIT) <= LIMIT


def best_player(game: Game, opponent: Player, *seats: int) -> SolvedPlayer:
    """Best responses at these seats to the opponent, who must play a known policy; a seat left out is the opponent's.

    Raises UsageError if the game's tree is too large, or the opponent's policy is not known.
    """
    program = game.program
    if count_nodes(program, LIMIT) > LIMIT:
        raise UsageError(
            f"the tree of {game.names.game} has more than {LIMIT:,} nodes, too many for an exact best response: "
            "use cfr, or a smaller game."
        )
    tree = build_tree(program, LIMIT)
    both = sides(tree)
    alice, bob = (known_policy(program, tree, opponent, seat) for seat in (0, 1))
    if alice is None or bob is None:
        raise UsageError(
            f"the policy of '{opponent.name}' is not known, so there is no best response to it: "
            "let best play against random, l1, mixed, cfr or a saved policy."
        )
    profile: StrategyProfile = (
        best_response(both, 0, bob) if 0 in seats else alice,
        best_response(both, 1, alice) if 1 in seats else bob,
    )
    table = policy_of_tree(tree.sets, profile)
    solution = Solution(
        game=program.names.game,
        digest=program.digest,
        suited=program.suited,
        abstraction="none",
        algorithm="best response",
        stopped="target",
        target=0.0,
        iterations=0,
        seconds=0.0,
        nodes=tree.nodes,
        information_sets=tree.sets[0].size + tree.sets[1].size,
        value=measure(both, profile).value,
    )
    return SolvedPlayer("best", SavedPolicy(solution, table), game)


def known_policy(program: Program, tree: ExtensiveForm, player: Player, seat: int) -> Array | None:
    """float64[sequences]: a player's strategy in the tree at `seat`; None if it has no policy of numbers."""
    if isinstance(player, SolvedPlayer):
        return profile_on(program, tree, player.saved.table)[seat]
    if isinstance(player, PolicyPlayer):
        return policy_on_tree(program, tree, player.policy, seat)
    if isinstance(player, Random):
        return policy_on_tree(program, tree, UNIFORM, seat)
    return None
