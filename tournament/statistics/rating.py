"""Ratings from any table of results: one row a match, with two players and their scores.

    margin         additive strengths in points of score, summing to zero
    bradley-terry  log-odds of winning, with mean zero; a draw is half a win for each
    davidson       the same with a chance of draws (`wins`)
    elo            log-odds on the Elo scale, with mean 1000
    trueskill      TrueSkill, match by match: in the order of `date`, if there is one, else of the rows

An interval has a reference: the mean of all players, each weighted by the information that its matches hold, or the
anchor, who then has none. So a player with few matches widens its own interval and not the others'. All answer one
question: how far a rating would move if the same pairs met again. The unit is a match, or the cluster that the table
names. TrueSkill's bounds are those of its own model.

If the players fall into groups that never met, the largest is rated and the others are listed below it. Ranks, the
probability of being best, and differences of pairs are those of `ranks`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from antemill.engine import arguments
from antemill.engine.errors import UsageError
from antemill.tournament.statistics import sheets
from antemill.tournament.statistics.errors import Error, Spread, errors_of
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.leaderboards import slots
from antemill.tournament.statistics.matches import Matches, SlotTable, codes, largest_group
from antemill.tournament.statistics.ranks import Ranks, ranks
from antemill.tournament.statistics.result_columns import results_table
from antemill.tournament.statistics.result_files import rows_of
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.strength import strengths
from antemill.tournament.statistics.wins import fit_wins, unbeaten

METHODS = ("elo", "bradley-terry", "davidson", "margin", "trueskill")
SCALE, ANCHOR = 400.0, 1000.0  # of Elo: points of tenfold odds, and the mean
TENFOLD = float(np.log(10.0))
_DEVIATIONS = 1.959963984540054  # of a 95% interval


class RatingOptions(Struct, frozen=True, repr_omit_defaults=True):
    """How to rate. anchor: this player has this rating. scale: of Elo, the points of tenfold odds."""

    method: str = "elo"  # one of METHODS
    anchor: tuple[str, float] | None = None
    scale: float | None = None


class Rating(Struct, frozen=True):
    """One player's rating. NaN for a player that no match connects with the others, and for a bound that is not known.

    Ranks and the probability of being best are None for a player without an interval; see `ranks`.
    """

    player: str
    rating: float
    low: float
    high: float
    games: int
    status: str  # "rated", "undefeated", "winless" or "unconnected"
    rank_low: int | None = None  # its rank, which it may share
    rank_high: int | None = None
    best: float | None = None


class Pair(Struct, frozen=True):
    """The difference between two players' ratings. All intervals of pairs hold together in 95%."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float  # of no difference, corrected for all pairs


class Ratings(list[Rating]):
    """Ratings, best first. pairs: of the players with ranks, the best first. heading: what the ratings are, and what
    their intervals are against. draw: the chance of a draw between equals, None unless it is fitted."""

    def __init__(self, rated: Sequence[Rating], pairs: Sequence[Pair], heading: str, draw: float | None) -> None:
        super().__init__(rated)
        self.pairs, self.heading, self.draw = tuple(pairs), heading, draw

    def __repr__(self) -> str:
        return f"<Ratings of {len(self)}: {self[0].player!r} first with {self[0].rating:.2f}>"

    def sheet(self) -> Sheet:
        """The same as a table."""
        columns = [sheets.count("rank_low", "rank"), sheets.count("rank_high", "worst rank")]
        columns = [sheets.text("player", "player"), *_figures(), *columns, sheets.Column("best", "P(best)", "share")]
        rows = [
            (
                one.player,
                *map(sheets.estimate, (one.rating, one.low, one.high)),
                one.rank_low,
                one.rank_high,
                one.best,
                one.games,
                "" if one.status == "rated" else one.status,
            )
            for one in self
        ]
        return Sheet(
            "ratings", self.heading, [*columns, sheets.count("games", "games"), sheets.text("status", "")], rows
        )

    def pair_sheet(self) -> Sheet:
        """The differences of all pairs as a table."""
        columns = [sheets.text("a", "player"), sheets.text("b", "against"), sheets.number("difference", "difference")]
        columns += [sheets.number("low", "low"), sheets.number("high", "high"), sheets.Column("p", "p", digits=4)]
        rows = [[one.a, one.b, *map(sheets.estimate, (one.difference, one.low, one.high)), one.p] for one in self.pairs]
        title = "Differences; all intervals hold together in 95%, and p is corrected for all pairs"
        return Sheet("differences", title, columns, rows)

    def _repr_html_(self) -> str:
        return sheets.to_html(self.sheet())


