"""The possible opponents of a person, and what is known about their play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.match import Game
from antemill.llm import Model
from antemill.solver.algorithms.loop import Watch
from antemill.solver.policies.file import find_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.cards.seats import ModelSeat, PlayerSeat, Seat
from antemill.tournament.players import Player, make_bot
from antemill.tournament.players.solved import SolvedPlayer, solved_player
from antemill.tournament.players.solver_players import cfr_player

CFR = "cfr"
POLICIES = "policies"  # the folder of solutions, in that of the hands
_BOTS = {
    "random": ("Random", "every legal action with the same probability"),
    "l1": ("Best response (L1)", "the best response to random play"),
    CFR: ("CFR+", "near an equilibrium: the game is solved when you sit down"),
    "passive": ("Passive", "checks, passes and calls; never folds"),
    "aggressive": ("Aggressive", "raises, bets and takes whenever it can"),
    "mixed": ("Mixed", "a fixed mixture of actions, drawn once for the game"),
}


class Opponent(Struct, frozen=True):
    """A possible opponent. table: its table in the tournament's configuration."""

    name: str
    title: str
    note: str
    table: PlayerTable


class Seated(Struct, frozen=True):
    """An opponent at a table. player: None for a model. solved: a solution of the game that was made or read for it."""

    seat: Seat
    player: Player | None = None
    solved: SavedPolicy | None = None


class Opponents:
    """The configured opponents.

    policies: paths of saved policies, or of folders of them. models: entries of models.toml. Raises UsageError for a
    path that does not exist, or two opponents of one name.
    """

    def __init__(self, policies: Sequence[Path] = (), models: Mapping[str, Model] | None = None) -> None:
        found = [
            Opponent(name, title, note, PlayerTable(policy=POLICIES) if name == CFR else PlayerTable(bot=name))
            for name, (title, note) in _BOTS.items()
        ]
        for path in policies:
            if not path.exists():
                raise UsageError(f"there is no policy {path}: name a file of `antemill solve`, or a folder of them.")
            name = path.stem if path.is_file() else path.name
            table = PlayerTable(policy=str(path.absolute()))
            found.append(Opponent(name, name, f"the saved policy in {path}", table))
        for name, model in (models or {}).items():
            found.append(Opponent(name, name, f"the model {model.model or name}", PlayerTable(model=name)))
        names = [one.name for one in found]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"two opponents are called {twice}: give one of them another name.")
        self.all = {one.name: one for one in found}

    def find(self, name: str) -> Opponent:
        """An opponent by name. Raises UsageError if there is none."""
        if name not in self.all:
            raise UsageError(f"there is no opponent '{name[:40]}': choose {', '.join(self.all)}.")
        return self.all[name]


def take_seat(opponent: Opponent, game: Game, folder: Path, watch: Watch) -> Seated:
    """Seat an opponent at a game. CFR+ plays a saved solution, or solves the game, which can take long.

    folder: of the hands. Raises UsageError or StorageError.
    """
    name, table = opponent.name, opponent.table
    if table.model is not None:
        return Seated(ModelSeat(table.model, game))
    if name == CFR:
        saved = solution_of(game, folder, watch)
        solved = SolvedPlayer(CFR, saved, game)
        return Seated(PlayerSeat(name, solved), solved, saved)
    if table.policy is not None:
        solved = solved_player(table.policy, game)
        return Seated(PlayerSeat(name, solved), solved, solved.saved)
    assert table.bot is not None
    player = make_bot(table.bot, game)
    return Seated(PlayerSeat(name, player), player)


def solution_of(game: Game, folder: Path, watch: Watch) -> SavedPolicy:
    """A policy near an equilibrium of the game: read if the folder of hands has it, else solved."""
    try:
        return find_policy(folder / POLICIES, game.program)
    except (StorageError, UsageError):  # none yet, or of another version
        return cfr_player(game, watch).saved
