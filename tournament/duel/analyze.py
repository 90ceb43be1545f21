"""`antemill analyze`: every table of the paper from any set of duels, finished or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import write_bytes
from antemill.tournament.charts.chart import to_svg
from antemill.tournament.costs import cost_sheet
from antemill.tournament.duel import tables
from antemill.tournament.duel.analysis.external import paper_scores
from antemill.tournament.duel.base import base_of, joined, taken_over
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.figures import charts_of
from antemill.tournament.duel.findings import DuelFindings
from antemill.tournament.duel.ratings import ratings
from antemill.tournament.duel.results import Results, read_results
from antemill.tournament.runs import RunFolder, RunStore, read_config
from antemill.tournament.statistics.bootstrap import check_replicates
from antemill.tournament.statistics.sheets import Sheet, to_arrow, to_parquet, write_tables

REPLICATES = 2000
PURPOSES = {"duel": "duel", "solve": "re-solve", "tag": "tags"}  # stages, named by the first part of a call's sample
_COST = "The paper's table 7 is the purpose duel."
OURS = ("elo", "solv", "prop")  # columns of the paper's table 1 that are its own results


class DuelSummary(Struct, frozen=True):
    """The analysed results, and the files that were written."""

    duels: int
    turns: int
    players: int
    files: list[str]


def load(folder: Path) -> Results:
    """The results of the duels in a run's folder. Raises UsageError if none is finished."""
    results = _read(folder)
    if not results.duels:
        raise UsageError(f"no duel in {folder} is finished: there is nothing to analyse yet.")
    return results


def several(folders: Sequence[Path]) -> Results:
    """The results of several sets as one. What one of them took over from another, or both from a third, counts once.

    Raises UsageError if nothing is finished.
    """
    results = read_results([], [], joined([base_of(folder) for folder in folders]))
    if not results.duels:
        raise UsageError("no duel is finished: there is nothing to analyse yet.")
    return results


def rows(folder: Path) -> pa.Table:
    """The turns of all finished duels of a run, one row each: the content of turns.parquet."""
    return to_arrow(tables.all_turns(_read(folder)))


def _read(folder: Path) -> Results:
    with RunStore(RunFolder(folder).database, read_only=True) as store:
        references = read_config(RunFolder(folder).config, DuelConfig).duel.references
        return read_results(store.records(finished_only=True), references, taken_over(store.materials()))


def sheets(
    folder: Path,
    results: Results,
    replicates: int = REPLICATES,
) -> list[Sheet]:
    """All tables but that of the turns."""
    rated = ratings(results, replicates, 0)
    theirs = {k: v for k, v in paper_scores().items() if k not in OURS}
    findings = DuelFindings(results, rated, theirs, cost_sheet(folder, PURPOSES, _COST), replicates)
    return tables.STATISTICS.tables(findings)


def analyze(
    folder: Path,
    bootstrap: int = REPLICATES,
) -> tuple[DuelSummary, list[Sheet]]:
    """Write turns.parquet, the tables (Parquet, CSV, Markdown, LaTeX) and the figures (SVG) into the run's folder.

    The result has the tables too. Raises UsageError.
    """
    check_replicates(bootstrap)
    results = load(folder)
    drawn = folder / "figures"
    drawn.mkdir(parents=True, exist_ok=True)
    turns = folder / "turns.parquet"
    write_bytes(turns, to_parquet(tables.all_turns(results)))
    found = sheets(folder, results, bootstrap)
    charts = charts_of(results, next(sheet for sheet in found if sheet.name == "ratings"))
    files = [str(path) for path in (turns, *write_tables(folder, found))]
    for name, chart in charts.items():
        write_bytes(drawn / f"{name}.svg", to_svg(chart))
        files.append(str(drawn / f"{name}.svg"))
    return DuelSummary(len(results.duels), len(results.turns), len(results.players), files), found
