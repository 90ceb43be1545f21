"""A chart: panels that a page puts beside each other where its width allows, and a file in a grid."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from msgspec import Struct

from antemill.tournament.charts.text import plain, wrapped

_TITLE, _NOTE, _GAP, _MARGIN = 17.0, 12.0, 18.0, 12.0
_FITTED = 640.0  # wide; what is no wider takes the width that a page has
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*?)(\S(?:[^*]*\S)?)\1(?![\w*])")  # as in Markdown; a file has one typeface


class Panel(Struct, frozen=True):
    """One drawing. parts: SVG elements within width and height; label: what a screen reader says."""

    width: float
    height: float
    parts: tuple[str, ...]
    label: str

    def __repr__(self) -> str:
        return f"<Panel of {self.width:.0f} by {self.height:.0f}, {len(self.parts)} parts>"


class Chart(Struct, frozen=True):
    """A figure. note: what its bands, whiskers and marks are, in a sentence; columns: of its panels in a file; narrow:
    the same panels for a page on a phone, if others than `panels` fit there.
    """

    title: str
    panels: tuple[Panel, ...]
    note: str = ""
    columns: int = 1
    narrow: tuple[Panel, ...] = ()

    def __repr__(self) -> str:
        return f"<Chart {self.title!r}: {len(self.panels)} panels>"

    def _repr_svg_(self) -> str:
        return to_svg(self).decode()


def written(x: float, y: float, text: str, kind: str = "", more: str = "") -> str:
    """A text at a place. kind: its classes; more: further attributes."""
    kinds = f' class="{kind}"' if kind else ""
    return f'<text{kinds} x="{x:.1f}" y="{y:.1f}"{more}>{plain(text)}</text>'


def inline(panel: Panel) -> str:
    """A panel as a piece of a page."""
    kind = "chart fit" if panel.width <= _FITTED else "chart"
    box = f'viewBox="0 0 {panel.width:.0f} {panel.height:.0f}" width="{panel.width:.0f}" height="{panel.height:.0f}"'
    body = "\n".join(panel.parts)
    return f'<svg class="{kind}" {box} role="img" aria-label="{plain(panel.label)}">\n{body}\n</svg>'


def to_svg(chart: Chart) -> bytes:
    """The chart as a file: its title, its panels in a grid, its note, with colours for light paper."""
    columns = max(1, min(chart.columns, len(chart.panels)))
    wide, high = (max(getattr(panel, side) for panel in chart.panels) for side in ("width", "height"))
    width = 2 * _MARGIN + columns * wide + (columns - 1) * _GAP
    heading, at = _lines(chart.title, width, _MARGIN, _TITLE, "title")
    parts = list(heading)
    for i, panel in enumerate(chart.panels):
        x, y = _MARGIN + i % columns * (wide + _GAP), at + i // columns * (high + _GAP)
        parts += [f'<g transform="translate({x:.1f} {y:.1f})">', *panel.parts, "</g>"]
    at += -(-len(chart.panels) // columns) * (high + _GAP)
    note, at = _lines(_EMPHASIS.sub(r"\2", chart.note), width, at, _NOTE, "note")
    size = f'width="{width:.0f}" height="{at:.0f}" viewBox="0 0 {width:.0f} {at:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" {size} role="img">'
    paper = f'<rect class="paper" width="{width:.0f}" height="{at:.0f}"/>'
    about = [f"<title>{plain(chart.title)}</title>", f"<style>\n{_light()}</style>"]
    whole = ['<?xml version="1.0" encoding="utf-8"?>', head, *about, paper, *parts, *note, "</svg>\n"]
    return "\n".join(whole).encode()


def style() -> str:
    """The style sheet of charts on a page."""
    return files("antemill.tournament.charts").joinpath("charts.css").read_text("utf-8")


@cache
def _light() -> str:
    """The style sheet with plain values: many programs that read SVG know no variables."""
    return re.sub(r"var\(--[\w-]+, ([^)]+)\)", r"\1", style())


def _lines(text: str, width: float, top: float, size: float, kind: str) -> tuple[Iterable[str], float]:
    """A text in lines from a height on, and where the next thing may begin."""
    lines = wrapped(text, width - 2 * _MARGIN, size) if text else []
    parts = [written(_MARGIN, top + (i + 0.8) * size * 1.35, line, kind) for i, line in enumerate(lines)]
    return parts, top + len(lines) * size * 1.35 + (_GAP if lines else 0.0)
