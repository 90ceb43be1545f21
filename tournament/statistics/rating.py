"""Ratings from any table of results: one row a match, with two players and their scores.

    margin         additive strengths in points of score, summing to zero
    bradley-terry  log-odds of winning, with mean zero
    elo            the same on the Elo scale
    trueskill      TrueSkill in the order of the rows

Columns: `a, b, score_a, score_b` (the higher score wins, equal scores are a draw), and, if given, `game`, `cluster`
(rows of one value are resampled together) and `weight`. A slot table (`alice, bob, margin, game, run`)
will do as well.

Intervals hold for few clusters, too (`clustered`): those of `margin` are Student's, unless a number of resamples is
given, and those of resamples are stretched to Student's t. TrueSkill's bounds are those of its own model, which takes
every match for independent: clusters do not matter there.

A player with fewer than five clusters has no interval and stands below the others, unless no player has more
(`antemill.tournament.statistics.few`). Where ratings are relative to a mean, it is no part of the mean; in the additive
fit, no part of the fit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.engine import arguments
from antemill.engine.errors import UsageError
from antemill.tournament.statistics import matches
from antemill.tournament.statistics.bootstrap import MOST, cluster_bootstrap
from antemill.tournament.statistics.bradley_terry import aligned, bradley_terry, fit, interval, outcomes, win_matrix
from antemill.tournament.statistics.cells import Cells, cells_of
from antemill.tournament.statistics.clustered import clustered, stretched, stretched_wins
from antemill.tournament.statistics.elo import ANCHOR, SCALE, anchor_of, on_scale
from antemill.tournament.statistics.few import beside, enough, masked, placed, set_apart
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.leaderboards import slots
from antemill.tournament.statistics.matches import Flags, Matches, SlotTable
from antemill.tournament.statistics.result_files import Rows, both_labels, labels, numbers, rows_of
from antemill.tournament.statistics.sheets import Sheet, count, interval_columns, limit, number, text, to_html
from antemill.tournament.statistics.strength import strengths

METHODS = ("elo", "bradley-terry", "margin", "trueskill")
RESULTS = ("a", "b", "score_a", "score_b")
REPLICATES = 1000
_NUMBERS = 1 << 23  # in an array of a few replicates
LOG_ODDS = float(np.log(10.0))  # the scale of tenfold odds on which ratings are log-odds
DEVIATIONS = 1.959963984540054  # of a 95% interval


class RatingOptions(Struct, frozen=True, repr_omit_defaults=True):
    """How to rate; None stands for the method's own default."""

    method: str = "elo"  # one of METHODS
    anchor: tuple[str, float] | None = None  # this player has this rating
    scale: float | None = None  # points of tenfold odds
    prior: str | None = None  # one of bradley_terry.PRIORS
    bootstrap: int | None = None  # resamples for the intervals; 0: no intervals
    seed: int = 0  # of the resamples


_DEFAULTS = RatingOptions()


def _plain(options: RatingOptions) -> RatingOptions:
    """The options with plain numbers. Raises ArgumentTypeError for what is of another kind."""
    arguments.kind(options, "options", RatingOptions, "make them by RatingOptions('elo')")
    method, anchor, scale, prior, bootstrap, seed = (getattr(options, name) for name in options.__struct_fields__)
    if anchor is not None and (not isinstance(anchor, tuple | list) or len(anchor) != 2):
        arguments.wrong_type("anchor", anchor, "a player with a rating", "give both, as in ('a', 1000.0)")
    return RatingOptions(
        arguments.text(method, "method"),
        None if anchor is None else (arguments.text(anchor[0], "anchor"), arguments.number(anchor[1], "anchor")),
        None if scale is None else arguments.number(scale, "scale"),
        None if prior is None else arguments.text(prior, "prior"),
        None if bootstrap is None else arguments.whole(bootstrap, "bootstrap", None, MOST),
        arguments.whole(seed, "seed"),
    )


class Rating(Struct, frozen=True):
    """One player's rating. Infinite for an undefeated or winless player, NaN for one that can not be compared."""

    player: str
    rating: float
    low: float
    high: float
    games: int
    status: str  # "rated", "undefeated", "winless", "unconnected"; "few" for one that is set apart


