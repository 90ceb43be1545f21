"""Charts as inline SVG: scatter plot, histogram. Numbers in, text out; colours are classes of page.css."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np


class Scale(NamedTuple):
    """Maps low..high of the data to start..end of the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


class Dot(NamedTuple):
    """A point of a scatter plot."""

    x: float
    y: float
    label: str
    marked: bool


def scale(values: Iterable[float], start: float, end: float, pad: float = 0.04) -> Scale:
    """A scale that covers the values with a margin on both sides; some width even if all values agree."""
    found = list(values) or [0.0]
    low, high = min(found), max(found)
    margin = (high - low) * pad or max(abs(high), 1.0) * 0.1
    return Scale(low - margin, high + margin, start, end)


def ticks(low: float, high: float, most: int = 9) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten apart) in low..high, at most `most` + 1."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def tick_label(value: float) -> str:
    """A tick's number without noise or trailing zeros."""
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


def scatter(dots: Sequence[Dot], x_name: str, y_name: str, width: int = 720, height: int = 440) -> str:
    """A scatter plot; marked dots lie on top. Every dot has its label as a tooltip."""
    left, right, top, bottom = 52, 14, 14, 46
    x = scale((dot.x for dot in dots), left, width - right)
    y = scale((dot.y for dot in dots), height - bottom, top)
    parts = ['<g class="grid">', *_x_grid(x, top, height - bottom), *_y_grid(y, left, width - right), "</g>"]
    parts.append(
        f'<text class="name" id="x-name" x="{(left + width - right) / 2:.0f}" y="{height - 8}">{escape(x_name)}</text>'
    )
    middle = (top + height - bottom) / 2
    parts.append(
        f'<text class="name" id="y-name" transform="translate(14 {middle:.0f}) rotate(-90)">{escape(y_name)}</text>'
    )
    for marked in (False, True):
        parts += [_dot(dot, x, y) for dot in dots if dot.marked == marked]
    return _svg(width, height, f"{y_name} against {x_name}", parts, "scatter")


def histogram(
    values: Sequence[float],
    marks: Sequence[float],
    cuts: Sequence[float],
    name: str,
    width: int = 330,
    height: int = 190,
) -> str:
    """A histogram with marks below it and vertical cuts through it."""
    left, right, top, bottom = 34, 10, 20, 40
    x = scale(values, left, width - right, pad=0.02)
    counts = _bins(values, x, 24)
    y = Scale(0.0, max(counts) * 1.05 or 1.0, height - bottom, top)
    step = (width - left - right) / len(counts)
    bars = [
        f'<rect class="bar" x="{left + i * step:.1f}" y="{y(count):.1f}" '
        f'width="{step - 1:.1f}" height="{y(0) - y(count):.1f}"/>'
        for i, count in enumerate(counts)
        if count
    ]
    parts = [
        '<g class="grid">',
        *_x_grid(x, height - bottom, height - bottom, 25, 6),
        *_y_grid(y, left, width - right, 3),
        "</g>",
    ]
    parts += bars
    parts += [f'<path class="mark" d="M{x(value):.1f} {height - bottom + 2}v8"/>' for value in marks]
    for percentile, cut in zip(("33rd", "67th"), cuts, strict=False):
        title = f"<title>{percentile} percentile: {cut:.3f}</title>"
        parts.append(f'<path class="cut" d="M{x(cut):.1f} {top - 4}V{height - bottom}">{title}</path>')
    return _svg(width, height, f"Distribution of {name}", parts, "histogram")


def _bins(values: Sequence[float], x: Scale, most: int) -> list[int]:
    """Counts in equal bins over the scale; fewer bins for few values."""
    n = max(5, min(most, round(2 * math.sqrt(max(1, len(values))))))
    places = ((np.asarray(values, np.float64) - x.low) / (x.high - x.low) * n).astype(np.int64)
    counts: list[int] = np.bincount(np.minimum(places, n - 1), minlength=n).tolist()
    return counts


def _dot(dot: Dot, x: Scale, y: Scale) -> str:
    kind, radius = ("chosen", 4.5) if dot.marked else ("dot", 2.6)
    at = f'cx="{x(dot.x):.1f}" cy="{y(dot.y):.1f}"'
    return f'<circle class="{kind}" {at} r="{radius}"><title>{escape(dot.label)}</title></circle>'


def _x_grid(x: Scale, top: float, bottom: float, drop: int = 16, most: int = 9) -> list[str]:
    return [
        f'<path class="x" d="M{x(value):.1f} {top}V{bottom}"/>'
        f'<text class="x" x="{x(value):.1f}" y="{bottom + drop}">{tick_label(value)}</text>'
        for value in ticks(x.low, x.high, most)
    ]


def _y_grid(y: Scale, left: float, right: float, most: int = 9) -> list[str]:
    return [
        f'<path class="y" d="M{left} {y(value):.1f}H{right}"/>'
        f'<text class="y" x="{left - 6}" y="{y(value) + 4:.1f}">{tick_label(value)}</text>'
        for value in ticks(y.low, y.high, most)
    ]


def _svg(width: float, height: float, title: str, parts: Iterable[str], kind: str) -> str:
    body = "\n".join(parts)
    box = f"0 0 {width:.0f} {height:.0f}"
    return f'<svg class="{kind}" viewBox="{box}" role="img" aria-label="{escape(title)}">\n{body}\n</svg>'
