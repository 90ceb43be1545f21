"""The report of a pool and the benchmark selected from it, and of what `antemill run` made, from its files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antemill.axes.pool_stats import LOWER_CUT, UPPER_CUT, PoolStats, pool_stats
from antemill.axes.table import AXES
from antemill.engine.arguments import kind
from antemill.engine.storage.files import write_text
from antemill.engine.storage.places import Place
from antemill.tournament.charts import plots
from antemill.tournament.charts.chart import inline
from antemill.tournament.pages.overview import Group, Section, overview, section, sheet_section
from antemill.tournament.pages.page import day, page, table, tiles
from antemill.tournament.pool import paper
from antemill.tournament.pool.layout import BENCHMARK, NAME
from antemill.tournament.pool.retest import survivors_of
from antemill.tournament.pool.select import Points, read_benchmark
from antemill.tournament.pool.stats import (
    PoolReport,
    benchmark_reliability,
    benchmark_stats,
    examine_selected,
    precise_values,
)
from antemill.tournament.report import pool_tables
from antemill.tournament.report.game_texts import Texts, game_link, game_texts, links_of
from antemill.tournament.report.pool_tables import LABELS
from antemill.tournament.solving.solved_games import solved_beside
from antemill.tournament.statistics.figures_axes import DOTS, densities, thinned
from antemill.version import __version__

Values = npt.NDArray[np.float64]
REPORT = "report.html"
_CHOSEN = re.compile(r'<circle class="[^"]*\bchosen"[^>]*><title>(seed (\d+): [^<]*)</title></circle>')
_X, _Y = (tuple(AXES).index(axis) for axis in ("information_sensitivity", "state_space"))


def pool_report(
    pool: PoolReport,
    benchmark: pa.Table | None,
    solved: Sequence[dict[str, Any]] | None = None,
    texts: Sequence[Texts] | None = None,
) -> str:
    """The page as HTML.

    benchmark: as read by `read_benchmark`, in order of rank; None if no game was accepted. solved: the figures of its
    solved games (`antemill.tournament.solving.solved_games`), if it has been solved. texts: of its games, if
    workers have written them (`antemill.tournament.report.game_texts.jobs_of_texts`).
    """
    kind(pool, "pool", PoolReport, "make one by antemill.tournament.pool.stats.examine_pool(folder)")
    made_of = [pool_tables.by_complexity(pool.composition), pool_tables.constructs(pool.composition)]
    groups = [Group("Acceptance", [sheet_section(one) for one in (pool_tables.acceptance(pool.built), *made_of)])]
    elements = ""
    if benchmark is None and pool.points is not None and pool.stats is not None:
        axes = [_scatter(pool.points, set()), _distributions(pool.points.values)]
        axes += [sheet_section(pool_tables.pool_axes(pool, pool.stats)), _correlations(pool.stats)]
        groups = [Group("The axes", axes), *groups]
    elif benchmark is not None and pool.points is not None and pool.stats is not None:
        chosen = np.column_stack([benchmark[f"fast_{axis}"].to_numpy() for axis in AXES])
        precise = benchmark_stats(benchmark)
        selected = precise or pool_stats(chosen)
        tier = "precise" if precise is not None else "fast"
        words, elements = game_texts(benchmark, texts)
        drawn = _scatter(pool.points, set(benchmark["seed"].to_pylist()))
        errors = benchmark_reliability(benchmark)
        ranges = (pool_tables.pool_axes(pool, pool.stats), pool_tables.benchmark_axes(selected, tier, errors))
        axes = [drawn, _distributions(pool.points.values, chosen), *_densities(benchmark, tier)]
        axes += map(sheet_section, ranges)
        values, caps = precise_values(benchmark), pool.pool.settings.caps
        if values is not None and caps is not None:
            axes.append(sheet_section(pool_tables.beyond(selected, values, caps)))
        axes.append(_correlations(pool.stats, selected, tier))
        games = [sheet_section(pool_tables.games(benchmark), links=links_of(benchmark))]
        chosen_games = set(benchmark["digest"].to_pylist())
        if rows := [row for row in solved or () if row["digest"] in chosen_games]:
            games.append(sheet_section(pool_tables.solved(rows), links=links_of(benchmark)))
        groups = [Group("The benchmark", [*games, words]), Group("The axes", axes), *groups]
    title = _name(pool.pool.folder)
    lead = _lead(pool, 0 if benchmark is None else benchmark.num_rows)
    return page(title, lead, overview(_headline(pool, benchmark), groups), elements)


def page_of_run(pool: PoolReport, benchmark: pa.Table | None, path: Path, texts: Sequence[Texts] | None = None) -> str:
    """The page of a pool and of the benchmark (None if there is none) at a path, with what was solved beside it.

    texts: as of `pool_report`.
    """
    return pool_report(pool, benchmark, solved_beside(path) if benchmark is not None else None, texts)


def report_of(folder: Path) -> str:
    """The page of a finished run, from its files alone. Raises StorageError or UsageError."""
    path = folder / BENCHMARK
    return page_of_run(examine_selected(folder), read_benchmark(path) if path.exists() else None, path)


def refresh_report(benchmark: Path) -> Path | None:
    """Write the report beside a benchmark of `antemill run` again, with the solved games; None if there is none."""
    folder = benchmark.parent
    report = folder / REPORT
    if not (folder / NAME).exists() or not report.exists():
        return None
    write_text(report, page_of_run(examine_selected(folder), read_benchmark(benchmark), benchmark))
    return report


def _name(folder: Place) -> str:
    """The last part of a folder's path, as the name of its page."""
    return (Path(folder.name).resolve().name if folder.local else folder.name.rstrip("/").rpartition("/")[2]) or "Pool"


