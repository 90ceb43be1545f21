"""The commands of `antemill tournament`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, Check, Config, DryRun, Out, RunDir

Axes = Annotated[
    Path | None, Parameter(help="A benchmark or a table with the axes of the games. [default: those of the benchmark]")
]
Bootstrap = Annotated[
    int,
    Parameter(
        help="Bootstrap replicates, 2 or more; slopes, jaggedness and reversals take a quarter of them, but 500 where "
        "there are as many."
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


def analyze(folder: RunDir, *, axes: Axes = None, bootstrap: Bootstrap = 2000, json: AsJson = False) -> None:
    """`tournament analyze`."""
    from antemill.tournament.cards import tables
    from antemill.tournament.cards.analyze import analyze as write_analysis
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.costs import uncertain
    from antemill.tournament.runs.status import spending
    from antemill.tournament.statistics.contents import STATISTICS

    found, sheets = write_analysis(folder, axes, bootstrap)
    lines = [f"{found.matches:,} matches written to {found.slots}"]
    if found.summary is not None:
        written, figures = len(found.summary.tables), len(found.summary.figures)
        lines.append(f"{written} tables and {figures} figures: {folder / 'tables.md'}")
    print_analysis(
        found, sheets, tables.STATISTICS.printed | STATISTICS.printed, [*uncertain(spending(folder)), *lines], json
    )
