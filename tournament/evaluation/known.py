"""The games of a run with all that is known by computation: trees, equilibria, players' policies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from antemill.engine.match import Game
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.profile import StrategyProfile
from antemill.tournament.evaluation.config import REFERENCE, EvalConfig
from antemill.tournament.evaluation.game_tree import GameTree
from antemill.tournament.evaluation.references import LARGEST, Reference
from antemill.tournament.players import Player, make_bot
from antemill.tournament.players.solved import solved_player


class RunGames:
    """Each part is made when it is first needed. home: the folder that names of policies are relative to."""

    def __init__(
        self, config: EvalConfig, home: Path, games: Mapping[str, Game], references: Mapping[str, Reference]
    ) -> None:
        self.config, self.home, self.games, self.references = config, home, games, references
        self._trees: dict[str, GameTree] = {}

    def tree(self, label: str) -> GameTree:
        """The tree of a game."""
        if label not in self._trees:
            self._trees[label] = GameTree(self.games[label], LARGEST)
        return self._trees[label]

    def perfect(self, label: str) -> StrategyProfile:
        """The equilibrium of a game."""
        return profile_on(self.games[label].program, self.tree(label).tree, self.references[label].saved.table)

    def player(self, name: str, label: str) -> StrategyProfile | None:
        """The strategies of a player whose policy is known."""
        table, where = self.config.players[name], self.tree(label)
        if table.policy == REFERENCE:
            return self.perfect(label)
        if table.policy is not None and (self.home / table.policy).exists():
            player: Player = solved_player(self.home / table.policy, where.game)
        elif table.bot is not None:
            player = make_bot(table.bot, where.game)
        else:
            return None
        alice, bob = (where.strategy(player, seat) for seat in (0, 1))
        return None if alice is None or bob is None else (alice, bob)
