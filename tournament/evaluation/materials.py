"""What an evaluation is made from: its games, which are pinned with the run, and their equilibria."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from antemill.engine.rules.same import canonical_digest
from antemill.engine.rules.spec import from_json
from antemill.tournament.cards.config import CardConfig, PlayerTable, TournamentTable
from antemill.tournament.cards.pinned_games import PinnedGame, load_games, pin_games
from antemill.tournament.cards.plan import GAMES, themselves
from antemill.tournament.cards.seats import check_players
from antemill.tournament.evaluation.ask import EVERYONE
from antemill.tournament.evaluation.config import EQUILIBRIUM, REFERENCE, EvalConfig
from antemill.tournament.evaluation.references import solve_references
from antemill.tournament.evaluation.suites import require_canonical


def as_tournament(config: EvalConfig) -> CardConfig:
    """The evaluation in the words of a tournament."""
    table = config.eval
    return CardConfig(
        tournament=TournamentTable(
            games=config.games,
            benchmark=table.benchmark,
            schedule="open",
            list_moves=table.list_moves,
        ),
        players={**config.players, EQUILIBRIUM: PlayerTable(policy=REFERENCE), **EVERYONE},
        models=config.models,
        budget=config.budget,
        limits=config.limits,
        paper=config.paper,
    )


def materials(config: EvalConfig, home: Path) -> dict[str, bytes]:
    """The games and their equilibria. Raises UsageError or StorageError."""
    pinned = outline(config, home)
    loaded = load_games(pinned[GAMES])
    return pinned | solve_references({label: loaded[label][1] for label in themselves(loaded)}, config.eval.target)


def outline(config: EvalConfig, home: Path) -> dict[str, bytes]:
    """The games, without their equilibria. Raises UsageError or StorageError."""
    outside = {name: player for name, player in config.players.items() if player.policy != REFERENCE}
    check_players(outside, home)
    table = config.eval
    chosen = replace(as_tournament(config).tournament, seed=table.seed, disguises=table.disguises)
    pinned = pin_games(chosen, home)
    if config.is_suite:
        _require_suite(pinned)
    return {GAMES: pinned}


def _require_suite(pinned: bytes) -> None:
    for game in msgspec.json.decode(pinned, type=list[PinnedGame]):
        if game.disguise is None:
            require_canonical(game.label, canonical_digest(from_json(bytes(game.spec))))
