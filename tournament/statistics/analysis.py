"""All estimates of a table of matches, with what follows from the axes: what tables and figures are made of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antemill.engine.errors import UsageError
from antemill.tournament.pool.select import Points
from antemill.tournament.pool.stats import selected_from
from antemill.tournament.statistics.bootstrap import check_replicates
from antemill.tournament.statistics.complexity import Composite, composite, tertiles
from antemill.tournament.statistics.errors import Error
from antemill.tournament.statistics.estimates import Estimates, estimate
from antemill.tournament.statistics.game_axes import Scorer, no_axes, read_axes
from antemill.tournament.statistics.jaggedness import Jaggedness, local_jaggedness
from antemill.tournament.statistics.matches import Integers, SlotTable, codes, largest_group, slot_table
from antemill.tournament.statistics.profile import Profile, capability_profile, slope_errors
from antemill.tournament.statistics.stability import Reversals, Shown, Stability, reversals, shown_reversals, stability
from antemill.tournament.statistics.strength import game_average, strengths


@dataclass(frozen=True, eq=False)
class Analysis:
    """All estimates of a tournament.

    rows        one row a match, as they were read
    whole       the table of the main schedule, with the reference players
    e           the estimates, of the largest group of players that matches connect
    outside     players that no match connects with them
    references  players that are no part of the leaderboard
    families    variants for the thinking ablation, name -> (high effort, low effort)
    pool        the games that those of the tournament were selected from, if they are known
    """

    rows: pa.Table
    whole: SlotTable
    e: Estimates
    outside: tuple[str, ...]
    references: tuple[str, ...]
    families: Mapping[str, tuple[str, str]]
    pool: Points | None = None

    @property
    def overall(self) -> dict[str, float]:
        """The overall strengths by player, as margins."""
        return dict(zip(self.e.models, self.e.overall.tolist(), strict=True))

    @cached_property
    def profile(self) -> Profile:
        """The capability profile on the games with axes."""
        e, known = self.e, self.e.known
        drawn = None if e.per_game_drawn is None else e.per_game_drawn[:, known]
        return capability_profile(e.axes.values[known], e.per_game[known], drawn)

    @cached_property
    def slope_errors(self) -> tuple[Error, Error]:
        """Errors of the slopes, float64[models, axes], on these games, and for games like these."""
        e, known = self.e, self.e.known
        return slope_errors(e.axes.values[known], e.per_game[known], e.errors, known)

    @cached_property
    def composite(self) -> Composite:
        """The composite complexity of the games, NaN for those without axes."""
        known = self.e.known
        found, scores = composite(self.e.axes.values[known], self.profile.slopes), np.full(len(known), np.nan)
        scores[known] = found.scores
        return Composite(found.weights, scores, found.explained)

    @cached_property
    def thirds(self) -> Integers:
        """int64[games]: the third by composite complexity, -1 without axes."""
        return tertiles(self.composite.scores)

    @cached_property
    def jagged(self) -> Jaggedness:
        """J, on the games with axes."""
        e, known = self.e, self.e.known
        own = np.diagonal(e.errors.games, axis1=1, axis2=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            noise = own / e.scale[:, None] ** 2
        return local_jaggedness(e.z_scores[known], e.axes.values[known], noise[known])

    @cached_property
    def shown(self) -> Shown:
        """Which reversals of single games are more than noise."""
        return shown_reversals(self.e.overall, self.e.per_game, *self.e.errors.mixed)

    @cached_property
    def stability(self) -> tuple[Stability, Reversals]:
        """Rank stability by game and all single reversals as printed; from the paper's replicates."""
        e = self.e
        drawn = np.full((0, *e.per_game.shape), np.nan) if e.per_game_drawn is None else e.per_game_drawn
        return stability(e.overall, e.per_game, drawn), reversals(e.overall, e.per_game, drawn)


def examine(
    rows: pa.Table,
    axes: Path | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    *,
    axes_of: Scorer | None = None,
    references: Sequence[str] = (),
    families: Mapping[str, tuple[str, str]] | None = None,
    uneven: bool = False,
    pool: str | os.PathLike[str] | None = None,
    unranked: Sequence[str] = (),
) -> Analysis:
    """All estimates of a table of matches; arguments as for `outputs.analyze`.

    bootstrap: replicates for the paper's columns; 0 for none.
    """
    if bootstrap:
        check_replicates(bootstrap)
    whole = slot_table(rows)
    codes(whole.models, references, "player")
    scheduled = slot_table(without_ablation(rows))
    table = scheduled.without_models([name for name in references if name in scheduled.models])
    if not len(table.margin):
        raise UsageError("every match is against a reference player: name fewer references.")
    main, outside = largest_group(table)
    if axes is not None:
        game_axes = read_axes(axes, main.games)
    else:
        game_axes = no_axes(main.games) if axes_of is None else axes_of(main.games)
    e = estimate(main, game_axes, bootstrap, seed, game_average if uneven else strengths, unranked)
    chosen = None if pool is None else selected_from(pool)
    return Analysis(rows, whole, e, outside, tuple(references), families or {}, chosen)


def without_ablation(rows: pa.Table) -> pa.Table:
    """The rows of the main schedule; all, if every row was played for the ablation."""
    if "ablation" not in rows.column_names:
        return rows
    main = rows.filter(pc.fill_null(pc.equal(pc.cast(rows["ablation"], pa.string()), ""), True))
    return main if main.num_rows else rows
