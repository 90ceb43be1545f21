"""The axes of a tournament's games: from a benchmark file, from a table with a column `game`, or measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.axes.budgets import FAST, PRECISE
from antemill.axes.exact.tier import TIERS
from antemill.axes.table import AXES
from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import wrong_type
from antemill.engine.errors import AntemillError, UsageError
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.result_files import labels, numbers, read_rows

LABELS = tuple(axis.label for axis in AXES.values())
_FIRST = next(iter(AXES))


class GameAxes(Struct, frozen=True, eq=False):
    """Axes in the order of `AXES`, game by game; NaN rows for games without axes."""

    values: Floats  # float64[games, axes]
    rulebook_length: Floats  # float64[games]; characters, NaN if unknown
    source: str  # in words
    reasons: dict[str, str]  # why a game has none

    def __repr__(self) -> str:
        return f"<GameAxes: {np.isfinite(self.values).all(axis=1).sum()} of {len(self.values)} games have axes>"


Scorer = Callable[[Sequence[str]], GameAxes]


def no_axes(games: Sequence[str]) -> GameAxes:
    """Gaps for all games."""
    size = len(games)
    reasons = dict.fromkeys(games, "the axes of the games are not known")
    return GameAxes(np.full((size, len(AXES)), np.nan), np.full(size, np.nan), "none", reasons)


def read_axes(path: str | os.PathLike[str], games: Sequence[str]) -> GameAxes:
    """The axes of these games, from a benchmark of `antemill pool select` or a table of axes.

    A benchmark names its games by seed (`9`, or `7@0.1` with its complexity) or by digest; its precise scores are taken
    if every game that was found has them, else the fast ones. Any other .parquet or .csv file needs the columns
    `game` and all axes by name, and may have `rulebook_length`. Raises StorageError or UsageError.
    """
    path = file_path(path, "path")
    if isinstance(games, str) or not isinstance(games, Sequence) or not all(isinstance(game, str) for game in games):
        wrong_type("games", games, "a sequence of names", "give table.games of a slot table")
    return axes_in(read_rows(path), games, str(path))


def axes_in(rows: pa.Table, games: Sequence[str], source: str) -> GameAxes:
    """`read_axes` of rows that were read from `source`."""
    if "seed" in rows.column_names and f"{FAST.name}_{_FIRST}" in rows.column_names:
        return _of_benchmark(rows, games, source)
    missing = [name for name in ("game", *AXES) if name not in rows.column_names]
    if missing:
        raise UsageError(
            f"{source} has no column {', '.join(missing)}: give a benchmark, or a table of games and axes."
        )
    where = {name: i for i, name in enumerate(labels(rows, "game").to_pylist())}
    places = [where.get(game) for game in games]
    return _collect(rows, places, games, tuple(AXES), source)


def scored(games: Sequence[str], tier: str = "fast") -> GameAxes:
    """Measure the games that the names stand for (a seed, seed@complexity, a file, kuhn ...) with a tier's budget."""
    from antemill.axes.exact.scores import score_at
    from antemill.engine.builder.resolve import resolve
    from antemill.engine.compiler.compile import compile_spec
    from antemill.engine.text.rulebook import rulebook

    found = no_axes(games)
    reasons = {}
    for i, game in enumerate(games):
        try:
            spec = resolve(game)
            scores = score_at(compile_spec(spec), TIERS[tier]).point()
        except (AntemillError, ValueError) as error:
            reasons[game] = f"it cannot be scored: {str(error).rstrip('.')}"
            continue
        found.values[i] = scores
        found.rulebook_length[i] = len(rulebook(spec))
    return GameAxes(found.values, found.rulebook_length, f"measured here, {tier} tier", reasons)


def _of_benchmark(rows: pa.Table, games: Sequence[str], source: str) -> GameAxes:
    where: dict[str, int] = {}
    named = (labels(rows, "seed").to_pylist(), numbers(rows, "complexity"), rows["digest"].to_pylist())
    for i, (seed, complexity, digest) in enumerate(zip(*named, strict=True)):
        where |= dict.fromkeys((seed, f"{seed}@{complexity:g}", digest), i)
    places = [where.get(game) for game in games]
    used = [place for place in places if place is not None]
    precise = f"{PRECISE.name}_{_FIRST}"
    whole = precise in rows.column_names and not rows[precise].take(pa.array(used, pa.int64())).null_count
    tier = (PRECISE if whole and used else FAST).name
    columns = [f"{tier}_{axis}" for axis in AXES]
    return _collect(rows, places, games, columns, f"{source}, {tier} tier")


def _collect(
    rows: pa.Table, places: Sequence[int | None], games: Sequence[str], columns: Sequence[str], source: str
) -> GameAxes:
    def column(name: str) -> Floats:
        values = numbers(rows, name, gaps=True)
        return np.array([np.nan if place is None else values[place] for place in places])

    values = np.column_stack([column(name) for name in columns])
    values[~np.isfinite(values).all(axis=1)] = np.nan
    length = "rulebook_length"
    lengths = column(length) if length in rows.column_names else np.full(len(games), np.nan)
    reasons = {
        game: "the game is not in the file of axes" if place is None else "an axis of the game is missing"
        for game, place, row in zip(games, places, values, strict=True)
        if np.isnan(row[0])
    }
    return GameAxes(values, lengths, source, reasons)
