"""From games to a benchmark: each axis at both tiers, the tiers as a whole, selection, storage, the pipeline."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa

from antemill.axes.axis import Play
from antemill.axes.budgets import TIERS
from antemill.axes.scores import default_seed, random_play, score
from antemill.axes.select import farthest_points
from antemill.axes.table import AXES
from antemill.engine.builder.generate import builder_hash, default_complexity
from antemill.engine.storage.parts import decode_part, encode_part
from antemill.engine.storage.store import CANDIDATES, GAMES, PART, decode, encode, programs, write
from antemill.tournament.bench.measure import Measurement, Setting, Work
from antemill.tournament.bench.sample_games import accepted
from antemill.tournament.pipeline import run_pipeline
from antemill.tournament.pool.candidates import judged, table_of

_WORKERS = 2
_SEEDS = 12_351  # the paper's candidates
_POOL = 2_357  # games to choose fifty from


def _axis(name: str, tier: str, setting: Setting) -> Sequence[Work]:
    """The axis alone, after the random play that it starts from; what it reads off the log is part of it."""
    plays = [random_play(program, TIERS[tier], default_seed(program)) for program in accepted(setting.size(20, 1))]

    def measured() -> None:
        for play in plays:  # a new one: what an earlier call has read off the log is not there
            AXES[name].measure(Play(play.program, play.log, play.tier, play.seed, play.batch))

    return [Work(measured, len(plays))]


def _tier(tier: str, setting: Setting) -> Sequence[Work]:
    games = accepted(setting.size(20, 1))
    return [Work(lambda: [score(program, TIERS[tier]) for program in games], len(games))]


def _select(setting: Setting) -> Sequence[Work]:
    points = np.random.default_rng(1).random((setting.size(_POOL, 60), len(AXES)))
    return [Work(lambda: farthest_points(points, 50))]


def _candidates(seeds: int) -> pa.Table:
    return table_of(judged([(seed, default_complexity(seed)) for seed in range(seeds)]))


def _games(candidates: pa.Table) -> pa.Table:
    """The accepted ones, with their rules and programs."""
    return candidates.filter(candidates["accepted"])


def _store(setting: Setting) -> Sequence[Work]:
    """A pool's two files of some seeds, each complete or absent."""
    candidates = _candidates(setting.size(500, 5))
    games, folder = _games(candidates), _folder(setting)

    def store() -> None:
        write(folder / "games.parquet", GAMES, games, builder_hash())
        write(folder / "candidates.parquet", CANDIDATES, candidates, builder_hash())

    return [Work(store, candidates.num_rows)]


def _load(setting: Setting) -> Sequence[Work]:
    """A pool's games, read to their programs, checked."""
    data = encode(GAMES, _games(_candidates(setting.size(500, 20))), builder_hash())

    def load() -> int:
        return sum(1 for _ in programs(decode(data, GAMES, "the games"), "the games"))

    return [Work(load, load())]


def _parts(setting: Setting) -> Sequence[Work]:
    """A part of a pool that is being built."""
    candidates = _candidates(setting.size(128, 5))

    def there_and_back() -> None:
        decode_part(encode_part(PART, [candidates], builder_hash()), PART, "the part")

    return [Work(there_and_back, candidates.num_rows)]


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
    Measurement("store", "storage", "candidates and accepted games written to a pool's files", "candidates/s", _store),
    Measurement("load", "storage", "accepted games read from them, their programs checked", "games/s", _load),
    Measurement("part", "storage", "candidates written to a part of a pool and read back", "candidates/s", _parts),
    Measurement(
        "run", "pools", "`antemill run` over 12,351 seeds, two workers, warm kernels", "s", _run, repeats=3, warm=False
    ),
)
