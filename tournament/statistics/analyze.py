"""`tournament analyze`: every table and figure of the paper from any tournament's matches.

Tables go to `tables/` as Parquet, CSV and Markdown, together in `tables.md`; figures to `figures/` as SVG. What the
matches do not determine says so in its cell; a figure that would be empty is not drawn, and the summary says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from axes.pool_stats import correlation
from axes.table import AXES
from engine.errors import StorageError, UsageError
from engine.storage.files import write_bytes, write_text
from tournament.statistics import figures, tables_axes, tables_games, tables_play, tables_strength
from tournament.statistics.bootstrap import FEWER, REPLICATES, check_replicates
from tournament.statistics.complexity import Composite
from tournament.statistics.estimates import (
    Estimates,
    composite_of,
    control_of,
    estimate,
    jaggedness_of,
    joint_stability_of,
    profile_of,
)
from tournament.statistics.few import Apart, apart, masked, set_apart
from tournament.statistics.game_axes import LABELS, NO_AXES, Scorer, no_axes, read_axes
from tournament.statistics.intervals import Floats, Interval, percentile
from tournament.statistics.jaggedness import Jaggedness
from tournament.statistics.profile import Profile
from tournament.statistics.reading import read_rows
from tournament.statistics.sheets import CHIPS, Sheet, to_markdown, write_sheet
from tournament.statistics.stability import Joint
from tournament.statistics.strength import game_average, strengths
from tournament.statistics.table import Integers, SlotTable, codes, slot_table

_NOT_ALWAYS = ("few_matches", "table6_against_*", "without_luck")  # tables of an earlier analysis may have to go
_Drawing = tuple[tuple[float, float], figures.Draw]


class Rank(Struct, frozen=True):
    """A line of the leaderboard; None where it can not be estimated."""

    player: str
    strength: float | None
    low: float | None
    high: float | None


class Summary(Struct, frozen=True):
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


class Analysis(Struct, frozen=True, eq=False):
    """All estimates with what follows from the axes."""

    rows: pa.Table
    whole: SlotTable  # with the reference players
    e: Estimates  # without the players that were set apart
    apart: Apart
    profile: Profile
    composite: Composite
    thirds: Integers
    jagged: Jaggedness
    references: tuple[str, ...]
    families: Mapping[str, tuple[str, str]]


class Results(Struct, frozen=True, eq=False):
    """All that can be said. images: SVG by name; left_out: figures that were not drawn, and why."""

    analysis: Analysis
    sheets: list[Sheet]
    images: dict[str, bytes]
    left_out: dict[str, str]


class Choices(TypedDict, total=False):
    """What else the statistics may be told.

    fewer: replicates of slopes, jaggedness, tertiles, pairs and cells, at most B. axes_of: measures the games by their
    names if there is no file of axes. references: players, such as a solver's policies, that are no part of the
    leaderboard. families: variants for the thinking ablation, name -> (high effort, low effort). uneven: games were
    played unevenly on purpose, so each counts once (`strength.game_average`), in every table of strengths.
    """

    fewer: int
    axes_of: Scorer | None
    references: Sequence[str]
    families: Mapping[str, tuple[str, str]] | None
    uneven: bool


def analyze(
    slots: Path,
    axes: Path | None,
    out: Path,
    bootstrap: int = REPLICATES,
    seed: int = 0,
    **choices: Unpack[Choices],
) -> Summary:
    """Write all tables and figures of the matches in `slots` to the folder `out`.

    axes: a benchmark or a table of axes (`game_axes.read_axes`); without it, `axes_of` measures the games by their
    names, and without both, tables of axes say that there are none. bootstrap: replicates B. Rows with text in a column
    `ablation` were played for it, and are no part of the rest. Deterministic for a seed. Raises StorageError or
    UsageError, before anything is written.
    """
    return write(results(slots, axes, bootstrap, seed, **choices), out)


def results(
    slots: Path, axes: Path | None, bootstrap: int = REPLICATES, seed: int = 0, **choices: Unpack[Choices]
) -> Results:
    """All tables and figures of the matches in `slots`; arguments as for `analyze`. Writes nothing."""
    found = examine(read_rows(slots), axes, bootstrap, seed, **choices)
    drawings, left_out = _figures(found)
    images = {name: figures.to_svg(*drawing) for name, drawing in drawings.items()}
    return Results(found, list(_sheets(found)), images, left_out)


def examine(
    rows: pa.Table,
    axes: Path | None,
    bootstrap: int,
    seed: int = 0,
    *,
    fewer: int = FEWER,
    axes_of: Scorer | None = None,
    references: Sequence[str] = (),
    families: Mapping[str, tuple[str, str]] | None = None,
    uneven: bool = False,
) -> Analysis:
    """All estimates of a table of matches; arguments as for `analyze`."""
    check_replicates(min(bootstrap, fewer))
    whole = slot_table(rows)
    codes(whole.models, references, "player")
    scheduled = slot_table(without_ablation(rows))
    table = scheduled.without_models([name for name in references if name in scheduled.models])
    if not len(table.margin):
        raise UsageError("every match is against a reference player: name fewer references.")
    main, few = set_apart(table)
    if axes is not None:
        game_axes = read_axes(axes, main.games)
    else:
        game_axes = no_axes(main.games) if axes_of is None else axes_of(main.games)
    e = estimate(main, game_axes, bootstrap, min(fewer, bootstrap), seed, game_average if uneven else strengths)
    beside = apart(table, few, dict(zip(e.models, e.overall.tolist(), strict=True)))
    profile = profile_of(e)
    composite, thirds = composite_of(e, profile)
    return Analysis(
        rows, whole, e, beside, profile, composite, thirds, jaggedness_of(e), tuple(references), families or {}
    )


def without_ablation(rows: pa.Table) -> pa.Table:
    """The rows of the main schedule; all, if every row was played for the ablation."""
    if "ablation" not in rows.column_names:
        return rows
    main = rows.filter(pc.fill_null(pc.equal(pc.cast(rows["ablation"], pa.string()), ""), True))
    return main if main.num_rows else rows


def _sheets(found: Analysis) -> Iterator[Sheet]:
    """All tables, those with the paper's numbers first."""
    e, strength, game, axis, play = found.e, tables_strength, tables_games, tables_axes, tables_play
    why = NO_AXES if not e.known.any() else found.composite.reason
    overall = dict(zip(e.models, e.overall.tolist(), strict=True))
    yield strength.leaderboard(e, found.apart)
    if found.apart.models:
        yield strength.few_matches(found.apart)
    yield play.ablation_table(found.rows, found.families, len(e.overall_drawn), e.seed)
    yield strength.without_last(e)
    yield strength.tertile_leaderboards(e, found.thirds, why)
    yield strength.pairwise(e)
    for player in found.references:
        yield play.reference_table(found.whole, player, e.models, overall)
    yield axis.slopes(e, found.profile)
    yield game.mean_margins(e)
    yield game.game_strength_table(e, found.composite.scores, why)
    yield axis.slope_details(e, found.profile)
    yield axis.levels(e, found.profile)
    yield axis.length_control(e, control_of(e))
    yield axis.composite_weights(found.composite)
    yield axis.game_table(e, found.composite, found.thirds)
    yield axis.axis_correlations(e)
    yield axis.vif_table(e)
    yield play.fallback_table(found.rows)
    yield game.variance_table(e)
    yield strength.leave_one_out(e)
    yield strength.partition(e)
    yield strength.coverage(e)
    yield strength.bradley_terry_table(e)
    yield axis.jaggedness_table(e, found.jagged)
    yield axis.jaggedness_sweep(e)
    yield axis.jaggedness_subsets(e)
    yield game.game_strength_intervals(e)
    stable, joint, single, sheet = game.rank_stability(e)
    yield sheet
    yield game.rank_stability_summary(e, stable, joint, found.thirds, why)
    yield game.reversal_table(e, single)


