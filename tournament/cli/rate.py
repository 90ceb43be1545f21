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
    from antemill.tournament.statistics.rating_results import Rating, Ratings

_METHODS = "elo, bradley-terry, margin (additive strengths) or trueskill"


def rate(
    file: Annotated[
        Path,
        Parameter(
            help="A log of Inspect, or a .csv or .parquet file: a, b, score_a, score_b; or model_a, model_b, winner; "
            "or white, black, result (1-0, 0-1, 1/2-1/2). It may have game, weight, cluster (rows of one value are "
            "resampled together) "
            "and date. Semicolons between columns and decimal commas are read. Names are text."
        ),
    ],
    *,
    method: Annotated[str, Parameter(help=f"How: {_METHODS}. trueskill depends on the order of the matches.")] = "elo",
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
    draws: Annotated[
        str | None,
        Parameter(help="For wins: half (a draw is half a win for each) or davidson (draws have their own chance)."),
    ] = None,
    first_mover: Annotated[
        bool,
        Parameter(help="For wins: fit the advantage of the first player (a, white), who moves first or is at home."),
    ] = False,
    bootstrap: Annotated[
        int | None,
        Parameter(
            help="Resamples for the intervals, 2 or more; 0: no intervals. If not given, cluster-robust errors without "
            "resamples."
        ),
    ] = None,
    pairs: Annotated[bool, Parameter(help="Also the differences of all pairs, corrected for their number.")] = False,
    json: AsJson = False,
) -> None:
    """Ratings from any table of results: Elo, Bradley-Terry, ...

    Also additive margins, and TrueSkill.

        antemill rate results.csv
        antemill rate results.csv --method bradley-terry --prior draw
        antemill rate results.parquet --method margin --bootstrap 2000 --json
    """
    from antemill.tournament.statistics import rating
    from antemill.tournament.statistics.few import FEWEST
    from antemill.tournament.statistics.result_columns import results_table
    from antemill.tournament.statistics.result_files import read_rows

    options = rating.RatingOptions(
        method, parse_anchor(anchor), scale, prior, bootstrap, 0, draws, first_mover=first_mover
    )
    rated = rating.rate(results_table(read_rows(file), ordered=method == "trueskill"), options)
    if json:
        found: dict[str, object] = {"method": method, "ratings": [msgspec.to_builtins(one) for one in rated]}
        if rated.first_mover is not None:
            found["first_mover"] = dict(zip(("advantage", "error"), rated.first_mover, strict=True))
        if rated.draw is not None:
            found["draw"] = rated.draw
        if rated.rare:
            found["rare"] = rated.rare
        if pairs:
            found["pairs"] = [msgspec.to_builtins(one) for one in rated.pairs]
        print_json(found)
        return
    digits = 0 if method == "elo" else 2
    print_table(_header(method, bootstrap, FEWEST), *_columns(rated, method, digits, bootstrap), texts=2)
    for line in _beside(rated, digits):
        print(line)
    if pairs:
        head = ("", "against", "difference", "low", "high", "p")
        lines = [
            (one.a, one.b, *(_figure(value, digits) for value in (one.difference, one.low, one.high)), f"{one.p:.4f}")
            for one in rated.pairs
        ]
        print_table("Differences; all intervals hold together in 95%, p corrected for all pairs", head, lines, texts=2)


def _header(method: str, bootstrap: int | None, fewest: int) -> str:
    if method == "trueskill":
        return (
            "Ratings by trueskill, which depends on the order of the matches; low and high: the mean and 1.96 "
            "deviations, every match taken for independent; spread: standard deviation over other orders"
        )
    by = "resamples" if bootstrap else "cluster-robust errors"
    bounds = "none" if bootstrap == 0 else f"95% by {by}, from {fewest} matches or clusters on"
    return f"Ratings by {method}; low and high: {bounds}"


def _columns(
    rated: Ratings, method: str, digits: int, bootstrap: int | None
) -> tuple[tuple[str, ...], list[tuple[str | int, ...]]]:
    """Headings and rows. The first column is the rank, which players that cannot be told apart share."""
    from antemill.tournament.statistics.few import FEWEST

    ranked = any(one.rank_low is not None for one in rated)
    extra = ("spread",) if method == "trueskill" else ("ranks", "best") if ranked else ()
    rows: list[tuple[str | int, ...]] = []
    for place, one in enumerate(rated, 1):
        more: tuple[str, ...] = ()
        if method == "trueskill":
            more = ("–" if one.spread is None else _figure(one.spread, digits),)
        elif ranked:
            reach = f"{one.rank_low}\N{EN DASH}{one.rank_high}"
            more = ("–", "–") if one.best is None else (reach, f"{one.best:.0%}")
        figures = (_figure(value, digits) for value in (one.rating, one.low, one.high))
        rank = (one.rank_low or "") if ranked else place
        rows.append((rank, one.player, *figures, *more, one.games, _status(one, FEWEST, bootstrap != 0, rated)))
    return ("", "player", "rating", "low", "high", *extra, "games", ""), rows


def _beside(rated: Ratings, digits: int) -> list[str]:
    """What is fitted beside the ratings, what the ranks mean, and whose interval may fail."""
    from antemill.tournament.statistics.rare import sentence

    lines = [sentence(rated.rare)] if rated.rare else []
    if rated.first_mover is not None:
        value, error = (_figure(each, digits) for each in rated.first_mover)
        lines.append(f"The first player has {value} more (standard error {error}).")
    if rated.draw is not None:
        lines.append(f"Two equal players draw {rated.draw:.1%} of their matches.")
    if any(one.rank_low is not None for one in rated):
        lines.append(
            "Players that the matches do not tell apart share a rank. ranks: where the true one is, of all players at "
            "once in 95%; best: the probability of being the best."
        )
    return lines


def _status(one: Rating, fewest: int, bounded: bool, rated: Ratings) -> str:
    """The last column for a player. bounded: whether intervals are wanted."""
    if one.status == "unconnected":
        first = next((other.player for other in rated if other.status == "rated"), None)
        return "unconnected" if first is None else f"unconnected: no chain of results leads to {first}"
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
