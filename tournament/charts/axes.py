"""Scales, ticks, the grid behind a plot with its names, and legends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from antemill.tournament.charts.chart import written
from antemill.tournament.charts.text import fitted, plain, width_of, wrapped

SERIES, DASHES = 9, 4  # classes s0 to s8, d1 to d3
WIDTH = 620.0  # of a chart with one plot
_ROW, _SWATCH = 20.0, 22.0  # of legends


class Scale(Struct, frozen=True):
    """Maps low..high of the data to start..end of the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


class Box(Struct, frozen=True):
    """A plot's edges within its panel."""

    left: float
    right: float
    top: float
    bottom: float


def scale(values: Iterable[float], start: float, end: float, pad: float = 0.04) -> Scale:
    """A scale that covers the finite values with a margin on both sides; some width even if all values agree."""
    found = [value for value in values if math.isfinite(value)] or [0.0]
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


def across(x: Scale, box: Box, name: str = "", lines: bool = True, most: int = 9, whole: bool = False) -> list[str]:
    """The horizontal axis: ticks with their numbers, lines behind the plot, the name below. whole: no fractions."""
    top = box.top if lines else box.bottom
    if whole:
        most = max(1, min(most, math.ceil(x.high - x.low)))
    parts = [
        f'<path class="x" d="M{x(value):.1f} {top:.1f}V{box.bottom + 4:.1f}"/>'
        + written(x(value), box.bottom + 18, tick_label(value), "x middle")
        for value in ticks(x.low, x.high, most)
        if not whole or abs(value - round(value)) < 1e-9
    ]
    return [*_grid(parts, "across"), *_x_name(box, name)]


def named(places: Sequence[tuple[float, str]], box: Box, name: str = "") -> list[str]:
    """The horizontal axis with words: where they stand, and what they are, each wrapped to the width that it has."""
    width = (box.right - box.left) / max(1, len(places)) - 4
    parts = []
    for at, label in places:
        for i, line in enumerate(wrapped(label, width, 12)):
            parts.append(written(at, box.bottom + 18 + 15 * i, line, "x middle small"))
    return [*_grid(parts, "across"), *_x_name(box, name)]


def up(y: Scale, box: Box, name: str = "", lines: bool = True, most: int = 7) -> list[str]:
    """The vertical axis: ticks with their numbers, lines behind the plot, the name along it."""
    end = box.right if lines else box.left
    parts = [
        f'<path class="y" d="M{box.left - 4:.1f} {y(value):.1f}H{end:.1f}"/>'
        + written(box.left - 8, y(value) + 4.5, tick_label(value), "y end")
        for value in ticks(y.low, y.high, most)
    ]
    middle = (box.top + box.bottom) / 2
    turn = f' transform="rotate(-90 14 {middle:.1f})"'
    label = [written(14, middle, fitted(name, box.bottom - box.top + 40), "name middle y-name", turn)] if name else []
    return [*_grid(parts, "up"), *label]


def series(i: int) -> str:
    """The classes of a line: its colour, and its dashes once the colours are used up."""
    dash = i // SERIES % DASHES
    return f"s{i % SERIES}" + (f" d{dash}" if dash else "")


def point(x: float, y: float, i: int, label: str = "", size: float = 4.5) -> str:
    """A marker of a series, its shape another one once the colours are used up. label: its tooltip."""
    return marker(x, y, *mark(i), label, size)


def mark(i: int) -> tuple[str, int]:
    """The class of a series' colour, and the shape of its marker."""
    return f"s{i % SERIES}", i // SERIES % 4


def marker(x: float, y: float, kind: str, shape: int, label: str = "", size: float = 4.5) -> str:
    """A marker: 0 a circle, 1 a square, 2 a diamond, 3 a triangle, 4 a star, 5 a cross."""
    told = _told(label)
    if shape == 0:
        return f'<circle class="point {kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}">{told}</circle>'
    if shape == 5:
        cross = f"M{x - size:.1f} {y - size:.1f}l{2 * size:g} {2 * size:g}m0 {-2 * size:g}l{-2 * size:g} {2 * size:g}"
        return f'<path class="cross {kind}" d="{cross}">{told}</path>'
    star = [(1.9 if k % 2 == 0 else 0.75, k * math.pi / 5) for k in range(10)]
    shapes: dict[int, list[tuple[float, float]]] = {
        1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        2: [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
        3: [(0, -1.3), (1.2, 0.95), (-1.2, 0.95)],
        4: [(length * math.sin(turn), -length * math.cos(turn)) for length, turn in star],
    }
    path = "L".join(f"{x + size * dx:.1f} {y + size * dy:.1f}" for dx, dy in shapes[shape])
    return f'<path class="point {kind}" d="M{path}Z">{told}</path>'


def swatch(i: int) -> str:
    """A series in a legend: a piece of its line with its marker."""
    return f'<path class="line {series(i)}" d="M0.0 0.0h{_SWATCH - 4:g}"/>{point(_SWATCH / 2 - 2, 0, i, size=4)}'


def legend(items: Sequence[tuple[str, str]], left: float, right: float, top: float = 0.0) -> tuple[list[str], float]:
    """A legend in rows above a plot, and its height.

    items: the words, and an element that shows what they mean, drawn about (0, 0) to the right.
    """
    parts, x, y = [], left, top + 12.0
    for words, shown in items:
        text = fitted(words, right - left - _SWATCH - 2)
        wide = _SWATCH + width_of(text) + 14
        if x > left and x + wide - 14 > right:
            x, y = left, y + _ROW
        parts.append(f'<g transform="translate({x:.1f} {y:.1f})">{shown}</g>')
        parts.append(written(x + _SWATCH, y + 4.5, text, "name"))
        x += wide
    return parts, y - top + 16.0 if items else 0.0


def _told(label: str) -> str:
    return f"<title>{plain(label)}</title>" if label else ""


def _grid(parts: Sequence[str], side: str) -> list[str]:
    return [f'<g class="grid {side}">', *parts, "</g>"]


def _x_name(box: Box, name: str) -> list[str]:
    """The name below an axis, in two lines if it does not fit into one."""
    middle, width = (box.left + box.right) / 2, box.right - box.left + 16
    lines = wrapped(name, width)
    if len(lines) < 2:
        return [written(middle, box.bottom + 40, line, "name middle x-name") for line in lines]
    below = fitted(" ".join(lines[1:]), width)
    return [written(middle, box.bottom + at, line, "name middle") for at, line in ((34, lines[0]), (48, below))]
