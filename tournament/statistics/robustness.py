"""What if part of the data were missing: refits of the leaderboard (GENSTRAT section 6, appendices H and I; N8, N10).

    leave_one_game_out   every game dropped in turn: does the order stay?
    without_model        a model and its matches dropped (the paper: the weakest, an outlier)
    by_group             refits within groups of games: clusters of the axes' space, or thirds by complexity

Refits are strengths of a part of the same cells, by the same fit as the leaderboard, and with the cells of a bootstrap
they have intervals.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.cluster.hierarchy import fcluster, linkage

from tournament.statistics.bootstrap import FEWER, REPLICATES, cluster_bootstrap
from tournament.statistics.cells import Cells, cells_of
from tournament.statistics.correlation import correlate
from tournament.statistics.few import enough, masked
from tournament.statistics.intervals import Floats, Interval, percentile
from tournament.statistics.leaderboards import Leaderboard, leaderboard
from tournament.statistics.strength import Fit, strengths
from tournament.statistics.table import Integers, SlotTable

AXIS_CLUSTERS = 6


class LeaveOut(Struct, frozen=True, eq=False):
    """Refits without one game each; NaN where the rest does not connect all models."""

    strengths: Floats  # float64[games, models]
    tau: Floats  # float64[games]: Kendall's with the full order
    kept: int  # refits that preserve the order of all models

    @property
    def mean(self) -> float:
        """Mean tau over the refits that have one."""
        return float(np.nanmean(self.tau)) if np.isfinite(self.tau).any() else float("nan")

    @property
    def least(self) -> float:
        """The smallest Kendall's tau over the games that are left out."""
        return float(np.nanmin(self.tau)) if np.isfinite(self.tau).any() else float("nan")


class Groups(Struct, frozen=True, eq=False):
    """Refits within groups of games, groups in ascending order of their labels."""

    labels: Integers  # int64[groups]
    games: Integers  # int64[groups]: how many
    strengths: Floats  # float64[groups, models]; NaN where not identified
    interval: Interval  # float64[groups, models] each
    spearman: Floats  # float64[groups]: with the overall order


def leave_one_game_out(data: SlotTable | Cells, fit: Fit = strengths) -> LeaveOut:
    """Drop each game in turn and refit. fit: that of the full leaderboard."""
    cells = data if isinstance(data, Cells) else cells_of(data)
    full = fit(cells)
    refits = np.stack([_without_game(cells, game, fit) for game in range(len(cells.games))])
    tau = np.array([correlate(full, refit).kendall for refit in refits])
    order = np.argsort(-full, kind="stable")[: int(np.isfinite(full).sum())]
    same = np.isfinite(refits[:, order]).all(axis=1) & (np.diff(refits[:, order], axis=1) < 0.0).all(axis=1)
    return LeaveOut(refits, tau, int(same.sum()) if len(order) > 1 else 0)


def _without_game(cells: Cells, game: int, fit: Fit) -> Floats:
    """float64[models]: all NaN if somebody played this game only, for the others' contrast would be another one."""
    rest = cells.select(cells.game != game)
    players, left = (np.union1d(part.low, part.high) for part in (cells, rest))
    return fit(rest) if len(left) == len(players) else np.full(len(cells.models), np.nan)


def without_model(
    table: SlotTable, name: str, replicates: int = REPLICATES, seed: int = 0, fit: Fit = strengths
) -> Leaderboard:
    """The leaderboard of the matches in which the model does not play. Raises UsageError for an unknown name."""
    return leaderboard(table.without_models([name]), replicates, seed, fit)


def by_group(
    table: SlotTable, groups: npt.NDArray[np.integer], replicates: int = FEWER, seed: int = 0, fit: Fit = strengths
) -> Groups:
    """Refit within groups of games. groups: integers[games], the label of each game in the table's order.

    A model with fewer than five clusters in a group has no interval there.
    """
    if len(groups) != len(table.games):
        raise ValueError(f"{len(groups)} labels for {len(table.games)} games")
    cells, drawn = cells_of(table), cluster_bootstrap(table, replicates, seed)
    labels, sizes = np.unique(np.asarray(groups, np.int64), return_counts=True)
    members = [np.flatnonzero(groups == label) for label in labels]
    refits = np.stack([fit(cells.only_games(games)) for games in members])
    resampled = np.stack([fit(drawn.only_games(games)) for games in members], axis=1)
    parts = [table.only_games([table.games[game] for game in games]) for games in members]
    there = np.stack([np.isin(table.models, np.array(part.models)[enough(part)]) for part in parts])
    overall = fit(cells)
    rho = np.array([correlate(overall, refit).spearman for refit in refits])
    return Groups(labels, sizes.astype(np.int64), refits, masked(percentile(resampled), there), rho)


def axis_clusters(points: Floats, count: int = AXIS_CLUSTERS) -> Integers:
    """int64[games]: labels 0..count-1 of clusters of games in the axes' space; 0 has the first game.

    points: float64[games, axes], z-scored. The paper does not name its method; ours is Ward's, which draws nothing at
    random. Fewer games than clusters: each is its own.
    """
    if len(points) <= count:
        return np.arange(len(points), dtype=np.int64)
    found = fcluster(linkage(points, "ward"), count, "maxclust")
    first, inverse = np.unique(found, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)
