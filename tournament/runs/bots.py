"""Scripted players of duels and SKATE in four grades of skill, for runs without a model, a server or a key.

    [players.ada]
    bot = "expert"

A bot is a function of the request that a model would get, and answers in a model's words: its replies are read,
judged, stored and shown like any other. Its reply depends on the request and its grade alone, so a run can be repeated;
a request names its item and its place in it, so that two bots of one grade draw from streams of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from typing import Literal

from msgspec import Struct

from antemill.engine.seeding import Stream
from antemill.llm import Model, Prices, Request, Script
from antemill.llm.mistakes import meant
from antemill.tournament.runs.config import MisplacedError, RunConfig

PREFIX = "bot:"  # of the bots' names as models; no entry of models.toml begins with it
Bot = Literal["novice", "adept", "expert", "master"]


class Grade(Enum):
    """A bot's grade: how well it plays. All grades have one fixed list of puzzles or programs."""

    NOVICE = 0.3
    ADEPT = 0.5
    EXPERT = 0.75
    MASTER = 0.95

    @property
    def skill(self) -> float:
        """The share of its fixed list that it solves."""
        return float(self.value)

    @property
    def entry(self) -> str:
        """The name by which it is asked."""
        return PREFIX + self.name.lower()


class PlayerTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """[players.NAME] of duels and SKATE. model: an entry of models.toml; or bot: the grade of a scripted player."""

    model: str | None = None
    bot: Bot | None = None

    def __post_init__(self) -> None:
        if (self.model is None) == (self.bot is None):
            raise ValueError('a player is a `model` (an entry of models.toml) or a `bot` ("novice" to "master")')
        if self.model is not None and self.model.startswith(PREFIX):
            raise ValueError(f"no entry of models.toml begins with {PREFIX}")

    @property
    def entry(self) -> str:
        """The name by which it is asked."""
        return PREFIX + self.bot if self.bot is not None else str(self.model)


class PlayersConfig(RunConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A configuration whose players are entries of models.toml, or bots."""

    players: dict[str, PlayerTable]

    @property
    def entries(self) -> dict[str, str]:
        """The name by which each player is asked."""
        return {name: player.entry for name, player in self.players.items()}

    def require_players(self, names: Iterable[str], table: str, key: str) -> None:
        """Raise UsageError if one of the names in `key` of [`table`] is no player."""
        for name in names:
            if name not in self.players:
                near = meant(name, self.players) or "."
                raise MisplacedError(
                    f"`{key}` names {name}, who is no player: use {', '.join(self.players)}{near}", table, key
                )


def bot_models(names: Iterable[str]) -> dict[str, Model]:
    """The entries of the bots among some names. They cost nothing."""
    free = Prices(input=0.0, output=0.0)
    return {
        name: Model(name=name, protocol="scripted", prices=free, concurrency=64)
        for name in names
        if name.startswith(PREFIX)
    }


def bots(answer: Callable[[Grade, Request], str]) -> dict[str, Script]:
    """Scripts of all grades by the names under which they are asked."""
    return {grade.entry: partial(answer, grade) for grade in Grade}


def dice(grade: Grade, request: Request) -> Stream:
    """The draws of one answer."""
    parts = (grade.entry, request.sample, *(message.text for message in request.messages))
    digest = hashlib.blake2b("\0".join(parts).encode(), digest_size=8).digest()
    return Stream(int.from_bytes(digest))
