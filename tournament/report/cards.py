"""The report of a card tournament: the leaderboard, every other table, the figures."""

from __future__ import annotations

from pathlib import Path

from engine.errors import UsageError
from tournament.cards.analysis import examine_run
from tournament.cards.rates import Rates
from tournament.report.page import Cell, Column, number, page, section, table, tiles
from tournament.report.sheets import picture, sheet_section


def card_report(folder: Path, bootstrap: int = 2000) -> str:
    """The page as HTML. Raises UsageError if no match is finished."""
    examined = examine_run(folder, bootstrap=bootstrap)
    found, rates = examined.results, examined.rates
    if found is None:
        raise UsageError(f"no match in {folder} is finished: there is nothing to report yet.")
    e = found.analysis.e
    head = tiles(
        (
            ("Matches", f"{len(e.table.margin):,}", ""),
            ("Players", f"{len(e.models)}", ""),
            ("Games", f"{len(e.games)}", f"{int(e.known.sum())} with axes"),
            (
                "Fallbacks",
                f"{sum(rate.fallbacks for rate in rates):,}",
                f"of {sum(rate.moves for rate in rates):,} moves",
            ),
        )
    )
    pictures = [picture(image, name.replace("_", " ")) for name, image in found.images.items()]
    left_out = "; ".join(f"{name.replace('_', ' ')}: {why}" for name, why in found.left_out.items())
    note = f"Left out: {left_out}." if left_out else ""
    first, *others = (sheet for sheet in found.sheets if sheet.rows)
    body = [head, sheet_section(first), _fallbacks(rates)]
    body += [section("Figures", '<div class="pair">' + "\n".join(pictures) + "</div>", note=note)]
    return page("Antemill: a tournament", f"{', '.join(e.models)}.", [*body, *map(sheet_section, others)])


def _fallbacks(rates: list[Rates]) -> str:
    names = ("Player", "Matches", "Moves", "Fallbacks", "Of moves", "Of matches", "Causes", "Dollars")
    columns = [Column(name, "", name in ("Player", "Causes")) for name in names]
    rows: list[list[Cell | str]] = [
        [
            rate.player,
            *(f"{count:,}" for count in (rate.slots, rate.moves, rate.fallbacks)),
            *(number(share, 4) for share in (rate.move_rate, rate.slot_rate)),
            ", ".join(f"{count} {cause}" for cause, count in rate.causes.items() if count),
            number(rate.cost, 4),
        ]
        for rate in rates
    ]
    note = "Replies in which no legal action could be read; a random one was played."
    return section("Fallbacks", table(columns, rows), note=note)
