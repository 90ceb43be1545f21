"""A weak opponent on the tree of a game: its strategy, what a best response wins, and estimates without luck."""

from __future__ import annotations

import numpy as np

from antemill.engine.machine.program import Program
from antemill.engine.match import Game, Menu, Transcript
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.measures import best_response, expected_value
from antemill.solver.evaluation.transcripts import transcript_history
from antemill.solver.game import ALICE, Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.abstract_sets import actions, describe_tree
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.players import Player, make_bot
from antemill.tournament.players.scripted import Fixed
from antemill.tournament.players.solver_players import known_policy


class GameTree:
    """The tree of a game, made once for all opponents."""

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


class WeakGame:
    """A bot in a game. The values of its opponent's decisions are those of a best response, so a player who plays one
    has no luck at all in its estimates."""

    def __init__(self, bot: str, where: GameTree) -> None:
        self.where = where
        player = make_bot(bot, where.game)
        found = [where.strategy(player, seat) for seat in (0, 1)]
        assert found[0] is not None  # bots have a policy
        assert found[1] is not None
        self.strategies: StrategyProfile = (found[0], found[1])
        self.responses: StrategyProfile = (
            best_response(where.sides, 0, self.strategies[1]),
            best_response(where.sides, 1, self.strategies[0]),
        )
        self.best = self.gain(self.responses)  # chips a match that a best response wins
        self._methods = (
            TreeAivat(where.tree, (self.responses[0], self.strategies[1]), where.sides),
            TreeAivat(where.tree, (self.strategies[0], self.responses[1]), where.sides),
        )

    def gain(self, player: StrategyProfile) -> float:
        """Chips a match that a player's strategies win from the bot, the mean of both seats."""
        return sum(self.where.value(seat, player[seat], self.strategies[1 - seat]) for seat in (0, 1)) / 2

    def estimate(self, transcript: Transcript, seat: int) -> float:
        """Chips that the player at a seat has won in a match, without luck. Raises as `transcript_history`."""
        history = transcript_history(self.where.game, transcript)
        alice = self._methods[seat].estimate(1 - seat, history)
        return alice if seat == ALICE else -alice


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
