"""Training games, drawn from a pool one by one: by complexity and axes, and harder as the learner improves.

    from antemill.tournament.adapters import Curriculum, vector_env
    course = Curriculum("pool", ranges={"complexity": (0.0, 0.5)}, weights={"risk": 3.0}, growth=Growth(), seed=1)
    table = vector_env([game.spec for game in course.draw(32)], 256)
    course.report(0.8)                   the learner's score: if it is high enough, the next games are harder
    kept = course.state()                as JSON; course.restore(kept) continues from there

Draw number i is a function of the seed, i, and the games that are open: the same reports give the same games. Games of
the hold-out and of benchmarks are drawn only on request.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import force_setattr

from antemill.engine.arguments import ArgumentValueError, described, kind, number, text, truth, whole, wrong_type
from antemill.engine.arguments import path as file_path
from antemill.engine.disguise.disguise import disguised
from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import GameSpec, from_json, to_json
from antemill.engine.seeding import Stream, derive
from antemill.tournament.adapters.sources import COMPLEXITY, MEASURES, paths_of, read_source
from antemill.tournament.pool.split import SHARES

_STREAM = int.from_bytes(b"course")  # the word of this stream of the seed alone
_FORMS = int.from_bytes(b"forms")  # and of that of disguises
_KEPT = 1_000  # disguises that are cached

V = TypeVar("V")
FloatArray = npt.NDArray[np.float64]

MOST_DRAWN = 1_000_000  # games in one call; all are in memory


class Drawn(NamedTuple):
    """A game of a curriculum."""

    spec: GameSpec
    seed: int  # the builder's
    complexity: float
    digest: str  # canonical: the same game has the same digest
    axes: dict[str, float]  # fast scores by name; empty if the pool is not scored
    disguise: int | None = None  # its seed, as in `antemill game disguise`; None for the game as itself


class Growth(Struct, frozen=True):
    """How a curriculum gets harder. Games are in ascending order `by` complexity or an axis; the first ones are open.

    At first the share `start` of the games is open. When the mean of the last `window` reports is at least `target`,
    the share grows by `step`, and the next window starts empty.
    """

    by: str = COMPLEXITY
    start: float = 0.1
    step: float = 0.1
    target: float = 0.5
    window: int = 10

    def __post_init__(self) -> None:
        plain: dict[str, object] = {"by": text(self.by, "by"), "window": whole(self.window, "window")}
        plain |= {name: number(getattr(self, name), name) for name in ("start", "step", "target")}
        for name, value in plain.items():
            force_setattr(self, name, value)


class State(Struct, frozen=True, forbid_unknown_fields=True):
    """What `Curriculum.state` returns."""

    course: str  # a digest of the games and of how they are drawn
    drawn: int
    open: float
    reports: tuple[float, ...]


class Curriculum:
    """An endless iterator of games (`Drawn`), drawn with replacement; `games` has each of them once."""

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        side: str | None = "train",
        shares: Sequence[float] = SHARES,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        weights: Mapping[str, float] | None = None,
        growth: Growth | None = None,
        seed: int = 0,
        benchmarks: Sequence[str | os.PathLike[str]] = (),
        benchmark_games: bool = False,
        disguises: int = 0,
    ) -> None:
        """A curriculum over the games of a pool.

        source: a pool's folder, or a file of `antemill pool split`. side: of a folder, the games that are taken: train,
        test, holdout, or None for all; a file's games are all taken. shares: of the three sides, as in `pool split`.
        ranges: the smallest and the largest value, both included, by "complexity" or an axis. weights: by the same
        names, how many times as often the game with the highest value is drawn as the one with the lowest; games
        between follow by rank, in equal ratios. growth: makes the curriculum begin with easy games. benchmarks: files
        whose games are held out, and refused in a file, unless `benchmark_games`; a folder's own benchmark.parquet
        always counts. disguises: a game is drawn as itself or in one of so many disguises, all equally often.
        Raises UsageError for arguments that are not allowed or leave no game, StorageError for a source that cannot be
        read, is unfinished, is of another builder, or is not scored although an axis is named.
        """
        source, seed, shares = file_path(source, "source"), whole(seed, "seed"), _shares(shares)
        self._disguises = whole(disguises, "disguises", 0)
        games_too = truth(benchmark_games, "benchmark_games")
        ranges, weights = _by_measure(ranges, "ranges"), _by_measure(weights, "weights")
        if growth is not None:
            kind(growth, "growth", Growth, "make one by Growth()")
        found = read_source(source, side, shares, paths_of(benchmarks, "benchmarks"), games_too)
        for name in (*ranges, *weights, *([growth.by] if growth else [])):
            _require_measure(name, found.measures, source)
        _require_sense(ranges, weights, growth)
        inside = np.ones(len(found), np.bool_)
        for name, (low, high) in ranges.items():
            inside &= (found.measures[name] >= low) & (found.measures[name] <= high)
        self._found, self._numbers = found, np.flatnonzero(inside)
        if not len(self._numbers):
            raise UsageError(f"no game of {source} is in these ranges: widen them, or use a larger pool.")
        self._growth, self._seed = growth, seed
        self._weights = np.ones(len(self._numbers))
        for name, ratio in weights.items():
            self._weights *= ratio ** _ranks(found.measures[name][self._numbers])
        by = found.measures[growth.by if growth else COMPLEXITY][self._numbers]
        self._order = np.argsort(by, kind="stable")
        setting: tuple[object, ...] = (seed, growth, [found.digests[i] for i in self._numbers])
        setting = (*setting, self._weights.tolist(), by.tolist(), *([self._disguises] if self._disguises else []))
        self._course = hashlib.blake2b(repr(setting).encode(), digest_size=16).hexdigest()
        self._go_to(State(self._course, 0, growth.start if growth else 1.0, ()))

    def __len__(self) -> int:
        """How many games it can draw when all are open."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[Drawn]:
        return self

    def __next__(self) -> Drawn:
        place = Stream(self._seed, _STREAM, self._drawn).uniform() * self._sums[-1]
        form = Stream(self._seed, _FORMS, self._drawn).below(self._disguises + 1)
        self._drawn += 1
        game = self._game(int(self._order[np.searchsorted(self._sums, place, side="right")]))
        return game if form == 0 else _in_disguise(game, derive(self._seed, _FORMS, form) >> 32)

    def draw(self, count: int) -> list[Drawn]:
        """The next games, at most `MOST_DRAWN`; `next` draws without end. Raises UsageError for another number."""
        count = whole(count, "count", 0, MOST_DRAWN)
        return [next(self) for _ in range(count)]

    @property
    def games(self) -> Iterator[Drawn]:
        """All its games once, in the order of seeds, for evaluation; open or not, and without regard to weights."""
        return map(self._game, range(len(self)))

    @property
    def open(self) -> float:
        """The share of its games, the easiest ones, from which it draws."""
        return self._open

    def report(self, score: float) -> None:
        """Record the learner's score, in the units of the growth's target; without growth it has no effect.

        Raises UsageError for a number that is not finite.
        """
        if not math.isfinite(score := number(score, "score") if not isinstance(score, float) else score):
            raise ArgumentValueError(f"the report is {score}: report a finite number.")
        if self._growth is None or self._open >= 1.0:
            return
        reports, share = (*self._reports, float(score)), self._open
        if len(reports) >= self._growth.window:
            if sum(reports) / len(reports) >= self._growth.target:
                share, reports = min(1.0, share + self._growth.step), ()
            else:
                reports = reports[1:]
        self._go_to(State(self._course, self._drawn, share, reports))

    def state(self) -> dict[str, Any]:
        """The current state, as plain numbers and strings for JSON."""
        found: dict[str, Any] = msgspec.to_builtins(State(self._course, self._drawn, self._open, self._reports))
        return found

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state. Raises UsageError if its curriculum has other games, arguments or another seed."""
        try:
            there = msgspec.convert(dict(state), State)
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            raise UsageError(f"this is no state of a curriculum ({error}): use what state() returned.") from error
        if there.course != self._course:
            raise UsageError("this state is of another curriculum: make it with the same games, arguments and seed.")
        self._go_to(there)

    def _go_to(self, state: State) -> None:
        self._drawn, self._open, self._reports = state.drawn, state.open, state.reports
        count = max(1, math.ceil(round(self._open * len(self._order), 9)))
        self._sums = np.cumsum(self._weights[self._order[:count]])

    def _game(self, place: int) -> Drawn:
        number = int(self._numbers[place])
        found = self._found
        axes = {name: float(column[number]) for name, column in found.measures.items() if name != COMPLEXITY}
        complexity = float(found.measures[COMPLEXITY][number])
        return Drawn(found.specs(number), found.seeds[number], complexity, found.digests[number], axes)


@lru_cache(_KEPT)
def _disguise_of(text: bytes, seed: int) -> GameSpec:
    return disguised(from_json(text), seed).game


def _in_disguise(game: Drawn, seed: int) -> Drawn:
    return game._replace(spec=_disguise_of(bytes(to_json(game.spec)), seed), disguise=seed)


def _ranks(values: FloatArray) -> FloatArray:
    """From 0 for the smallest to 1 for the largest; equal values have equal ranks."""
    ranks: FloatArray = np.searchsorted(np.sort(values), values).astype(np.float64)
    ranks /= max(1.0, ranks.max())
    return ranks


def _shares(shares: Sequence[float]) -> tuple[float, ...]:
    """The shares of the three sides as plain numbers."""
    if isinstance(shares, str | bytes) or not isinstance(shares, Sequence | np.ndarray) or np.ndim(shares) != 1:
        wrong_type("shares", shares, "three numbers", "give those of train, test and holdout, as in (0.8, 0.1, 0.1)")
    return tuple(number(share, f"shares[{place}]") for place, share in enumerate(shares))


def _by_measure(given: Mapping[str, V] | None, name: str) -> dict[str, V]:
    """Values by complexity or axis, as plain numbers or pairs of them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        wrong_type(name, given, "a dictionary", f"give it by name of {' or '.join(MEASURES[:2])}")
    return {one: _figures(value, f"{name}[{described(one)}]", name == "ranges") for one, value in given.items()}