def _figures(found: Analysis) -> tuple[dict[str, _Drawing], dict[str, str]]:
    """The figures by name, and those that would be empty with the reason."""
    e, drawn, left_out = found.e, {}, {}
    known = e.known
    interval = masked(percentile(e.overall_drawn), e.enough())
    offered: list[tuple[str, str, _Drawing | None]] = [
        ("leaderboard", e.why_not_overall(), _strengths(e, interval)),
        ("profile", "no model has all slopes", _radar(found, absolute=False)),
        ("profile_levels", "no model has all slopes", _radar(found, absolute=True)),
        ("jaggedness", _no_bars(found), _bars(found)),
        ("jaggedness_strength", found.jagged.reason or e.why_not_overall(), _plane(found)),
        ("games", NO_AXES, _scatter(found, joint_stability_of(e)) if known.any() else None),
        ("axis_correlations", NO_AXES, _correlations(e) if known.sum() > 1 else None),
        ("game_strengths", "no game determines strengths", _heat(found)),
    ]
    for name, reason, drawing in offered:
        if drawing is None:
            left_out[name] = reason
        else:
            drawn[name] = drawing
    return drawn, left_out


def _strengths(e: Estimates, interval: Interval) -> _Drawing | None:
    if not np.isfinite(e.overall).any():
        return None
    return figures.strengths(e.models, e.overall, interval, "Overall leaderboard", f"strength ({CHIPS}), 95% interval")


