"""The evaluation as a kind of runs: matches of the card tournament, each player against the equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec.structs import replace

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.match import Game
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.tournament.cards.config import CardConfig, PlayerTable, TournamentTable
from antemill.tournament.cards.fixed import FixedSchedule
from antemill.tournament.cards.kind import GAMES, CardTournament, themselves
from antemill.tournament.cards.pinned_games import PinnedGame, disguises_in, load_games, pin_games
from antemill.tournament.cards.seats import PlayerSeat, Seat, check_players
from antemill.tournament.cards.slots import Slot, play_seed, seatings
from antemill.tournament.evaluation.config import EQUILIBRIUM, REFERENCE, EvalConfig
from antemill.tournament.evaluation.references import Reference, read_references, solve_references
from antemill.tournament.evaluation.suites import require_canonical
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.runs import RunType

Games = Mapping[str, tuple[PinnedGame, Game]]


class Evaluation(CardTournament):
    """One evaluation: `antemill.tournament.runs.Kind`."""

    def __init__(
        self,
        config: EvalConfig,
        home: Path,
        games: Games,
        references: Mapping[str, Reference],
        disguises: Mapping[str, Disguise],
    ) -> None:
        super().__init__(_as_tournament(config), home, games, disguises)
        self.plan = FixedSchedule(_slots(config, themselves(games)))
        self.schedule = self.in_forms(self.plan, config.eval.undisguised)
        self.references = references

    def _seat(self, name: str, game: str) -> Seat:
        if self.config.players[name].policy == REFERENCE and (name, game) not in self._seats:
            solved = SolvedPlayer(name, self.references[game].saved, self.games[game][1])
            self._seats[name, game] = PlayerSeat(name, solved)
        return super()._seat(name, game)


def _as_tournament(config: EvalConfig) -> CardConfig:
    """The evaluation in the words of a tournament."""
    table = config.eval
    return CardConfig(
        tournament=TournamentTable(
            games=config.games,
            benchmark=table.benchmark,
            schedule="open",
            list_moves=table.list_moves,
        ),
        players={**config.players, EQUILIBRIUM: PlayerTable(policy=REFERENCE)},
        models=config.models,
        budget=config.budget,
        limits=config.limits,
        paper=config.paper,
    )


def _slots(config: EvalConfig, seeds: Mapping[str, int]) -> list[Slot]:
    """Every player in both seats of every game, with cards that depend on the game and the number of the pair alone."""
    table = config.eval
    return [
        slot
        for run in range(table.matches_per_seat)
        for label, number in seeds.items()
        for player in config.players
        for slot in seatings(label, run, player, EQUILIBRIUM, play_seed(number, run, "", table.seed))
    ]


def _materials(config: EvalConfig, home: Path) -> dict[str, bytes]:
    outside = {name: player for name, player in config.players.items() if player.policy != REFERENCE}
    check_players(outside, home)
    table = config.eval
    chosen = replace(_as_tournament(config).tournament, seed=table.seed, disguises=table.disguises)
    pinned = pin_games(chosen, home)
    loaded = load_games(pinned)
    games = {label: loaded[label][1] for label in themselves(loaded)}
    if config.is_suite:
        _require_suite(games)
    return {GAMES: pinned, **solve_references(games, config.eval.target)}


def _require_suite(games: Mapping[str, Game]) -> None:
    for label, game in games.items():
        assert game.spec is not None
        require_canonical(label, canonical_digest(game.spec))


def _make(config: EvalConfig, home: Path, materials: Mapping[str, bytes]) -> Evaluation:
    games = load_games(materials[GAMES])
    references = read_references(materials, {label: game for label, (_, game) in games.items()})
    return Evaluation(config, home, games, references, disguises_in(materials[GAMES]))


EVALUATION = RunType("eval", EvalConfig, _materials, _make)


def run_type() -> AbstractContextManager[RunType[EvalConfig]]:
    """`antemill eval`, which needs nothing to be opened."""
    return nullcontext(EVALUATION)