def _figures() -> list[sheets.Column]:
    return [sheets.number(key, key, 1, signed=False) for key in ("rating", "low", "high")]


class _Rated(Struct, frozen=True, eq=False):
    """What a method says of the players of a table. spread: of the ratings; bounds: if they do not follow from it."""

    rating: Floats
    spread: Spread | None = None
    bounds: Interval | None = None
    pairs: Floats | None = None
    status: Sequence[str] = ()
    draw: float | None = None


def rate(table: Matches, options: RatingOptions | None = None) -> Ratings:
    """Rate all players, best first. table: a slot table, or a table of results or matches that is read as one.

    Raises UsageError for options that do not exist or that the method cannot use.
    """
    options = _plain(RatingOptions() if options is None else options)
    if not isinstance(table, SlotTable):
        table = results_table(rows_of(table, "table"), ordered=options.method == "trueskill")
    if options.anchor is not None:
        codes(table.models, [options.anchor[0]], "player")
    main, outside = largest_group(table)
    if options.anchor is not None and options.anchor[0] in outside:
        raise UsageError(
            f"--anchor names {options.anchor[0]}, whom no match connects with the {len(main.models)} players that are "
            f"rated: name {main.models[0]}."
        )
    anchor = None if options.anchor is None else int(codes(main.models, [options.anchor[0]], "player")[0])
    found = {"margin": _margin, "trueskill": _trueskill}.get(options.method, _wins)(main, options, anchor)
    error = Error(np.full(len(found.rating), np.nan), np.ones(len(found.rating)))
    if found.spread is not None:
        error = found.spread.error
        error = Error(np.where(error.error > 0.0, error.error, np.nan), error.freedom)
    bounds = error.interval(found.rating) if found.bounds is None else found.bounds
    compared = None if found.spread is None else ranks(found.rating, found.spread, None, found.pairs)
    games = dict(zip(table.models, slots(table).tolist(), strict=True))
    rated = [_one(main.models[k], k, found, bounds, compared, games) for k in range(len(main.models))]
    alone = [Rating(name, np.nan, np.nan, np.nan, games[name], "unconnected") for name in outside]
    order = sorted([*rated, *alone], key=lambda r: (np.isnan(r.rating), -r.rating, r.player))
    return Ratings(order, _pairs(main, found.rating, compared), _heading(options), found.draw)


def _plain(options: RatingOptions) -> RatingOptions:
    """The options with plain numbers. Raises UsageError for what is of another kind, or not of this method."""
    arguments.kind(options, "options", RatingOptions, "make them by RatingOptions('elo')")
    method, anchor, scale = arguments.text(options.method, "method"), options.anchor, options.scale
    if anchor is not None and (not isinstance(anchor, tuple | list) or len(anchor) != 2):
        arguments.wrong_type("anchor", anchor, "a player with a rating", "give both, as in ('a', 1000.0)")
    anchor = None if anchor is None else (arguments.text(anchor[0], "anchor"), arguments.number(anchor[1], "anchor"))
    scale = None if scale is None else arguments.number(scale, "scale")
    if method not in METHODS:
        raise UsageError(f"there is no method '{method}': use {', '.join(METHODS)}.")
    for name, value, used in (("scale", scale, method == "elo"), ("anchor", anchor, method != "trueskill")):
        if value is not None and not used:
            raise UsageError(f"the method {method} has no use for --{name}; leave it out.")
    if scale is not None and not (np.isfinite(scale) and scale > 0.0):
        raise UsageError("--scale is a positive number: the points of tenfold odds, usually 400.")
    return RatingOptions(method, anchor, scale)


