"""`antemill rate`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_json, print_table

if TYPE_CHECKING:
    from antemill.tournament.statistics.rating import Rating

_METHODS = "elo, bradley-terry, margin (additive strengths) or trueskill"


def rate(
    file: Annotated[
        Path,
        Parameter(
            help="A .csv or .parquet file: a, b, score_a, score_b (game, weight, cluster: rows of one value are "
            "resampled together). Names are text."
        ),
    ],
    *,
    method: Annotated[str, Parameter(help=f"How: {_METHODS}.")] = "elo",
    anchor: Annotated[str | None, Parameter(help="NAME=RATING: fixes this player's rating.")] = None,
    scale: Annotated[
        float | None, Parameter(help="For Elo: the points that mean odds of 10 to 1; 400 if not given.")
    ] = None,
    prior: Annotated[
        str | None,
        Parameter(
            help="For wins: none, draw (one drawn match with an average player) or normal; makes all ratings finite."
        ),
    ] = None,
    bootstrap: Annotated[
        int | None,
        Parameter(help="Resamples for the intervals, 2 or more; 0: none. If not given 1000, but none for margin."),
    ] = None,
    seed: Annotated[int, Parameter(help="The seed of the resamples.")] = 0,
    json: AsJson = False,
) -> None:
    """`rate`."""
    from antemill.tournament.statistics import rating
    from antemill.tournament.statistics.few import FEWEST
    from antemill.tournament.statistics.result_files import read_rows

    options = rating.RatingOptions(method, parse_anchor(anchor), scale, prior, bootstrap, seed)
    rated = rating.rate(rating.results_table(read_rows(file)), options)
    if json:
        print_json({"method": method, "ratings": [msgspec.to_builtins(one) for one in rated]})
        return
    by = "Student's t" if method == "margin" and bootstrap is None else "resamples"
    bounds = f"95% by {by}, from {FEWEST} matches or clusters on"
    if method == "trueskill":
        bounds = "the mean and 1.96 deviations, every match taken for independent"
    digits = 0 if method == "elo" else 2
    rows = [
        (
            i + 1,
            one.player,
            *(_figure(value, digits) for value in (one.rating, one.low, one.high)),
            one.games,
            _status(one, FEWEST, bootstrap != 0),
        )
        for i, one in enumerate(rated)
    ]
    print_table(
        f"Ratings by {method}; low and high: {bounds}",
        ("", "player", "rating", "low", "high", "games", ""),
        rows,
        texts=2,
    )


def _status(one: Rating, fewest: int, bounded: bool) -> str:
    """The last column for a player. bounded: whether intervals are wanted."""
    if one.status == "few":
        return f"fewer than {fewest} matches or clusters"
    if one.status == "rated" and bounded and one.games >= fewest and math.isnan(one.low):
        return "rated; too few matches against the others for an interval"
    return one.status


def parse_anchor(text: str | None) -> tuple[str, float] | None:
    """NAME=RATING. Raises UsageError for anything else."""
    if text is None:
        return None
    name, equals, rating = text.rpartition("=")
    try:
        value = float(rating)
    except ValueError:
        value = math.nan
    if not equals or not name or not math.isfinite(value):
        raise UsageError(f"'{text}' is not NAME=RATING, such as gpt-5=1000.")
    return name, value


def _figure(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.{digits}f}"
