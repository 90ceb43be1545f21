"""The page of the table: its document, script and style. It requests its data from the server."""

from __future__ import annotations

import functools
from importlib.resources import files

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_SCRIPTS = (
    ("antemill.tournament.pages", "dom.js"),
    ("antemill.tournament.pages", "table.js"),
    ("antemill.tournament.play", "drawing.js"),
    ("antemill.tournament.play", "lobby.js"),
    ("antemill.tournament.play", "seat.js"),
    ("antemill.tournament.play", "review.js"),
    ("antemill.tournament.play", "play.js"),
)
_STYLES = (
    ("antemill.tournament.pages", "page.css"),
    ("antemill.tournament.pages", "shell.css"),
    ("antemill.tournament.pages", "table.css"),
    ("antemill.tournament.play", "play.css"),
)


def document() -> str:
    """The page without its data."""
    return (files("antemill.tournament.play") / "play.html").read_text("utf-8")


@functools.cache
def script() -> str:
    """The script: each file has its own scope; shared names are on the object `antemill`."""
    parts = (f"(() => {{\n{_read(*where)}}})();\n" for where in _SCRIPTS)
    return '"use strict";\nconst antemill = {};\n' + "".join(parts)


@functools.cache
def style() -> str:
    """The style sheet."""
    return "".join(_read(*where) for where in _STYLES)


def _read(package: str, name: str) -> str:
    return (files(package) / name).read_text("utf-8")
