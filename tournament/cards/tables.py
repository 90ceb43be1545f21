"""The tables of a card tournament beside those of `antemill.tournament.statistics`: what only its records can say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from antemill.llm import Totals, dollar_text
from antemill.tournament.cards.aivat import WITHOUT_LUCK, aivat_sheet
from antemill.tournament.cards.disagreements import disagreement_sheets
from antemill.tournament.cards.fallbacks import FallbackRates, ModelCosts
from antemill.tournament.costs import cost_sheet, uncertain
from antemill.tournament.runs import Record
from antemill.tournament.statistics.analysis import GROUPS
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, text
from antemill.tournament.statistics.statistic import Statistics

PURPOSES = {"move": "moves"}  # by what a call says of itself


class RunFindings(Struct, frozen=True):
    """What these tables are made of. folder: of the run; done: its finished matches; totals: of its models' calls."""

    folder: Path
    done: Sequence[Record]
    rates: Sequence[FallbackRates]
    bills: Sequence[ModelCosts]
    totals: Sequence[Totals]


STATISTICS = statistic = Statistics[RunFindings](*GROUPS)


@statistic("rates", "fallbacks and costs by player; printed and on the page, not in a file", group="Play", printed=True)
def rates(a: RunFindings) -> Sheet:
    """The fallbacks with their causes, and what the players have cost; a star where a part of it is assumed."""
    starred = {name for one in a.bills if one.assumed for name in one.players}
    columns = [text("player", "player"), count("slots", "matches"), count("moves", "moves")]
    columns += [count("fallbacks", "fallbacks"), Column("move_rate", "move rate", "share", 1)]
    columns += [Column("slot_rate", "match rate", "share", 1), text("causes", "causes")]
    columns.append(text("cost", "cost (*: partly assumed)" if starred else "cost"))
    rows: list[list[Cell]] = []
    for one in a.rates:
        causes = ", ".join(f"{number} {cause}" for cause, number in one.causes.items() if number)
        cost = f"{dollar_text(one.cost)}{'*' if one.player in starred else ''}"
        rows.append([one.player, one.slots, one.moves, one.fallbacks, one.move_rate, one.slot_rate, causes, cost])
    said = ["Replies in which no legal action could be read; a random one was played.", *uncertain(a.totals)]
    return Sheet("rates", "Fallbacks and costs by player", columns, rows, " ".join(said))


@statistic(WITHOUT_LUCK, "margins against solved policies by AIVAT", group="Strength", below="table6_against_*")
def without_luck(a: RunFindings) -> Sheet | None:
    """Margins against solved policies, without the luck; None if no policy takes part."""
    return aivat_sheet(a.folder)


@statistic("costs", "tokens and dollars by purpose and model", group="Play", below="table2_ablation")
def costs(a: RunFindings) -> Sheet | None:
    """What the models have cost; None if none was called."""
    sheet = cost_sheet(a.folder, PURPOSES)
    return sheet if sheet.rows else None


@statistic(
    "disagreements*", "moves beside the equilibrium of solved games, by player and by game", group="Play", below="rates"
)
def disagreements(a: RunFindings) -> list[Sheet]:
    """How many moves the equilibrium would not make, and what they gave away; none without a solved game."""
    return disagreement_sheets(a.folder, a.done)
