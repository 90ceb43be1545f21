"""The tree of a game, with the strategies of players on it."""

from __future__ import annotations

import numpy as np

from antemill.engine.machine.program import Program
from antemill.engine.match import Game, Menu
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.game import ALICE, Array, ExtensiveForm
from antemill.solver.trees.abstract_sets import actions, describe_tree
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.players import Player
from antemill.tournament.players.scripted import Fixed
from antemill.tournament.players.solver_players import known_policy


class GameTree:
    """The tree of a game, made once for all players."""

    def __init__(self, game: Game, limit: int) -> None:
        self.game, self.tree = game, build_tree(game.program, limit)
        self.sides = sides(self.tree)

    def strategy(self, player: Player, seat: int) -> Array | None:
        """float64[sequences]: what a player does at a seat; None if it has no policy of numbers."""
        if isinstance(player, Fixed):
            return _fixed(self.game.program, self.tree, player, seat)
        return known_policy(self.game.program, self.tree, player, seat)

    def value(self, seat: int, mine: Array, theirs: Array) -> float:
        """Chips a match that a strategy at a seat wins."""
        return (
            expected_value(self.sides, (mine, theirs)) if seat == ALICE else -expected_value(self.sides, (theirs, mine))
        )


def _fixed(program: Program, tree: ExtensiveForm, player: Fixed, seat: int) -> Array:
    """float64[sequences]: a fixed preference, which reads the menu and the type of the decision alone."""
    described, mine = describe_tree(program, tree)[seat], tree.sets[seat]
    found, chosen = np.zeros(mine.sequences), actions(mine)
    found[0] = 1.0
    for i in range(mine.size):
        low, high, decision = int(mine.start[i]), int(mine.start[i + 1]), int(mine.decision[i])
        offered, kind = int(described.offered[i]), program.names.decisions[decision]
        numbers = chosen[low - 1 : high - 1].tolist()
        if kind.labels:
            menu = Menu(tuple(kind.labels[one] for one in numbers), tuple(numbers))
        else:
            menu = Menu((), (), numbers[0], numbers[0] + offered - 1)
        place = menu.resolve(player.prefers(menu, decision)).place
        assert place is not None
        found[min(low + place, high - 1)] = 1.0
    return found
