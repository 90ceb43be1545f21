"""Plots in a plane: points, lines with bands, points with whiskers, columns, histograms. Each is one panel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.tournament.charts import axes
from antemill.tournament.charts.axes import WIDTH, Box, Scale, scale, series
from antemill.tournament.charts.chart import Panel, written
from antemill.tournament.charts.text import fitted, plain, width_of

Floats = npt.NDArray[np.float64]
_LEFT, _RIGHT, _FOOT = 62.0, 16.0, 52.0  # margin for an axis' numbers and its name
_CLOUD = (760.0, 440.0)
_LEAST = 260.0  # of a height: narrow figures are not flat


class Dot(Struct, frozen=True):
    """A point of a large scatter plot, with its tooltip."""

    x: float
    y: float
    label: str
    marked: bool


class Marked(Struct, frozen=True):
    """A point with a name beside it. kind: its colour's class; shape: as of `axes.marker`."""

    x: float
    y: float
    name: str
    kind: str = "s0"
    shape: int = 0
    label: str = ""


class Line(Struct, frozen=True):
    """A line with a band between `low` and `high`, or with whiskers; NaN leaves gaps. series: the number of its colour
    and marker, as of `axes.point`; None for its place among the lines.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    series: int | None = None


def cloud_box() -> Box:
    """Where the points of a `cloud` are, for a script that moves them."""
    return Box(_LEFT, _CLOUD[0] - _RIGHT, 14, _CLOUD[1] - _FOOT)


def cloud(dots: Sequence[Dot], x_name: str, y_name: str) -> Panel:
    """A scatter plot of very many points; marked ones lie on top."""
    box, (width, height) = cloud_box(), _CLOUD
    x = scale((dot.x for dot in dots), box.left, box.right)
    y = scale((dot.y for dot in dots), box.bottom, box.top)
    parts = [*axes.across(x, box, x_name), *axes.up(y, box, y_name)]
    for marked in (False, True):
        parts += [_dot(dot, x, y) for dot in dots if dot.marked == marked]
    return Panel(width, height, tuple(parts), f"{y_name} against {x_name}")


def plane(
    points: Sequence[Marked],
    x_name: str,
    y_name: str,
    kinds: Sequence[tuple[str, str, int]] = (),
    unit: bool = False,
    paths: Sequence[tuple[str, Sequence[tuple[float, float]]]] = (),
    width: float = WIDTH,
) -> Panel:
    """Points with their names, each on the side where it fits. kinds: a legend of words, classes and shapes.

    unit: both axes from 0 to 1, with the diagonal. paths: lines below the points, with their classes. Names that fit
    on no side of their points are in the legend, if there is no other and each has a mark of its own.
    """
    drawn, left_out = _plane(points, x_name, y_name, kinds, unit, paths, width)
    named = [(one.kind, one.shape) for one in points if one.name]
    if left_out and not kinds and len(set(named)) == len(named):
        drawn, _ = _plane(points, x_name, y_name, left_out, unit, paths, width)
    return drawn


def _plane(
    points: Sequence[Marked],
    x_name: str,
    y_name: str,
    kinds: Sequence[tuple[str, str, int]],
    unit: bool,
    paths: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    width: float,
) -> tuple[Panel, list[tuple[str, str, int]]]:
    """The panel, and as of a legend what has a name that does not fit."""
    items = [(words, axes.marker(9, 0, kind, shape)) for words, kind, shape in kinds]
    key, top = axes.legend(items, _LEFT, width - _RIGHT)
    height = top + (width if unit else 0.68 * width)
    box = Box(_LEFT, width - _RIGHT, top + 8, height - _FOOT)
    if unit:
        x, y = Scale(0.0, 1.0, box.left, box.right), Scale(0.0, 1.0, box.bottom, box.top)
    else:
        x = scale((one.x for one in points), box.left, box.right, 0.08)
        y = scale((one.y for one in points), box.bottom, box.top, 0.08)
    parts = [*key, *axes.across(x, box, x_name, most=7), *axes.up(y, box, y_name)]
    if unit:
        parts.append(f'<path class="zero" d="M{x(0):.1f} {y(0):.1f}L{x(1):.1f} {y(1):.1f}"/>')
    for kind, path in paths:
        drawn = "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in path)
        parts.append(f'<path class="line {kind}" d="M{drawn}"/>')
    for one in points:
        told = one.label or f"{one.name}: {one.x:.3g}, {one.y:.3g}"
        parts.append(axes.marker(x(one.x), y(one.y), one.kind, one.shape, told))
    names, missing = _names([(x(one.x), y(one.y), one.name) for one in points], box)
    panel = Panel(width, height, (*parts, *names), f"{y_name} against {x_name}, {len(points)} points")
    return panel, [(points[i].name, points[i].kind, points[i].shape) for i in missing]


def lines(
    shown: Sequence[Line],
    x_name: str,
    y_name: str,
    span: tuple[float, float] | None = None,
    whiskers: bool = False,
    whole: bool = True,
    head: str = "",
    width: float = WIDTH,
    ratio: float = 0.56,
) -> Panel:
    """Lines with a legend above. span: of the vertical axis, if not that of the data. whiskers: in place of bands.

    whole: whether the horizontal axis has whole numbers only. head: a title of the panel.
    """
    title = [written(_LEFT, 14, fitted(head, width - _LEFT, 14), "head")] if head else []
    numbers = [i if line.series is None else line.series for i, line in enumerate(shown)]
    named = [(line.name, axes.swatch(i)) for i, line in zip(numbers, shown, strict=True)]
    key, used = axes.legend(named, _LEFT, width - _RIGHT, 26 if head else 0)
    top = used + (26 if head else 0)
    height = top + max(ratio * width, _LEAST)
    box = Box(_LEFT, width - _RIGHT, top + 4, height - _FOOT)
    x = scale((value for line in shown for value in line.x), box.left, box.right, 0.02)
    every = [value for line in shown for part in (line.y, line.low, line.high) for value in part]
    y = Scale(*span, box.bottom, box.top) if span else scale(every, box.bottom, box.top)
    parts = [*title, *key, *axes.across(x, box, x_name, False, whole=whole), *axes.up(y, box, y_name)]
    for i, line in zip(numbers, shown, strict=True):
        parts += _spread(line, i, x, y, whiskers)
    for i, line in zip(numbers, shown, strict=True):
        parts += _strokes(line, i, x, y)
    return Panel(width, height, tuple(parts), f"{head or y_name} by {x_name}: {', '.join(line.name for line in shown)}")


def groups(
    labels: Sequence[str],
    values: Mapping[str, Sequence[float]],
    y_name: str,
    x_name: str = "",
    sigma: Mapping[str, Sequence[float]] | None = None,
    span: tuple[float, float] | None = None,
    stacked: bool = False,
    width: float = WIDTH,
) -> Panel:
    """Several figures at each label: columns beside or on top of each other, or points with whiskers of `sigma`.

    values: by name of the series, one figure a label; NaN leaves it out.
    """
    names = list(values)
    items = [(name, _block(i, sigma is not None)) for i, name in enumerate(names)]
    key, top = axes.legend(items, _LEFT, width - _RIGHT)
    height = top + max(0.58 * width, _LEAST)
    box = Box(_LEFT, width - _RIGHT, top + 4, height - _FOOT)
    table = np.array([values[name] for name in names], np.float64).reshape(len(names), len(labels))
    space = (box.right - box.left) / max(1, len(labels))
    y = Scale(*(span or _reach(table, sigma, names, stacked)), box.bottom, box.top)
    parts = [*key, *axes.named([(box.left + (k + 0.5) * space, label) for k, label in enumerate(labels)], box, x_name)]
    parts += axes.up(y, box, y_name)
    step, below = 0.82 * space / (1 if stacked else max(1, len(names))), np.zeros(len(labels))
    for i, name in enumerate(names):
        for k, value in enumerate(table[i]):
            if not math.isfinite(value):
                continue
            at = box.left + k * space + 0.09 * space + (0 if stacked else i * step)
            told = f"{name}, {labels[k]}: {value:.3g}"
            if sigma is None:
                base = float(below[k]) if stacked else 0.0
                parts.append(_column(at, step, y(base), y(base + value), axes.series(i), told))
                below[k] += value
            else:
                parts += _whisker(at + step / 2, y, value, float(sigma[name][k]), i, told)
    return Panel(width, height, tuple(parts), f"{y_name} of {', '.join(names)} at {', '.join(labels)}")


def histogram(
    values: Sequence[float],
    name: str,
    marks: Sequence[float] = (),
    cuts: Sequence[tuple[str, float]] = (),
    width: float = 340.0,
    height: float = 200.0,
    most: int = 24,
    kind: str = "pool",
    count: str = "",
    named: bool = False,
) -> Panel:
    """A histogram with marks below it and vertical cuts through it, each with its words. named: cuts have a legend."""
    items = [(words, '<path class="cut" d="M0 0h18"/>') for words, _ in cuts] if named else []
    left = 56.0 if count else 40.0
    key, used = axes.legend(items, left, width - 10)
    box = Box(left, width - 16, used + 16, height - (_FOOT if count else 30))
    x = scale([*values, *(cut for _, cut in cuts)], box.left, box.right, pad=0.02)
    counts = bins(values, x, most)
    y = Scale(0.0, max(counts) * 1.05 or 1.0, box.bottom, box.top)
    step = (box.right - box.left) / len(counts)
    parts = [*key, *axes.across(x, box, name if count else "", False, 6), *axes.up(y, box, count, most=3)]
    parts += [
        f'<rect class="bar {kind}" x="{box.left + i * step:.1f}" y="{y(n):.1f}" width="{step - 1:.1f}" '
        f'height="{y(0) - y(n):.1f}"/>'
        for i, n in enumerate(counts)
        if n
    ]
    parts += [f'<path class="mark chosen" d="M{x(value):.1f} {box.bottom + 1:.1f}v5"/>' for value in marks]
    for words, cut in cuts:
        title = f"<title>{plain(words)}: {cut:.3f}</title>"
        parts.append(f'<path class="cut" d="M{x(cut):.1f} {box.top - 4:.1f}V{box.bottom:.1f}">{title}</path>')
    return Panel(width, height, tuple(parts), f"Distribution of {name}")


def density(values: Sequence[float], name: str, cuts: Sequence[float] = ()) -> Panel:
    """A kernel density with a mark for each value below it and dashed cuts through it. values: two that differ."""
    width, height = 340.0, 220.0
    box = Box(46.0, width - 10, 16, height - _FOOT)
    points = np.asarray(values, np.float64)
    wide = float(points.std(ddof=1)) * len(points) ** -0.2  # Scott's rule
    x = scale([min(values) - 2 * wide, max(values) + 2 * wide], box.left, box.right, pad=0.0)
    places = np.linspace(x.low, x.high, 121)
    heights = np.exp(-0.5 * ((places[:, None] - points) / wide) ** 2).mean(axis=1) / (wide * math.sqrt(2.0 * math.pi))
    y = Scale(0.0, float(heights.max()) * 1.05, box.bottom, box.top)
    line = "L".join(f"{x(at):.1f} {y(high):.1f}" for at, high in zip(places.tolist(), heights.tolist(), strict=True))
    parts = [*axes.across(x, box, name, False, 6), *axes.up(y, box, most=3)]
    parts.append(f'<path class="band s0" d="M{x(x.low):.1f} {y(0):.1f}L{line}L{x(x.high):.1f} {y(0):.1f}Z"/>')
    parts.append(f'<path class="line s0" d="M{line}"/>')
    parts += [f'<path class="mark chosen" d="M{x(value):.1f} {box.bottom - 6:.1f}v6"/>' for value in values]
    parts += [
        f'<path class="cut" d="M{x(cut):.1f} {box.top - 4:.1f}V{box.bottom:.1f}"><title>{cut:.3f}</title></path>'
        for cut in cuts
    ]
    return Panel(width, height, tuple(parts), f"Density of {name}, {len(values)} values")


def bins(values: Sequence[float], x: Scale, most: int) -> list[int]:
    """Counts in equal bins over the scale; fewer bins for few values."""
    n = max(5, min(most, round(2 * math.sqrt(max(1, len(values))))))
    places = ((np.asarray(values, np.float64) - x.low) / (x.high - x.low) * n).astype(np.int64)
    counts: list[int] = np.bincount(np.minimum(places, n - 1), minlength=n).tolist()
    return counts


def _dot(dot: Dot, x: Scale, y: Scale) -> str:
    kind, radius = ("point chosen", 4.5) if dot.marked else ("dot pool", 2.6)
    at = f'cx="{x(dot.x):.1f}" cy="{y(dot.y):.1f}"'
    return f'<circle class="{kind}" {at} r="{radius}"><title>{plain(dot.label)}</title></circle>'


def _names(points: Sequence[tuple[float, float, str]], box: Box) -> tuple[list[str], list[int]]:
    """Names beside their points, moved away from each other, and the points whose names do not fit."""
    taken: list[tuple[float, float, float, float]] = [(x - 5, y - 5, x + 5, y + 5) for x, y, _ in points]
    parts, missing = [], []
    for i, (x, y, name) in enumerate(points):
        if not name:
            continue
        text = fitted(name, 170, 12.6)
        wide = width_of(text, 12.6)
        offers = ((8, 4), (-8 - wide, 4), (-wide / 2, -9), (-wide / 2, 18), (7, -7), (7, 15))
        for dx, dy in offers:
            spot = (x + dx, y + dy - 10, x + dx + wide, y + dy + 3)
            inside = box.left <= spot[0] and spot[2] <= box.right + 14 and box.top - 8 <= spot[1]
            if inside and not any(_meet(spot, other) for other in taken):
                taken.append(spot)
                parts.append(written(x + dx, y + dy, text, "name small"))
                break
        else:
            missing.append(i)
    return parts, missing


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _spread(line: Line, i: int, x: Scale, y: Scale, whiskers: bool) -> list[str]:
    """The band or the whiskers of a line."""
    bounds = [
        (x(at), y(low), y(high))
        for at, low, high in zip(line.x, line.low, line.high)
        if math.isfinite(low) and math.isfinite(high)
    ]
    if whiskers:
        return [f'<path class="whisker {series(i)}" d="M{at:.1f} {low:.1f}V{high:.1f}"/>' for at, low, high in bounds]
    if len(bounds) < 2:
        return []
    upper = "L".join(f"{at:.1f} {high:.1f}" for at, _, high in bounds)
    lower = "L".join(f"{at:.1f} {low:.1f}" for at, low, _ in reversed(bounds))
    return [f'<path class="band {series(i)}" d="M{upper}L{lower}Z"/>']


def _strokes(line: Line, i: int, x: Scale, y: Scale) -> list[str]:
    """A line in pieces between its gaps, with markers where there are few points."""
    pieces: list[list[str]] = [[]]
    for at, value in zip(line.x, line.y, strict=True):
        if math.isfinite(value):
            pieces[-1].append(f"{x(at):.1f} {y(value):.1f}")
        else:
            pieces.append([])
    path = "".join(f"M{'L'.join(piece)}" for piece in pieces if piece)
    if not path:
        return []
    parts = [f'<path class="line {series(i)}" d="{path}"><title>{plain(line.name)}</title></path>']
    if len(line.x) <= 30:
        places = [(at, value) for at, value in zip(line.x, line.y, strict=True) if math.isfinite(value)]
        parts += [axes.point(x(at), y(v), i, f"{line.name}, {at:g}: {v:.3g}", 3.5) for at, v in places]
    return parts


def _reach(table: Floats, sigma: Any, names: Sequence[str], stacked: bool) -> tuple[float, float]:
    """What the vertical axis covers: from zero for columns, around the whiskers for points."""
    if sigma is None:
        high = np.nansum(table, axis=0) if stacked else table[np.isfinite(table)]
        top = float(np.max(high, initial=0.0))
        return 0.0, 1.05 * top or 1.0
    width = np.array([sigma[name] for name in names], np.float64).reshape(table.shape)
    found = scale([*(table - width).ravel().tolist(), *(table + width).ravel().tolist()], 0.0, 1.0)
    return found.low, found.high


def _column(at: float, step: float, base: float, top: float, kind: str, told: str) -> str:
    high = max(0.0, base - top)
    return (
        f'<rect class="bar {kind}" x="{at:.1f}" y="{base - high:.1f}" width="{max(1.0, step - 2):.1f}" '
        f'height="{high:.1f}"><title>{plain(told)}</title></rect>'
    )


def _whisker(at: float, y: Scale, value: float, sigma: float, i: int, told: str) -> list[str]:
    ends = f'<path class="whisker s{i % axes.SERIES}" d="M{at:.1f} {y(value - sigma):.1f}V{y(value + sigma):.1f}"/>'
    return [ends, axes.point(at, y(value), i, told)]


def _block(i: int, points: bool) -> str:
    """A series in the legend of `groups`."""
    return axes.point(9, 0, i) if points else f'<rect class="bar {series(i)}" x="2" y="-6" width="14" height="12"/>'
