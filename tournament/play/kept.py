"""The folder of hands: a card tournament whose schedule is open, so that `analyze`, `view` and `report` read it.

A hand is planned when it is dealt and saved, in one transaction, when it is over. Games and players join the
tournament when a hand first needs them. The person's choices in the current hand are in a separate file, so that the
hand can be continued after the process has ended.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import read_bytes, write_bytes
from antemill.solver.policies.file import write_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.tournament.cards.config import CardConfig, PlayerTable
from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.plan import GAMES
from antemill.tournament.cards.slots import Slot, play_seed, read_slot
from antemill.tournament.play.opponents import POLICIES
from antemill.tournament.players import Choice
from antemill.tournament.runs import Item, Played, Record, RunStore
from antemill.tournament.runs.config import digest, parse_config
from antemill.tournament.runs.folder import RunFolder, made_folder, require_kind
from antemill.tournament.runs.lock import locked

_CHOICES = ".hand.json"
_SECRET = ".secret"  # a file that only this user may read
_CONFIG = "config"  # in the meta data: the configuration's text, which the file must repeat


class _Unfinished(Struct, frozen=True):
    """The person's choices in the current hand."""

    item: str
    choices: tuple[Choice, ...] = ()


class Kept:
    """The hands in a folder. A context manager, which holds the folder's lock; the folder is made with the first hand.

    secret: the part of the table's address that no other page knows. It is kept with the hands, so a page that was left
    open finds the table again when the program has been started again.
    Raises UsageError if the folder holds something else, StorageError if it cannot be used or another process uses it.
    """

    def __init__(self, path: Path, seed: int | None = None) -> None:
        self.folder = RunFolder(path)
        self.secret = secrets.token_urlsafe(18)
        self._seed = secrets.randbits(62) if seed is None else seed
        self._stack = ExitStack()
        self._store: RunStore | None = None
        self._games: dict[str, PinnedGame] = {}
        self._players: dict[str, PlayerTable] = {}

    def __enter__(self) -> Self:
        path = self.folder.path
        if self.folder.database.exists():
            self._open()
        elif path.exists():  # another folder is refused here, not after the first hand
            with made_folder(path, TOURNAMENT.name):
                pass
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    # ------------------------------------------------------------------------------------------ reading

    def records(self) -> list[Record]:
        """The finished hands, in the order in which they were dealt."""
        found = [] if self._store is None else self._store.records(finished_only=True)
        return [record for record in found if record.status == "done"]

    def transcript(self, item: str) -> Any:
        """The transcript of a finished hand."""
        assert self._store is not None
        return self._store.transcript(item)

    @property
    def games(self) -> list[PinnedGame]:
        """The games that were played here."""
        return list(self._games.values())

    def game(self, label: str) -> PinnedGame:
        """One of them by its label."""
        return self._games[label]

    def unfinished(self) -> tuple[Slot, tuple[Choice, ...]] | None:
        """The hand that the last process left unfinished, with the person's choices; None if there is none."""
        open_ones = [] if self._store is None else [r for r in self._store.records() if r.status == "planned"]
        if not open_ones:
            return None
        record = open_ones[-1]
        choices: tuple[Choice, ...] = ()
        path = self.folder.path / _CHOICES
        if path.exists():
            try:
                noted = msgspec.json.decode(read_bytes(path), type=_Unfinished)
            except msgspec.MsgspecError:  # then the hand starts over, with the same cards
                noted = _Unfinished("")
            choices = noted.choices if noted.item == record.item.key else ()
        return read_slot(record.item.data), choices

    # ------------------------------------------------------------------------------------------ writing

    async def deal(self, game: PinnedGame, players: Mapping[str, PlayerTable], alice: str, bob: str) -> Slot:
        """Plan the next hand of two players in a game, with cards of its own."""
        store = self._join(game, players)
        records = store.records()
        names = {alice, bob}
        of_game = [r.item.data for r in records if r.item.data["game"] == game.label]
        run = sum({data["alice"], data["bob"]} == names for data in of_game)
        matchup = "\0".join(sorted((alice, bob)))
        slot = Slot(game.label, run, alice, bob, play_seed(game.seed, run, matchup, self._seed))
        models = tuple(table.model for table in players.values() if table.model is not None)
        self.note(slot, ())
        store.plan([Item(slot.key, slot.data(), models)], len(records))
        return slot

    def note(self, slot: Slot, choices: Sequence[Choice]) -> None:
        """Save the person's choices so far."""
        write_bytes(self.folder.path / _CHOICES, msgspec.json.encode(_Unfinished(slot.key, tuple(choices))))

    async def finish(self, slot: Slot, played: Played, cost: float, seconds: float, elapsed: float) -> None:
        """Save a finished hand. cost: dollars. seconds: that it took. elapsed: seconds since the table was opened."""
        assert self._store is not None
        self._store.finish(slot.key, played, cost, seconds, elapsed)

    async def abandon(self, slot: Slot, reason: str) -> None:
        """Record a hand that is not played to its end as discarded."""
        assert self._store is not None
        self._store.fail(slot.key, reason, False, True, 0.0)

    def save_policy(self, saved: SavedPolicy) -> None:
        """Save the solution of a game, if the folder exists."""
        if self._store is None:
            return
        folder = self.folder.path / POLICIES
        folder.mkdir(exist_ok=True)
        path = folder / f"{saved.solution.digest[:16]}.parquet"
        if not path.exists():
            write_policy(path, saved)

    def save_models(self, text: bytes) -> None:
        """Keep the list of models beside the hands, as every run does."""
        write_bytes(self.folder.models, text)

    # ------------------------------------------------------------------------------------------ the tournament

    def _open(self) -> None:
        path = self.folder.path
        self._stack.enter_context(locked(path))
        self._keep_secret(path / _SECRET)
        store = self._stack.enter_context(RunStore(self.folder.database))
        if not store.created:
            self._store = store
            return
        meta = require_kind(TOURNAMENT.name, self.folder, store)
        if _CONFIG not in meta:
            raise UsageError(f"{path} holds a tournament that is no folder of hands: name another folder.")
        if not self.folder.config.exists() or read_bytes(self.folder.config) != meta[_CONFIG].encode():
            write_bytes(self.folder.config, meta[_CONFIG].encode())
        config = parse_config(meta[_CONFIG].encode(), CardConfig, str(self.folder.config))
        pinned = msgspec.json.decode(store.materials()[GAMES], type=list[PinnedGame])
        self._games = {game.label: game for game in pinned}
        self._players, self._seed = dict(config.players), config.tournament.seed
        self._store = store

    def _keep_secret(self, path: Path) -> None:
        """Take the secret of an earlier session, or keep this one's, if the folder allows it."""
        with suppress(OSError):
            if path.exists() and re.fullmatch(r"[\w-]{20,40}", found := path.read_text("ascii", "replace")):
                self.secret = found
            else:
                path.unlink(missing_ok=True)
                with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                    file.write(self.secret)

    def _join(self, game: PinnedGame, players: Mapping[str, PlayerTable]) -> RunStore:
        """The tournament's database; the game and the players join the tournament first."""
        if self._store is None:
            with made_folder(self.folder.path, TOURNAMENT.name):
                self._open()
        store = self._store
        assert store is not None
        known = self._games.get(game.label)
        if known is not None and known.digest != game.digest:
            raise UsageError(f"another game is called {game.label} in {self.folder.path}: name another folder.")
        for name, table in players.items():
            if self._players.get(name, table) != table:
                raise UsageError(f"another player is called {name} in {self.folder.path}: choose another name.")
        if known is None or any(name not in self._players for name in players):
            self._write(store, self._games | {game.label: game}, self._players | dict(players))
        return store

    def _write(self, store: RunStore, games: dict[str, PinnedGame], players: dict[str, PlayerTable]) -> None:
        text = config_text(list(games), players, self._seed)
        config = parse_config(text.encode(), CardConfig, str(self.folder.config))
        materials = {GAMES: msgspec.json.encode(list(games.values()))}
        home = str(self.folder.path.absolute())
        meta = {"kind": TOURNAMENT.name, "digest": digest(config, materials), "home": home, _CONFIG: text}
        if store.created:
            store.extend(meta, materials)
        else:
            store.create(meta, materials)
        write_bytes(self.folder.config, text.encode())
        self._games, self._players = games, players


def config_text(games: Sequence[str], players: Mapping[str, PlayerTable], seed: int) -> str:
    """The configuration of a folder of hands, as TOML."""
    listed = ", ".join(map(_quoted, games))
    lines = ["# Hands that were played at `antemill play`.", "[tournament]", f"games = [{listed}]"]
    lines += ['schedule = "open"', f"seed = {seed}"]
    for name, table in players.items():
        lines += ["", f"[players.{_quoted(name)}]"]
        given = {key: getattr(table, key) for key in table.__struct_fields__ if getattr(table, key) is not None}
        lines += [f"{key} = {'true' if value is True else _quoted(value)}" for key, value in given.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A basic string of TOML: a string of JSON, with DEL escaped."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
