"""Ratings from any table of results: one row a match, with two players and their scores.

    margin         additive strengths in points of score, summing to zero
    bradley-terry  log-odds of winning, with mean zero
    elo            the same on the Elo scale
    trueskill      TrueSkill, match by match: in the order of `date`, if there is one, else of the rows

`result_columns` has the columns. A slot table (`alice, bob, margin, game, run`) will do as well.

Draws are half a win for each, or have a chance of their own (`draws="davidson"`); `first_mover` fits what the player in
the first column has more (`paired_wins`).

Intervals are Student's with cluster-robust errors, which hold for few clusters, too (`clustered`; with more than EXACT
players, draws or a first mover, `paired_wins`). With a number of resamples they are those of resamples, stretched to
Student's t. TrueSkill's bounds are those of its own model, which takes every match for independent: clusters do not
matter there. Other orders of the matches show how much its ratings depend on the order.

If the players fall into groups that never met, the largest is rated and the others are listed below it, whatever the
method; a prior connects them. A player with fewer than five clusters has no interval and stands below the others,
unless no player has more (`antemill.tournament.statistics.few`). Where ratings are relative to a mean, it is no part
of the mean; in the additive fit, no part of the fit.

Ranks, the probability of being best, and differences of pairs are those of `ranks`, among the players with intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from antemill.engine import arguments
from antemill.engine.errors import UsageError
from antemill.tournament.statistics.bootstrap import MOST, cluster_bootstrap
from antemill.tournament.statistics.bradley_terry import PRIORS, aligned, curvature, fit, interval, outcomes, win_matrix
from antemill.tournament.statistics.cells import Cells
from antemill.tournament.statistics.clustered import (
    EXACT,
    clustered,
    clustered_wins,
    covariance,
    stretched,
    stretched_wins,
)
from antemill.tournament.statistics.elo import ANCHOR, SCALE, on_scale
from antemill.tournament.statistics.few import beside, enough, largest_group, masked, placed, set_apart
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.leaderboards import slots
from antemill.tournament.statistics.matches import Flags, Matches, SlotTable, codes
from antemill.tournament.statistics.paired_wins import Model, Wins, fit_wins, rated_group
from antemill.tournament.statistics.precision import Error
from antemill.tournament.statistics.ranks import MOST as RANKED
from antemill.tournament.statistics.ranks import Ranks, drawn, ranks
from antemill.tournament.statistics.rare import rare_pots
from antemill.tournament.statistics.rating_results import Pair, Rating, Ratings
from antemill.tournament.statistics.result_columns import results_table
from antemill.tournament.statistics.result_files import rows_of
from antemill.tournament.statistics.strength import strengths

METHODS = ("elo", "bradley-terry", "margin", "trueskill")
DRAWS = ("half", "davidson")
ORDERS = 20  # of the matches, besides the one that is rated
_NUMBERS = 1 << 23  # in an array of a few replicates
LOG_ODDS = float(np.log(10.0))  # the scale of tenfold odds on which ratings are log-odds
DEVIATIONS = 1.959963984540054  # of a 95% interval


class RatingOptions(Struct, frozen=True, repr_omit_defaults=True):
    """How to rate; None stands for the method's own default."""

    method: str = "elo"  # one of METHODS
    anchor: tuple[str, float] | None = None  # this player has this rating
    scale: float | None = None  # points of tenfold odds
    prior: str | None = None  # one of bradley_terry.PRIORS
    bootstrap: int | None = None  # resamples for the intervals; 0: no intervals; None: from the errors
    seed: int = 0  # of the resamples, of the draws for ranks, and of TrueSkill's orders
    draws: str | None = None  # one of DRAWS
    first_mover: bool = False  # fit what the player in the first column has more


_DEFAULTS = RatingOptions()


