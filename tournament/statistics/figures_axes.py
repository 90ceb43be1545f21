"""The figures of a benchmark's games in the space of the axes (GENSTRAT figures 1, 2 and 6).

The paper does not say which games figure 1 marks with stars, nor the width of figure 2's kernel. Our readings: the
games at either end of the two axes, and Scott's rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from antemill.axes.axis import Axis
from antemill.axes.pool_stats import LOWER_CUT, UPPER_CUT
from antemill.axes.table import AXES
from antemill.tournament.charts import plots
from antemill.tournament.charts.chart import Chart, Panel
from antemill.tournament.statistics.intervals import Floats

if TYPE_CHECKING:
    from antemill.tournament.statistics.analysis import Analysis

DOTS = 5_000  # games that a plot shows of a large pool
_SOME = 2  # values that differ, at least, for a density


def benchmark(found: Analysis) -> Chart | None:
    """Figure 1: the games in the plane of state space and information sensitivity."""
    e, known = found.e, found.e.known
    if not known.any():
        return None
    x, y = (_values(found, name) for name in ("state_space", "information_sensitivity"))
    ends = {int(end(part)) for part in (x, y) for end in (np.argmin, np.argmax)}
    points = [
        plots.Marked(x[i], y[i], game, "s1", 4) if i in ends else plots.Marked(x[i], y[i], "", label=game)
        for i, game in enumerate(_named(e.games, known))
    ]
    labels = AXES["state_space"].title, AXES["information_sensitivity"].title
    note = f"{len(points)} games; axes: {e.axes.source}. Stars: the games at either end of an axis."
    return Chart("The games in two axes (figure 1)", (plots.plane(points, *labels),), note)


def densities(values: Floats, source: str) -> Chart | None:
    """Figure 2: the density of each axis over some games. values: float64[games, axes]; source: of them, in words."""
    panels = [_density(axis, values[:, i]) for i, axis in enumerate(AXES.values())]
    drawn = tuple(panel for panel in panels if panel is not None)
    if not drawn:
        return None
    note = (
        f"{len(values)} games; axes: {source}. Gaussian kernels, their width by Scott's rule. Below: the games. "
        "Dashed: the 33rd and 67th percentile, between the thirds by this axis."
    )
    return Chart("Distributions of the axes (figure 2)", drawn, note, columns=3)


def axis_densities(found: Analysis) -> Chart | None:
    """Figure 2 of a tournament's games."""
    known = found.e.known
    return densities(found.e.axes.values[known], found.e.axes.source) if known.any() else None


def pool(found: Analysis) -> Chart | None:
    """Figure 6: the pool and the selected games in the plane of information sensitivity and opponent modeling."""
    points = found.pool
    if points is None:
        return None
    names = {name.partition("@")[0] for name in found.e.games}
    chosen = np.array(
        [str(seed) in names or digest in names for seed, digest in zip(points.seeds, points.digests, strict=True)], bool
    )
    shown = thinned(len(points.seeds), chosen)
    across, up = (AXES[name] for name in ("information_sensitivity", "opponent_modeling"))
    x, y = (tuple(AXES).index(axis.name) for axis in (across, up))
    dots = [
        plots.Dot(float(points.values[i, x]), float(points.values[i, y]), f"seed {points.seeds[i]}", bool(chosen[i]))
        for i in shown.tolist()
    ]
    less = f", of which {len(shown):,} are drawn" if len(shown) < len(chosen) else ""
    note = (
        f"{len(chosen):,} accepted games{less}, and {int(chosen.sum())} of this tournament above them, by the scores "
        "that select games."
    )
    return Chart("The pool and the selected games (figure 6)", (plots.cloud(dots, across.title, up.title),), note)


def thinned(games: int, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """int64[shown]: the games of a pool that a plot shows, ascending.

    All up to `DOTS`, of more a sample, the same every time, and the chosen ones. chosen: bool[games].
    """
    if games <= DOTS:
        return np.arange(games)
    sample = np.random.default_rng(0).choice(games, DOTS, replace=False)
    return np.union1d(sample, np.flatnonzero(chosen)).astype(np.int64)


def _values(found: Analysis, axis: str) -> Floats:
    return np.asarray(found.e.axes.values[found.e.known, tuple(AXES).index(axis)])


def _named(games: Sequence[str], known: npt.NDArray[np.bool_]) -> list[str]:
    return [game for game, there in zip(games, known, strict=True) if there]


def _density(axis: Axis, values: Floats) -> Panel | None:
    if len(np.unique(values)) < _SOME:
        return None
    return plots.density(values.tolist(), axis.title, np.percentile(values, (LOWER_CUT, UPPER_CUT)).tolist())
