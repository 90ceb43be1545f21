"""`antemill analyze`: the tables and figures of the paper from any tournament's matches.

Tables go to `tables/` as CSV and together to `tables.md`; figures to `figures/` as SVG. A cell that the matches do not
determine is a dash, a table without a row is not written, and a figure that would be empty is not drawn.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypedDict, Unpack, cast

import numpy as np
from msgspec import Struct

from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import seed as any_seed
from antemill.engine.arguments import truth, whole, wrong_type
from antemill.engine.errors import StorageError
from antemill.engine.storage.files import write_bytes
from antemill.tournament.charts.chart import Chart, to_svg
from antemill.tournament.statistics.analysis import Analysis, examine
from antemill.tournament.statistics.bootstrap import MOST, REPLICATES
from antemill.tournament.statistics.contents import PAPER, STATISTICS
from antemill.tournament.statistics.estimates import THESE, Estimates
from antemill.tournament.statistics.figures import FIGURES, figures_of
from antemill.tournament.statistics.game_axes import Scorer
from antemill.tournament.statistics.result_files import Rows, rows_of
from antemill.tournament.statistics.sheets import Sheet, write_tables
from antemill.tournament.statistics.statistic import tables_of


class Rank(Struct, frozen=True):
    """A line of the leaderboard: the strength as a margin, and its interval on these games; None where it has none."""

    player: str
    strength: float | None
    low: float | None
    high: float | None


class AnalysisSummary(Struct, frozen=True):
    """What was analysed, and the files that were written."""

    slots: int
    players: int
    games: int
    games_with_axes: int
    leaderboard: list[Rank]
    outside: list[str]  # players that no match connects with the others
    tables: list[str]  # paths
    figures: list[str]  # paths

    def __repr__(self) -> str:
        done = f"{len(self.tables)} tables, {len(self.figures)} figures"
        return f"<AnalysisSummary: {self.slots:,} matches of {self.players} players on {self.games:,} games; {done}>"


class AnalysisResults(Struct, frozen=True, eq=False):
    """All tables and figures. charts: the figures by name."""

    analysis: Analysis
    sheets: list[Sheet]
    charts: dict[str, Chart]

    def __repr__(self) -> str:
        return f"<AnalysisResults: {len(self.sheets)} tables, {len(self.charts)} figures>"


class Choices(TypedDict, total=False):
    """Further arguments of the statistics.

    paper: whether the paper's further tables and figures are wanted, with its bootstrap intervals. axes_of: measures
    the games by their names if there is no file of axes. references: players, such as a solver's policies, that are no
    part of the leaderboard. families: variants for the thinking ablation, name -> (high effort, low effort). uneven:
    games were played unevenly on purpose, so each counts once (`strength.game_average`), in every table of strengths.
    pool: the folder of the pool that the games were selected from, for figure 6. unranked: players who take no rank.
    """

    paper: bool
    axes_of: Scorer | None
    references: Sequence[str]
    families: Mapping[str, tuple[str, str]] | None
    uneven: bool
    pool: str | os.PathLike[str] | None
    unranked: Sequence[str]


def analyze(
    slots: Rows | None = None,
    axes: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "analysis",
    bootstrap: int = REPLICATES,
    seed: int = 0,
    **choices: Unpack[Choices],
) -> AnalysisSummary:
    """Write all tables and figures of the matches in `slots` to the folder `out`.

    slots: a .parquet or .csv file, a data frame or an Arrow table, which has to be given. axes: a benchmark or a table
    of axes (`game_axes.read_axes`); without it, `axes_of` measures the games by their names, and without both, there
    are no tables of axes. bootstrap: replicates B of the paper's columns. Rows with text in a column `ablation`
    were played for it, and are no part of the rest. Deterministic for a seed. Raises StorageError or UsageError, before
    anything is written.
    """
    folder, matches = file_path(out, "out"), rows_of(cast(Rows, slots), "slots")
    return write(results(matches, axes, bootstrap, seed, **choices), folder)


def results(
    slots: Rows,
    axes: str | os.PathLike[str] | None = None,
    bootstrap: int = REPLICATES,
    seed: int = 0,
    **choices: Unpack[Choices],
) -> AnalysisResults:
    """All tables and figures of the matches in `slots`; arguments as for `analyze`. Writes nothing."""
    plain, replicates = _checked(choices), whole(bootstrap, "bootstrap", 2, MOST)
    paper = plain.pop("paper", False)
    found = examine(
        rows_of(slots, "slots"),
        None if axes is None else file_path(axes, "axes"),
        replicates if paper else 0,
        any_seed(seed),
        **plain,  # type: ignore[misc]
    )
    made = [sheet for one in STATISTICS if paper or one.name not in PAPER for sheet in tables_of(one, found)]
    return AnalysisResults(found, [sheet for sheet in made if sheet.rows], figures_of(found, paper))


def _checked(choices: Choices) -> Choices:
    """The choices with plain numbers. Raises ArgumentTypeError for what is of another kind."""
    plain = choices.copy()
    if "paper" in plain:
        plain["paper"] = truth(plain["paper"], "paper")
    if "uneven" in plain:
        plain["uneven"] = truth(plain["uneven"], "uneven")
    if plain.get("pool") is not None:
        plain["pool"] = file_path(plain["pool"], "pool")
    scorer = plain.get("axes_of")
    if scorer is not None and not callable(scorer):
        wrong_type("axes_of", scorer, "a function of the games' names", "leave it out, or give game_axes.scored")
    for key in ("references", "unranked"):
        names: object = plain.get(key, ())
        if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
            wrong_type(key, names, "a sequence of players", "give their names, as in ('equilibrium',)")
    families: object = {} if plain.get("families") is None else plain["families"]
    pairs = list(families.values()) if isinstance(families, Mapping) else [None]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        wrong_type("families", families, "a dictionary of pairs", "give {'name': ('high effort', 'low effort')}")
    return plain


def write(found: AnalysisResults, out: Path, more: Sequence[str] = ()) -> AnalysisSummary:
    """Write all tables and figures to the folder `out`. Raises StorageError.

    more: tables beside the `STATISTICS` that an earlier analysis may have written. Tables that this one does not have
    are deleted.
    """
    for folder in (out / "tables", out / "figures"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make the folder {folder}: {(error.strerror or str(error)).lower()}.") from error
    names = {f"{sheet.name}.csv" for sheet in found.sheets}
    known = [f"{name}.csv" for name in (*STATISTICS.names, *more)]
    for path in (out / "tables").iterdir():
        if path.name not in names and any(fnmatchcase(path.name, name) for name in known):
            path.unlink()
    *tables, _ = write_tables(out, found.sheets, "# Results\n\n")
    for name in FIGURES:
        (out / "figures" / f"{name}.svg").unlink(missing_ok=True)
    for name, chart in found.charts.items():
        write_bytes(out / "figures" / f"{name}.svg", to_svg(chart))
    e = found.analysis.e
    return AnalysisSummary(
        slots=len(e.table.margin),
        players=len(e.models),
        games=len(e.games),
        games_with_axes=int(e.known.sum()),
        leaderboard=_ranks(e),
        outside=list(found.analysis.outside),
        tables=[str(path) for path in tables],
        figures=[str(out / "figures" / f"{name}.svg") for name in found.charts],
    )


def _ranks(e: Estimates) -> list[Rank]:
    interval = e.error(THESE).interval(e.overall)
    parts = zip(e.models, e.overall, interval.low, interval.high, strict=True)
    return [Rank(name, *map(_known, values)) for name, *values in parts]


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
