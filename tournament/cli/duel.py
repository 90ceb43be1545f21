"""The commands of `antemill duel`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, Prior, RunDir

Scores = Annotated[
    Path | None, Parameter(help="A CSV file of other benchmarks' scores: models in the first column. [default: paper]")
]
Quality = Annotated[bool, Parameter(negative="", help="Show how good each proposer's puzzles are instead.")]
Replicates = Annotated[int, Parameter(help="Resamples for the intervals, 2 or more.")]


More = Annotated[Path, Parameter(help="Folders of further sets of duels, analysed as one with it.")]
Into = Annotated[
    Path | None, Parameter(name=["--out", "-o"], help="Another folder for what is written. [default: DIR]")
]


def analyze(
    folder: RunDir,
    *more: More,
    out: Into = None,
    scores: Scores = None,
    bootstrap: Replicates = 2000,
    prior: Prior = "none",
    quality: Quality = False,
    json: AsJson = False,
) -> None:
    """`duel analyze`."""
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.duel import analyze as analyses
    from antemill.tournament.duel.tables import STATISTICS
    from antemill.tournament.runs.folder import existing_folder

    for one in (folder, *more):
        existing_folder(one, "duel")
    summary, sheets = analyses.analyze(folder, scores, bootstrap, prior, more, out)
    shown = {"quality"} if quality else STATISTICS.printed
    print_analysis(summary, sheets, shown, [f"{len(summary.files)} files written below {out or folder}"], json)
