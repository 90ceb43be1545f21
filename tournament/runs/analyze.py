"""What was found in some runs of one kind, as one: tables, figures and the headline, and how they are written.

One path leads here from `antemill analyze`, from pages and from notebooks. Several runs are more folders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import sweep, write_bytes
from antemill.engine.storage.parquet import parquet_bytes
from antemill.tournament.charts.chart import Chart, to_svg
from antemill.tournament.runs.costs import costs_of
from antemill.tournament.runs.honest import Standing, cleaned, standing, with_replies
from antemill.tournament.runs.kind import Headline, Kind
from antemill.tournament.runs.once import one_report
from antemill.tournament.statistics.sheets import Sheet, write_tables
from antemill.tournament.statistics.statistic import tables_of

COSTS = "costs"  # the name of the table of costs, which all kinds have


class Results(Struct, frozen=True, eq=False):
    """What was found. found: by the kind; sheets: all tables, in the order of files."""

    found: Any
    standing: Standing
    headline: Headline
    sheets: list[Sheet]
    charts: Mapping[str, Chart]
    left_out: Mapping[str, str]

    @property
    def leaderboard(self) -> Sheet:
        """The table of the headline."""
        return next(sheet for sheet in self.sheets if sheet.name == self.headline.table)


class Summary(Struct, frozen=True):
    """What an analysis found and wrote. unranked: players that take no rank, and why; left_out: figures that were not
    drawn, and why; warnings: all that is said above the figures.
    """

    kind: str
    finished: int
    discarded: int
    planned: int
    complete: bool
    headline: str
    players: list[str]
    replies: dict[str, dict[str, int]]
    unranked: dict[str, str]
    warnings: list[str]
    files: list[str]
    left_out: dict[str, str]


def results(kind: Kind[Any, Any], folders: Sequence[Path]) -> Results:
    """All tables and figures of the runs in some folders. Writes nothing. Raises UsageError if nothing is finished."""
    with one_report():
        now, found = standing(folders), kind.findings(folders)
        headline = kind.headline(found)
        sheets = []
        for sheet in kind.tables.tables(found):
            board = sheet.name == headline.table
            sheets.append(with_replies(sheet, now) if board else sheet)
            if board and now.unusable and (second := _second(kind, folders)) is not None:
                sheets.append(second)
        if all(sheet.name != COSTS for sheet in sheets) and (costs := costs_of(folders, kind.purposes)).rows:
            sheets.append(costs)
        return Results(found, now, headline, sheets, kind.charts(found), kind.left_out(found))


def _second(kind: Kind[Any, Any], folders: Sequence[Path]) -> Sheet | None:
    """The leaderboard of the items in which every reply could be used; None if too little is left."""
    try:
        found = kind.findings(folders, clean=True)
    except UsageError:
        return None
    return cleaned(board_of(kind, found))


def board_of(kind: Kind[Any, Any], found: Any) -> Sheet:
    """The leaderboard alone, without the other tables."""
    name = kind.headline(found).table
    return next(sheet for one in kind.tables if one.name == name for sheet in tables_of(one, found))


def leaderboard(kind: Kind[Any, Any], folders: Sequence[Path]) -> Sheet:
    """The leaderboard of some runs, players first, with the shares of their replies."""
    sheet = with_replies(board_of(kind, kind.findings(folders)), standing(folders))
    first = next(i for i, column in enumerate(sheet.columns) if column.kind == "text")
    order = [first, *(i for i in range(len(sheet.columns)) if i != first)]
    rows = [[row[i] for i in order] for row in sheet.rows]
    return replace(sheet, columns=[sheet.columns[i] for i in order], rows=rows, bold=frozenset())


def analyze(kind: Kind[Any, Any], folders: Sequence[Path], out: Path) -> tuple[Summary, list[Sheet]]:
    """Write all tables and figures of some runs into a folder; returns the tables, too.

    Tables and figures of an earlier analysis that this one does not have are deleted. Raises UsageError or
    StorageError.
    """
    made = results(kind, folders)
    known = {f"{name}*" for name in (made.headline.table, COSTS)} | {one.name for one in kind.tables}
    _clear(out / "tables", {sheet.name for sheet in made.sheets}, known)
    _clear(out / "figures", set(made.charts), {*made.left_out, *kind.beside})
    sweep(out)
    files = [out / kind.rows_file]
    write_bytes(files[0], parquet_bytes(kind.rows(folders)))
    for name, content in kind.documents(made.found):
        files.append(out / name)
        write_bytes(files[-1], content)
    files += write_tables(out, made.sheets, "# Results\n\n")
    for name, chart in made.charts.items():
        files.append(out / "figures" / f"{name}.svg")
        write_bytes(files[-1], to_svg(chart))
    now = made.standing
    summary = Summary(
        kind=kind.name,
        finished=now.finished,
        discarded=now.discarded,
        planned=now.planned,
        complete=now.complete,
        headline=made.headline.sentence,
        players=list(made.headline.players),
        replies={
            name: dict(zip(("asked", "second", "unusable"), counts, strict=True))
            for name, counts in now.replies.items()
        },
        unranked=now.unranked,
        warnings=now.sentences,
        files=[str(file) for file in files],
        left_out=dict(made.left_out),
    )
    return summary, made.sheets


def _clear(folder: Path, wanted: set[str], known: set[str]) -> None:
    """Make the folder, and remove what an earlier analysis has left there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {(error.strerror or str(error)).lower()}.") from error
    for path in folder.iterdir():
        if path.stem not in wanted and any(fnmatchcase(path.stem, name) for name in known):
            path.unlink()
