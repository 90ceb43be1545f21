"""`antemill rate`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_json, print_sheet, say

_METHODS = "elo, bradley-terry, davidson (draws have a chance of their own), margin (additive strengths) or trueskill"


def rate(
    file: Path,
    *,
    method: Annotated[str, Parameter(help=f"How: {_METHODS}. trueskill depends on the order of the matches.")] = "elo",
    anchor: str | None = None,
    scale: float | None = None,
    columns: str | None = None,
    pairs: bool = False,
    json: AsJson = False,
) -> None:
    """Ratings from any table of results: Elo, Bradley-Terry, ...

    Also additive margins, and TrueSkill.

        antemill rate results.csv
        antemill rate games.pgn --method davidson
        antemill rate results.parquet --method margin --json

    Args:
        file: A .csv, .parquet, .jsonl or .pgn file, or a log of Inspect. Columns: a, b, score_a, score_b; or a,
            b, winner (a name, or tie); or white, black, result (1-0, 0-1, 1/2-1/2). It may have game, weight,
            count (of matches that a row stands for), cluster (rows of one value count as one) and date.
        anchor: NAME=RATING: fixes this player's rating, which has no interval then.
        scale: For Elo: the points that mean odds of 10 to 1; 400 if not given.
        columns: What the columns are called: a=white,b=black.
        pairs: Also the differences of all pairs, corrected for their number.
    """
    from antemill.tournament.statistics import rating
    from antemill.tournament.statistics.result_columns import named, results_table, unfinished
    from antemill.tournament.statistics.result_files import read_rows

    options = rating.RatingOptions(method, parse_anchor(anchor), scale)
    rows = named(read_rows(file), parse_columns(columns))
    rated, open_ = rating.rate(results_table(rows, ordered=method == "trueskill"), options), unfinished(rows)
    if json:
        found: dict[str, object] = {"method": method, "ratings": [msgspec.to_builtins(one) for one in rated]}
        found |= {"heading": rated.heading, "unfinished": open_}
        found |= {} if rated.draw is None else {"draw": rated.draw}
        found |= {"pairs": [msgspec.to_builtins(one) for one in rated.pairs]} if pairs else {}
        print_json(found)
        return
    print_sheet(rated.sheet())
    if pairs:
        print_sheet(rated.pair_sheet())
    if rated.draw is not None:
        say(f"Two equal players draw {rated.draw:.1%} of their matches.")
    if open_:
        say(f"{open_:,} matches without a result (*) are left out.")
    if any(one.rank_low is not None for one in rated):
        say(
            "Players that the matches do not tell apart share a rank; the worst rank is the last that they do not rule "
            "out, for all players at once at 95%."
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


def parse_columns(text: str | None) -> dict[str, str]:
    """OURS=THEIRS, with commas between. Raises UsageError for anything else."""
    pairs = [part.split("=", 1) for part in (text or "").split(",") if part]
    if wrong := [pair for pair in pairs if len(pair) != 2 or not all(map(str.strip, pair))]:
        raise UsageError(f"'{'='.join(wrong[0])}' is not OURS=THEIRS, such as a=white,b=black.")
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}
