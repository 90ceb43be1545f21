"""The figures of docs/differences.md: each stands between `<!--name-->` and `<!--/-->`, which readers do not see."""

from __future__ import annotations

import re
from collections.abc import Mapping

FIGURE = re.compile(r"<!--([a-z][a-z0-9_.]*)-->(.*?)<!--/-->")


def figures_on(page: str) -> dict[str, str]:
    """What stands on the page, by the figures' names, in their order. Raises ValueError for two that disagree."""
    found: dict[str, str] = {}
    for name, text in FIGURE.findall(page):
        if found.setdefault(name, text) != text:
            raise ValueError(f"the figure {name} is {found[name]} in one place of the page and {text} in another")
    return found


def filled(page: str, figures: Mapping[str, str]) -> str:
    """The page with these figures. Raises ValueError if the page has one that was not measured, or lacks one."""
    known = {name for name, _ in FIGURE.findall(page)}
    if missing := sorted(known - set(figures)):
        raise ValueError(f"the page has figures that no part measures: {', '.join(missing)}")
    if unused := sorted(set(figures) - known):
        raise ValueError(f"figures were measured that the page does not have: {', '.join(unused)}")
    return FIGURE.sub(lambda match: f"<!--{match[1]}-->{figures[match[1]]}<!--/-->", page)


def percent(share: float) -> str:
    """5.2%, .6%, 71%."""
    value = 100.0 * share
    if 0.0 < value < 0.05 or value >= 9.95 or value == 0.0:
        return f"{value:.0f}%" if value >= 9.95 or value == 0.0 else f"{value:.2f}%".lstrip("0")
    return f"{value:.1f}%".lstrip("0")


def short(value: float, digits: int = 3) -> str:
    """.985, -.04, 1.28: as papers print them."""
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
