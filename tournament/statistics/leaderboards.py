"""The leaderboard: strengths with paired-cluster bootstrap intervals, and head-to-head margins (GENSTRAT tables 1, 5).

`head_to_head` is the full matrix of appendix J: mean margins of pairs over all games, not adjusted for anything, with
the entries whose sign contradicts the leaderboard.
"""

from __future__ import annotations

from itertools import repeat

import numpy as np
from msgspec import Struct

from antemill.engine.arguments import seed as any_seed
from antemill.engine.arguments import whole, wrong_type
from antemill.tournament.statistics import few, sheets
from antemill.tournament.statistics.bootstrap import FEWER, MOST, REPLICATES, cluster_bootstrap
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.matches import Flags, Integers, Matches, SlotTable, slots_of
from antemill.tournament.statistics.ranks import MOST as RANKED
from antemill.tournament.statistics.ranks import Ranks, resampled
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.strength import Fit, pair_margins, strengths

NO_RANK = f"ranks are of 2 to {RANKED} players with intervals"


class Leaderboard(Struct, frozen=True, eq=False):
    """Arrays over models, in the table's order; NaN where a strength is not identified.

    apart: players with too few matches (`few`), who are no part of the contrast and have no interval. ranks: of the
    others, by the same replicates.
    """

    models: tuple[str, ...]
    strengths: Floats  # float64[models], chips a game
    interval: Interval  # float64[models] each
    slots: Integers  # int64[models]: matches
    ranks: Ranks
    apart: tuple[str, ...] = ()

    def __repr__(self) -> str:
        best = int(self.order[0])
        return (
            f"<Leaderboard of {len(self.models)}: {self.models[best]!r} first with {self.strengths[best]:+.2f} "
            f"[{self.interval.low[best]:+.2f}, {self.interval.high[best]:+.2f}] chips a game>"
        )

    def sheet(self) -> Sheet:
        """The same as a table, the strongest first."""
        found, order = self.interval, self.order
        names, played = [self.models[m] for m in order], self.slots[order].tolist()
        figures = [
            sheets.estimates(values[order], few.TOO_FEW_CLUSTERS) for values in (self.strengths, found.low, found.high)
        ]
        columns = [sheets.number("strength", "strength"), *sheets.interval_columns()]
        parts = [
            (sheets.text("player", "player"), names),
            *zip(columns, figures, strict=True),
            *rank_columns(self.ranks, order),
        ]
        return sheets.by_columns(
            "leaderboard", f"Leaderboard, {sheets.CHIPS}", [*parts, (sheets.count("matches", "matches"), played)]
        )

    def _repr_html_(self) -> str:
        return sheets.to_html(self.sheet())

    @property
    def order(self) -> Integers:
        """int64[models]: the models from the strongest down; then those without a strength, and those set apart."""
        return np.lexsort((-self.strengths, np.isin(self.models, self.apart))).astype(np.int64)


class HeadToHead(Struct, frozen=True, eq=False):
    """float64[models, models] margins of the row's model over the column's; NaN for pairs that never met."""

    models: tuple[str, ...]
    margins: Floats
    interval: Interval
    reversals: Flags  # bool[models, models]: the sign contradicts the difference of the strengths

    def __repr__(self) -> str:
        met = np.count_nonzero(np.isfinite(self.margins)) // 2
        return f"<HeadToHead: {met} pairs of {len(self.margins)} players met>"

    def sheet(self) -> Sheet:
        """The margins as a table, in chips a game; a gap for a pair that never met."""
        against = [sheets.number(name, f"against {name}") for name in self.models]
        parts = zip(against, map(sheets.estimates, self.margins.T, repeat("no matches of these two")), strict=True)
        return sheets.by_columns(
            "pairs", f"Head to head, {sheets.CHIPS}", [(sheets.text("player", "player"), self.models), *parts]
        )

    def _repr_html_(self) -> str:
        return sheets.to_html(self.sheet())

    @property
    def significant(self) -> Flags:
        """bool[models, models]: the interval excludes zero."""
        return np.asarray(self.interval.excludes_zero(), np.bool_)


def leaderboard(table: Matches, replicates: int = REPLICATES, seed: int = 0, fit: Fit = strengths) -> Leaderboard:
    """The leaderboard of a table (GENSTRAT section 5.1, table 1), in chips a game; strengths sum to zero.

    table: a slot table, or a data frame, an Arrow table or a file with its columns (`slot_table`). replicates: of the
    paired-cluster bootstrap, from which the 95% intervals come; a player with fewer than five
    clusters has none, and is no part of the contrast. fit: `strengths`, or `game_average` where games were played
    unevenly on purpose. Deterministic for a seed. Raises UsageError for fewer than two replicates.
    """
    table, replicates, seed = slots_of(table), whole(replicates, "replicates", 2, MOST), any_seed(seed)
    if not callable(fit):
        wrong_type("fit", fit, "a function of a table", "leave it out, or give `game_average`")
    main, apart = few.set_apart(table)
    there = ~np.isin(table.models, apart)
    found = few.placed(fit(main), there)
    known = dict(zip(main.models, found[there].tolist(), strict=True))
    found[~there] = [few.beside(table, name, known) for name in apart]
    drawn, enough = few.placed(fit(cluster_bootstrap(main, replicates, seed)), there), few.enough(table)
    interval = few.masked(percentile(drawn), enough)
    compared = resampled(np.where(enough, found, np.nan), drawn, few.units_of_models(table))
    return Leaderboard(table.models, found, interval, slots(table), compared, apart)


def rank_columns(found: Ranks, order: Integers) -> list[tuple[sheets.Column, list[sheets.Cell]]]:
    """Ranks, which players that cannot be told apart share, how far they reach, and the chance of being best."""
    ranked = [bool(found.low[k]) for k in order]

    def shown(values: Integers | Floats) -> list[sheets.Cell]:
        cells = zip(values[order].tolist(), ranked, strict=True)
        return [value if there else sheets.Missing(NO_RANK) for value, there in cells]

    return [
        (sheets.count("rank", "rank"), shown(found.low)),
        (sheets.count("rank_high", "worst rank"), shown(found.high)),
        (sheets.Column("best", "P(best)", "share"), shown(found.best)),
    ]


def head_to_head(table: Matches, replicates: int = FEWER, seed: int = 0) -> HeadToHead:
    """The mean margins of all pairs over all games, in chips a game (GENSTRAT appendix J).

    replicates: of the paired-cluster bootstrap. A pair with fewer than five clusters has no interval. Deterministic for
    a seed. Raises UsageError for fewer than two replicates.
    """
    table, replicates, seed = slots_of(table), whole(replicates, "replicates", 2, MOST), any_seed(seed)
    margins, drawn = pair_margins(table), pair_margins(cluster_bootstrap(table, replicates, seed))
    interval = few.masked(percentile(drawn), few.units_of_pairs(table) >= few.FEWEST)
    return HeadToHead(table.models, margins, interval, sign_reversals(margins, strengths(table)))


def sign_reversals(margins: Floats, strength: Floats) -> Flags:
    """bool[models, models]: margins whose sign is opposite to that of the difference of the strengths (section 6)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(margins * (strength[:, None] - strength[None, :]) < 0.0, np.bool_)


def slots(table: SlotTable) -> Integers:
    """int64[models]: in how many matches each model plays."""
    both = np.concatenate((table.alice, table.bob))
    return np.bincount(both, minlength=len(table.models)).astype(np.int64)
