"""A second play of a pool's games: how reliable its scores are, and how stable a selection is.

    scores/TIER/VERSION/retest.json    the axes of up to 100 games by two plays, written when a pool is scored

The first play of a game is the one that the pool's scores are from; the second has another seed.

How many selected games another play would select again is simulated from the games that were played twice. Of the fifty
games of `antemill run` the simulation says 15; three real further plays selected 16, 17 and 14 of them again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import Struct

from antemill.axes.exact.scores import score_at, version_of
from antemill.axes.exact.tier import TIERS
from antemill.axes.reliability import Reliability, reliability
from antemill.axes.scores import default_seed
from antemill.axes.select import farthest_points
from antemill.axes.table import AXES
from antemill.engine.errors import StorageError
from antemill.engine.execute import Executor, Job, checkpoint
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import programs
from antemill.tournament.pool import select
from antemill.tournament.pool.jobs import perform
from antemill.tournament.pool.layout import Pool
from antemill.tournament.pool.shard_reading import games_of, scored_by
from antemill.tournament.pool.spans import Span
from antemill.tournament.pool.versions import require_same

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NAME = "retest.json"
SAMPLE = 100  # games that are played twice
_PIECE = 64  # games of a job
_NEAR = 10  # played games from whose differences a game's own is drawn
_DRAWS = 20  # simulated plays


class Retest(Struct, frozen=True):
    """Two plays of some games. first, second: the axes by game, in the order of `AXES`."""

    pool: tuple[int, int]  # the seeds of the pool
    games: list[int]
    first: list[list[float]]
    second: list[list[float]]

    def reliabilities(self) -> dict[str, Reliability]:
        """By axis."""
        first, second = np.array(self.first), np.array(self.second)
        return {axis: reliability(first[:, i], second[:, i]) for i, axis in enumerate(AXES)}


class _Piece(Struct, frozen=True):
    """Names a job."""

    first: int

    def __str__(self) -> str:
        return f"the second play of game {self.first} and those after it"


def play_again(
    _first: int, pool: Pool, shard: Span, seeds: Sequence[int], tier: str, version: str
) -> list[list[float]]:
    """The axes of some games of a shard by the second play, in the order of seeds; runs in a worker."""
    require_same({"version of the axes": (version, version_of(tier))})
    games = games_of(pool, shard, pa.array(seeds, pa.int64()))
    found = []
    for program in programs(games, f"the pool in {pool.folder}"):
        checkpoint()
        found.append(list(score_at(program, TIERS[tier], default_seed(program) ^ 1).point()))
    return found


def second_plays(pool: Pool, tier: str, seeds: npt.NDArray[np.int64], executor: Executor) -> Floats:
    """float64[games, axes]: the axes of games by the second play. seeds: of accepted games, in order."""

    def jobs() -> Iterator[Job[list[list[float]]]]:
        for shard in pool.shards:
            own = [int(seed) for seed in seeds if shard.start <= seed < shard.stop]
            for i in range(0, len(own), _PIECE):
                some = tuple(own[i : i + _PIECE])
                yield Job(_Piece(some[0]), some[0], play_again, (pool, shard, some, tier, version_of(tier)))

    rows = [row for _, found in perform(jobs(), executor) for row in found]
    return np.array(rows, np.float64).reshape(len(seeds), len(AXES))


def write_retest(pool: Pool, tier: str, executor: Executor) -> None:
    """Play some games of a scored pool once more, and keep both plays."""
    points = select.read_points(pool, tier)
    rows = np.unique(np.linspace(0, len(points.seeds) - 1, min(SAMPLE, len(points.seeds))).round().astype(np.int64))
    second = second_plays(pool, tier, points.seeds[rows], executor)
    seeds = points.seeds[rows].tolist()
    made = Retest(pool.settings.seeds, seeds, points.values[rows].tolist(), second.tolist())
    pool.folder.write(_file(tier, version_of(tier)), msgspec.json.encode(made) + b"\n")


def read_retest(pool: Pool, tier: str) -> Retest | None:
    """Two plays of some of the pool's games; None if there are none of the scores that are read."""
    version = scored_by(pool, tier)
    if version is None or not pool.folder.exists(_file(tier, version)):
        return None
    try:
        found = msgspec.json.decode(pool.folder.read(_file(tier, version)), type=Retest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StorageError(
            f"{pool.folder.path(_file(tier, version))} is damaged: remove it and score the pool again."
        ) from error
    return found if found.pool == pool.settings.seeds and found.games else None


def survivors(points: select.Points, able: Rows, chosen: Rows, pinned: Sequence[int], retest: Retest) -> float:
    """How many of the chosen games another play would choose again, on average.

    Another play is simulated: a game's axes change by the difference between both plays of one of the ten retested
    games whose state space is nearest to its own. able: rows that may be chosen.
    """
    first, second = np.array(retest.first), np.array(retest.second)
    changes, size = second - first, list(AXES).index("state_space")
    near = min(_NEAR, len(first))
    values, seeds = points.values[able], points.seeds[able]
    order = np.argsort(first[:, size], kind="stable")
    place = np.searchsorted(first[order, size], values[:, size]) - near // 2
    place = np.clip(place, 0, len(first) - near)
    begin = [int(np.flatnonzero(seeds == seed)[0]) for seed in pinned]
    random, found, before = np.random.default_rng(1), [], set(chosen.tolist())
    for _ in range(_DRAWS):
        donors = order[place + random.integers(near, size=len(values))]
        signs = random.choice((-1.0, 1.0), size=(len(values), 1))
        again = able[farthest_points(values + signs * changes[donors], len(chosen), seeds, begin)]
        found.append(len(before & set(again.tolist())))
    return float(np.mean(found))


def survivors_of(pool: Pool, tier: str, points: select.Points, benchmark: pa.Table) -> float | None:
    """How many games of a benchmark another play would choose again, on average.

    points: all accepted games at the tier. benchmark: in the order of selection. None if the games were not played
    twice, or if the benchmark was chosen in another way, such as from some games alone.
    """
    retest, able = read_retest(pool, tier), np.arange(len(points.seeds))
    if retest is None or not 0 < benchmark.num_rows <= len(able) or not np.isfinite(points.values).all():
        return None
    chosen = farthest_points(points.values, benchmark.num_rows, points.seeds, [])
    if points.seeds[chosen].tolist() != benchmark["seed"].to_pylist():
        return None
    return survivors(points, able, chosen, (), retest)


class Selected(Struct, frozen=True, eq=False):
    """A benchmark. survivors: how many of its games another such selection would choose again, on average; None if the
    pool's games were not played twice.
    """

    benchmark: pa.Table
    survivors: float | None


def select_from_plays(
    folder: str | os.PathLike[str] | Place,
    count: int = 50,
    tier: str = "fast",
    limits: select.Limits | None = None,
) -> Selected:
    """As `select_games`, with what the second play says of the selection."""
    pool, points = select.points_to_select(folder, count, tier)
    limits = limits or select.Limits()
    able = select.eligible(pool, tier, points, limits)
    chosen = select.chosen_of(points, able, count, limits.pinned)
    retest = read_retest(pool, tier)
    again = None if retest is None else survivors(points, able, chosen, limits.pinned, retest)
    return Selected(select.benchmark_of(pool, points, chosen), again)


def _file(tier: str, version: str) -> str:
    return f"scores/{tier}/{version}/{NAME}"
