"""The report of a game of SKATE: tables, figures, and every question with all attempts and answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

from antemill.llm import Totals
from antemill.tournament.costs import headline
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.evidence import Behind, Evidence, item, listed
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import tiles
from antemill.tournament.pages.run import Example, RunOverview, overview_with, page_with_items, verdict
from antemill.tournament.runs import RunFolder, read_config
from antemill.tournament.runs.paper import FOLLOWED
from antemill.tournament.runs.status import spending
from antemill.tournament.skate import results
from antemill.tournament.skate.analyze import charts_of, examine
from antemill.tournament.skate.config import SkateConfig
from antemill.tournament.skate.figures import BESIDE
from antemill.tournament.skate.results import Game
from antemill.tournament.skate.tables import STATISTICS, SkateFindings
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.statistic import on_page
from antemill.tournament.statistics.trueskill import MU, SIGMA

_SURE = 2.576  # standard deviations apart, at which a probability is .995
_LEAVE_OUT = frozenset({"text", "truth"})
MEASURED = (
    "Skill: TrueSkill's mu \N{PLUS-MINUS SIGN} one sigma, from who answers which question better; "
    f"all players begin at {MU:.0f} \N{PLUS-MINUS SIGN} {SIGMA:.1f}."
)
VARIANTS = "The variants of a question differ in the options that they offer and in their order."
ROLES = {"setter": "setter"}  # columns of tables and lists that name the player who set a question
INTERVALS = (
    (
        "One sigma",
        "TrueSkill describes each skill by a normal distribution with mean mu and standard deviation sigma: about two "
        "thirds of it lies within mu ± sigma, the bands and whiskers of the figures.",
    ),
    (
        "Lowest and highest mu",
        "TrueSkill depends on the order of its updates: the range of mu over 20 other orders of players and questions, "
        "which are moved to the same mean of all players, because only differences are compared.",
    ),
)


def report(folder: Path) -> str:
    """The page as HTML. Raises UsageError if no question is answered."""
    return page_with_items(overview_of(folder), folder)


def overview_of(folder: Path) -> RunOverview:
    """The page without its questions. Raises UsageError if no question is answered."""
    found, _ = examine(folder)
    game = found.game
    sheets = STATISTICS.tables(found)
    first = STATISTICS.printed
    tables, evidence = on_page(STATISTICS), Evidence(game.players, roles=ROLES, cells=_cells(found))
    groups = arranged(tables, sheets, charts_of(found), BESIDE, {}, INTERVALS, _LEAVE_OUT, first, evidence)
    rated = next(sheet for sheet in sheets if sheet.name == "ratings")
    paper = read_config(RunFolder(folder).config, SkateConfig).paper
    players = [str(row[0]) for row in rated.rows]
    rule = rated.columns[1].key.removesuffix("_mu")
    quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{rule}\N{RIGHT DOUBLE QUOTATION MARK}"
    measured = f"{MEASURED} This is the rule {quoted}. {VARIANTS}"
    head = verdict(result_of(rated), measured, example=_example(found)) + _headline(game, spending(folder))
    return overview_with(folder, f"Game of SKATE{FOLLOWED if paper else ''}", players, overview(head, groups))


def _cells(found: SkateFindings) -> dict[str, Behind]:
    """What is behind the cells of some columns. Questions of an earlier game have no item in this one."""
    own = {(row["number"], row["setter"]) for row in found.slots}

    def question(row: Mapping[str, Any]) -> str:
        known = (row["number"], row["setter"]) in own
        return item(f"set/{row['number']}/{row['setter']}") if known else ""

    def accepted(row: Mapping[str, Any]) -> str:
        tested = "kind" in row  # the row counts the questions on which its player was tested
        setter = "" if tested else row.get("setter", row.get("player"))
        return listed(("what", "set"), ("setter", setter), ("outcome", "accepted")) if setter else ""

    return {
        "number": question,
        "questions": accepted,
        "failed": lambda row: listed(("setter", row["setter"]), ("rejections", row["rule"])),
        "discriminatory": lambda row: listed(("setter", row["setter"]), ("discriminates", "true")),
    }


def result_of(rated: Sheet) -> str:
    """Who is first by the first rule of TrueSkill, and how probably it is better than the next player.

    rated: the table of ratings, the best first.
    """
    lines = [(str(row[0]), float(str(row[1])), float(str(row[2]))) for row in rated.rows[:2]]
    said = [f"{name} ({mu:.1f} \N{PLUS-MINUS SIGN} {sigma:.1f})" for name, mu, sigma in lines]
    if len(lines) < 2:
        return f"{said[0]} is the only player."
    (_, first, one), (_, second, other) = lines
    apart = (first - second) / math.hypot(one, other)
    better = f"{NormalDist().cdf(apart):.2f}".lstrip("0") if apart < _SURE else "above .99"
    return (
        f"{said[0]} has the highest skill, {said[1]} follows: the first is better than the second with probability "
        f"{better}."
    )


def _example(found: SkateFindings) -> Example | None:
    """The question of this game that tells the players apart most; None if none tells anything."""
    game, own = found.game, {row["number"]: row["setter"] for row in found.slots}
    telling = [one.number for one in results.spreads(game) if one.variance > 0.0 and one.number in own]
    if not telling:
        return None
    number = telling[0]
    shares = [share for player in game.players if (share := game.share(number, player)) is not None]
    return Example(
        item(f"set/{number}/{own[number]}"),
        f"Question {number}",
        f" by {own[number]} tells the players apart most: one answers {float(min(shares)):.0%} of its variants "
        f"correctly, another {float(max(shares)):.0%}.",
    )


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
