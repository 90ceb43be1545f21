"""The report of a card tournament: the leaderboard, every other table, the figures."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from engine.errors import UsageError
from tournament.cards.analyze import examine_run
from tournament.costs import headline
from tournament.pages.page import page, picture, section, sheet_section, tiles
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
    body = [head, sheet_section(first), sheet_section(examined.fallbacks)]
    body += [section("Figures", '<div class="pair">' + "\n".join(pictures) + "</div>", note=note)]
    return page("Antemill: a tournament", f"{', '.join(e.models)}.", [*body, *map(sheet_section, others)])
