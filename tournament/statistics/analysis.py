"""All estimates of a table of matches, with what follows from the axes: what tables and figures are made of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from antemill.engine.errors import UsageError
from antemill.tournament.pool.select import Points
from antemill.tournament.pool.stats import selected_from
from antemill.tournament.statistics import estimates
from antemill.tournament.statistics.bootstrap import FEWER, REPLICATES, check_replicates
from antemill.tournament.statistics.complexity import Composite
from antemill.tournament.statistics.few import Apart, apart, set_apart
from antemill.tournament.statistics.game_axes import NO_AXES, Scorer, no_axes, read_axes
from antemill.tournament.statistics.jaggedness import Jaggedness
from antemill.tournament.statistics.matches import Integers, SlotTable, codes, slot_table
from antemill.tournament.statistics.precision import Error
from antemill.tournament.statistics.profile import Profile
from antemill.tournament.statistics.stability import Joint, Reversals, Stability
from antemill.tournament.statistics.statistic import Statistics
from antemill.tournament.statistics.strength import game_average, strengths


@dataclass(frozen=True, eq=False)
class Analysis:
    """All estimates of a tournament.

    rows        one row a match, as they were read
    whole       the table of the main schedule, with the reference players
    e           the estimates, without the players that were set apart
    apart       players with too few matches
    thirds      int64[games]: the third by composite complexity, -1 without axes
    references  players that are no part of the leaderboard
    families    variants for the thinking ablation, name -> (high effort, low effort)
    pool        the games that those of the tournament were selected from, if they are known
    """

    rows: pa.Table
    whole: SlotTable
    e: estimates.Estimates
    apart: Apart
    profile: Profile
    composite: Composite
    thirds: Integers
    jagged: Jaggedness
    references: tuple[str, ...]
    families: Mapping[str, tuple[str, str]]
    pool: Points | None = None

    @property
    def why_no_thirds(self) -> str:
        """Why games have no composite complexity, where they have none."""
        return NO_AXES if not self.e.known.any() else self.composite.reason

    @property
    def overall(self) -> dict[str, float]:
        """The overall strengths by player, in chips a game."""
        return dict(zip(self.e.models, self.e.overall.tolist(), strict=True))

    @cached_property
    def stability(self) -> tuple[Stability, Reversals]:
        """Rank stability by game as printed, and all single reversals."""
        return estimates.stability_of(self.e)

    @cached_property
    def slope_errors(self) -> tuple[Error, Error]:
        """Errors of the slopes, float64[models, axes], on these games, and for games like these."""
        return estimates.slope_errors_of(self.e)

    @cached_property
    def joint_stability(self) -> Joint:
        """Rank stability by game with noise that the pairs share."""
        return estimates.joint_stability_of(self.e)


GROUPS = ("Strength", "Profiles", "Jaggedness", "Games", "Disguises", "Play")  # of the page of a tournament
statistic = Statistics[Analysis](*GROUPS)


def examine(
    rows: pa.Table,
    axes: Path | None,
    bootstrap: int,
    seed: int = 0,
    *,
    fewer: int = FEWER,
    axes_of: Scorer | None = None,
    references: Sequence[str] = (),
    families: Mapping[str, tuple[str, str]] | None = None,
    uneven: bool = False,
    pool: str | os.PathLike[str] | None = None,
    unranked: Sequence[str] = (),
) -> Analysis:
    """All estimates of a table of matches; arguments as for `outputs.analyze`.

    fewer: at its default it grows with `bootstrap`, so that more replicates lower the least p of jaggedness, too.
    """
    if fewer == FEWER:
        fewer = max(fewer, bootstrap * FEWER // REPLICATES)
    check_replicates(min(bootstrap, fewer))
    whole = slot_table(rows)
    codes(whole.models, references, "player")
    scheduled = slot_table(without_ablation(rows))
    table = scheduled.without_models([name for name in references if name in scheduled.models])
    if not len(table.margin):
        raise UsageError("every match is against a reference player: name fewer references.")
    main, few = set_apart(table)
    if axes is not None:
        game_axes = read_axes(axes, main.games)
    else:
        game_axes = no_axes(main.games) if axes_of is None else axes_of(main.games)
    e = estimates.estimate(
        main, game_axes, bootstrap, min(fewer, bootstrap), seed, game_average if uneven else strengths, unranked
    )
    beside = apart(table, few, dict(zip(e.models, e.overall.tolist(), strict=True)))
    profile = estimates.profile_of(e)
    composite, thirds = estimates.composite_of(e, profile)
    return Analysis(
        rows,
        whole,
        e,
        beside,
        profile,
        composite,
        thirds,
        estimates.jaggedness_of(e),
        tuple(references),
        families or {},
        None if pool is None else selected_from(pool),
    )


def without_ablation(rows: pa.Table) -> pa.Table:
    """The rows of the main schedule; all, if every row was played for the ablation."""
    if "ablation" not in rows.column_names:
        return rows
    main = rows.filter(pc.fill_null(pc.equal(pc.cast(rows["ablation"], pa.string()), ""), True))
    return main if main.num_rows else rows
