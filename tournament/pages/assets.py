"""The style and the script of all pages: files of this package, put together, and the policy that admits no others.

A script file is wrapped in a function of its own, so that its names are its own; what files share is on one object,
`antemill`. The order is that of the list: a file may use what those before it have put there.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib.resources import files

from antemill.tournament.charts.chart import style as charts

STYLES = (
    *("page.css", "overview.css", "shell.css", "table.css", "matches.css"),
    *("parts.css", "duels.css", "live.css"),
)
SCRIPTS = (
    *("dom.js", "page.js", "contents.js", "scatter.js", "source.js", "texts.js", "shell.js", "table.js", "matches.js"),
    *(
        "code.js",
        "parts.js",
        "events.js",
        "duels.js",
        "skate.js",
        "eval.js",
        "live.js",
        "news.js",
        "take.js",
        "start.js",
    ),
)


@functools.cache
def style() -> str:
    """The style sheet of all pages."""
    return charts() + "".join(map(_read, STYLES))


@functools.cache
def script() -> str:
    """The script of all pages."""
    parts = (f"(() => {{\n{_read(name)}}})();\n" for name in SCRIPTS)
    return '"use strict";\nconst antemill = {};\n' + "".join(parts)


def script_text() -> str:
    """The text of the script element: the policy admits exactly these characters."""
    return f"\n{script()}"


def policy(live: bool = False, data: bool = False) -> str:
    """The content security policy: the page's own script, pictures within it, and nothing from anywhere else.

    live: whether it may ask the server that it came from. data: whether, opened from a disk, it may run files there;
    `asked_policy` has to stand beside it.
    """
    rules = [
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        f"script-src {_own()}{' file:' if data else ''}",
        *(["connect-src 'self'"] if live else []),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules)


def asked_policy() -> str:
    """A second policy, for a page that runs files beside it: of scripts with an address it admits those that the page's
    own script asks for, and none that stand in the page.

    What runs has to be admitted by both. The first can name no folder, since addresses on a disk have no host. Firefox
    applies no policy to files on a disk.
    """
    return f"script-src {_own()} 'strict-dynamic'"


def _own() -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script_text().encode()).digest()).decode()}'"


def _read(name: str) -> str:
    text = (files("antemill.tournament.pages") / name).read_text("utf-8")
    if "</script" in text or "</style" in text:
        raise ValueError(f"{name} ends its own element")
    return text
