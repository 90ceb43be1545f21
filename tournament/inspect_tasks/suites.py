"""A suite of `antemill eval` as samples: the same games, cards and equilibria."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from antemill.engine.builder.resolve import resolve
from antemill.engine.errors import UsageError
from antemill.engine.match import Game
from antemill.tournament.cards.pinned_games import pin
from antemill.tournament.cards.slots import play_seed
from antemill.tournament.evaluation.config import EvalTable
from antemill.tournament.evaluation.references import policies_of
from antemill.tournament.evaluation.suites import SUITES

_folders: list[TemporaryDirectory[str]] = []  # of policies; each is deleted when the process ends


def suite_games(suite: str) -> list[str]:
    """The games of a suite. Raises UsageError for a name that no suite has."""
    if suite not in SUITES:
        raise UsageError(f"there is no suite '{suite}': use {', '.join(SUITES)}.")
    return list(SUITES[suite])


@lru_cache(8)
def equilibria(suite: str) -> str:
    """A folder with the policies that players meet in an evaluation of the suite."""
    folder = TemporaryDirectory(prefix="antemill-suite-")
    _folders.append(folder)
    games = {label: Game(resolve(label)) for label in suite_games(suite)}
    for label, policy in policies_of(games, EvalTable().target).items():
        Path(folder.name, f"{label}.parquet").write_bytes(policy)
    return folder.name


def dealt(game: str, matches: int, seed: int) -> Iterator[int]:
    """The play seeds of a game's pairs of matches in an evaluation."""
    seeded = game.partition("@")[0]  # of a generated game, also at a complexity of its own
    pinned = pin(game, resolve(game), int(seeded) if seeded.isdigit() else None)
    return (play_seed(pinned.seed, run, "", seed) for run in range(matches))
