"""The page of an evaluation: the score in a sentence, all tables, and every match."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antemill.tournament.cards.costliest import example
from antemill.tournament.cards.items import GAVE
from antemill.tournament.cards.report import fallen, in_form, strayed
from antemill.tournament.costs import headline
from antemill.tournament.evaluation.figures import BESIDE, figures_of
from antemill.tournament.evaluation.findings import Findings, PlayerFindings, examine
from antemill.tournament.evaluation.regrets import dearest
from antemill.tournament.evaluation.tables import STATISTICS
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.evidence import Evidence, item
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import tiles
from antemill.tournament.pages.run import Example, RunOverview, overview_with, page_with_items
from antemill.tournament.pages.run import verdict as said
from antemill.tournament.runs.paper import FOLLOWED
from antemill.tournament.statistics.losses import Loss
from antemill.tournament.statistics.statistic import on_page

INTERVALS = (
    (
        "These games",
        "How far the figure would move if the same games were played again with other cards and other replies (95%, "
        "over pairs of matches with the same cards). Losses and regrets allow for mistakes that were not seen.",
    ),
    (
        "Games like these",
        "How far it would move if other games were drawn as these were (95%, over games). It allows for games that "
        "cost more than all of these.",
    ),
)


def _match(row: Mapping[str, Any]) -> str:
    """The match of a row, at its decision if one is numbered, or the question."""
    return item(row["item"], f"d{row['number'] - 1}" if "number" in row else "")


_CELLS = {
    "fallbacks": fallen(),
    "mistakes": strayed(GAVE),
    "form": in_form,
    "item": _match,
    "number": _match,
}


def report(folder: Path) -> str:
    """The page as HTML; the folder is only read. Raises UsageError if no match is finished."""
    return page_with_items(overview_of(folder), folder)


def overview_of(folder: Path) -> RunOverview:
    """The page without its matches. Raises UsageError if no match is finished."""
    found = examine(folder)
    names = [one.name for one in found.players]
    regrets = sum(one.regrets[0].decisions for one in found.players)
    questions = sum(one.questions for one in found.wholes)
    asked = [("Questions", f"{questions:,}", "at decisions of small games")] if questions else []
    head = said(verdict(found), _begun(found) + _MEASURED, example=_example(found)) + tiles(
        (
            ("Matches", f"{found.matches:,}", f"of {found.total:,}"),
            ("Players", f"{len(names)}", ""),
            ("Games", f"{len(found.games)}", "solved"),
            *asked,
            ("Decisions", f"{regrets:,}", f"of the player{'s' if len(names) > 1 else ''}"),
            headline(found.totals),
        )
    )
    groups = arranged(
        on_page(STATISTICS),
        STATISTICS.tables(found),
        figures_of(found),
        BESIDE,
        {},
        INTERVALS,
        first=STATISTICS.printed,
        evidence=Evidence(names, list(found.games), cells=_CELLS),
    )
    what = f"Evaluation against perfect play{FOLLOWED if found.config.paper is True else ''}"
    return overview_with(folder, what, names, overview(head, groups))


def _example(found: Findings) -> Example | None:
    """The costliest decision of all players; None if none is known to give anything away."""
    costly = dearest((one for player in found.players for one in player.decisions if not one.fallback), 1)
    if not costly:
        return None
    [one] = costly
    to = item(one.item, f"d{one.number - 1}")
    return example(_quoted(one.player), one.choice, f"in {one.game}", one.best, one.cost or 0.0, to)


def _begun(found: Findings) -> str:
    """How much of an unfinished run the figures are of."""
    if found.complete:
        return ""
    what = "matches" if found.config.policy is None else "matches and questions"
    return f"After {found.finished:,} of {found.planned:,} {what}. "


def verdict(found: Findings) -> str:
    """What each player loses, in a sentence, and of whom many moves were random."""
    named = zip(found.players[:_NAMED], _UNITS)
    first, *others = [(_quoted(one.name), _figure(one.suite.chips, unit)) for one, unit in named]
    least = " least:" if others else ""
    then = f", then {', '.join(f'{name} {figure}' for name, figure in others)}" if others else ""
    more = f"; {len(found.players) - _NAMED} more players lose more" if len(found.players) > _NAMED else ""
    unread = "".join(map(_unread, found.players))
    return f"To perfect play, {first[0]} loses{least} {first[1]}{then}{more}.{unread}"


def _quoted(name: str) -> str:
    """A name that may be a word of the sentence, such as perfect."""
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


_NAMED = 4  # players that the sentence names
_OFTEN = 0.1  # share of random moves that is mentioned


def _unread(one: PlayerFindings) -> str:
    random, moves = one.fallbacks.fallbacks, one.fallbacks.moves
    if random <= _OFTEN * moves:
        return ""
    told = f"{random:,} were drawn at random, as its replies could not be used."
    return f" Of the {moves:,} moves of {_quoted(one.name)}, {told}"


_UNITS = (" chips a match", *[""] * (_NAMED - 1))  # after each of them
_MEASURED = (
    "Losses are measured without the luck of the cards and of the equilibrium's own choices (AIVAT). In brackets: the "
    "95% interval if these games were played again with other cards and replies."
)


def _figure(loss: Loss, unit: str) -> str:
    if loss.low is None or loss.high is None:
        return f"{_plain(loss.mean)}{unit}"
    return f"{_plain(loss.mean)}{unit} [{_plain(loss.low)}, {_plain(loss.high)}]"


def _plain(value: float) -> str:
    """Three digits, and no negative zero."""
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "\N{MINUS SIGN}")