def _figures(value: Any, name: str, two: bool) -> Any:
    if not two:
        return value if isinstance(value, float) else number(value, name)
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        wrong_type(name, value, "two numbers", "give the smallest and the largest value")
    return tuple(bound if isinstance(bound, float) else number(bound, name) for bound in value)


def _require_measure(name: str, there: Mapping[str, FloatArray], source: str | Path) -> None:
    if name not in MEASURES:
        raise ArgumentValueError(f"there is no axis '{name}': use some of {', '.join(MEASURES)}.")
    if name not in there:
        raise ArgumentValueError(
            f"{source} has no scores to choose by {name}: name the folder of a pool after `antemill pool score`."
        )


def _require_sense(
    ranges: Mapping[str, tuple[float, float]], weights: Mapping[str, float], growth: Growth | None
) -> None:
    for name, (low, high) in ranges.items():
        if not low <= high:
            raise ArgumentValueError(
                f"the range of {name} from {low:g} to {high:g} is empty: the smaller number comes first."
            )
    for name, ratio in weights.items():
        if not (ratio > 0.0 and math.isfinite(ratio)):
            raise ArgumentValueError(f"the weight of {name} is {ratio:g}: use a ratio above 0, such as 2 or 0.5.")
    if growth is not None and not (0.0 < growth.start <= 1.0 and growth.step > 0.0 and growth.window >= 1):
        raise ArgumentValueError(
            "a growth needs a start above 0 and at most 1, a step above 0, and a window of at least 1."
        )
