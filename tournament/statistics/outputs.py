"""`antemill analyze`: the tables and figures of the paper from any tournament's matches.

Tables go to `tables/` as Parquet, CSV, Markdown and LaTeX, together in `tables.md`; figures to `figures/` as SVG. A
cell that the matches do not determine holds the reason; a figure that would be empty is not drawn, and the summary says
why.
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
from antemill.tournament.statistics.contents import STATISTICS
from antemill.tournament.statistics.estimates import Estimates
from antemill.tournament.statistics.few import masked
from antemill.tournament.statistics.figures import figures_of
from antemill.tournament.statistics.game_axes import Scorer
from antemill.tournament.statistics.intervals import percentile
from antemill.tournament.statistics.result_files import Rows, rows_of
from antemill.tournament.statistics.sheets import Sheet, write_tables


class Rank(Struct, frozen=True):
    """A line of the leaderboard; None where it cannot be estimated."""

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
    apart: list[Rank]  # players with too few matches: no interval, no part of the leaderboard
    tables: list[str]  # paths of the Markdown files
    figures: list[str]  # paths
    left_out: dict[str, str]  # figures that were not drawn, and why

    def __repr__(self) -> str:
        done = f"{len(self.tables)} tables, {len(self.figures)} figures"
        return f"<AnalysisSummary: {self.slots:,} matches of {self.players} players on {self.games:,} games; {done}>"


class AnalysisResults(Struct, frozen=True, eq=False):
    """All tables and figures. charts: the figures by name; left_out: those that were not drawn, and why."""

    analysis: Analysis
    sheets: list[Sheet]
    charts: dict[str, Chart]
    left_out: dict[str, str]

    def __repr__(self) -> str:
        return f"<AnalysisResults: {len(self.sheets)} tables, {len(self.charts)} figures>"


class Choices(TypedDict, total=False):
    """Further arguments of the statistics.

    fewer: replicates of slopes, jaggedness, tertiles, pairs and cells, at most B. axes_of: measures the games by their
    names if there is no file of axes. references: players, such as a solver's policies, that are no part of the
    leaderboard. families: variants for the thinking ablation, name -> (high effort, low effort). uneven: games were
    played unevenly on purpose, so each counts once (`strength.game_average`), in every table of strengths. pool: the
    folder of the pool that the games were selected from, for figure 6.
    """

    fewer: int
    axes_of: Scorer | None
    references: Sequence[str]
    families: Mapping[str, tuple[str, str]] | None
    uneven: bool
    pool: str | os.PathLike[str] | None


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
    of axes (`game_axes.read_axes`); without it, `axes_of` measures the games by their names, and without both, tables
    of axes say that there are none. bootstrap: replicates B. Rows with text in a column `ablation` were played for it,
    and are no part of the rest. Deterministic for a seed. Raises StorageError or UsageError, before anything is
    written.
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
    found = examine(
        rows_of(slots, "slots"),
        None if axes is None else file_path(axes, "axes"),
        whole(bootstrap, "bootstrap", None, MOST),
        any_seed(seed),
        **_checked(choices),
    )
    return AnalysisResults(found, STATISTICS.tables(found), *figures_of(found))


def _checked(choices: Choices) -> Choices:
    """The choices with plain numbers. Raises ArgumentTypeError for what is of another kind."""
    plain = choices.copy()
    if "fewer" in plain:
        plain["fewer"] = whole(plain["fewer"], "fewer", None, MOST)
    if "uneven" in plain:
        plain["uneven"] = truth(plain["uneven"], "uneven")
    if plain.get("pool") is not None:
        plain["pool"] = file_path(plain["pool"], "pool")
    scorer = plain.get("axes_of")
    if scorer is not None and not callable(scorer):
        wrong_type("axes_of", scorer, "a function of the games' names", "leave it out, or give game_axes.scored")
    names: object = plain.get("references", ())
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        wrong_type("references", names, "a sequence of players", "give their names, as in ('equilibrium',)")
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
    names = {sheet.name for sheet in found.sheets}
    known = [*STATISTICS.names, *more]
    for path in (out / "tables").iterdir():
        if path.stem not in names and any(fnmatchcase(path.stem, name) for name in known):
            path.unlink()
    *tables, _ = write_tables(out, found.sheets, "# Results\n\n")
    for name, chart in found.charts.items():
        write_bytes(out / "figures" / f"{name}.svg", to_svg(chart))
    for name in found.left_out:
        (out / "figures" / f"{name}.svg").unlink(missing_ok=True)
    e, beside = found.analysis.e, found.analysis.apart
    return AnalysisSummary(
        slots=len(e.table.margin),
        players=len(e.models),
        games=len(e.games),
        games_with_axes=int(e.known.sum()),
        leaderboard=_ranks(e),
        apart=[Rank(*each, None, None) for each in zip(beside.models, map(_known, beside.strengths), strict=True)],
        tables=[str(path) for path in tables if path.suffix == ".md"],
        figures=[str(out / "figures" / f"{name}.svg") for name in found.charts],
        left_out=found.left_out,
    )


def _ranks(e: Estimates) -> list[Rank]:
    interval = masked(percentile(e.overall_drawn), e.enough())
    parts = zip(e.models, e.overall, interval.low, interval.high, strict=True)
    return [Rank(name, *map(_known, values)) for name, *values in parts]


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
