"""The report of a pool and the benchmark selected from it: one page, a function of its arguments alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from axes.budgets import TIERS
from axes.pool_stats import LOWER_CUT, UPPER_CUT, PoolStats, pool_stats
from axes.table import AXES
from tournament.pages import svg
from tournament.pages.page import Cell, Column, number, page, percent, section, table, tiles
from tournament.pool import paper
from tournament.pool.select import Points
from tournament.pool.stats import PoolReport, benchmark_stats
from tournament.report.solved import solved_section

Values = npt.NDArray[np.float64]
LABELS = tuple(axis.label for axis in AXES.values())
_PLACES = {axis: i for i, axis in enumerate(AXES)}
_X, _Y = _PLACES["information_sensitivity"], _PLACES["state_space"]


def pool_report(pool: PoolReport, benchmark: pa.Table | None, solved: Sequence[dict[str, Any]] | None = None) -> str:
    """The page as HTML.

    benchmark: as read by `read_benchmark`, in order of rank; None if no game was accepted. solved: the figures of its
    solved games (`tournament.solving.table`), if it has been solved.
    """
    first, last = pool.pool.settings.seeds
    lead = (
        f"Candidate games of the seeds {first:,} to {last - 1:,}, drawn by builder {pool.pool.settings.builder}; "
        "those that pass the gate are scored on all axes, and a benchmark is selected that covers the axes."
    )
    sections = [_headline(pool, benchmark), _acceptance(pool)]
    if benchmark is not None and pool.points is not None and pool.stats is not None:
        chosen = np.column_stack([benchmark[f"fast_{axis}"].to_numpy() for axis in AXES])
        precise = benchmark_stats(benchmark)
        selected = precise or pool_stats(chosen)
        tier = "precise" if precise is not None else "fast"
        sections += [
            _scatter(pool.points, set(benchmark["seed"].to_pylist())),
            _distributions(pool.points.values, chosen),
            _axis_table(pool, selected, tier),
            _correlations(pool.stats, selected, tier),
            _games(benchmark),
        ]
        chosen_games = set(benchmark["digest"].to_pylist())
        if rows := [row for row in solved or () if row["digest"] in chosen_games]:
            sections.append(solved_section(rows))
    return page("Antemill: a benchmark from raw seeds", lead, sections)


def _headline(pool: PoolReport, benchmark: pa.Table | None) -> str:
    built = pool.built
    figures = [
        ("Candidates", f"{built.candidates:,}", f"paper: {paper.CANDIDATES:,}"),
        (
            "Accepted",
            f"{built.accepted:,}",
            f"{percent(built.accepted / built.candidates)} (paper: {percent(paper.ACCEPTED / paper.CANDIDATES)})",
        ),
        ("Selected", f"{0 if benchmark is None else benchmark.num_rows:,}", "by farthest-point sampling"),
    ]
    stats = None if benchmark is None else benchmark_stats(benchmark)
    if stats is not None:
        least, most = (10**value for value in (stats.axes["state_space"].min, stats.axes["state_space"].max))
        low, _, high = paper.INFORMATION_STATES
        theirs = f"of the selected games; paper: about {low:,.0f} to {high:,.0f}"
        figures.append(("Information states", f"{least:,.0f} to {most:,.0f}", theirs))
    return tiles(figures)


def _acceptance(pool: PoolReport) -> str:
    built = pool.built

    def row(what: str, count: int, printed: int | None = None, first: int | None = None) -> list[str]:
        theirs = ["", ""] if printed is None else [f"{printed:,}", percent(printed / paper.CANDIDATES)]
        return [what, f"{count:,}", percent(count / built.candidates), "" if first is None else f"{first:,}", *theirs]

    rows = [
        row("Candidates", built.candidates, paper.CANDIDATES),
        row("Accepted", built.accepted, paper.ACCEPTED),
        row("Rejected", built.candidates - built.accepted, paper.CANDIDATES - paper.ACCEPTED),
        *(
            row(f"\N{EM SPACE}{reason}", count, first=built.rejected.get(reason, 0))
            for reason, count in built.broken.items()
        ),
    ]
    names = ("", "Games", "Share", "As the first", "Paper", "Share")
    columns = [Column(name, is_text=i == 0) for i, name in enumerate(names)]
    note = (
        f"The gate plays every candidate {pool.pool.settings.gate['episodes']:,.0f} times at random. A rejected one is "
        "counted under every rule that it breaks, and beside that under the first one, so that these numbers add up."
    )
    return section("Acceptance", table(columns, rows), note=note)


def _scatter(points: Points, chosen: set[int]) -> str:
    order = sorted(range(len(points.seeds)), key=lambda i: (int(points.seeds[i]) in chosen, i))  # as they are drawn
    dots = [_dot(points, i, int(points.seeds[i]) in chosen) for i in order]
    rounded = [[round(float(value), 4) for value in points.values[i]] for i in order]
    data = msgspec.json.encode({"axes": LABELS, "points": rounded}).decode()
    controls = (
        f'<div class="controls">{_choice("x", "Across", _X)}{_choice("y", "Up", _Y)}'
        '<span class="key"><i></i>pool</span><span class="key"><i class="chosen"></i>selected</span></div>'
    )
    plot = svg.scatter(dots, LABELS[_X], LABELS[_Y])
    script = f'<script type="application/json" id="points">{data}</script>'
    note = "Every accepted game by its fast scores. Point at a dot for its seed."
    return section("The pool and the selected games", controls, f"<figure>{plot}</figure>", script, note=note)


def _dot(points: Points, i: int, marked: bool) -> svg.Dot:
    scores = ", ".join(f"{name} {value:.2f}" for name, value in zip(LABELS, points.values[i], strict=True))
    label = f"seed {points.seeds[i]}: {scores}"
    return svg.Dot(float(points.values[i, _X]), float(points.values[i, _Y]), label, marked)


def _choice(name: str, label: str, default: int) -> str:
    options = "".join(
        f'<option value="{i}"{" selected" if i == default else ""}>{axis}</option>' for i, axis in enumerate(LABELS)
    )
    return f'<label>{label}<select id="{name}-axis">{options}</select></label>'


def _distributions(values: Values, chosen: Values) -> str:
    cuts = np.percentile(chosen, (LOWER_CUT, UPPER_CUT), axis=0)
    figures = []
    for i, axis in enumerate(AXES.values()):
        plot = svg.histogram(values[:, i].tolist(), chosen[:, i].tolist(), cuts[:, i].tolist(), axis.label)
        figures.append(f'<figure><h3 title="{axis.what}">{axis.label}</h3>{plot}</figure>')
    key = (
        '<div class="controls"><span class="key"><i></i>games of the pool</span>'
        '<span class="key"><i class="chosen"></i>selected games</span>'
        '<span class="key"><i class="cut"></i>tertile cuts of the selected games</span></div>'
    )
    note = "Fast scores. State space is the log10 of a count, brittleness the log10 of payoff deviations."
    return section("Distributions", key, f'<div class="multiples">{"".join(figures)}</div>', note=note)


def _axis_table(pool: PoolReport, selected: PoolStats, tier: str) -> str:
    assert pool.stats is not None
    assert pool.tails is not None
    names = ("min", "10th", "median", "90th", "max")
    columns = [Column("Axis", is_text=True), *(Column(name, "Pool") for name in names)]
    columns += [Column(name, "Selected") for name in ("min", "median", "max")]
    columns += [Column(name, "Variance inflation") for name in ("pool", "selected", "paper")]
    rows = []
    for axis, name in zip(AXES, LABELS, strict=True):
        span, tails, mine = pool.stats.axes[axis], pool.tails[axis], selected.axes[axis]
        ranges = (span.min, tails[0], span.median, tails[1], span.max, mine.min, mine.median, mine.max)
        inflation = (pool.stats.vif[axis], selected.vif[axis], paper.VIF.get(axis))
        rows.append([Cell(name), *(number(value, 3) for value in ranges), *map(number, inflation)])
    low, median, high = paper.TEMPORAL_DEPTH
    note = (
        f"The pool by fast scores, the selected games by {tier} ones. Variance inflation says how far the other axes "
        "determine one; 1 is not at all. The paper's figures are those of its 50 games, by precise scores; it prints a "
        f"temporal depth from below {low} to {high} with median {median}."
    )
    return section("Axes", table(columns, rows), note=note)


def _correlations(pool: PoolStats, selected: PoolStats, tier: str) -> str:
    maps = [
        f"<figure><h3>{title}</h3>{svg.heat_map(stats.correlation, LABELS, f'Correlations, {title}')}</figure>"
        for title, stats in ((f"pool, {pool.games:,} games", pool), (f"selected, {selected.games:,} games", selected))
    ]
    columns = [Column("Pair", is_text=True), Column("Pool"), Column("Selected"), Column("Paper's 50")]
    rows = [
        [
            Cell(f"{AXES[a].label}, {AXES[b].label}"),
            *(number(_entry(stats, a, b)) for stats in (pool, selected)),
            number(printed),
        ]
        for (a, b), printed in paper.CORRELATIONS.items()
    ]
    note = f"Pearson; the pool by fast scores, the selected games by {tier} ones, the paper's by precise ones."
    return section("Correlations", f'<div class="pair">{"".join(maps)}</div>', table(columns, rows), note=note)


def _entry(stats: PoolStats, a: str, b: str) -> float:
    return stats.correlation[_PLACES[a]][_PLACES[b]]


def _games(benchmark: pa.Table) -> str:
    columns = [Column("Rank"), Column("Seed"), Column("Complexity"), Column("Phases"), Column("Decision types")]
    columns.append(Column("Rulebook"))
    columns += [Column(name, tier) for tier in (f"{tier.capitalize()} scores" for tier in TIERS) for name in LABELS]
    columns.append(Column("Digest", is_text=True))
    rows = [_game(row) for row in benchmark.to_pylist()]
    note = "In order of selection; click a heading to sort. A decision type is who decides, in which phase, what kind. "
    note += "The rulebook's length is in characters."
    return section("The selected games", table(columns, rows, sortable=True), note=note)


def _game(row: dict[str, Any]) -> list[Cell]:
    names = msgspec.json.decode(row["names"])
    counts = (row["rank"], row["seed"])
    sizes = (names["spec_phases"], len(names["decisions"]))
    scores = [number(row[f"{tier}_{axis}"]) for tier in TIERS for axis in AXES]
    return [
        *(Cell(str(count)) for count in counts),
        number(row["complexity"]),
        *(Cell(str(size)) for size in sizes),
        Cell(str(row["rulebook_length"])),
        *scores,
        Cell(row["digest"][:12]),
    ]
