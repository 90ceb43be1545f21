"""Players that solve the game when they sit down: `cfr`, and `best`, the exact best response to whoever sits opposite.

Both stop after a number of iterations, not of seconds, so that they play the same everywhere.
"""

from __future__ import annotations

from engine.branches import count_nodes
from engine.errors import UsageError
from engine.match import Game
from engine.policy import UNIFORM
from engine.program import Program
from solver.abstract_tree import lump, policies_of, table_of
from solver.abstraction import Abstraction
from solver.measures import Array, Joint, measure
from solver.policy_file import SavedPolicy, Solution
from solver.sequence_form import sides
from solver.tree import ExtensiveForm, build_tree
from solver.tree_policies import best_response, policy_on_tree
from tournament.players.player import Player
from tournament.players.policy import PolicyPlayer
from tournament.players.scripted import Random
from tournament.players.solved import SolvedPlayer
from tournament.solving.game import Settings, lifted, solve_game

LIMIT = 300_000  # nodes of a tree that is solved while somebody waits
TREE_ITERATIONS = 1_000
SAMPLED_ITERATIONS = 100_000
TARGET = 1e-3  # chips


def cfr_player(game: Game) -> SolvedPlayer:
    """A player near an equilibrium: of the game where its tree is small enough, else of its default abstraction."""
    fits = count_nodes(game.program, LIMIT) <= LIMIT
    settings = Settings(
        target=TARGET,
        limit=LIMIT,
        abstraction=(Abstraction.NONE if fits else Abstraction.DEFAULT).label,
        iterations=TREE_ITERATIONS if fits else SAMPLED_ITERATIONS,
        episodes=0,
    )
    return SolvedPlayer("cfr", solve_game(game.program, settings).saved, game)


def best_player(game: Game, opponent: Player, seat: int) -> SolvedPlayer:
    """A best response at `seat` to the opponent, who must play a known policy.

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
    theirs = _policy_of(program, tree, opponent, 1 - seat)
    mine = best_response(both, seat, theirs)
    joint: Joint = (mine, theirs) if seat == 0 else (theirs, mine)
    table = table_of(lump(program, tree, Abstraction.NONE), Abstraction.NONE, (joint[0][1:], joint[1][1:]))
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
        value=measure(both, joint).value,
    )
    return SolvedPlayer("best", SavedPolicy(solution, table), game)


def _policy_of(program: Program, tree: ExtensiveForm, player: Player, seat: int) -> Array:
    """How a player plays the tree at `seat`."""
    if isinstance(player, SolvedPlayer):
        lumps = lump(program, tree, player.saved.table.abstraction)
        return lifted(lumps, policies_of(lumps, player.saved.table)[0])[seat]
    if isinstance(player, PolicyPlayer):
        return policy_on_tree(program, tree, player.policy, seat)
    if isinstance(player, Random):
        return policy_on_tree(program, tree, UNIFORM, seat)
    raise UsageError(
        f"nobody knows a policy of '{player.name}' to respond to: "
        "let best play against random, l1, mixed, cfr or a saved policy."
    )
