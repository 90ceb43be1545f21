"""The tables of a card tournament: what only its records can say, and those of `antemill.tournament.statistics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

from antemill.llm import dollar_text
from antemill.tournament.cards.aivat import WITHOUT_LUCK, aivat_sheet
from antemill.tournament.cards.disagreements import disagreement_sheets
from antemill.tournament.cards.findings import CardFindings
from antemill.tournament.cards.rows import tallies
from antemill.tournament.runs.costs import uncertain
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.contents import GROUPS, PAPER
from antemill.tournament.statistics.contents import STATISTICS as OF_MATCHES
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, text
from antemill.tournament.statistics.statistic import Statistic, Statistics

STATISTICS = statistic = Statistics[CardFindings](*GROUPS)


def _of_matches(one: Statistic[Analysis]) -> Callable[[CardFindings], Sheet | Iterable[Sheet] | None]:
    """A table of any matches, made of these."""

    @wraps(one.make)
    def make(a: CardFindings) -> Sheet | Iterable[Sheet] | None:
        return one.make(a.analysis) if a.paper or one.name not in PAPER else None

    return make


for _one in OF_MATCHES:
    statistic(_one.name, _one.what, _one.paper, group=_one.group, printed=_one.printed)(_of_matches(_one))


@statistic("rates", "fallbacks and costs by player", group="Play", printed=True)
def rates(a: CardFindings) -> Sheet:
    """The fallbacks with their causes, and what the players have cost; a star where a part of it is assumed."""
    totals = [total for part in a.parts for total in spending(part.folder)]
    players = {name: player for part in a.parts for name, player in part.config.players.items()}
    assumed = {one.model for one in totals if one.assumed}
    starred = {name for name, player in players.items() if player.model in assumed}
    columns = [text("player", "player"), count("slots", "matches"), count("moves", "moves")]
    columns += [count("fallbacks", "fallbacks"), Column("move_rate", "move rate", "share", 1)]
    columns += [Column("slot_rate", "match rate", "share", 1), text("causes", "causes")]
    columns.append(text("cost", "cost (*: partly assumed)" if starred else "cost"))
    rows: list[list[Cell]] = []
    for one in tallies(a.done, players):
        causes = ", ".join(f"{number} {cause}" for cause, number in one.causes.items() if number)
        cost = f"{dollar_text(one.cost)}{'*' if one.player in starred else ''}"
        shares = [part / whole if whole else None for part, whole in ((one.fallbacks, one.moves), (one.hit, one.slots))]
        rows.append([one.player, one.slots, one.moves, one.fallbacks, *shares, causes, cost])
    said = ["Replies in which no legal action could be read; a random one was played.", *uncertain(totals)]
    return Sheet("rates", "Fallbacks and costs by player", columns, rows, " ".join(said))


@statistic(WITHOUT_LUCK, "margins against solved policies by AIVAT", group="Strength")
def without_luck(a: CardFindings) -> Sheet | None:
    """Margins against solved policies, without the luck; None if no policy takes part."""
    return aivat_sheet(a.parts)


@statistic("disagreements*", "moves beside the equilibrium of solved games, by player and by game", group="Play")
def disagreements(a: CardFindings) -> list[Sheet]:
    """How many moves the equilibrium would not make, and what they gave away; none without a solved game."""
    return disagreement_sheets(a.parts)