def _lead(report: PoolReport, selected: int) -> str:
    """What the page shows, how it came to be, and when. selected: how many games."""
    pool, built = report.pool, report.built
    first, last = pool.settings.seeds
    when = pool.folder.written(NAME)
    passed = (
        f"{built.candidates:,} generated card games, of which {built.accepted:,} pass the gate, a test by random play"
    )
    chosen = f"A benchmark of {selected:,} games that lie far apart on {len(AXES)} axes. They are from "
    made = f" on {day(when)}" if when else ""
    return (
        f"{chosen + passed if selected else passed}. Made{made} from the seeds {first:,} to "
        f"{last - 1:,} by the builder {pool.settings.builder}; the page is by Antemill {__version__}."
    )


def _headline(pool: PoolReport, benchmark: pa.Table | None) -> str:
    built = pool.built
    theirs = f"paper: {paper.ACCEPTED / paper.CANDIDATES:.1%}"
    whole = [
        ("Accepted", f"{built.accepted:,}", f"{built.accepted / built.candidates:.1%} ({theirs})"),
        ("Candidates", f"{built.candidates:,}", f"paper: {paper.CANDIDATES:,}"),
    ]
    figures = []
    if benchmark is not None:
        again = None if pool.points is None else survivors_of(pool.pool, pool.tier, pool.points, benchmark)
        stable = "" if again is None else f"; measured again, {again:.0f} of them would be selected"
        figures.append(("Selected", f"{benchmark.num_rows:,}", f"by farthest-point sampling{stable}"))
    stats = None if benchmark is None else benchmark_stats(benchmark)
    if stats is not None:
        least, most = (10**value for value in (stats.axes["state_space"].min, stats.axes["state_space"].max))
        low, _, high = paper.INFORMATION_STATES
        theirs = f"of the selected games; paper: about {low:,.0f} to {high:,.0f}"
        figures.append(("Information states", f"{least:,.0f} to {most:,.0f}", theirs))
    return tiles([*figures, *whole])


def _scatter(points: Points, chosen: set[int]) -> Section:
    shown = _shown(points, chosen)
    order = sorted(shown, key=lambda i: (int(points.seeds[i]) in chosen, i))  # as they are drawn
    dots = [_dot(points, i, int(points.seeds[i]) in chosen) for i in order]
    rounded = [[round(float(value), 4) for value in points.values[i]] for i in order]
    box = plots.cloud_box()
    data = msgspec.json.encode({"axes": LABELS, "points": rounded, "box": box}).decode()
    controls = (
        f'<div class="controls">{_choice("x", "Across", _X)}{_choice("y", "Up", _Y)}'
        '<span class="key"><i></i>pool</span>'
        f"{'<span class=key><i class=chosen></i>selected</span>' if chosen else ''}</div>"
    )
    plot = inline(plots.cloud(dots, LABELS[_X], LABELS[_Y])).replace('role="img"', 'role="group"', 1)
    plot = _CHOSEN.sub(lambda dot: f'<a href="#{game_link(int(dot[2]))}" aria-label="{dot[1]}">{dot[0]}</a>', plot)
    script = f'<script type="application/json" id="points">{data}</script>'
    games = "Every accepted game by its fast scores"
    if len(shown) < len(points.seeds):
        games = (
            f"A sample: {'the selected games and ' if chosen else ''}{DOTS:,} of the {len(points.seeds):,} accepted "
            "ones, drawn at random but the same ones every time, by their fast scores"
        )
    note = f"{games}. Point at a dot for its seed{'; a selected one leads to its rulebook' if chosen else ''}."
    scrolls = 'class="scroll" tabindex="0" role="group" aria-label="Scatter plot of the games"'
    drawn = f'<figure class="drawn pool-plot"><div {scrolls}>{plot}</div></figure>'
    return section(f"The pool{' and the selected games' if chosen else ''}", controls, drawn, script, note=note)


