"""Matches as tasks: a game, the seats that learn, and a play seed, which determine everything but the replies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import verifiers.v1 as vf
from msgspec.structs import asdict
from pydantic import Field

from antemill.tournament.adapters import Curriculum
from antemill.tournament.adapters.episode import Setting, ground
from antemill.tournament.adapters.tasks import match_tasks

SEATS = ("alice", "bob")


class AntemillTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The matches and their reward; `antemill.tournament.adapters.episode.Setting` describes the fields."""

    games: list[str] = Field(default_factory=lambda: ["kuhn"], min_length=1)
    """Each a GAME as on Antemill's command line: seed[@complexity], a .json file with rules, or a name."""
    pool: str | None = None
    """Instead of `games`: a pool's folder, or a file of `antemill pool split`; each match has a game drawn from it."""
    side: Literal["train", "test", "holdout"] = "train"
    """The side of a pool's folder that games are drawn from."""
    benchmarks: list[str] = Field(default_factory=list)
    """Files of `antemill pool select`, whose games are refused; a pool's own benchmark is always refused."""
    seed: int = 0
    """The seed of the play seeds and of the drawn games."""
    seat: Literal["alice", "bob", "both"] = "both"
    """The learner's seat; "both" draws one for each match. Without an opponent both seats learn."""
    opponent: str | None = None
    reward: Literal["payoff", "aivat", "regret"] = "payoff"
    unit: Literal["chips", "deviation"] = "chips"
    penalty: float = 0.0
    solution: str | None = None
    list_moves: bool = True

    @property
    def setting(self) -> Setting:
        """The same as Antemill's setting."""
        return Setting(**self.model_dump(include={*Setting.__struct_fields__}))


class MatchData(vf.TaskData):  # type: ignore[misc]
    """A match. game: its name, or its rules as JSON. seat: of the learner; None if both seats learn."""

    game: str
    seat: int | None
    play_seed: int


class MatchOf(vf.Task[MatchData, vf.State, vf.TaskConfig]):  # type: ignore[misc]
    """The task of playing a match; the environment scores it."""


class AntemillTaskset(vf.Taskset[MatchOf, AntemillTasksetConfig]):  # type: ignore[misc]
    """An endless series of matches, with the games in turn."""

    INFINITE = True

    def load(self) -> Iterator[MatchOf]:
        """The matches. Raises what `match_tasks` raises."""
        config = self.config
        seat = SEATS.index(config.seat) if config.seat in SEATS else None
        drawn = None
        if config.pool is not None:
            drawn = Curriculum(config.pool, side=config.side, benchmarks=config.benchmarks, seed=config.seed)
        benchmarks = config.benchmarks if drawn is None else ()
        games = drawn or config.games
        for task in match_tasks(games, config.setting, seed=config.seed, seat=seat, benchmarks=benchmarks):
            where = ground(task.game, config.setting)
            name, plan = f"{where.spec.name}, play seed {task.play_seed}", asdict(task)
            yield MatchOf(MatchData(name=name, system_prompt=where.system, **plan), config.task)
