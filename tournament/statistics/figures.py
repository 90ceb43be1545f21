"""The paper's figures as SVG: profiles, jaggedness, scatter of the games, heat map (GENSTRAT figures 1 to 8).

Colours are Okabe and Ito's, told apart with every common colour vision; groups of points also differ in marker.
Bytes are the same for the same data: ids come from a fixed salt, there is no date, text stays text. matplotlib is
imported when the first figure is drawn, without its global state.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tournament.statistics.intervals import Floats, Interval
from tournament.statistics.sheets import STRONG, Sheet, shade, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F", "#B0A000")
MOST_WRITTEN = 60  # rows of a heat map that shows its numbers
INK, MUTED, GRID = "#222222", "#666666", "#DDDDDD"
SIGNIFICANT, MARGINAL, QUIET = "#D55E00", "#E69F00", "#0072B2"
STYLE: Any = {
    "svg.hashsalt": "antemill",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "axes.axisbelow": True,
    "figure.facecolor": "white",
}
Draw = Callable[["Figure"], None]
Drawing = tuple[tuple[float, float], Draw]  # size in inches, and what draws it


def to_svg(size: tuple[float, float], draw: Draw) -> bytes:
    """The SVG of a figure of this size in inches."""
    with _style():
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(figsize=size)
        draw(figure)
        sink = io.BytesIO()
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(sink, metadata={"Date": None, "Creator": None})
    return sink.getvalue()


def chart(size: tuple[float, float], fill: Callable[[Any], None], title: str, x: str, y: str, grid: str) -> Drawing:
    """A figure of one plot: `fill` draws on its axes. grid: "x", "y", "both" or "" for the lines behind it."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        fill(axes)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.set_title(title, fontsize=12, loc="left", color=INK)
        if grid:
            axes.grid(axis=grid)  # type: ignore[arg-type]
        figure.tight_layout()

    return size, draw


def radar(
    names: Sequence[str], models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str
) -> Drawing:
    """Small multiples, one radar a model: estimates, 95% bands, and the circle of zero.

    values: float64[models, axes] without gaps; a gap in the interval leaves out the band.
    """
    columns = min(3, len(models))
    lines = -(-len(models) // columns)
    height = 3.5 * lines + 1.2
    reach = _reach(values, interval)
    angles = np.linspace(0.0, 2.0 * np.pi, len(names), endpoint=False)

    def draw(figure: Figure) -> None:
        figure.suptitle(title, y=1.0 - 0.2 / height, va="top", fontsize=14, color=INK)
        for m, model in enumerate(models):
            axes: Any = figure.add_subplot(lines, columns, m + 1, projection="polar")
            _spokes(axes, angles, names, reach)
            axes.set_title(model, fontsize=11, pad=20, color=INK)
            ring = [*range(len(names)), 0]
            axes.plot(np.linspace(0, 2 * np.pi, 181), np.zeros(181), color=MUTED, lw=1.0, ls="--")
            if np.isfinite(interval.low[m]).all():
                low, high = interval.low[m][ring], interval.high[m][ring]
                axes.fill_between(angles[ring], low, high, color=PALETTE[0], alpha=0.25, lw=0)
            axes.plot(angles[ring], values[m][ring], color=PALETTE[0], lw=1.8, marker="o", ms=4)
        figure.text(0.5, 0.12 / height, unit, ha="center", va="bottom", fontsize=9, color=MUTED)
        sides = {"left": 0.08, "right": 0.92} if columns > 1 else {"left": 0.2, "right": 0.8}
        spread = {"hspace": 0.68, "wspace": 0.62}
        figure.subplots_adjust(top=1.0 - 1.35 / height, bottom=0.95 / height, **sides, **spread)

    return (3.7 * columns + 0.2 if columns > 1 else 6.4, height), draw


def bars(models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str) -> Drawing:
    """Horizontal bars in ascending order with whiskers; models without a value are left out."""
    order = [int(i) for i in np.argsort(values, kind="stable") if np.isfinite(values[i])]

    def fill(axes: Axes) -> None:
        places = np.arange(len(order))
        axes.barh(places, values[order], color=PALETTE[5], edgecolor=PALETTE[0], lw=0.8, height=0.66)
        low, high = interval.low[order], interval.high[order]
        whole = np.isfinite(low) & np.isfinite(high)
        axes.hlines(places[whole], low[whole], high[whole], color=INK, lw=1.4)
        for end in (low, high):
            axes.plot(end[whole], places[whole], "|", color=INK, ms=8, mew=1.4)
        top = np.nanmax([*values[order], *high[whole], *low[whole]])
        for place, model in zip(places, order, strict=True):
            edge = np.nanmax([values[model], interval.high[model]])
            axes.text(
                float(edge + 0.015 * top), float(place), f"{values[model]:.3f}", va="center", fontsize=9, color=INK
            )
        axes.set_yticks(places, [models[i] for i in order])
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0.0, 1.12 * top if top > 0.0 else 1.0)

    return chart((7.6, 1.5 + 0.36 * max(len(order), 2)), fill, title, unit, "", "x")


def strengths(models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str) -> Drawing:
    """Points with whiskers, strongest on top, and a line at zero; models without a value are left out."""
    order = [int(i) for i in np.argsort(values, kind="stable") if np.isfinite(values[i])]

    def fill(axes: Axes) -> None:
        places = np.arange(len(order))
        axes.axvline(0.0, color=MUTED, lw=1.0, ls="--")
        whole = np.isfinite(interval.low[order])
        axes.hlines(places[whole], interval.low[order][whole], interval.high[order][whole], color=PALETTE[0], lw=2.0)
        axes.plot(values[order], places, "o", color=PALETTE[0], ms=6)
        axes.set_yticks(places, [models[i] for i in order])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-0.6, len(order) - 0.4)

    return chart((7.6, 1.5 + 0.34 * max(len(order), 2)), fill, title, unit, "", "x")