def _plain(options: RatingOptions) -> RatingOptions:
    """The options with plain numbers. Raises ArgumentTypeError for what is of another kind."""
    arguments.kind(options, "options", RatingOptions, "make them by RatingOptions('elo')")
    method, anchor, scale, prior, bootstrap, seed, draws, first = (
        getattr(options, name) for name in options.__struct_fields__
    )
    if anchor is not None and (not isinstance(anchor, tuple | list) or len(anchor) != 2):
        arguments.wrong_type("anchor", anchor, "a player with a rating", "give both, as in ('a', 1000.0)")
    return RatingOptions(
        arguments.text(method, "method"),
        None if anchor is None else (arguments.text(anchor[0], "anchor"), arguments.number(anchor[1], "anchor")),
        None if scale is None else arguments.number(scale, "scale"),
        None if prior is None else arguments.text(prior, "prior"),
        None if bootstrap is None else arguments.whole(bootstrap, "bootstrap", None, MOST),
        arguments.whole(seed, "seed"),
        None if draws is None else arguments.text(draws, "draws"),
        arguments.truth(first, "first_mover"),
    )


@dataclass(frozen=True, eq=False)
class _Rated:
    """What a method says of the players of a table."""

    rating: Floats
    bounds: Interval
    status: tuple[str, ...]
    ranks: Ranks | None = None
    spread: Floats | None = None
    first_mover: tuple[float, float] | None = None
    draw: float | None = None
    rare: tuple[str, ...] = ()


def rate(table: Matches, options: RatingOptions = _DEFAULTS) -> Ratings:
    """Rate all players, best first. table: a slot table, or a table of results or matches that is read as one.

    Raises UsageError for options that do not exist or that the method cannot use.
    """
    options = _plain(options)
    if options.method not in METHODS:
        raise UsageError(f"there is no method '{options.method}': use {', '.join(METHODS)}.")
    if not isinstance(table, SlotTable):
        table = results_table(rows_of(table, "table"), ordered=options.method == "trueskill")
    if options.bootstrap is not None and (options.bootstrap < 0 or options.bootstrap == 1):
        raise UsageError("bootstrap is the number of resamples, 2 or more, or 0 for no intervals.")
    if options.anchor is not None:
        codes(table.models, [options.anchor[0]], "player")
    main, outside = (table, ()) if (options.prior or "none") != "none" else largest_group(table)
    if options.anchor is not None and options.anchor[0] in outside:
        raise UsageError(
            f"--anchor names {options.anchor[0]}, whom no match connects with the {len(main.models)} players that are "
            f"rated: name {main.models[0]}."
        )
    anchor = None if options.anchor is None else int(codes(main.models, [options.anchor[0]], "player")[0])
    methods = {"margin": _margin, "trueskill": _trueskill}
    found = methods.get(options.method, _wins)(main, options, anchor)
    games, few = slots(table), _few(main, options)
    rated = [_one(main.models[k], k, found, few, games[table.models.index(main.models[k])]) for k in _range(main)]
    alone = [
        Rating(name, np.nan, np.nan, np.nan, int(games[table.models.index(name)]), "unconnected") for name in outside
    ]
    apart = {name: bool(few[k]) for k, name in enumerate(main.models)} | dict.fromkeys(outside, True)
    order = sorted([*rated, *alone], key=lambda r: (apart[r.player], np.isnan(r.rating), -r.rating, r.player))
    return Ratings(order, _pairs(main, found), found.first_mover, found.draw, found.rare)


def _range(table: SlotTable) -> range:
    return range(len(table.models))


def _one(name: str, k: int, found: _Rated, few: Flags, games: int) -> Rating:
    rated, low = found.ranks, 0 if found.ranks is None else int(found.ranks.low[k])
    return Rating(
        name,
        float(found.rating[k]),
        float(found.bounds.low[k]),
        float(found.bounds.high[k]),
        int(games),
        "few" if few[k] and found.status[k] == "rated" else found.status[k],
        low or None,
        int(rated.high[k]) if rated is not None and low else None,
        float(rated.best[k]) if rated is not None and low else None,
        None if found.spread is None else float(found.spread[k]),
    )


def _pairs(table: SlotTable, found: _Rated) -> list[Pair]:
    if found.ranks is None:
        return []
    r = found.ranks
    order = sorted(np.flatnonzero(r.low), key=lambda k: (-found.rating[k], table.models[k]))
    return [
        Pair(
            table.models[i],
            table.models[j],
            *(float(values[i, j]) for values in (r.difference, r.interval.low, r.interval.high, r.p)),
        )
        for place, i in enumerate(order)
        for j in order[place + 1 :]
    ]


