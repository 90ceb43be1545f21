"""The leaderboard: strengths with intervals and ranks for both questions; head-to-head margins (GENSTRAT appendix J).

`head_to_head` is the full matrix of mean margins of pairs over all games, not adjusted for anything, with the entries
whose sign contradicts the leaderboard.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from antemill.engine.arguments import wrong_type
from antemill.tournament.statistics import sheets
from antemill.tournament.statistics.errors import Error, errors_of, sign_flips
from antemill.tournament.statistics.estimates import LIKE, THESE
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.matches import Flags, Integers, Matches, SlotTable, largest_group, slots_of
from antemill.tournament.statistics.ranks import Ranks, rank_columns, ranks
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.strength import Fit, game_strengths, pair_margins, strengths


class Leaderboard(Struct, frozen=True, eq=False):
    """Arrays over models, in the table's order; NaN where a strength is not identified.

    strengths: margins a match. these, like: 95% intervals and ranks on these games, and for games like these (NaN for a
    single game). outside: players that no match connects with the others, who have no strength.
    """

    models: tuple[str, ...]
    strengths: Floats  # float64[models]
    these: Interval  # float64[models] each
    like: Interval
    ranks_these: Ranks
    ranks_like: Ranks
    slots: Integers  # int64[models]: matches
    outside: tuple[str, ...] = ()

    def __repr__(self) -> str:
        best = int(self.order[0])
        return (
            f"<Leaderboard of {len(self.models)}: {self.models[best]!r} first with {self.strengths[best]:+.2f} "
            f"[{self.these.low[best]:+.2f}, {self.these.high[best]:+.2f}] (margin), on these games>"
        )

    def sheet(self) -> Sheet:
        """The same as a table, the strongest first."""
        order = self.order
        parts = [
            (sheets.text("player", "player"), [self.models[m] for m in order]),
            (sheets.number("strength", f"strength ({sheets.MARGIN})"), sheets.estimates(self.strengths[order])),
            *both_questions(self.these, self.like, self.ranks_these, self.ranks_like, order),
            (sheets.count("matches", "matches"), self.slots[order].tolist()),
        ]
        return sheets.by_columns("leaderboard", "Leaderboard", parts, sheets.QUESTIONS)

    def _repr_html_(self) -> str:
        return sheets.to_html(self.sheet())

    @property
    def order(self) -> Integers:
        """int64[models]: the models from the strongest down; then those without a strength."""
        return np.argsort(-self.strengths, kind="stable").astype(np.int64)


def both_questions(
    these: Interval, like: Interval, ranks_these: Ranks, ranks_like: Ranks, order: Sequence[int] | Integers
) -> sheets.Parts:
    """The columns of intervals and ranks; those for games like these only where there is more than one game."""
    parts: sheets.Parts = []
    for question, key, interval, found in ((THESE, "these", these, ranks_these), (LIKE, "like", like, ranks_like)):
        if key == "like" and not np.isfinite(interval.low).any():
            continue
        bounds = zip(("low", "high"), (interval.low, interval.high), strict=True)
        parts += [
            (sheets.number(f"{side}_{key}", f"{question}: {side}"), sheets.estimates(values[order]))
            for side, values in bounds
        ]
        parts += rank_columns(found, order, question, key)
    return parts


class HeadToHead(Struct, frozen=True, eq=False):
    """float64[models, models] margins of the row's model over the column's; NaN for pairs that never met.

    interval: 95%, of every pair alone, over the runs of the pair.
    """

    models: tuple[str, ...]
    margins: Floats
    interval: Interval
    reversals: Flags  # bool[models, models]: the sign contradicts the difference of the strengths

    def __repr__(self) -> str:
        met = np.count_nonzero(np.isfinite(self.margins)) // 2
        return f"<HeadToHead: {met} pairs of {len(self.margins)} players met>"

    def sheet(self) -> Sheet:
        """The margins as a table."""
        against = [sheets.number(name, f"against {name}") for name in self.models]
        parts = zip(against, map(sheets.estimates, self.margins.T), strict=True)
        title = f"Head to head ({sheets.MARGIN} a match)"
        return sheets.by_columns("pairs", title, [(sheets.text("player", "player"), self.models), *parts])

    def _repr_html_(self) -> str:
        return sheets.to_html(self.sheet())

    @property
    def significant(self) -> Flags:
        """bool[models, models]: the interval excludes zero."""
        return np.asarray(self.interval.excludes_zero(), np.bool_)


def leaderboard(table: Matches, fit: Fit = strengths, unranked: Sequence[str] = ()) -> Leaderboard:
    """The leaderboard of a table (GENSTRAT section 5.1, table 1), in margins a match; strengths sum to zero.

    table: a slot table, or a data frame, an Arrow table or a file with its columns (`slot_table`). fit: `strengths`, or
    `game_average` where games were played unevenly on purpose. unranked: players who take no rank. Only the largest
    group of players that matches connect has strengths.
    """
    whole = slots_of(table)
    if not callable(fit):
        wrong_type("fit", fit, "a function of a table", "leave it out, or give `game_average`")
    main, outside = largest_group(whole)
    there = ~np.isin(whole.models, outside)
    found, per_game = fit(main), game_strengths(main)
    errors = errors_of(main, per_game, fit is not strengths)
    among = ~np.isin(main.models, unranked)
    spreads = [errors.these, errors.like]
    both = [Error(placed(one.error.error, there), placed(one.freedom, there)) for one in spreads]
    these, like = (error.interval(placed(found, there)) for error in both)
    ranks_these, ranks_like = (_placed_ranks(ranks(found, one, among), there) for one in spreads)
    return Leaderboard(whole.models, placed(found, there), these, like, ranks_these, ranks_like, slots(whole), outside)


def _placed_ranks(found: Ranks, there: Flags) -> Ranks:
    """The ranks among all players; 0 and NaN for those who are not there."""
    if there.all():
        return found
    low, high = np.zeros(len(there), np.int64), np.zeros(len(there), np.int64)
    low[there], high[there] = found.low, found.high
    figures = (found.difference, found.interval.low, found.interval.high, found.p)
    gap, lower, upper, p = (placed(placed(each, there).T, there).T if each.size else each for each in figures)
    return Ranks(low, high, placed(found.best, there), gap, Interval(lower, upper), p)


def placed(values: Floats, there: Flags) -> Floats:
    """float64[..., all models]: values of the models that are there, in order, and NaN for the others."""
    found = np.full((*values.shape[:-1], len(there)), np.nan)
    found[..., there] = values
    return found


def head_to_head(table: Matches) -> HeadToHead:
    """The mean margins of all pairs over all games, a match (GENSTRAT appendix J), with Student's intervals."""
    table = slots_of(table)
    margins = pair_margins(table)
    interval = pair_errors(table).interval(margins)
    return HeadToHead(table.models, margins, interval, sign_reversals(margins, strengths(table)))