def _heading(options: RatingOptions) -> str:
    if options.method == "trueskill":
        return "TrueSkill; low and high: 1.96 deviations of its own model. They depend on the order of the matches"
    what = {"elo": "Elo", "margin": "Strengths by margin", "davidson": "Log-odds by Davidson"}
    against = "the mean, weighted by information" if options.anchor is None else options.anchor[0]
    named = what.get(options.method, "Log-odds by Bradley and Terry")
    return f"{named}; 95% intervals against {against}, if the same pairs met again"


def _one(name: str, k: int, found: _Rated, bounds: Interval, compared: Ranks | None, games: dict[str, int]) -> Rating:
    ranked = compared is not None and compared.low[k] > 0
    return Rating(
        name,
        float(found.rating[k]),
        float(bounds.low[k]),
        float(bounds.high[k]),
        games[name],
        found.status[k] if found.status else "rated",
        int(compared.low[k]) if ranked and compared else None,
        int(compared.high[k]) if ranked and compared else None,
        float(compared.best[k]) if ranked and compared else None,
    )


def _pairs(table: SlotTable, rating: Floats, found: Ranks | None) -> list[Pair]:
    if found is None:
        return []
    order = sorted(np.flatnonzero(found.low), key=lambda k: (-rating[k], table.models[k]))
    figures = (found.difference, found.interval.low, found.interval.high, found.p)
    return [
        Pair(table.models[i], table.models[j], *(float(values[i, j]) for values in figures))
        for place, i in enumerate(order)
        for j in order[place + 1 :]
    ]


def _wins(table: SlotTable, options: RatingOptions, anchor: int | None) -> _Rated:
    """The ratings of `elo`, `bradley-terry` and `davidson`."""
    fit = fit_wins(table, options.method == "davidson", anchor)
    points = (options.scale or SCALE) / TENFOLD if options.method == "elo" else 1.0
    at = options.anchor[1] if options.anchor else ANCHOR if options.method == "elo" else 0.0
    zero = 0.0 if anchor is None else fit.strengths[anchor]
    up, down = unbeaten(table) if fit.prior else (np.zeros(len(table.models), bool),) * 2
    status = ["undefeated" if a and not b else "winless" if b and not a else "rated" for a, b in zip(up, down)]
    return _Rated(
        at + points * (fit.strengths - zero),
        Spread(fit.spread.covariance * points**2, fit.spread.freedom),
        pairs=None if fit.pairs is None else fit.pairs * points,
        status=status,
        draw=fit.draw if options.method == "davidson" else None,
    )


def _margin(table: SlotTable, options: RatingOptions, anchor: int | None) -> _Rated:
    found = strengths(table)
    reference = None if anchor is None else np.eye(len(found))[anchor]
    spread = errors_of(table, np.zeros((0, 0)), reference=reference).these
    if anchor is not None and options.anchor is not None:
        found = found - found[anchor] + options.anchor[1]
        spread = spread.scaled(np.where(np.arange(len(found)) == anchor, 0.0, spread.error.error))
    return _Rated(found, spread)


def _trueskill(table: SlotTable, _options: RatingOptions, _anchor: int | None) -> _Rated:
    """Means, and the means plus and minus 1.96 standard deviations."""
    from antemill.tournament.statistics.trueskill import final_ratings

    if (table.weight != table.weight[0]).any():
        raise UsageError("trueskill has no use for weights; leave the column out.")
    outcome = np.sign(table.margin).astype(np.int64)
    matches = zip(table.alice.tolist(), table.bob.tolist(), outcome.tolist(), strict=True)
    mu, sigma = final_ratings(matches, len(table.models)).T
    return _Rated(mu, bounds=Interval(mu - _DEVIATIONS * sigma, mu + _DEVIATIONS * sigma))
