"""Estimates of J that were measured beside the one that is used
(`antemill.tournament.statistics.jaggedness.without_noise`)."""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.cells import Cells, cluster_sums
from antemill.tournament.statistics.estimates import Estimates
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.jaggedness import jaggedness, neighbourhoods, studentized
from antemill.tournament.statistics.strength import game_strengths

HALVES = 6  # random ways to halve the runs
BLOCKS = 4  # of runs, each left out in turn


def estimates_of_jaggedness(e: Estimates) -> dict[str, Floats]:
    """float64[models] each: J as printed, and J without noise in four ways."""
    near = neighbourhoods(e.axes.values)
    seen = jaggedness(e.z_scores, near)
    drawn = jaggedness(studentized(e.these.per_game, e.these.overall, e.these.scale), near)
    squared = 2.0 * seen**2 - (drawn**2).mean(axis=0)
    return {
        "printed": seen,
        "linear": 2.0 * seen - drawn.mean(axis=0),
        "squared": _signed_root(squared),
        "halves": _from_halves(e, near),
        "jackknife": _from_blocks(e, near, seen),
    }


def _signed_root(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))


def _from_halves(e: Estimates, near: np.ndarray) -> Floats:
    """Neighbourhoods' covariances between two halves of every pair's runs, their signed roots averaged."""
    random, found = np.random.default_rng(e.seed), []
    for _ in range(HALVES):
        a, b = (_z(e, _part(e, half)) for half in _halved(e, random))
        pairs = [values[near] - values[near].mean(axis=1, keepdims=True) for values in (a, b)]
        found.append(_signed_root((pairs[0] * pairs[1]).mean(axis=1)).mean(axis=0))
    return np.asarray(np.mean(found, axis=0))


def _from_blocks(e: Estimates, near: np.ndarray, seen: Floats) -> Floats:
    """The jackknife: as many times J as there are blocks, less the rest times the mean J without a block."""
    rank = _ranks(e)
    blocks = min(BLOCKS, int(np.bincount(rank).size))
    left = [jaggedness(_z(e, _part(e, rank % blocks != k)), near) for k in range(blocks)]
    return np.asarray(blocks * seen - (blocks - 1.0) * np.mean(left, axis=0))


def _z(e: Estimates, cells: Cells) -> Floats:
    per_game = game_strengths(cells)[:, e.place]
    return studentized(per_game, e.fit(cells)[e.place], e.scale)


def _part(e: Estimates, kept: np.ndarray) -> Cells:
    """The cells of some clusters; a cell keeps its place even if it is left empty."""
    sums, starts = cluster_sums(e.table)
    return sums.map(lambda each: np.add.reduceat(each * kept, starts))


def _ranks(e: Estimates) -> np.ndarray:
    """int64[clusters]: each cluster's number within its cell."""
    sums, starts = cluster_sums(e.table)
    sizes = np.diff(np.append(starts, len(sums.count)))
    return np.arange(len(sums.count)) - np.repeat(starts, sizes)


def _halved(e: Estimates, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    rank = _ranks(e)
    cell = np.cumsum(rank == 0)
    shuffled = np.lexsort((random.random(len(rank)), cell))
    first = np.zeros(len(rank), bool)
    first[shuffled] = rank % 2 == 0
    return first, ~first
