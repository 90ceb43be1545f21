"""An endless series of matches for a language model to learn in.

A match is a game, a seat and a play seed. They determine the cards and all moves of bots, so that learners with the
same task meet the same opening, and the answers of a group can be compared. The series is a function of the games and
the seed. A match without a decision of the learner is no task: the next play seed is taken. Which matches are left out
does not depend on what is learnt, so it moves the mean of any reward by a constant of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, repeat
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import GameSpec, to_json
from antemill.engine.seeding import derive
from antemill.engine.text.labels import SEATS
from antemill.tournament.adapters.episode import Episode, Setting, ground
from antemill.tournament.adapters.sources import refuse_benchmark

_TASKS = int.from_bytes(b"tasks")  # the word of this stream of a seed alone
_SEATS = int.from_bytes(b"seats")
_TRIES = 1_000  # matches tried until the learner has a decision
_MASK = (1 << 63) - 1


class HasSpec(Protocol):
    """A game that a curriculum has drawn."""

    @property
    def spec(self) -> GameSpec:
        """Its rules."""
        ...


Source = str | int | GameSpec | HasSpec  # a GAME as on our command line, a seed, rules, or a curriculum's draw


class MatchTask(Struct, frozen=True):
    """A match to learn in. game: as `Ground` takes it. seat: of the learner; None if both seats learn."""

    game: str
    seat: int | None
    play_seed: int

    @property
    def learners(self) -> tuple[int, ...]:
        """The seats that learn."""
        return (0, 1) if self.seat is None else (self.seat,)


def match_tasks(
    games: Source | Iterable[Source],
    setting: Setting,
    *,
    seed: int = 0,
    seat: int | None = None,
    benchmarks: Sequence[str | Path] | None = (),
) -> Iterator[MatchTask]:
    """Endless tasks from a game or a sequence of games, in turn; one for each game of any other iterable.

    A `antemill.tournament.adapters.Curriculum` is such an iterable. seat: of the learner, 0 Alice, 1 Bob; None draws
    one for each match. Without an opponent both seats learn. benchmarks: files of `pool select`, whose games are
    refused, as are those of the standard suite; None allows all. Raises UsageError if that seat, or both, have no
    decision in a game, or if the game is a benchmark's, and what `Ground` raises.
    """
    if seat not in (None, 0, 1):
        raise UsageError(f"there is no seat {seat}: use 0 for Alice, 1 for Bob, or None for either.")
    allowed: set[str] = set()
    for number, source in enumerate(_endless(games)):
        game = _text(source)
        if benchmarks is not None and game not in allowed:
            refuse_benchmark([ground(game, setting).spec], benchmarks)
            allowed.add(game)
        yield _task(game, setting, seed, number, seat)


def _endless(games: Source | Iterable[Source]) -> Iterable[Source]:
    if isinstance(games, str | int | GameSpec) or not isinstance(games, Iterable):
        return repeat(games)
    return cycle(games) if isinstance(games, Sequence) else games


def _text(source: Source) -> str:
    if isinstance(source, str | int):
        return str(source)
    return to_json(source if isinstance(source, GameSpec) else source.spec).decode()


def _task(game: str, setting: Setting, seed: int, number: int, seat: int | None) -> MatchTask:
    where = ground(game, setting)
    if setting.opponent is not None:
        drawn = where.deciding[derive(seed, _SEATS, number) % len(where.deciding)]
        seat = drawn if seat is None else seat
        where.require_decisions(seat)
    for attempt in range(_TRIES):
        task = MatchTask(game, seat if setting.opponent else None, derive(seed, _TASKS, number, attempt) & _MASK)
        if not Episode(where, task.play_seed, task.learners).over:
            return task
    learner = "the learners" if task.seat is None else SEATS[task.seat]
    raise UsageError(f"in {_TRIES:,} matches of {where.spec.name} {learner} had no decision: learn on another game.")