def pair_errors(table: SlotTable) -> Error:
    """Errors of the mean margins of pairs, float64[models, models], from the spread of their units about the mean."""
    size = len(table.models)
    pair = table.low * size + table.high
    key, which = np.unique(pair * table.units + table.unit, return_inverse=True)
    toward_low = np.where(table.alice < table.bob, table.margin, -table.margin)
    weight, total = np.bincount(which, table.weight), np.bincount(which, table.weight * toward_low)
    of = key // table.units
    count, rows = (np.bincount(of, values, size**2) for values in (np.ones(len(of)), weight))
    mean = np.bincount(of, total, size**2) / np.maximum(rows, 1e-300)
    square = np.bincount(of, (total - weight * mean[of]) ** 2, size**2)
    more = count / np.maximum(count - 1.0, 1.0)
    error = np.sqrt(square * more) / np.maximum(rows, 1e-300)
    least = np.array([sign_flips(int(n)) for n in count]) * np.abs(mean) / np.sqrt(np.maximum(count, 1.0))
    error = np.where(error > 1e-9 * np.abs(mean), error, least)
    error = np.where((count > 1) & (error > 0.0), error, np.nan).reshape(size, size)
    freedom = np.maximum(count - 1.0, 1.0).reshape(size, size)
    return Error(np.fmax(error, error.T), np.maximum(freedom, freedom.T))


def sign_reversals(margins: Floats, strength: Floats) -> Flags:
    """bool[models, models]: margins whose sign is opposite to that of the difference of the strengths (section 6)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(margins * (strength[:, None] - strength[None, :]) < 0.0, np.bool_)


def slots(table: SlotTable) -> Integers:
    """int64[models]: in how many matches each model plays."""
    both = np.concatenate((table.alice, table.bob))
    return np.bincount(both, minlength=len(table.models)).astype(np.int64)