def _few(table: SlotTable, options: RatingOptions) -> Flags:
    """bool[players]: which are set apart."""
    there = enough(table)
    return ~there & (there.any() and options.method != "trueskill")


def _wins(table: SlotTable, options: RatingOptions, anchor: int | None) -> _Rated:
    """The ratings of `elo` and `bradley-terry`."""
    prior, table = options.prior or "none", outcomes(table)
    if prior not in PRIORS:
        raise UsageError(f"there is no prior '{prior}': use {', '.join(PRIORS)}.")
    if options.draws not in (None, *DRAWS):
        raise UsageError(f"there is no model '{options.draws}' of draws: use {', '.join(DRAWS)}.")
    model = Model(prior, options.draws == "davidson", options.first_mover)
    if options.bootstrap and (model.draws or model.first):
        raise UsageError("bootstrap resamples ratings by wins alone: leave it out with draws or first_mover.")
    limits = rated_group(table)
    status = limits.status if prior == "none" else ("rated",) * len(table.models)
    inside = np.array([one == "rated" for one in status])
    whole = np.where(inside, np.nan, limits.strengths)
    if anchor is not None and not inside[anchor]:
        raise UsageError(
            f"--anchor names {table.models[anchor]}, who has no finite rating ({status[anchor]}): "
            f"name {table.models[int(np.argmax(inside))]}, or use --prior draw."
        )
    if options.method == "elo" and anchor is None:
        anchor = int(np.argmax(inside))
    there = enough(table)
    regular = there if there.any() else np.ones(len(there), bool)
    part = table.rows(inside[table.alice] & inside[table.bob])
    if not len(part.margin):  # a group of one
        whole[inside] = 0.0
        place, _ = _placing(options, None if anchor is None else 0.0, regular)
        none = np.full(len(there), np.nan)
        return _Rated(place(whole), Interval(none, none), status)
    wins = fit_wins(part, model)
    whole[inside] = wins.strengths
    place, factor = _placing(options, None if anchor is None else float(whole[anchor]), regular)
    point = place(whole)
    extra = (wins.first * factor, wins.first_error * factor) if model.first else None
    draw = wins.draw if model.draws else None
    none = np.full(len(there), np.nan)
    if options.bootstrap == 0:
        return _Rated(point, Interval(none, none), status, first_mover=extra, draw=draw)
    base = regular[inside] if regular[inside].any() else np.ones(int(inside.sum()), bool)
    error = _error(part, wins, base, model)
    kept = inside & there
    full = Error(np.where(kept, placed(error.error, inside), np.nan) * factor, placed(error.freedom, inside))
    if options.bootstrap is None:
        bounds = full.interval(point)
    else:
        known = np.where(regular, whole, np.nan)  # what replicates are aligned with
        drew = _replicates(table, options, lambda cells: place(aligned(fit(win_matrix(cells), prior), known)))
        bounds = masked(stretched_wins(interval(drew), point, table, whole, regular, prior), there)
    return _Rated(point, bounds, status, _ranked(point, full, kept, wins, inside, options.seed), None, extra, draw)


def _error(table: SlotTable, wins: Wins, base: Flags, model: Model) -> Error:
    """Of the log-odds, against the mean of those of `base`."""
    if len(table.models) > EXACT or model.draws or model.first:
        return wins.error(base)
    return clustered_wins(table, wins.strengths, base, curvature(wins.strengths, model.prior))[0]


def _ranked(point: Floats, found: Error, kept: Flags, wins: Wins, inside: Flags, seed: int) -> Ranks | None:
    """Ranks among the players that are kept, of those inside the fit."""
    if not 2 <= kept.sum() <= RANKED:
        return None
    own = kept[inside]
    draws = drawn(wins.covariance(own)[np.ix_(own, own)], seed)
    return ranks(np.where(kept, point, np.nan), found, placed(draws, kept))


