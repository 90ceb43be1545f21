"""Heat maps about zero: one colour for plus, another for minus, grey for gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from antemill.tournament.charts.chart import Panel, written
from antemill.tournament.charts.text import fitted, plain, width_of

MOST_WRITTEN = 60  # rows of a heat map that shows its numbers
_HIGH = 24.0


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    shares: Sequence[Sequence[float]],
    words: Sequence[Sequence[str]],
    unit: str,
) -> Panel:
    """Cells with their figures.

    shares: of the full colour, from -1 to 1, NaN for a gap; words: the text of the cell. With very many rows the words
    are left out, and only some rows are named.
    """
    spelled = len(rows) <= MOST_WRITTEN
    high = _HIGH if spelled else max(3.0, 1100.0 / len(rows))
    left = min(230.0, max([60.0, *(width_of(name) for name in rows)])) + 10
    wide = max([52.0, *(width_of(word, 12.6) + 10 for line in words for word in line)]) if spelled else 52.0
    wide = max(wide, min(76.0, 460.0 / max(1, len(columns))))
    lean = max([20.0, *(0.5 * min(width_of(name), 190.0) for name in columns)])
    top = 34 + lean
    parts = []
    for j, name in enumerate(columns):
        x, y = left + (j + 0.5) * wide, top - 8
        parts.append(written(x, y, fitted(name, 190), "name", f' transform="rotate(-30 {x:.1f} {y:.1f})"'))
    every = 1 if spelled else -(-len(rows) // MOST_WRITTEN)
    for i, name in enumerate(rows):
        y = top + i * high
        if i % every == 0:
            parts.append(written(left - 8, y + high / 2 + 4.5, fitted(name, left - 12), "name end"))
        for j, share in enumerate(shares[i]):
            told = f"{name}, {columns[j]}: {words[i][j]}"
            parts += _cell(left + j * wide, y, wide, high, share, words[i][j] if spelled else "", told)
    foot = top + len(rows) * high + 22
    parts.append(written(left, foot, unit, "small"))
    reach = max([0.87 * min(width_of(columns[-1]), 190.0), 20.0]) if columns else 20.0
    width = left + len(columns) * wide + reach
    return Panel(
        max(width, left + width_of(unit, 12.6)),
        foot + 12,
        tuple(parts),
        f"{unit}: {', '.join(columns)} by {len(rows)} rows",
    )


def _cell(x: float, y: float, wide: float, high: float, share: float, word: str, told: str) -> list[str]:
    gap = 1.0 if high > 10 else 0.0
    box = f'x="{x:.1f}" y="{y:.2f}" width="{wide - 1:.1f}" height="{high - gap:.2f}"'
    title = f"<title>{plain(told)}</title>"
    if not math.isfinite(share):
        parts = [f'<rect class="gap" {box}>{title}</rect>']
    else:
        kind = "plus" if share >= 0 else "minus"
        parts = [f'<rect class="{kind}" fill-opacity="{abs(share):.2f}" {box}>{title}</rect>']
    if word:
        parts.append(written(x + wide / 2, y + high / 2 + 4, word, "cell"))
    return parts
