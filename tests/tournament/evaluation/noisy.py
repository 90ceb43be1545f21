"""Players of known strength: the equilibrium that plays at random a part of the time, whose loss is computed."""

from __future__ import annotations

from msgspec.structs import replace

from antemill.engine.match import Game
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.build import build_tree

TARGET = 1e-4  # of an evaluation's equilibria


def equilibrium(game: Game) -> SavedPolicy:
    """The opponent of an evaluation."""
    return solve_game(game.program, Settings(target=TARGET, episodes=0)).saved


def noisy(saved: SavedPolicy, share: float) -> SavedPolicy:
    """The policy that plays uniformly with this probability at every decision."""
    table = saved.table
    probability = table.probability.copy()
    for low, high in zip(table.start[:-1], table.start[1:], strict=True):
        probability[low:high] = (1 - share) * probability[low:high] + share / (high - low)
    mixed = Policy(table.abstraction, table.key, table.seat, table.decision, table.start, table.action, probability)
    return replace(saved, table=mixed)


def exact_loss(game: Game, player: SavedPolicy, opponent: SavedPolicy) -> float:
    """Chips a match that the player loses to the opponent, the mean of both seats."""
    tree = build_tree(game.program)
    mine, theirs = (profile_on(game.program, tree, one.table) for one in (player, opponent))
    as_alice = expected_value(tree, (mine[0], theirs[1]))
    as_bob = -expected_value(tree, (theirs[0], mine[1]))
    return -(as_alice + as_bob) / 2