class Ratings(list[Rating]):
    """Ratings, best first."""

    def __repr__(self) -> str:
        return f"<Ratings of {len(self)}: {self[0].player!r} first with {self[0].rating:.2f}>"

    def sheet(self) -> Sheet:
        """The same as a table."""
        columns = [text("player", "player"), number("rating", "rating", signed=False), *interval_columns(signed=False)]
        rows = [
            (
                one.player,
                *(limit(value, one.status) for value in (one.rating, one.low, one.high)),
                one.games,
                one.status,
            )
            for one in self
        ]
        return Sheet("ratings", "Ratings", [*columns, count("games", "games"), text("status", "status")], rows)

    def _repr_html_(self) -> str:
        return to_html(self.sheet())


def results_table(rows: Rows) -> SlotTable:
    """The slot table of a table of results; a row is its own cluster unless the table says otherwise.

    Raises UsageError: no row, a missing column or value, a score or weight that is not a finite number, a negative
    weight, a player against itself.
    """
    found = rows_of(rows)
    names = found.column_names
    if not set(RESULTS) & set(names) and set(matches.COLUMNS) <= set(names):
        return matches.slot_table(found)
    missing = [name for name in RESULTS if name not in names]
    if missing:
        raise UsageError(
            f"the results have no column {', '.join(map(repr, missing))}; they need {', '.join(RESULTS)}, "
            f"and have {', '.join(names) or 'none'}."
        )
    count = found.num_rows
    if not count:
        raise UsageError("there are no results: give a file with at least one match.")
    row = pa.chunked_array([pa.array(np.arange(count)).cast(pa.string())])
    one = pa.chunked_array([pa.array(["all"] * count, pa.string())])
    return matches.coded(
        labels(found, "game") if "game" in names else one,
        row,
        *both_labels(found, "a", "b"),
        numbers(found, "score_a") - numbers(found, "score_b"),
        *matches.optional(found),
    )


def rate(table: Matches, options: RatingOptions = _DEFAULTS) -> Ratings:
    """Rate all players, best first. table: a slot table, or a table of results or matches that is read as one.

    Raises UsageError for options that do not exist or that the method can not use.
    """
    table = table if isinstance(table, SlotTable) else results_table(rows_of(table, "table"))
    options = _plain(options)
    if options.method not in METHODS:
        raise UsageError(f"there is no method '{options.method}': use {', '.join(METHODS)}.")
    if options.bootstrap is not None and (options.bootstrap < 0 or options.bootstrap == 1):
        raise UsageError("--bootstrap is the number of resamples, 2 or more, or 0 for no intervals.")
    anchor = None if options.anchor is None else int(matches.codes(table.models, [options.anchor[0]], "player")[0])
    methods = {"margin": _margin, "trueskill": _trueskill}
    rating, bounds, status = methods.get(options.method, _wins)(table, options, anchor)
    games, few = slots(table), _few(table, options)
    rated = [
        Rating(
            name,
            float(rating[k]),
            float(bounds.low[k]),
            float(bounds.high[k]),
            int(games[k]),
            "few" if few[k] and status[k] == "rated" else status[k],
        )
        for k, name in enumerate(table.models)
    ]
    apart = dict(zip(table.models, few.tolist(), strict=True))
    return Ratings(sorted(rated, key=lambda r: (apart[r.player], np.isnan(r.rating), -r.rating, r.player)))


def _few(table: SlotTable, options: RatingOptions) -> Flags:
    """bool[players]: which are set apart."""
    there = enough(table)
    return ~there & (there.any() and options.method != "trueskill")


Rated = tuple[Floats, Interval, tuple[str, ...]]


def _wins(table: SlotTable, options: RatingOptions, anchor: int | None) -> Rated:
    """The ratings of `elo` and `bradley-terry`."""
    prior, table = options.prior or "none", outcomes(table)
    found = bradley_terry(win_matrix(cells_of(table)), prior)
    if anchor is not None and not np.isfinite(found.strengths[anchor]):
        raise UsageError(
            f"--anchor names {table.models[anchor]}, who has no finite rating ({found.status[anchor]}): "
            f"name {table.models[anchor_of(found)]}, or use --prior draw."
        )
    if options.method == "elo" and anchor is None:
        anchor = anchor_of(found)
    there = enough(table)
    regular = there if there.any() else np.ones(len(there), bool)
    whole = np.where(regular, found.strengths, np.nan)  # what replicates are aligned with
    zero = None if anchor is None else float(found.strengths[anchor])
    place = _placing(options, zero, regular)
    drawn = _replicates(table, options, lambda cells: place(aligned(fit(win_matrix(cells), prior), whole)))
    point = place(found.strengths)
    bounds = stretched_wins(interval(drawn), point, table, found.strengths, regular, prior)
    return point, masked(bounds, there), found.status


