"""The equilibria of an evaluation's games, solved when the run begins and kept with it."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.match import Game
from antemill.solver.algorithms.table import SPARSE
from antemill.solver.game import END
from antemill.solver.policies.file import encode_policy, read_policy
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game, solve_like
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import realization_plan, sides
from antemill.tournament.cards.disguises import MARK
from antemill.tournament.cards.pinned_games import disguises_in
from antemill.tournament.cards.plan import GAMES

LARGEST = 1_000_000  # nodes of a game's tree: values of single moves need the whole tree
# Always the same one of those that `auto` begins with: a change of `auto` changes no scorecard.
_STEADY = SPARSE
_POLICY = "policy:"  # what the names of these materials begin with


class Reference(Struct, frozen=True, eq=False):
    """The equilibrium of a game. deviation: the standard deviation of a player's chips when both play it."""

    saved: SavedPolicy
    deviation: float


def solve_references(games: Mapping[str, Game], target: float) -> dict[str, bytes]:
    """The equilibria by the names of their materials. target: exploitability, chips. Raises UsageError."""
    return {_POLICY + label: policy for label, policy in policies_of(games, target).items()}


def policies_of(games: Mapping[str, Game], target: float) -> dict[str, bytes]:
    """The equilibria as files of policies, by label. target: exploitability, chips. Raises UsageError."""
    found = {}
    for label, game in games.items():
        nodes_of(label, game)
        saved = solve_game(game.program, Settings(algorithm=_STEADY, target=target, limit=LARGEST, episodes=0)).saved
        timeless = replace(saved.solution, seconds=0.0)  # a run is the same if its materials are
        found[label] = encode_policy(replace(saved, solution=timeless))
    return found


def nodes_of(label: str, game: Game) -> int:
    """The nodes of a game's tree. Raises UsageError for too many."""
    nodes = count_nodes(game.program, LARGEST)
    if nodes > LARGEST:
        raise UsageError(
            f"the tree of {label} has more than {LARGEST:,} nodes, too many to say what a move costs: leave it out."
        )
    return nodes


def has_references(materials: Mapping[str, bytes]) -> bool:
    """Whether there are equilibria among these materials."""
    return any(name.startswith(_POLICY) for name in materials)


def read_references(materials: Mapping[str, bytes], games: Mapping[str, Game]) -> dict[str, Reference]:
    """The equilibria of a run's games, by label; disguises are solved as the games behind them were."""
    hidden = disguises_in(materials[GAMES])
    found = {
        label: _reference(materials[_POLICY + label], game) for label, game in games.items() if label not in hidden
    }
    for label, disguise in hidden.items():
        known = found[label.rpartition(MARK)[0]]
        saved = solve_like(games[label].program, known.saved.solution, disguise.scale, LARGEST)
        found[label] = Reference(saved, disguise.scale * known.deviation)
    return found


def _reference(data: bytes, game: Game) -> Reference:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.parquet"
        path.write_bytes(data)
        saved = read_policy(path, game.program)
    return Reference(saved, _deviation(game, saved))


def _deviation(game: Game, saved: SavedPolicy) -> float:
    """The standard deviation of the payoff between two players at the equilibrium, chips."""
    tree = build_tree(game.program, LARGEST)
    profile = profile_on(game.program, tree, saved.table)
    alice, bob = (realization_plan(side, policy) for side, policy in zip(sides(tree), profile, strict=True))
    ends = np.flatnonzero(tree.player == END)
    odds = tree.chance[ends] * alice[tree.sequence[0, ends]] * bob[tree.sequence[1, ends]]
    paid = tree.payoff[ends]
    mean = float(odds @ paid)
    return math.sqrt(max(0.0, float(odds @ paid**2) - mean * mean))
