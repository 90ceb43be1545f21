"""`pool score`: parts of games in, parts of scores out; the generator is never run.

A part of scores is finished when it has every wanted axis for exactly the games of its block, by the present version
of the axes. Other axes of the same version stay in it; scores of another version are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from axes.budgets import TIERS
from axes.scores import version as axes_version
from axes.table import AXES
from engine.errors import StorageError, UsageError
from engine.execute import Job, progress_bar
from engine.storage.files import sweep, write_bytes
from engine.storage.store import GAMES, read
from tournament.pool.jobs import perform, require_workers
from tournament.pool.layout import Block, Pool, open_pool
from tournament.pool.repeats import COLUMNS, Repeats
from tournament.pool.schemas import SCORES
from tournament.pool.scoring import score_part


class Scored(Struct, frozen=True):
    """What `score_pool` did: games that have the axes now, and how many of them were scored by this call."""

    games: int
    scored: int
    tier: str
    axes: tuple[str, ...]


class _Plan(Struct, frozen=True):
    """One block's work: its games, how many, the axes that are missing, and whether earlier scores can be kept."""

    block: Block
    games: int
    missing: tuple[str, ...]
    keep: bool


def score_pool(
    folder: Path,
    tier: str = "fast",
    only: Sequence[str] = (),
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
) -> Scored:
    """Score the pool's accepted games at a tier, all axes or `only` some, where that was not done yet.

    Raises UsageError for an unknown tier or axis, StorageError for an unfinished or damaged pool.
    """
    require_workers(workers, executor)
    wanted = wanted_axes(tier, only)
    pool = open_pool(folder)
    target = folder / "scores" / tier
    target.mkdir(parents=True, exist_ok=True)
    sweep(target)
    require_distinct(pool)
    plans = [_plan(pool, block, tier, wanted) for block in pool.blocks]
    done = [plan.block for plan in plans if not plan.missing]
    with progress_bar(f"{tier} scores", len(plans), quiet) as bar:
        for block, part in perform(_jobs(pool, plans, tier), workers, executor, done, bar):
            write_bytes(pool.scores(tier, block), part)
    scored = sum(plan.games for plan in plans if plan.missing)
    return Scored(sum(plan.games for plan in plans), scored, tier, wanted)


def wanted_axes(tier: str, only: Sequence[str]) -> tuple[str, ...]:
    """The axes named by `only` in their usual order, all if none is named. Raises UsageError for an unknown name."""
    if tier not in TIERS:
        raise UsageError(f"there is no tier '{tier}': use {' or '.join(TIERS)}.")
    names = {name.replace("-", "_") for name in only}
    if unknown := sorted(names - set(AXES)):
        raise UsageError(f"there is no axis '{unknown[0]}': use some of {', '.join(AXES)}.")
    return tuple(axis for axis in AXES if axis in names or not names)


def _jobs(pool: Pool, plans: list[_Plan], tier: str) -> Iterator[Job[bytes]]:
    for plan in plans:
        path = pool.games(plan.block)
        if not plan.missing:
            yield Job(plan.block, plan.block.start, score_part)  # left out by `done`
            continue
        old = pool.scores(tier, plan.block).read_bytes() if plan.keep else None
        args = (path.read_bytes(), str(path), tier, plan.missing, old)
        yield Job(plan.block, plan.block.start, score_part, args)


def _plan(pool: Pool, block: Block, tier: str, wanted: tuple[str, ...]) -> _Plan:
    games = games_part(pool, block, ["seed", "accepted", "digest"])
    digests = games.filter(games["accepted"])["digest"].to_pylist()
    path = pool.scores(tier, block)
    if not path.exists():
        return _Plan(block, len(digests), wanted, keep=False)
    scores = read(path, SCORES, columns=["digest", "axes_version"])
    keep = scores["digest"].to_pylist() == digests and set(scores["axes_version"].to_pylist()) <= {axes_version()}
    missing = wanted
    if keep:
        there = read(path, SCORES)
        missing = tuple(axis for axis in wanted if there[axis].null_count)
    return _Plan(block, len(digests), missing, keep)


def games_part(pool: Pool, block: Block, columns: list[str] | None = None) -> pa.Table:
    """A block's part of games, or some columns with "seed" among them.

    Raises StorageError if the part is missing, damaged, or not (yet) that of the whole block.
    """
    path = pool.games(block)
    if not path.exists():
        raise StorageError(
            f"the pool in {pool.folder} is not finished (there is no {path.name}): "
            "run the same `antemill pool build` again, it continues."
        )
    part = read(path, GAMES, pool.settings.builder, columns)
    if part["seed"].to_pylist() != list(range(block.start, block.stop)):
        raise StorageError(f"{path} does not hold the {block}: run the same `antemill pool build` again.")
    return part


def require_distinct(pool: Pool) -> None:
    """Raise StorageError unless every accepted game of the pool is another one."""
    repeats = Repeats()
    for block in pool.blocks:
        repeats.require_none(games_part(pool, block, COLUMNS), str(pool.folder))


def scores_part(pool: Pool, block: Block, tier: str, digests: list[str]) -> pa.Table:
    """A block's part of scores for the games with these digests. Raises StorageError unless all axes are there."""
    path = pool.scores(tier, block)
    hint = f"run `antemill pool score {pool.folder} --tier {tier}` first."
    if not path.exists():
        raise StorageError(f"the games of {pool.folder} have no {tier} scores ({path.name} is missing): {hint}")
    scores = read(path, SCORES)
    if scores["digest"].to_pylist() != digests:
        raise StorageError(f"{path} does not belong to the games of the pool: {hint}")
    if any(scores[axis].null_count for axis in AXES):
        raise StorageError(f"{path} does not have all axes: {hint}")
    return scores