def scatter(x: Floats, y: Floats, games: Sequence[str], labels: tuple[str, str], q: Floats, title: str) -> Drawing:
    """The games in the plane of two axes, marked by the q-value of their excess reversals; significant ones named."""
    with np.errstate(invalid="ignore"):
        strong, weak = q < 0.05, (q >= 0.05) & (q < 0.10)
    bands = (
        (strong, "*", SIGNIFICANT, 130, "q < 0.05"),
        (weak, "s", MARGINAL, 48, "0.05 ≤ q < 0.10"),
        (np.isfinite(q) & ~strong & ~weak, "o", QUIET, 36, "q ≥ 0.10"),
        (~np.isfinite(q), "x", MUTED, 36, "not tested"),
    )

    def fill(axes: Axes) -> None:
        for chosen, marker, colour, area, label in bands:
            if chosen.any():
                style: Any = {} if marker == "x" else {"edgecolors": "white", "linewidths": 0.6}
                shown = f"{label} ({chosen.sum()})"
                axes.scatter(x[chosen], y[chosen], s=area, c=colour, marker=marker, label=shown, **style)
        if strong.sum() <= 20:
            for g in np.flatnonzero(strong).tolist():
                axes.annotate(games[g], (x[g], y[g]), (5, 4), textcoords="offset points", fontsize=8, color=MUTED)
        axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))

    return chart((8.2, 5.4), fill, title, *labels, "both")


def plane(x: Floats, y: Floats, models: Sequence[str], labels: tuple[str, str], title: str) -> Drawing:
    """The models in a plane, each with its name; those with a gap are left out."""
    there = [int(i) for i in np.flatnonzero(np.isfinite(x) & np.isfinite(y))]

    def fill(axes: Axes) -> None:
        axes.scatter(x[there], y[there], s=46, c=PALETTE[0])
        for i in there:
            axes.annotate(models[i], (x[i], y[i]), (6, 4), textcoords="offset points", fontsize=9, color=INK)
        axes.margins(0.16, 0.1)

    return chart((7.6, 5.0), fill, title, *labels, "both")


def heat_map(sheet: Sheet, title: str, unit: str, names: Sequence[str] = ()) -> Drawing:
    """The heated columns of a table with their numbers, blue to orange about zero; gaps are grey. names: of the rows,
    if not those of the first column."""
    heated = [i for i, column in enumerate(sheet.columns) if column.heat]
    limit, across = sheet.columns[heated[0]].heat, [sheet.columns[i].heading for i in heated]
    names = names or [str(row[0]) for row in sheet.rows]
    matrix = np.array([[cell if isinstance(cell := row[i], float) else np.nan for i in heated] for row in sheet.rows])
    size = 0.5 if len(names) <= 12 else max(0.26, min(0.5, 14.0 / len(names)))  # inches of a row
    written = len(names) <= MOST_WRITTEN
    height = 2.0 + (size * len(names) if written else 14.0)

    def fill(axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("blue-orange", ["#0072B2", "#FFFFFF", "#D55E00"], bad="#CCCCCC")
        image = axes.pcolormesh(
            matrix, cmap=colours, vmin=-limit, vmax=limit, edgecolors="white", lw=1.0 if written else 0.0
        )
        for i, j in np.ndindex(*matrix.shape) if written else ():
            ink = "white" if abs(shade(float(matrix[i, j]), limit)) > STRONG else INK
            text = shown(sheet.rows[i][heated[j]], sheet.columns[heated[j]])
            axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=9 if size > 0.4 else 7.5, color=ink)
        axes.set_xticks(np.arange(len(across)) + 0.5, across, rotation=30, ha="right")
        ticks = range(0, len(names), 1 if written else -(-len(names) // MOST_WRITTEN))
        axes.set_yticks(np.array(ticks) + 0.5, [names[i] for i in ticks])
        axes.tick_params(length=0)
        axes.tick_params(axis="y", labelsize=10 if size > 0.4 else 8)
        axes.invert_yaxis()
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.figure.colorbar(image, ax=axes, label=unit, fraction=0.046, pad=0.03)

    return chart((3.4 + 0.72 * len(across), height), fill, title, "", "", "")


def _spokes(axes: Axes, angles: Floats, names: Sequence[str], reach: tuple[float, float]) -> None:
    polar: Any = axes
    polar.set_theta_offset(np.pi / 2)
    polar.set_theta_direction(-1)
    polar.set_xticks(angles, [name.replace(" ", "\n") for name in names], fontsize=8)
    polar.tick_params(axis="x", pad=9)
    polar.set_ylim(*reach)
    polar.set_rlabel_position(np.degrees(angles[1]) / 2 if len(angles) > 1 else 30)
    polar.tick_params(axis="y", labelsize=7, labelcolor=MUTED)
    polar.spines["polar"].set_color(GRID)
    from matplotlib.ticker import MaxNLocator

    polar.yaxis.set_major_locator(MaxNLocator(4))


def _reach(values: Floats, interval: Interval) -> tuple[float, float]:
    """Radii of the centre and of the rim, the same for all models."""
    every = np.concatenate([part[np.isfinite(part)] for part in (values, interval.low, interval.high)])
    low, high = min(0.0, float(every.min())), max(0.0, float(every.max()))
    room = 0.08 * (high - low or 1.0)
    return low - 2.5 * room, high + room


@contextmanager
def _style() -> Iterator[None]:
    import matplotlib

    with matplotlib.rc_context(STYLE):
        yield
