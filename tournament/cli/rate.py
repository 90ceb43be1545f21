"""`antemill rate`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from antemill.tournament.statistics.rating_results import Ratings

_METHODS = "elo, bradley-terry, margin (additive strengths) or trueskill"


def rate(
    file: Path,
    *,
    method: Annotated[str, Parameter(help=f"How: {_METHODS}. trueskill depends on the order of the matches.")] = "elo",
    anchor: str | None = None,
    scale: float | None = None,
    prior: str | None = None,
    draws: str | None = None,
    first_mover: bool = False,
    pairs: bool = False,
    json: AsJson = False,
) -> None:
    """Ratings from any table of results: Elo, Bradley-Terry, ...

    Also additive margins, and TrueSkill.

        antemill rate results.csv
        antemill rate results.csv --method bradley-terry --prior draw
        antemill rate results.parquet --method margin --json

    Args:
        file: A log of Inspect, or a .csv or .parquet file: a, b, score_a, score_b; or model_a, model_b,
            winner; or white, black, result (1-0, 0-1, 1/2-1/2). It may have game, weight, cluster (rows of
            one value are resampled together) and date. Semicolons between columns and decimal commas are
            read. Names are text.
        anchor: NAME=RATING: fixes this player's rating.
        scale: For Elo: the points that mean odds of 10 to 1; 400 if not given.
        prior: For wins: none, draw (one drawn match with an average player) or normal; makes all ratings
            finite.
        draws: For wins: half (a draw is half a win for each) or davidson (draws have their own chance).
        first_mover: For wins: fit the advantage of the first player (a, white), who moves first or is at
            home.
        pairs: Also the differences of all pairs, corrected for their number.
    """
    from antemill.tournament.statistics import rating
    from antemill.tournament.statistics.result_columns import results_table
    from antemill.tournament.statistics.result_files import read_rows

    options = rating.RatingOptions(method, parse_anchor(anchor), scale, prior, draws=draws, first_mover=first_mover)
    rated = rating.rate(results_table(read_rows(file), ordered=method == "trueskill"), options)
    if json:
        found: dict[str, object] = {"method": method, "ratings": [msgspec.to_builtins(one) for one in rated]}
        if rated.first_mover is not None:
            found["first_mover"] = dict(zip(("advantage", "error"), rated.first_mover, strict=True))
        found |= {} if rated.draw is None else {"draw": rated.draw}
        found |= {"rare": rated.rare} if rated.rare else {}
        found |= {"pairs": [msgspec.to_builtins(one) for one in rated.pairs]} if pairs else {}
        print_json(found)
        return
    _print(rated, method)
    if pairs:
        head = ("", "against", "difference", "low", "high", "p")
        lines = [
            (one.a, one.b, *map(_figure, (one.difference, one.low, one.high)), f"{one.p:.4f}") for one in rated.pairs
        ]
        print_table("Differences; all intervals hold together in 95%, p corrected for all pairs", head, lines, texts=2)


def _print(rated: Ratings, method: str) -> None:
    """The table, and what it means. The first column is the rank, which players that cannot be told apart share."""
    from antemill.tournament.statistics.few import FEWEST
    from antemill.tournament.statistics.rare import sentence

    ranked = any(one.rank_low is not None for one in rated)
    extra = ("spread",) if method == "trueskill" else ("ranks", "best") if ranked else ()
    rows: list[tuple[object, ...]] = []
    for place, one in enumerate(rated, 1):
        more: tuple[str, ...] = (_figure(one.spread),) if method == "trueskill" else ()
        if ranked:
            known = one.best is not None
            more = (f"{one.rank_low}\N{EN DASH}{one.rank_high}", f"{one.best:.0%}") if known else ("–", "–")
        figures = map(_figure, (one.rating, one.low, one.high))
        status = "" if one.status == "rated" else one.status
        rows.append(((one.rank_low or "") if ranked else place, one.player, *figures, *more, one.games, status))
    print_table(f"Ratings by {method}", ("", "player", "rating", "low", "high", *extra, "games", ""), rows, texts=2)
    told = f"low and high: 95% by cluster-robust errors, from {FEWEST} matches or clusters on."
    if method == "trueskill":
        told = "low and high: 1.96 deviations. They depend on the order of the matches; spread: over other orders."
    say(told, *([sentence(rated.rare)] if rated.rare else []))
    if rated.first_mover is not None:
        say("The first player has {} more (standard error {}).".format(*map(_figure, rated.first_mover)))
    if rated.draw is not None:
        say(f"Two equal players draw {rated.draw:.1%} of their matches.")
    if ranked:
        say(
            "Players that the matches do not tell apart share a rank. ranks: where the true one is, of all players at "
            "once in 95%; best: the probability of being the best."
        )


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


def _figure(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.1f}" if math.isfinite(value) else "∞" if value > 0 else "-∞"
