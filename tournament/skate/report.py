"""The report of a game of SKATE: tables, figures, and every question with all attempts and answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from antemill.llm import Totals
from antemill.tournament.costs import headline
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import tiles
from antemill.tournament.pages.run import RunOverview, page_with_items
from antemill.tournament.runs import RunFolder, read_config
from antemill.tournament.runs.paper import FOLLOWED
from antemill.tournament.runs.status import spending
from antemill.tournament.skate import results
from antemill.tournament.skate.analyze import charts_of, examine
from antemill.tournament.skate.config import SkateConfig
from antemill.tournament.skate.figures import BESIDE
from antemill.tournament.skate.results import Game
from antemill.tournament.skate.tables import STATISTICS
from antemill.tournament.statistics.statistic import on_page

_LEAVE_OUT = frozenset({"text", "truth"})
INTERVALS = (
    (
        "One sigma",
        "TrueSkill describes each skill by a normal distribution with mean mu and standard deviation sigma: about two "
        "thirds of it lies within mu ± sigma, the bands and whiskers of the figures.",
    ),
    (
        "Lowest and highest mu",
        "TrueSkill depends on the order of its updates: the range of mu over 20 other orders of players and questions.",
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
    groups = arranged(on_page(STATISTICS), sheets, charts_of(found), BESIDE, {}, INTERVALS, _LEAVE_OUT)
    body = overview(_headline(game, spending(folder)), groups)
    paper = read_config(RunFolder(folder).config, SkateConfig).paper
    lead = f"{', '.join(game.players)}: questions that players set for each other{FOLLOWED if paper else ''}."
    return RunOverview("Antemill: SKATE", lead, body)


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
