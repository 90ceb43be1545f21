"""Estimates of J beside the one in use, in docs/history/statistics.md: `python -m studies.jaggedness_estimates`.

Planted tournaments of `benches.coverage` show the mean error and the root mean square error of five estimates, and of
`antemill.tournament.statistics.jaggedness.without_noise`, which is in use. It takes about ten minutes on one core.
"""

from __future__ import annotations

import argparse

import numpy as np

from antemill.tournament.statistics.cells import Cells, cluster_sums
from antemill.tournament.statistics.estimates import Estimates, jaggedness_of
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.jaggedness import jaggedness, neighbourhoods, studentized
from antemill.tournament.statistics.strength import game_strengths
from benches.coverage import DOCS, GRID, WORLDS
from benches.coverage_tables import markdown
from benches.coverage_worlds import Setting, estimated, true_jaggedness
from benches.pages import write

HALVES = 6  # random ways to halve the runs
BLOCKS = 4  # of runs, each left out in turn
ESTIMATES = {
    "printed": "as printed",
    "linear": "twice J less the mean replicate",
    "jackknife": "jackknife over runs",
    "squared": "the same for J²",
    "halves": "two halves",
    "inverted": "inverted test, used",
}


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


def errors(setting: Setting, worlds: int) -> list[str]:
    """The cells of a setting: the mean truth, and of each estimate the mean error and the root mean square error."""
    truths: list[Floats] = []
    found: dict[str, list[Floats]] = {name: [] for name in ESTIMATES}
    for seed in range(worlds):
        e, truth = estimated(setting, seed)
        truths.append(true_jaggedness(e, truth, setting))
        values = estimates_of_jaggedness(e) | {"inverted": jaggedness_of(e).corrected}
        for name in ESTIMATES:
            found[name].append(values[name] - truths[-1])
    cells = [f"{np.mean(truths):.3f}"]
    return cells + [f"{np.mean(each):+.3f} ({np.mean(np.square(each)) ** 0.5:.3f})" for each in found.values()]


def main() -> None:
    """Simulate and print; write the table into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=WORLDS, help="tournaments of each setting (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/history/statistics.md")
    given = parser.parse_args()
    rows = [[setting.name, *errors(setting, given.worlds)] for setting in GRID if not (setting.few or setting.matches)]
    text = markdown(["", "truth", *ESTIMATES.values()], rows)
    print(text)
    if given.write:
        write(DOCS.parent / "history" / DOCS.name, "estimates of J", text)


if __name__ == "__main__":
    main()