def _radar(found: Analysis, absolute: bool) -> _Drawing | None:
    p = found.profile
    values, interval = (p.levels, p.level_interval) if absolute else (p.slopes, p.slope_interval)
    whole = np.flatnonzero(np.isfinite(values).all(axis=1)).tolist()
    if not whole:
        return None
    part = Interval(interval.low[whole], interval.high[whole])
    models = [found.e.models[m] for m in whole]
    if absolute:
        title, unit = "Capability profiles in absolute units", f"predicted strength ({CHIPS}) where the axis is highest"
    else:
        title, unit = "Capability profiles", f"slope ({CHIPS} per standard deviation of the axis)"
    unit += "; dashed: zero; band: 95% bootstrap interval"
    return figures.radar(LABELS, models, values[whole], part, title, unit)


def _bars(found: Analysis) -> _Drawing | None:
    if not np.isfinite(found.jagged.corrected).any():
        return None
    unit = "J without noise (standard deviations of the margin), 95% interval on these games"
    return figures.bars(
        found.e.models, found.jagged.corrected, found.jagged.corrected_interval, "Local jaggedness", unit
    )


def _no_bars(found: Analysis) -> str:
    if np.isfinite(found.jagged.values).any():
        return found.e.noise_unknown
    return found.jagged.reason or "no neighbourhood with two strengths"


def _plane(found: Analysis) -> _Drawing | None:
    if not (np.isfinite(found.jagged.corrected) & np.isfinite(found.e.overall)).any():
        return None
    names = (f"strength ({CHIPS})", "local jaggedness J without noise")
    return figures.plane(found.e.overall, found.jagged.corrected, found.e.models, names, "Strength and jaggedness")


def _scatter(found: Analysis, stable: Joint) -> _Drawing:
    e, known = found.e, found.e.known
    across, up = AXES["state_space"], AXES["information_sensitivity"]
    x, y = (e.axes.values[known, tuple(AXES).index(axis.name)] for axis in (across, up))
    games = [game for game, there in zip(e.games, known, strict=True) if there]
    labels, title = (across.title, up.title), "Games that reorder the models beyond noise"
    return figures.scatter(x, y, games, labels, stable.q[known], title)


def _correlations(e: Estimates) -> _Drawing:
    matrix = correlation(e.axes.values[e.known])
    return figures.heat_map(LABELS, matrix, "Correlations of the axes", 1.0, "Pearson r")


def _heat(found: Analysis) -> _Drawing | None:
    e = found.e
    if not np.isfinite(e.per_game).any():
        return None
    order = np.argsort(found.composite.scores, kind="stable")
    values: Floats = e.per_game[order]
    limit = float(np.nanpercentile(np.abs(values), 98)) or 1.0
    rows = [e.games[g] for g in order]
    title = "Strengths by game" + (", least complex first" if np.isfinite(found.composite.scores).any() else "")
    return figures.heat_map(rows, values, title, limit, CHIPS, e.models)


def write(found: Results, out: Path) -> Summary:
    """Write all tables and figures to the folder `out`. Raises StorageError."""
    for folder in (out / "tables", out / "figures"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"can not make the folder {folder}: {(error.strerror or str(error)).lower()}."
            ) from error
    names = {sheet.name for sheet in found.sheets}
    for pattern in _NOT_ALWAYS:
        for path in (out / "tables").glob(f"{pattern}.*"):
            if path.stem not in names:
                path.unlink()
    tables = [str(write_sheet(out / "tables", sheet)[-1]) for sheet in found.sheets]
    write_text(out / "tables.md", "# Results\n\n" + "\n".join(to_markdown(sheet) for sheet in found.sheets))
    for name, image in found.images.items():
        write_bytes(out / "figures" / f"{name}.svg", image)
    for name in found.left_out:
        (out / "figures" / f"{name}.svg").unlink(missing_ok=True)
    e, beside = found.analysis.e, found.analysis.apart
    return Summary(
        slots=len(e.table.margin),
        players=len(e.models),
        games=len(e.games),
        games_with_axes=int(e.known.sum()),
        leaderboard=_ranks(e),
        apart=[Rank(*each, None, None) for each in zip(beside.models, map(_known, beside.strengths), strict=True)],
        tables=tables,
        figures=[str(out / "figures" / f"{name}.svg") for name in found.images],
        left_out=found.left_out,
    )


def _ranks(e: Estimates) -> list[Rank]:
    interval = masked(percentile(e.overall_drawn), e.enough())
    parts = zip(e.models, e.overall, interval.low, interval.high, strict=True)
    return [Rank(name, *map(_known, values)) for name, *values in parts]


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
