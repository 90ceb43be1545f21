"""From games to a benchmark: each axis at both tiers, the tiers as a whole, selection, storage, the pipeline."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa

from axes.axis import Play
from axes.budgets import TIERS
from axes.scores import default_seed, random_play, score
from axes.select import farthest_points
from axes.table import AXES
from engine.builder.generate import builder_hash, default_complexity
from engine.storage.store import PART, decode, encode, programs, write
from tournament.bench.games import accepted
from tournament.bench.measure import Measurement, Setting, Work
from tournament.pipeline import run_pipeline
from tournament.pool.candidates import judged, table_of

_WORKERS = 2
_SEEDS = 12_351  # the paper's candidates
_POOL = 2_357  # games to choose fifty from


def _axis(name: str, tier: str, setting: Setting) -> Sequence[Work]:
    """The axis alone, after the random play that it starts from; what it reads off the log is part of it."""
    plays = [random_play(program, TIERS[tier], default_seed(program)) for program in accepted(setting.size(20, 1))]

    def measured() -> None:
        for play in plays:  # a new one: what an earlier call has read off the log is not there
            AXES[name].measure(Play(play.program, play.log, play.tier, play.seed, play.room))

    return [Work(measured, len(plays))]


def _tier(tier: str, setting: Setting) -> Sequence[Work]:
    games = accepted(setting.size(20, 1))
    return [Work(lambda: [score(program, TIERS[tier]) for program in games], len(games))]


def _select(setting: Setting) -> Sequence[Work]:
    points = np.random.default_rng(1).random((setting.size(_POOL, 60), len(AXES)))
    return [Work(lambda: farthest_points(points, 50))]


def _part(seeds: int) -> pa.Table:
    """A part of a pool."""
    return table_of(judged([(seed, default_complexity(seed)) for seed in range(seeds)]))


def _store(setting: Setting) -> Sequence[Work]:
    """A part of a pool, written to a file that is complete or absent."""
    part = _part(setting.size(500, 5))
    path = _folder(setting) / "part.parquet"
    return [Work(lambda: write(path, PART, part, builder_hash()), part.num_rows)]


def _load(setting: Setting) -> Sequence[Work]:
    """A part of a pool, read to the programs of its accepted games, checked."""
    data = encode(PART, _part(setting.size(500, 20)), builder_hash())

    def load() -> int:
        games = decode(data, PART, "the part")
        return sum(1 for _ in programs(games.filter(games["accepted"]), "the part"))

    return [Work(load, load())]


def _run(setting: Setting) -> Sequence[Work]:
    """`antemill run`; a small run has warmed kernels and workers."""
    folder, numbers = _folder(setting), count()

    def run(seeds: int) -> None:
        run_pipeline(folder / str(next(numbers)), (0, seeds), 50, _WORKERS, quiet=True)

    small = setting.size(200, 20)
    run(small)
    return [Work(lambda: run(setting.size(_SEEDS, small)))]


def _folder(setting: Setting) -> Path:
    return Path(setting.stack.enter_context(tempfile.TemporaryDirectory()))


MEASUREMENTS = (
    *(
        Measurement(
            f"{tier}-{name.replace('_', '-')}",
            "axes",
            f"{axis.label}, {tier} tier, an accepted game",
            "ms",
            partial(_axis, name, tier),
            repeats=5,
        )
        for tier in TIERS
        for name, axis in AXES.items()
    ),
    *(
        Measurement(
            f"{tier}-tier",
            "axes",
            f"all axes of accepted games, {tier} tier, random play included",
            "games/s",
            partial(_tier, tier),
            repeats=5,
        )
        for tier in TIERS
    ),
    Measurement("select", "pools", "choosing fifty of 2,357 games", "ms", _select),
    Measurement("store", "storage", "candidates written to a pool's file", "candidates/s", _store),
    Measurement("load", "storage", "accepted games read from it, their programs checked", "games/s", _load),
    Measurement(
        "run", "pools", "`antemill run` over 12,351 seeds, two workers, warm kernels", "s", _run, repeats=3, warm=False
    ),
)
