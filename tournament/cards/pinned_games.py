"""The games of a tournament: read once, pinned with the run as rules and digests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.builder.resolve import resolve
from antemill.engine.disguise.disguise import Disguise, disguised
from antemill.engine.disguise.themes import words_of
from antemill.engine.errors import AntemillError, StorageError
from antemill.engine.match import Game
from antemill.engine.rules.spec import GameSpec, from_json, to_json
from antemill.engine.text.verdict import judged, rejection
from antemill.tournament.cards.config import TournamentTable
from antemill.tournament.cards.disguises import Form, several
from antemill.tournament.pool.select import read_benchmark
from antemill.tournament.runs.config import MisplacedError


class PinnedGame(Struct, frozen=True, omit_defaults=True):
    """A game on record. label: what tables call it. seed: of its generation; for other games a number made of its
    digest. spec: the rules as JSON. digest: of the program that they compile to. disguise: if the run has made it from
    another game, which one; its seed is then that of the game. words: of the prompts of any other disguise."""

    label: str
    seed: int
    spec: msgspec.Raw
    digest: str
    disguise: Form | None = None
    words: tuple[str, ...] = ()


def pin_games(table: TournamentTable, home: Path) -> bytes:
    """The games that a configuration names, as they are pinned. Raises UsageError or StorageError."""
    pinned = _benchmark(home / table.benchmark) if table.benchmark is not None else _named(table.games, home)
    labels = [game.label for game in pinned]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise MisplacedError(f"the game {twice} is named twice: name it once.", "tournament", "games")
    return msgspec.json.encode([*pinned, *_in_disguise(pinned, table.disguises, table.seed)])


def _in_disguise(pinned: Iterable[PinnedGame], count: int, seed: int) -> Iterator[PinnedGame]:
    for game in pinned:
        for form, made in several(game.label, from_json(bytes(game.spec)), count, seed):
            yield replace(pin(form.label, made.game, game.seed), disguise=form, words=())


def disguises_in(data: bytes) -> dict[str, Disguise]:
    """The disguises among pinned games by label, made again, so that their canonical digest is asserted.

    Raises StorageError if this antemill makes others.
    """
    pinned = {game.label: game for game in msgspec.json.decode(data, type=list[PinnedGame])}
    found = {}
    for label, game in pinned.items():
        if game.disguise is not None:
            original = from_json(bytes(pinned[game.disguise.of].spec))
            made = disguised(original, game.disguise.seed, seats=False)
            if made.game != from_json(bytes(game.spec)) or made.scale != game.disguise.scale:
                raise StorageError(
                    f"this antemill makes another disguise {label} than the one that began the run: use that one, or "
                    "begin a new run."
                )
            found[label] = made
    return found


def any_disguise(data: bytes) -> bool:
    """Whether some of the pinned games are disguises."""
    return any(game.disguise is not None for game in msgspec.json.decode(data, type=list[PinnedGame]))


def load_games(data: bytes) -> dict[str, tuple[PinnedGame, Game]]:
    """Pinned games by label, ready for matches. Raises StorageError if this antemill compiles them differently, or does
    not know the words of prompts with which the run was begun."""
    found = {}
    for pinned in msgspec.json.decode(data, type=list[PinnedGame]):
        form, spec = pinned.disguise, from_json(bytes(pinned.spec))
        words = pinned.words if form is None else form.words
        game = Game(spec, form is not None and form.turned, words)
        if game.digest != pinned.digest:
            raise _other(pinned.label, "compiles")
        if form is None and not words and words_of(spec):  # a disguise that is pinned without its words
            raise _other(pinned.label, "may word")
        found[pinned.label] = pinned, game
    return found


def _other(label: str, does: str) -> StorageError:
    return StorageError(
        f"this antemill {does} the game {label} differently than the one that began the run: use that one, or begin a "
        "new run."
    )


def rejections(games: Mapping[str, tuple[PinnedGame, Game]]) -> Iterator[str]:
    """A sentence for each of a run's games, by label, that the gate rejects."""
    for label, (_, game) in games.items():
        if sentence := rejection(label, judged(label, game.program)):
            yield sentence


def _named(names: Iterable[str], home: Path) -> list[PinnedGame]:
    return [pin(name, *_resolved(name, home)) for name in names]


def _resolved(name: str, home: Path) -> tuple[GameSpec, int | None]:
    """The rules, and the seed of a generated game."""
    seed, _, _ = name.partition("@")
    try:
        return _spec(name, home), int(seed) if seed.isdigit() and not name.endswith(".json") else None
    except AntemillError as error:
        raise MisplacedError(str(error), "tournament", "games") from error


def _spec(name: str, home: Path) -> GameSpec:
    return resolve(str(home / name) if name.endswith(".json") else name)


def _benchmark(path: Path) -> list[PinnedGame]:
    rows = read_benchmark(path).select(["seed", "spec"]).to_pylist()
    return [pin(str(row["seed"]), from_json(row["spec"]), row["seed"]) for row in rows]


def pin(label: str, spec: GameSpec, seed: int | None) -> PinnedGame:
    """A game as it is kept on record. seed: of its generation; None for other games."""
    game = Game(spec)
    number = int.from_bytes(bytes.fromhex(game.digest)[:8]) >> 1 if seed is None else seed
    return PinnedGame(label, number, msgspec.Raw(to_json(spec)), game.digest, words=game.words)
