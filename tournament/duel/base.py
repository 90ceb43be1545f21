"""Earlier sets of duels that a set takes over: their results count, and nothing of them is played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.runs import RunFolder, RunStore, read_config
from antemill.tournament.runs.config import MisplacedError

BASE = "base.json"


class Earlier(Struct, frozen=True):
    """A finished item of an earlier set. key: with its set's name."""

    key: str
    row: dict[str, Any]


class Base(Struct, frozen=True):
    """Earlier sets. players: those who took part, with the entry of models.toml by which they were asked."""

    items: list[Earlier] = []
    players: dict[str, str] = {}
    references: list[str] = []


def read_base(config: DuelConfig, home: Path) -> dict[str, bytes]:
    """The earlier sets that the configuration names, with what they took over themselves.

    Raises UsageError for a folder without duels, and for a player who was another model there.
    """
    if config.duel.base is None:
        return {}
    found = joined([base_of(home / name) for name in config.duel.base])
    for name, entry in found.players.items():
        if name in config.players and config.players[name].entry != entry:
            raise MisplacedError(
                f"the player {name} was {entry} in the base, and here it is {config.players[name].entry}: give one of "
                "them another name.",
                "players",
                name,
            )
    return {BASE: msgspec.json.encode(found, order="sorted")}


def base_of(folder: Path) -> Base:
    """A set of duels as the base of another one. Raises UsageError if there is none."""
    path = RunFolder(folder).database
    if not path.exists():
        raise UsageError(f"there are no duels in {folder}: correct `base`.")
    with RunStore(path, read_only=True) as store:
        if store.meta().get("kind") != "duel":
            raise UsageError(f"{folder} holds no duels: correct `base`.")
        records = [one for one in store.records(finished_only=True) if one.status == "done"]
        earlier = taken_over(store.materials())
    config = read_config(RunFolder(folder).config, DuelConfig)
    name = folder.resolve().name
    own = [Earlier(f"{name}/{one.item.key}", one.row) for one in records]
    there = dict.fromkeys(row[place] for row in _duels(own) for place in ("first", "second"))
    players = {player: config.players[player].entry for player in there}
    return joined([earlier, Base(own, players, list(config.duel.references))])


def taken_over(materials: Mapping[str, bytes]) -> Base:
    """The base in a run's materials; an empty one if there is none."""
    return msgspec.json.decode(materials[BASE], type=Base) if BASE in materials else Base()


def joined(parts: Sequence[Base]) -> Base:
    """Several bases as one. What two of them took over from the same set is there once."""
    items: dict[str, Earlier] = {}
    for one in (item for part in parts for item in part.items):
        key = one.key
        while key in items and items[key].row != one.row:
            key += "'"  # another set with a folder of the same name
        items.setdefault(key, Earlier(key, one.row))
    players = {name: entry for part in parts for name, entry in part.players.items()}
    return Base([*items.values()], players, [*dict.fromkeys(name for part in parts for name in part.references)])


def _duels(items: Sequence[Earlier]) -> list[dict[str, Any]]:
    return [one.row for one in items if one.row["what"] == "duel"]
