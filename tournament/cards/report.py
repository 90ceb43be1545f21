"""The report of a card tournament: the leaderboard, every other table, the figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antemill.engine.errors import UsageError
from antemill.tournament.cards import tables
from antemill.tournament.cards.ahead import ahead
from antemill.tournament.cards.analyze import examine_run
from antemill.tournament.cards.costliest import costliest, example_of
from antemill.tournament.cards.disagreements import BY_PLAYER
from antemill.tournament.cards.items import GAVE, OFF, fell_as, strayed_as
from antemill.tournament.cards.verdict import measured, verdict
from antemill.tournament.costs import headline
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.evidence import Behind, Evidence, listed
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import tiles
from antemill.tournament.pages.run import RunOverview, overview_with, page_with_items
from antemill.tournament.pages.run import verdict as said
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs.paper import FOLLOWED
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.contents import STATISTICS
from antemill.tournament.statistics.figures import BESIDE
from antemill.tournament.statistics.statistic import on_page

GROUPS = on_page(tables.STATISTICS, STATISTICS)
FIRST = tables.STATISTICS.printed | STATISTICS.printed | {BY_PLAYER}  # the tables that stand open

INTERVALS = (
    (
        "95% paired-cluster bootstrap interval",
        "A run is two matches of a pair with the same cards and exchanged seats. Runs are drawn again with replacement "
        "many times, and 95% of the resulting figures lie between the bounds.",
    ),
    (
        "95% bias-corrected interval",
        "The bootstrap's interval, shifted by how far the replicates lie beside the estimate. If noise puts all of "
        "them on one side, the interval shrinks to a point, and a flag says so.",
    ),
    (
        "Without noise",
        "Noise alone makes some figures larger, such as jaggedness. This is the figure without sampling noise; its "
        "interval has the values that these matches do not rule out at 95%.",
    ),
    (
        "p and q",
        "p is how often noise alone would give at least as much; q is the share of false discoveries among all results "
        "with a q as small.",
    ),
)


def fallen(cause: str = "") -> Behind:
    """The matches in which the player of a row could not be read for this cause, "" for any."""
    return lambda row: listed(("fell", fell_as(str(row.get("player", row.get("model"))), cause)))


def strayed(how: str) -> Behind:
    """The matches in which the player of a row made such moves, in the game that the row names, the dearest first."""
    return lambda row: listed(("strayed", strayed_as(str(row["player"]), how)), *_of_game(row), ("sort", "-regret"))


def judged(row: Mapping[str, Any]) -> str:
    """The matches of a row's player in solved games, in the row's game if it names one."""
    return listed(("players", str(row["player"])), *_of_game(row), ("off", "0"))


def _of_game(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("about", str(row["game"]))] if "game" in row else []


def in_form(row: Mapping[str, Any]) -> str:
    """The matches of a row's player in one form of its game."""
    return listed(("players", str(row["player"])), *_of_game(row), ("form", str(row["form"])))


SOLVER = {"judged": judged, "off": strayed(OFF), "share": strayed(OFF), "gave": strayed(GAVE)}
FORMS = {"form": in_form}
FALLBACKS = {"fallbacks": fallen(), "causes": fallen()} | {cause: fallen(cause) for cause in CAUSES}


def report(folder: Path, bootstrap: int = 2000) -> str:
    """The page as HTML; the folder is only read. Raises UsageError if no match is finished."""
    return page_with_items(overview_of(folder, bootstrap), folder)


def overview_of(folder: Path, bootstrap: int = 2000) -> RunOverview:
    """The page without its matches. Raises UsageError if no match is finished."""
    examined = examine_run(folder, bootstrap=bootstrap)
    found, rates = examined.results, examined.rates
    if found is None:
        raise UsageError(f"no match in {folder} is finished: there is nothing to report yet.")
    e, spent = found.analysis.e, spending(folder)
    further, explained = ahead(found.analysis)
    figures = measured(e, [examined.chips[game] for game in e.games])
    example = example_of(costliest(folder, examined.done, e.models[0]))
    head = said(verdict(e), f"{figures}\n{explained}", further, example) + tiles(
        (
            ("Matches", f"{len(e.table.margin):,}", ""),
            ("Players", f"{len(e.models)}", ""),
            ("Games", f"{len(e.games)}", f"{int(e.known.sum())} with axes"),
            (
                "Fallbacks",
                f"{sum(rate.fallbacks for rate in rates):,}",
                f"of {sum(rate.moves for rate in rates):,} moves",
            ),
            headline(spent),
        )
    )
    sheets = [*examined.of_run, *found.sheets]
    groups = arranged(
        GROUPS,
        sheets,
        found.charts,
        BESIDE,
        found.left_out,
        INTERVALS,
        first=FIRST,
        evidence=Evidence(e.models, e.games, cells=FALLBACKS | SOLVER | FORMS),
    )
    what = f"Card tournament{FOLLOWED if examined.paper else ''}"
    return overview_with(folder, what, e.models, overview(head, groups))
