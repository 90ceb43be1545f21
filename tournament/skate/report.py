"""The report of a game of SKATE: tables, figures, and every question with its options and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from llm import Totals
from tournament.costs import headline
from tournament.pages.browser import Entry, browser, text_part
from tournament.pages.page import page, picture, section, sheet_section, tiles
from tournament.runs.status import spending
from tournament.skate import results
from tournament.skate.analyze import drawings, examine
from tournament.skate.results import Game
from tournament.skate.tables import QUESTIONS, STATISTICS
from tournament.statistics.figures import to_svg
from tournament.statistics.statistic import tables_of

_LEAVE_OUT = frozenset({"text", "truth"})


def report(folder: Path) -> str:
    """The page as HTML. Raises UsageError if nobody has answered anything."""
    found, rows = examine(folder)
    game = found.game
    pictures = [picture(to_svg(*drawing), name.replace("_", " ")) for name, drawing in drawings(found).items()]
    sheets = {sheet.name: sheet_section(sheet, _LEAVE_OUT) for sheet in tables_of(STATISTICS, found)}
    listed = sheets.pop(QUESTIONS)
    spread = {one.number: one.variance for one in results.spreads(game)}
    order = sorted(rows.questions, key=lambda row: -spread.get(row["number"], -1.0))
    questions = browser(_entry(game, row, spread.get(row["number"])) for row in order)
    note = "The questions that tell players apart best come first."
    figures = section("Figures", '<div class="pair">' + "\n".join(pictures) + "</div>")
    body = [_headline(game, spending(folder)), *sheets.values(), figures]
    body += [listed, section("Every question", questions, note=note)]
    return page("Antemill: SKATE", f"{', '.join(game.players)}: questions that players set for each other.", body)


def _headline(game: Game, totals: Sequence[Totals]) -> str:
    answers = sum(score.asked for scores in game.scores.values() for score in scores.values())
    telling = sum(spread.discriminatory for spread in results.spreads(game))
    return tiles(
        (
            ("Players", f"{len(game.players)}", ""),
            ("Questions", f"{len(game.questions):,}", "accepted"),
            ("Answers", f"{answers:,}", "variants answered"),
            ("Discriminatory", f"{telling:,}", "only the setter passes"),
            headline(totals),
        )
    )


def _entry(game: Game, row: Mapping[str, Any], variance: float | None) -> Entry:
    shares = [
        f"{player} {float(p):.2f}" for player in game.players if (p := game.share(row["number"], player)) is not None
    ]
    tells = f", variance {variance:.3f}" if variance is not None else ""
    failures = [f"{failure['reason']}" for failure in row["failures"]]
    parts = (
        text_part("Question", row["text"], code=True),
        text_part("Truth", row["truth"], code=True),
        text_part("Distractors", "\n".join(row["distractors"]), code=True),
        text_part("What it tests", row["explanation"]),
        text_part("Scores", ", ".join(shares)),
        text_part("Earlier attempts failed", "; ".join(failures)),
    )
    return Entry(
        f"Question {row['number']} by {row['setter']}, round {row['round']}{tells}", {"setter": row["setter"]}, parts
    )
