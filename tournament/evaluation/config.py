"""The configuration of an evaluation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from antemill.tournament.cards.config import Count, Disguises, PlayerTable, check_disguises, check_player
from antemill.tournament.evaluation.ask import EVERYWHERE, PolicyTable
from antemill.tournament.evaluation.suites import STARTER, SUITES
from antemill.tournament.runs import RunConfig

NAME = "eval"  # of the kind, and of its table
EQUILIBRIUM = "equilibrium"  # the name of the opponent in all matches
REFERENCE = "cfr"  # as a player's policy: the equilibrium itself


class EvalTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[eval].

    suite: a name of `SUITES`; or games: seeds, files or names, as the command line takes them; or benchmark: a file of
    selected games. matches_per_seat: of each player in each game. seed: of the cards. target: exploitability of the
    equilibria, chips. list_moves: whether prompts list the legal actions. disguises, undisguised: as in a tournament.
    """

    suite: str | None = None
    games: tuple[str, ...] = ()
    benchmark: str | None = None
    matches_per_seat: Count = 10
    seed: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)] = 0
    target: Annotated[float, Meta(gt=0)] = 1e-4
    list_moves: bool = True
    disguises: Disguises = 0
    undisguised: bool = True


class EvalConfig(RunConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. Raises ValueError where parts of it do not fit together."""

    eval: EvalTable
    players: dict[str, PlayerTable]
    policy: PolicyTable | None = None

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        table = self.eval
        given = [one for one in (table.suite, table.games or None, table.benchmark) if one is not None]
        if len(given) > 1:
            raise ValueError("[eval] takes only one of suite, games and benchmark")
        if table.suite is not None and table.suite not in SUITES:
            raise ValueError(f"there is no suite '{table.suite}': use {', '.join(SUITES)}, or a file of games")
        check_disguises("eval", table.disguises, table.undisguised)
        if not self.players:
            raise ValueError("an evaluation needs a [players.NAME]")
        for name, player in self.players.items():
            if name in (EQUILIBRIUM, EVERYWHERE):
                raise ValueError(f"'{name}' is the opponent of all players: give this player another name")
            check_player(name, player)

    @property
    def is_suite(self) -> bool:
        """Whether the games are a suite's by name."""
        return not self.eval.games and self.eval.benchmark is None

    @property
    def games(self) -> tuple[str, ...]:
        """The games by name; none if they are from a benchmark."""
        table = self.eval
        return table.games if table.games or table.benchmark is not None else SUITES[table.suite or STARTER]
