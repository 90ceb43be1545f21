"""The first screen of an evaluation: who loses least to perfect play, its figure, and what is behind its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from antemill.tournament.cards.evidence import fallen, in_form, strayed
from antemill.tournament.cards.items import GAVE
from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.ranks import Rank, ranked
from antemill.tournament.evaluation.findings import Findings, PlayerFindings
from antemill.tournament.pages.evidence import Behind, item
from antemill.tournament.runs.costs import headline as cost
from antemill.tournament.runs.kind import Headline
from antemill.tournament.statistics.losses import Loss

_WRITTEN = 0.001  # chips, to which a figure is written: less than half of it has no sign
_NAMED = 4  # players that the sentence names
_MEASURED = (
    "Losses are measured without the luck of the cards and of the equilibrium's own choices (AIVAT). In brackets: the "
    "95% interval if these games were played again with other cards and replies."
)


def headline(found: Findings) -> Headline:
    """The first screen."""
    questions = sum(one.questions for one in found.wholes)
    asked = [("Questions", f"{questions:,}", "at decisions of small games")] if questions else []
    return Headline(
        sentence=sentence(found),
        players=[one.name for one in sorted(found.players, key=lambda one: one.name in found.unranked)],
        table="losses",
        figure="losses",
        measured=_MEASURED,
        tiles=(
            ("Matches", f"{found.matches:,}", ""),
            ("Players", f"{len(found.players)}", ""),
            ("Games", f"{len(found.games)}", "solved"),
            *asked,
            ("Decisions", f"{sum(one.regrets[0].decisions for one in found.players):,}", "of the players"),
            cost(found.totals),
        ),
    )


def sentence(found: Findings) -> str:
    """What each player loses that plays its own moves."""
    players = [one for one in found.players if one.name not in found.unranked]
    if not players:
        return "No player played its own moves, so there is no score."
    first, *others = players[:_NAMED]
    least = " least" if others else ""
    then = f"; then {', '.join(f'{_quoted(one.name)} {_figure(one.suite.chips)}' for one in others)}" if others else ""
    more = f"; {len(players) - _NAMED} more players lose more" if len(players) > _NAMED else ""
    return (
        f"{_quoted(first.name)} loses{least} to perfect play: {_figure(first.suite.chips)} chips a match{then}{more}."
    )


def charts(found: Findings) -> dict[str, Chart]:
    """The figures by name."""
    rows = [_rank(one, number) for number, one in enumerate(found.players)]
    note = "Whiskers: 95%, the same games with other cards and replies."
    return {"losses": ranked("Loss to perfect play", rows, "chips a match", note, bars=True)}


def _rank(one: PlayerFindings, number: int) -> Rank:
    loss = one.suite.chips
    low, high = (math.nan if bound is None else bound for bound in (loss.low, loss.high))
    return Rank(one.name, 0.0 if abs(loss.mean) < _WRITTEN / 2 else loss.mean, low, high, series=number)


def _match(row: Mapping[str, Any]) -> str:
    """The match of a row, at its decision if one is numbered, or the question."""
    return item(row["item"], f"d{row['number'] - 1}" if "number" in row else "")


CELLS: Mapping[str, Behind] = {
    **{"fallbacks": fallen(), "mistakes": strayed(GAVE), "form": in_form, "item": _match, "number": _match}
}


def _quoted(name: str) -> str:
    """A name that may be a word of the sentence, such as perfect."""
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


def _figure(loss: Loss) -> str:
    around = "" if loss.low is None or loss.high is None else f" [{_plain(loss.low)}, {_plain(loss.high)}]"
    return f"{_plain(loss.mean)}{around}"


def _plain(value: float) -> str:
    """Three digits, and no negative zero."""
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "\N{MINUS SIGN}")
