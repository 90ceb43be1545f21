"""The report of a card tournament: the leaderboard, every other table, the figures."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from engine.errors import UsageError
from llm import dollar_digits
from tournament.cards.analyze import examine_run
from tournament.cards.tables import FallbackRates, ModelCosts
from tournament.costs import headline
from tournament.pages.page import Cell, Column, number, page, section, table, tiles
from tournament.pages.sheets import picture, sheet_section
from tournament.runs import wording
from tournament.runs.status import spending


def report(folder: Path, bootstrap: int = 2000) -> str:
    """The page as HTML; the folder is only read. Raises UsageError if no match is finished."""
    with TemporaryDirectory(prefix="antemill-") as scratch:
        examined = examine_run(folder, Path(scratch), bootstrap=bootstrap)
    found, rates = examined.results, examined.rates
    if found is None:
        raise UsageError(f"no match in {folder} is finished: there is nothing to report yet.")
    e, spent = found.analysis.e, spending(folder)
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
            headline(spent),
        )
    )
    pictures = [picture(image, name.replace("_", " ")) for name, image in found.images.items()]
    left_out = "; ".join(f"{name.replace('_', ' ')}: {why}" for name, why in found.left_out.items())
    note = f"Left out: {left_out}." if left_out else ""
    first, *others = (sheet for sheet in found.sheets if sheet.rows)
    body = [head, sheet_section(first), _fallbacks(rates, _uncounted(examined.bills))]
    body += [section("Figures", '<div class="pair">' + "\n".join(pictures) + "</div>", note=note)]
    return page("Antemill: a tournament", f"{', '.join(e.models)}.", [*body, *map(sheet_section, others)])


def _uncounted(bills: list[ModelCosts]) -> dict[str, str]:
    """What answers without usable counts were charged, in words, by the players whose model gave them."""
    texts = {bill.model: wording.assumed(bill.assumed_cost, bill.assumed) for bill in bills}
    return {name: texts[bill.model] for bill in bills if bill.assumed for name in bill.players}


def _fallbacks(rates: list[FallbackRates], uncounted: dict[str, str]) -> str:
    names = ("Player", "Matches", "Moves", "Fallbacks", "Of moves", "Of matches", "Causes", "Dollars")
    columns = [Column(name, "", name in ("Player", "Causes")) for name in names]
    rows: list[list[Cell | str]] = [
        [
            rate.player,
            *(f"{count:,}" for count in (rate.slots, rate.moves, rate.fallbacks)),
            *(number(share, 4) for share in (rate.move_rate, rate.slot_rate)),
            ", ".join(f"{count} {cause}" for cause, count in rate.causes.items() if count),
            _marked(number(rate.cost, dollar_digits(rate.cost, 4)), rate.player in uncounted),
        ]
        for rate in rates
    ]
    note = "Replies in which no legal action could be read; a random one was played."
    note += "".join(f" * {player}: {text}." for player, text in uncounted.items())
    return section("Fallbacks", table(columns, rows), note=note)


def _marked(cell: Cell, assumed: bool) -> Cell:
    """With a star, if a part of it is assumed."""
    return cell._replace(text=f"{cell.text}*") if assumed else cell
