"""Finished rows of earlier runs as the material of another one: they count, and nothing of them is played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from antemill.tournament.runs.config import MisplacedError, read_config
from antemill.tournament.runs.folder import RunFolder, existing_folder
from antemill.tournament.runs.kind import Kind
from antemill.tournament.runs.store import BEGUN, RunStore

BASE = "base.json"
Rows: TypeAlias = dict[str, dict[str, Any]]  # of finished items by key; one of an earlier run begins with its identity


class Base(Struct, frozen=True):
    """What earlier runs came to. players: of these runs, with the entries by which they were asked."""

    rows: Rows = {}
    players: dict[str, str] = {}


def taken_over(materials: Mapping[str, bytes]) -> Base:
    """The base in a run's materials; an empty one if there is none."""
    return msgspec.json.decode(materials[BASE], type=Base) if BASE in materials else Base()


def rows_of(kind: Kind[Any, Any], folders: Sequence[Path], named: bool = False) -> list[Rows]:
    """The finished rows of some runs, each with those that it took over before its own. Of one run alone, unless it is
    to be named, its own have the keys of its items. A row that two runs took over from a third has one key in both.
    """
    found = []
    for folder in folders:
        with RunStore(existing_folder(folder, kind.name).database, read_only=True) as store:
            earlier = taken_over(store.materials()).rows
            own = {one.item.key: one.row for one in store.records(finished_only=True) if one.status == "done"}
            meta = store.meta()
        name = f"{_identity(meta)}/" if named or len(folders) > 1 else ""
        found.append(earlier | {name + key: row for key, row in own.items()})
    return found


def _identity(meta: Mapping[str, str]) -> str:
    """A run's name among others, wherever its folder lies: by when it began, and with what configuration."""
    return blake2b(f"{meta[BEGUN]} {meta['digest']}".encode(), digest_size=4).hexdigest()


def base_material(kind: Kind[Any, Any], folders: Sequence[Path], players: Mapping[str, str]) -> dict[str, bytes]:
    """The material of a run over earlier ones. players: those of the new run, with their entries.

    Raises StorageError or UsageError for a folder without such a run, and for a player who was another model there.
    """
    if not folders:
        return {}
    rows = {key: row for part in rows_of(kind, folders, named=True) for key, row in part.items()}
    known: dict[str, str] = {}
    for folder in folders:
        with RunStore(RunFolder(folder).database, read_only=True) as store:
            known |= taken_over(store.materials()).players
        known |= read_config(RunFolder(folder).config, kind.config).entries
    for name, entry in known.items():
        if players.get(name, entry) != entry:
            raise MisplacedError(
                f"the player {name} was {entry} in the base, and here it is {players[name]}: give one of them another "
                "name.",
                "players",
                name,
            )
    return {BASE: msgspec.json.encode(Base(rows, known), order="sorted")}
