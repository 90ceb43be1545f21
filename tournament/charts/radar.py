"""Radars: one a name, all with the same rim, so that they can be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from antemill.tournament.charts.axes import SERIES, tick_label, ticks
from antemill.tournament.charts.chart import Panel, written
from antemill.tournament.charts.text import fitted, plain, wrapped

Floats = npt.NDArray[np.float64]
_WIDTH, _RADIUS, _HEAD = 400.0, 118.0, 26.0
_LEADING = 15.0


def radar(
    name: str,
    spokes: Sequence[str],
    values: Floats,
    low: Floats,
    high: Floats,
    reach: tuple[float, float],
    series: int = 0,
) -> Panel:
    """One radar: the estimates, the band between `low` and `high` if none is missing, the circle of zero.

    values: float64[spokes]. reach: what the centre and the rim stand for, as `reach_of` says. series: the number of
    the colour.
    """
    middle = (_WIDTH / 2, _HEAD + 34 + _RADIUS)
    count, kind = len(spokes), f"s{series % SERIES}"

    def at(i: int, value: float) -> str:
        x, y = _place(middle, _length(value, reach), i, count)
        return f"{x:.1f} {y:.1f}"

    def ring(line: Floats) -> str:
        return "M" + "L".join(at(i, float(value)) for i, value in enumerate(line)) + "Z"

    parts = [written(_WIDTH / 2, 17, fitted(name, _WIDTH - 8, 14), "head middle"), '<g class="grid">']
    rounds = [value for value in ticks(*reach, 4) if reach[0] < value <= reach[1]]
    parts += [_circle(middle, _length(value, reach)) for value in (*rounds, reach[1])]
    parts += [f'<path d="M{at(i, reach[0])}L{at(i, reach[1])}"/>' for i in range(count)]
    parts.append("</g>")
    if reach[0] < 0.0 < reach[1]:
        parts.append(_circle(middle, _length(0.0, reach), ' class="zero"'))
    if np.isfinite(low).all() and np.isfinite(high).all():
        parts.append(f'<path class="band {kind}" fill-rule="evenodd" d="{ring(high)}{ring(low)}"/>')
    parts.append(f'<path class="line {kind}" d="{ring(values)}"/>')
    for i, value in enumerate(values.tolist()):
        x, y = _place(middle, _length(value, reach), i, count)
        told = f"<title>{plain(spokes[i])}: {value:+.3f}</title>"
        parts.append(f'<circle class="point {kind}" cx="{x:.1f}" cy="{y:.1f}" r="4">{told}</circle>')
        parts += _label(spokes[i], middle, i, count)
    beside = math.pi / count
    for value in rounds:
        length = _length(value, reach)
        x, y = middle[0] + length * math.sin(beside), middle[1] - length * math.cos(beside)
        parts.append(written(x, y + 4, tick_label(value), "middle small"))
    said = ", ".join(f"{spoke} {value:+.2f}" for spoke, value in zip(spokes, values.tolist(), strict=True))
    return Panel(_WIDTH, middle[1] + _RADIUS + 40, tuple(parts), f"{name}: {said}")


def reach_of(*parts: Floats) -> tuple[float, float]:
    """What the centre and the rim stand for: all finite figures and zero, with a margin in the middle."""
    every = np.concatenate([part[np.isfinite(part)] for part in parts])
    low, high = min(0.0, float(every.min(initial=0.0))), max(0.0, float(every.max(initial=0.0)))
    margin = 0.08 * (high - low or 1.0)
    return low - 2.5 * margin, high + margin


def _length(value: float, reach: tuple[float, float]) -> float:
    return _RADIUS * max(0.0, min(1.0, (value - reach[0]) / (reach[1] - reach[0])))


def _place(middle: tuple[float, float], length: float, i: int, count: int) -> tuple[float, float]:
    angle = 2 * math.pi * i / count
    return middle[0] + length * math.sin(angle), middle[1] - length * math.cos(angle)


def _circle(middle: tuple[float, float], length: float, kind: str = "") -> str:
    x, y = middle
    turn = f"a{length:.1f} {length:.1f} 0 1 0"
    return f'<path{kind} fill="none" d="M{x - length:.1f} {y:.1f}{turn} {2 * length:.1f} 0{turn} {-2 * length:.1f} 0"/>'


def _label(text: str, middle: tuple[float, float], i: int, count: int) -> list[str]:
    """The words of a spoke outside of the rim, on the side where they stand."""
    x, y = _place(middle, _RADIUS + 12, i, count)
    side = math.sin(2 * math.pi * i / count)
    kind = "middle" if abs(side) < 0.2 else "" if side > 0 else "end"
    width = _WIDTH - x - 2 if kind == "" else x - 2 if kind == "end" else 160.0
    lines = wrapped(text, width, 13)
    lift = {True: (len(lines) - 1) * _LEADING, False: 0.0}[y < middle[1] - _RADIUS / 2]
    if abs(y - middle[1]) < _RADIUS / 2:
        lift = (len(lines) - 1) * _LEADING / 2
    down = 12.0 if y > middle[1] + _RADIUS / 2 else 4.0
    return [written(x, y + down - lift + k * _LEADING, line, f"name {kind}".strip()) for k, line in enumerate(lines)]
