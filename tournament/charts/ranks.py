"""One row a name, best on top: bars or points, with whiskers of an interval. Figures that fit phones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec import Struct

from antemill.tournament.charts import axes
from antemill.tournament.charts.axes import WIDTH, Box, Scale, scale
from antemill.tournament.charts.chart import Chart, Panel, written
from antemill.tournament.charts.text import fitted, plain, width_of

_ROW, _FOOT = 25.0, 52.0
PHONE = 340.0  # the width of a figure on a phone


class Rank(Struct, frozen=True):
    """A name with its figure. low, high: of its interval; NaN if there is none.

    An infinite figure stands at the edge with an arrow, and NaN nowhere; said: what is written beside them. series: the
    number of its colour and marker, as of `axes.point`.
    """

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    said: str = ""
    series: int = 0


def ranked(title: str, rows: Sequence[Rank], unit: str, note: str, bars: bool = False, digits: int = 3) -> Chart:
    """The rows as a figure, which fits phones. Arguments as of `ranks` and `Chart`."""
    return fitting(title, lambda width: (ranks(rows, unit, bars, digits, width),), note)


def fitting(title: str, drawn: Callable[[float], tuple[Panel, ...]], note: str = "") -> Chart:
    """A figure that fits phones. drawn: its panels at a width."""
    return Chart(title, drawn(WIDTH), note, narrow=drawn(PHONE))


def ranks(rows: Sequence[Rank], unit: str, bars: bool = False, digits: int = 3, width: float = WIDTH) -> Panel:
    """The rows in the order given. bars: from zero, each with its figure written beside it; else points."""
    left = min(0.36 * width, max([40.0, *(width_of(row.name) for row in rows)])) + 16
    written_beside = [_beside(row, bars, digits) for row in rows]
    right = width - 16 - max([0.0, *(width_of(text, 12.6) + 8 for text in written_beside)])
    box = Box(left, right, 6, 10 + _ROW * max(1, len(rows)))
    x = _scale(rows, box, bars)
    parts = axes.across(x, box, unit, most=6 if width > PHONE else 4)
    if x.low <= 0.0 <= x.high:
        parts.append(f'<path class="zero" d="M{x(0):.1f} {box.top:.1f}V{box.bottom:.1f}"/>')
    for i, (row, beside) in enumerate(zip(rows, written_beside, strict=True)):
        y = box.top + (i + 0.5) * _ROW
        parts.append(written(left - 10, y + 4.5, fitted(row.name, left - 14), "name end"))
        parts += _row(row, x, y, bars, box)
        if beside:
            parts.append(written(box.right + 8, y + 4.5, beside, "name small"))
    label = f"{unit}: " + ", ".join(f"{row.name} {_figure(row, digits)}" for row in rows)
    return Panel(width, box.bottom + _FOOT, tuple(parts), label)


def _figure(row: Rank, digits: int) -> str:
    if not math.isfinite(row.value):
        return row.said or ("–" if math.isnan(row.value) else "∞" if row.value > 0 else "\N{MINUS SIGN}∞")
    return f"{row.value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _beside(row: Rank, bars: bool, digits: int) -> str:
    """What is written to the right of a row."""
    return _figure(row, digits) if bars or not math.isfinite(row.value) else ""


def _scale(rows: Sequence[Rank], box: Box, bars: bool) -> Scale:
    values = [value for row in rows for value in (row.value, row.low, row.high)]
    found = scale([*values, 0.0] if bars else values, box.left, box.right, 0.04)
    return Scale(0.0, found.high, box.left, box.right) if bars and found.low > -0.05 * found.high else found


def _row(row: Rank, x: Scale, y: float, bars: bool, box: Box) -> list[str]:
    words = f"{row.name}: {_figure(row, 3)}"
    told, kind = f"<title>{plain(words)}</title>", f"s{row.series % axes.SERIES}"
    if math.isnan(row.value):
        return []
    if math.isinf(row.value):
        edge, way = (box.right, -1) if row.value > 0 else (box.left, 1)
        arrow = f"M{edge:.1f} {y:.1f}l{9 * way} -6v12Z"
        return [f'<path class="point {kind}" d="{arrow}">{told}</path>']
    parts = []
    if bars:
        begin, end = sorted((x(0.0), x(row.value)))
        size = f'width="{max(0.5, end - begin):.1f}" height="{_ROW - 8:.1f}"'
        parts.append(f'<rect class="bar {kind}" x="{begin:.1f}" y="{y - _ROW / 2 + 4:.1f}" {size}>{told}</rect>')
    if math.isfinite(row.low) and math.isfinite(row.high):
        low, high, ink = x(row.low), x(row.high), " ink" if bars else f" {kind}"
        ends = f"M{low:.1f} {y - 4:.1f}v8M{high:.1f} {y - 4:.1f}v8"
        parts.append(f'<path class="whisker{ink}" d="M{low:.1f} {y:.1f}H{high:.1f}{ends}"/>')
    return parts if bars else [*parts, axes.point(x(row.value), y, row.series, words, 5)]