def _placing(options: RatingOptions, zero: float | None, there: Flags) -> Callable[[Floats], Floats]:
    """From log-odds to ratings. zero: the anchor's log-odds; the anchor is for the offset only.

    there: bool[players], whose mean is 0 without an anchor.
    """
    if options.method != "elo":
        _refuse(options, "scale")
    scale = SCALE if options.scale is None else options.scale
    if not (np.isfinite(scale) and scale > 0.0):
        raise UsageError("--scale is a positive number: the points of tenfold odds, usually 400.")
    if zero is None:
        return lambda values: values - _mean(np.where(there, values, np.nan))
    at = options.anchor[1] if options.anchor else ANCHOR
    return lambda values: on_scale(values, zero, at, scale if options.method == "elo" else LOG_ODDS)


def _replicates(table: SlotTable, options: RatingOptions, estimate: Callable[[Cells], Floats]) -> Floats:
    """float64[replicates, players]: estimates of resampled matches, a few at a time, for memory's sake."""
    count = REPLICATES if options.bootstrap is None else options.bootstrap
    size = max(1, _NUMBERS // (len(table.models) ** 2 + table.clusters))
    parts = [
        estimate(cluster_bootstrap(table, min(size, count - first), options.seed, first))
        for first in range(0, count, size)
    ]
    return np.concatenate(parts) if parts else np.empty((0, len(table.models)))


def _margin(table: SlotTable, options: RatingOptions, anchor: int | None) -> Rated:
    _refuse(options, "scale", "prior")

    main, apart = set_apart(table)
    there = ~np.isin(table.models, apart)
    if anchor is not None and not there[anchor]:
        raise UsageError(f"'{table.models[anchor]}' has too few matches to be the anchor of the others: name another.")

    def fitted(data: SlotTable | Cells) -> Floats:
        values = placed(strengths(data), there)
        if anchor is None or options.anchor is None:
            return values
        return values - values[..., anchor, None] + options.anchor[1]

    found = fitted(main)
    errors = clustered(main, None if anchor is None else main.models.index(table.models[anchor]))
    interval = errors[0].interval(found[there])
    if options.bootstrap is not None:
        interval = stretched(percentile(_replicates(main, options, fitted)[:, there]), found[there], errors)
    known = dict(zip(table.models, found.tolist(), strict=True))
    found[~there] = [beside(table, name, known) for name in apart]
    status = tuple("unconnected" if np.isnan(value) else "rated" for value in found)
    bounds = Interval(placed(interval.low, there), placed(interval.high, there))
    return found, masked(bounds, enough(table)), status


def _trueskill(table: SlotTable, options: RatingOptions, _: int | None) -> Rated:
    """Means, and the means plus and minus 1.96 standard deviations."""
    from antemill.tournament.statistics.trueskill import rate_matches

    _refuse(options, "scale", "prior", "anchor", "bootstrap")
    if (table.weight != table.weight[0]).any():
        raise UsageError("trueskill has no use for weights; leave the column out.")
    outcome = np.sign(table.margin).astype(np.int64)
    columns = (table.alice.tolist(), table.bob.tolist(), outcome.tolist())
    mu, sigma = rate_matches(zip(*columns, strict=True), len(table.models)).final.T
    return mu, Interval(mu - DEVIATIONS * sigma, mu + DEVIATIONS * sigma), ("rated",) * len(table.models)


def _mean(values: Floats) -> Floats:
    """float64[..., 1]: the mean of the finite values; 0 if there are none."""
    finite = np.isfinite(values)
    total, count = np.where(finite, values, 0.0).sum(axis=-1), finite.sum(axis=-1)
    return np.asarray(total / np.maximum(count, 1), np.float64)[..., None]


def _refuse(options: RatingOptions, *names: str) -> None:
    for name in names:
        if getattr(options, name) is not None:
            raise UsageError(f"the method {options.method} has no use for --{name}; leave it out.")
