"""Our games as the environment that TRL's GRPOTrainer plays in. It needs the extra antemill[trl].

    from antemill.tournament.adapters.trl import match_dataset, match_environment
    setting = Setting(opponent="cfr", reward="aivat", penalty=1.0)
    trainer = GRPOTrainer(
        model=...,
        args=GRPOConfig(max_steps=1_000, shuffle_dataset=False, ...),
        train_dataset=match_dataset(["kuhn", "starter-2"], setting),
        environment_factory=match_environment(setting),
    )

The system prompt is the rulebook; the user's message is the first decision. The model answers by calling the tool
`act`, whose arguments are the JSON object that tournaments ask for, and whose result is the next decision. All rollouts
of a group get the same row, and so the same seat and cards. A rollout that ends early, because the model calls no tool
or has no tokens left, is played to its end with random legal actions, each of which costs the penalty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import isgenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antemill.engine.errors import UsageError
from antemill.tournament.adapters.episode import Episode, Setting, ground
from antemill.tournament.adapters.tasks import Source, match_tasks

if TYPE_CHECKING:
    from datasets import IterableDataset

TOOL = """
## The Tool

Reply by calling the tool `act`, once for each decision: the JSON object is its arguments. The result of the call is
your next message, or says that the game is over.
"""
OVER = "The game is over. Do not call the tool again."


class AntemillMatch:
    """A match, and the tool that the model plays it with: one instance per parallel rollout, reset for the next."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._seat = 0
        self._episode: Episode | None = None

    def reset(self, game: str = "", seat: int | None = None, play_seed: int | None = None, **_row: object) -> str:
        """Begin the match of a row; returns the first decision. Raises UsageError for a row that is not ours."""
        if not game or seat is None or play_seed is None:
            raise UsageError(
                "the row names no match: train on the rows of match_dataset, "
                "so that all rollouts of a group play the same one."
            )
        self._seat = seat
        self._episode = Episode(ground(game, self._setting), play_seed, (seat,))
        return self._next()

    def act(self, action: str | int) -> str:
        """Make the decision that you were asked for last.

        Args:
            action: The name of one of the legal actions, or a whole number where an amount is asked for.

        Returns:
            The next decision, or that the game is over.
        """
        episode = self._open()
        if not episode.over:
            episode.answer(json.dumps({"action": action}))
        return self._next()

    def get_reward(self) -> float:
        """The reward of the match, which is first played to its end."""
        episode = self._open()
        if not episode.over:
            episode.leave(self._seat)
        return episode.score(self._seat).total

    def _open(self) -> Episode:
        if self._episode is None:
            raise UsageError("no match has begun: call reset with a row of match_dataset first.")
        return self._episode

    def _next(self) -> str:
        episode = self._open()
        return OVER if episode.over else episode.question()


def match_environment(setting: Setting) -> Callable[[], AntemillMatch]:
    """For `GRPOTrainer(environment_factory=...)`. Raises UsageError if the setting has no opponent."""
    _require_opponent(setting)
    return lambda: AntemillMatch(setting)


def match_rows(
    games: Source | Iterable[Source],
    setting: Setting,
    *,
    seed: int = 0,
    seat: int | None = None,
    benchmarks: Sequence[str | Path] | None = (),
) -> Iterator[dict[str, Any]]:
    """Rows of a training set; arguments and errors as those of `match_tasks`."""
    _require_opponent(setting)
    for task in match_tasks(games, setting, seed=seed, seat=seat, benchmarks=benchmarks):
        system = {"role": "system", "content": ground(task.game, setting).system + TOOL}
        prompt = [system, {"role": "user", "content": ""}]
        yield {"prompt": prompt, "game": task.game, "seat": task.seat, "play_seed": task.play_seed}


def match_dataset(
    games: Source | Iterable[Source],
    setting: Setting,
    *,
    seed: int = 0,
    seat: int | None = None,
    benchmarks: Sequence[str | Path] | None = (),
) -> IterableDataset:
    """A training set, endless unless `games` ends; arguments and errors as those of `match_tasks`.

    `games` cannot be a generator, which `datasets` refuses. With `GRPOConfig(shuffle_dataset=False)` games are made
    when they are played; with shuffling, 1,000 are made beforehand.
    """
    from datasets import IterableDataset

    if isgenerator(games):
        raise UsageError("a data set cannot be made of a generator: pass a list of games, or a Curriculum.")
    # `datasets` would shuffle and split a list as shards.
    named = tuple(games) if isinstance(games, list) else games
    held = None if benchmarks is None else tuple(benchmarks)
    arguments = {"games": named, "setting": setting, "seed": seed, "seat": seat, "benchmarks": held}
    return IterableDataset.from_generator(match_rows, gen_kwargs=arguments)


def _require_opponent(setting: Setting) -> None:
    if setting.opponent is None:
        raise UsageError(
            "a rollout of TRL is one conversation, which both seats would read: name an opponent for the other seat."
        )