def _shown(points: Points, chosen: set[int]) -> list[int]:
    return [int(i) for i in thinned(len(points.seeds), np.isin(points.seeds, list(chosen)))]


def _dot(points: Points, i: int, marked: bool) -> plots.Dot:
    scores = ", ".join(f"{name} {value:.2f}" for name, value in zip(LABELS, points.values[i], strict=True))
    label = f"seed {points.seeds[i]}: {scores}"
    return plots.Dot(float(points.values[i, _X]), float(points.values[i, _Y]), label, marked)


def _choice(name: str, label: str, default: int) -> str:
    options = "".join(
        f'<option value="{i}"{" selected" if i == default else ""}>{axis}</option>' for i, axis in enumerate(LABELS)
    )
    return f'<label>{label}<select id="{name}-axis">{options}</select></label>'


def _distributions(values: Values, chosen: Values | None = None) -> Section:
    """The pool's games on each axis, above the selected ones."""
    cuts = np.empty((0, len(AXES))) if chosen is None else np.percentile(chosen, (LOWER_CUT, UPPER_CUT), axis=0)
    marks = np.empty((0, len(AXES))) if chosen is None else chosen
    figures = []
    for i, axis in enumerate(AXES.values()):
        named = list(zip(("33rd percentile", "67th percentile"), cuts[:, i].tolist()))
        plot = inline(plots.histogram(values[:, i].tolist(), axis.label, marks[:, i].tolist(), named))
        figures.append(f'<figure><h3 title="{escape(axis.what)}">{axis.label}</h3>{plot}</figure>')
    key = (
        '<div class="controls"><span class="key"><i></i>games of the pool</span>'
        '<span class="key"><i class="chosen"></i>selected games</span>'
        '<span class="key"><i class="cut"></i>tertile cuts of the selected games</span></div>'
    )
    note = "Fast scores. State space is the log10 of a count, brittleness the log10 of payoff deviations."
    return section(
        "Distributions",
        "" if chosen is None else key,
        f'<div class="multiples drawn">{"".join(figures)}</div>',
        note=note,
    )


def _densities(benchmark: pa.Table, tier: str) -> list[Section]:
    """Figure 2 of the paper: the selected games at the tier by which they are reported."""
    chosen = np.column_stack([benchmark[f"{tier}_{axis}"].to_numpy() for axis in AXES])
    chart = densities(chosen, f"the selected games, {tier} tier")
    if chart is None:
        return []
    plots_of = "".join(f"<figure>{inline(panel)}</figure>" for panel in chart.panels)
    return [section(chart.title, f'<div class="multiples drawn">{plots_of}</div>', note=chart.note)]


def _correlations(pool: PoolStats, selected: PoolStats | None = None, tier: str = "") -> Section:
    of = {f"pool, {pool.games:,} games": pool}
    if selected is not None:
        of[f"selected, {selected.games:,} games"] = selected
    maps = [
        f"<figure><h3>{name}</h3>{table(pool_tables.correlations(name, stats))}</figure>" for name, stats in of.items()
    ]
    beside = pool_tables.paper_correlations({name.partition(",")[0]: one for name, one in of.items()})
    printed = f"<figure><h3>{beside.title}</h3>{table(beside)}</figure>"
    chosen = f"the selected games by {tier} ones, " if selected is not None else ""
    note = f"Pearson; the pool by fast scores, {chosen}the paper's by precise ones."
    return section("Correlations", f'<div class="pair">{"".join(maps)}</div>', printed, note=note)
