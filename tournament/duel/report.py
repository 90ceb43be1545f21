"""The report of a set of duels: its tables, and every duel turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from antemill.llm import Totals
from antemill.tournament.costs import headline
from antemill.tournament.duel.analyze import load, sheets
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.figures import BESIDE, charts_of
from antemill.tournament.duel.results import Results
from antemill.tournament.duel.tables import STATISTICS
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import tiles
from antemill.tournament.pages.run import RunOverview, page_with_items
from antemill.tournament.runs import RunFolder, read_config
from antemill.tournament.runs.paper import FOLLOWED
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.statistic import on_page

INTERVALS = (
    (
        "Low and high of a rating",
        "The duels are resampled with replacement many times; 95% of the resulting ratings lie between the two. "
        "The interval is widened to Student's t where duels are few.",
    ),
)


def report(folder: Path, replicates: int = 2000, prior: str = "none") -> str:
    """The page as HTML. prior: of the ratings, as of `analyze`. Raises UsageError if no duel is finished."""
    return page_with_items(overview_of(folder, replicates, prior), folder)


def overview_of(folder: Path, replicates: int = 2000, prior: str = "none") -> RunOverview:
    """The page without its duels. Raises UsageError if no duel is finished."""
    results = load(folder)
    found = sheets(folder, results, replicates=replicates, prior=prior)
    charts = charts_of(results, next(sheet for sheet in found if sheet.name == "ratings"))
    groups = arranged(on_page(STATISTICS), found, charts, BESIDE, {}, INTERVALS)
    body = overview(_headline(results, spending(folder)), groups)
    paper = read_config(RunFolder(folder).config, DuelConfig).paper
    lead = f"{', '.join(results.players)}: puzzles set and solved, judged by execution{FOLLOWED if paper else ''}."
    return RunOverview("Antemill: duels", lead, body)


def _headline(results: Results, totals: Sequence[Totals]) -> str:
    outcomes = [str(turn.outcome) for turn in results.turns]
    return tiles(
        (
            ("Duels", f"{len(results.duels):,}", f"of {len(results.players)} players"),
            ("Solved", f"{outcomes.count('solved'):,}", f"of {len(outcomes):,} turns"),
            ("Unsolved", f"{outcomes.count('unsolved'):,}", "a point for the proposer"),
            ("Penalties", f"{outcomes.count('penalty'):,}", "a point for the solver"),
            headline(totals),
        )
    )
