"""The commands of `antemill tournament`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.tournament.cli.arguments import AsJson, Check, Config, DryRun, Out

if TYPE_CHECKING:
    from antemill.tournament.statistics.outputs import AnalysisSummary

RunOrMatches = Annotated[
    Path,
    Parameter(
        help="The run's folder, or a file of matches: .parquet, .csv, or a log of Inspect.",
        show_default=False,
    ),
]
Tables = Annotated[
    Path | None,
    Parameter(name=["--out", "-o"], help="For a file of matches, the folder of the tables. [default: analysis]"),
]
Axes = Annotated[
    Path | None, Parameter(help="A benchmark or a table with the axes of the games. [default: those of the benchmark]")
]
Bootstrap = Annotated[
    int,
    Parameter(
        help="Bootstrap replicates, 2 or more. Slopes, jaggedness and reversals take a quarter of them, at least 500 "
        "if there are so many."
    ),
]
Schedule = Annotated[
    Literal["round-robin", "rotating", "adaptive"] | None,
    Parameter(help="A schedule that replaces the configuration's."),
]


def run(
    config: Config,
    *,
    out: Out = None,
    schedule: Schedule = None,
    dry_run: DryRun = False,
    check: Check = True,
    json: AsJson = False,
) -> None:
    """`tournament run`."""
    from antemill.tournament.cards import TOURNAMENT
    from antemill.tournament.cards.config import with_schedule
    from antemill.tournament.cards.pinned_games import rejections
    from antemill.tournament.cli import runs

    change = None if schedule is None else partial(with_schedule, schedule=schedule)
    runs.run(TOURNAMENT, config, out, dry_run, check, json, change, lambda run: rejections(run.games))


def analyze(
    folder: RunOrMatches, *, axes: Axes = None, bootstrap: Bootstrap = 2000, out: Tables = None, json: AsJson = False
) -> None:
    """`tournament analyze`."""
    from antemill.tournament.cards import tables
    from antemill.tournament.cards.analyze import analyze as write_analysis
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.costs import uncertain
    from antemill.tournament.runs.status import spending
    from antemill.tournament.statistics.contents import STATISTICS

    if folder.is_file():
        _analyze_file(folder, axes, bootstrap, Path("analysis") if out is None else out, json)
        return
    if out is not None:
        raise UsageError("the tables of a run are written into its folder: leave out --out.")
    found, sheets = write_analysis(folder, axes, bootstrap)
    lines = [f"{found.matches:,} matches written to {found.slots}"]
    if found.summary is not None:
        lines.append(_written(found.summary, folder))
    print_analysis(
        found, sheets, tables.STATISTICS.printed | STATISTICS.printed, [*uncertain(spending(folder)), *lines], json
    )


def _analyze_file(matches: Path, axes: Path | None, bootstrap: int, out: Path, json: bool) -> None:
    """The tables and figures of a file of matches, written to the folder `out`."""
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.statistics.contents import STATISTICS
    from antemill.tournament.statistics.outputs import results, write
    from antemill.tournament.statistics.result_files import read_rows

    found = results(read_rows(matches), axes, bootstrap)
    summary = write(found, out)
    print_analysis(summary, found.sheets, STATISTICS.printed, [_written(summary, out)], json)


def _written(summary: AnalysisSummary, folder: Path) -> str:
    return f"{len(summary.tables)} tables and {len(summary.figures)} figures: {folder / 'tables.md'}"