def _placing(options: RatingOptions, zero: float | None, there: Flags) -> tuple[Callable[[Floats], Floats], float]:
    """From log-odds to ratings, and how many points one of log-odds is. zero: the anchor's log-odds, for the offset.

    there: bool[players], whose mean is 0 without an anchor.
    """
    if options.method != "elo":
        _refuse(options, "scale")
    scale = SCALE if options.scale is None else options.scale
    if not (np.isfinite(scale) and scale > 0.0):
        raise UsageError("--scale is a positive number: the points of tenfold odds, usually 400.")
    if zero is None:
        return (lambda values: values - _mean(np.where(there, values, np.nan))), 1.0
    at = options.anchor[1] if options.anchor else ANCHOR
    points = scale if options.method == "elo" else LOG_ODDS
    return (lambda values: on_scale(values, zero, at, points)), points / LOG_ODDS


def _replicates(table: SlotTable, options: RatingOptions, estimate: Callable[[Cells], Floats]) -> Floats:
    """float64[replicates, players]: estimates of resampled matches, a few at a time, for memory's sake."""
    count = options.bootstrap or 0
    size = max(1, _NUMBERS // (len(table.models) ** 2 + table.clusters))
    parts = [
        estimate(cluster_bootstrap(table, min(size, count - first), options.seed, first))
        for first in range(0, count, size)
    ]
    return np.concatenate(parts) if parts else np.empty((0, len(table.models)))


def _margin(table: SlotTable, options: RatingOptions, anchor: int | None) -> _Rated:
    _refuse(options, "scale", "prior", "draws", "first_mover")

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
    known = dict(zip(table.models, found.tolist(), strict=True))
    point = found.copy()
    found[~there] = [beside(table, name, known) for name in apart]
    status = tuple("unconnected" if np.isnan(value) else "rated" for value in found)
    if options.bootstrap == 0:
        none = np.full(len(found), np.nan)
        return _Rated(found, Interval(none, none), status)
    errors = clustered(main, None if anchor is None else main.models.index(table.models[anchor]))
    interval = errors[0].interval(point[there])
    if options.bootstrap is not None:
        interval = stretched(percentile(_replicates(main, options, fitted)[:, there]), point[there], errors)
    bounds = masked(Interval(placed(interval.low, there), placed(interval.high, there)), enough(table))
    error = errors[0] if anchor is None else clustered(main)[0]
    kept = enough(table)
    compared = None
    if 2 <= kept.sum() <= RANKED:
        draws = placed(drawn(covariance(main), options.seed), there)
        full = Error(np.where(kept, placed(error.error, there), np.nan), placed(error.freedom, there))
        compared = ranks(np.where(kept, point, np.nan), full, draws)
    return _Rated(found, bounds, status, compared, rare=rare_pots(main, strengths(main)))


def _trueskill(table: SlotTable, options: RatingOptions, _: int | None) -> _Rated:
    """Means, and the means plus and minus 1.96 standard deviations."""
    from antemill.tournament.statistics.trueskill import rate_orders

    _refuse(options, "scale", "prior", "anchor", "bootstrap", "draws", "first_mover")
    if (table.weight != table.weight[0]).any():
        raise UsageError("trueskill has no use for weights; leave the column out.")
    outcome, random = np.sign(table.margin).astype(np.int64), np.random.default_rng(options.seed)
    orders = np.array([np.arange(len(outcome)), *(random.permutation(len(outcome)) for _ in range(ORDERS))])
    mu, sigma = rate_orders(table.alice, table.bob, outcome, len(table.models), orders)
    bounds = Interval(mu[0] - DEVIATIONS * sigma[0], mu[0] + DEVIATIONS * sigma[0])
    return _Rated(mu[0], bounds, ("rated",) * len(table.models), spread=mu[1:].std(axis=0, ddof=1))


def _mean(values: Floats) -> Floats:
    """float64[..., 1]: the mean of the finite values; 0 if there are none."""
    finite = np.isfinite(values)
    total, count = np.where(finite, values, 0.0).sum(axis=-1), finite.sum(axis=-1)
    return np.asarray(total / np.maximum(count, 1), np.float64)[..., None]


def _refuse(options: RatingOptions, *names: str) -> None:
    for name in names:
        if getattr(options, name) not in (None, False):
            given = name.replace("_", "-")
            raise UsageError(f"the method {options.method} has no use for --{given}; leave it out.")
