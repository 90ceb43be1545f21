"""Refits of the leaderboard to a part of the data (GENSTRAT section 6, appendices H and I; N8, N10).

    leave_one_game_out   every game dropped in turn: does the order stay?

Refits are strengths of a part of the same cells, by the same fit as the leaderboard.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.cells import Cells, cells_of
from antemill.tournament.statistics.correlation import correlate
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable
from antemill.tournament.statistics.strength import Fit, strengths


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
    """float64[models]: all NaN if a model played this game only, since the contrast of the others would differ."""
    rest = cells.select(cells.game != game)
    players, left = (np.union1d(part.low, part.high) for part in (cells, rest))
    return fit(rest) if len(left) == len(players) else np.full(len(cells.models), np.nan)
