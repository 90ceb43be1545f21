"""Names that only tell things apart: variables, suits, texts, side bets.

In a form they are marks, numbered by their first appearance. That is well defined if no order of unordered items
(options, parts of a condition) depends on the numbers. Where it does, colour refinement tells marks apart: each mark in
turn is made special, and the form that results is its colour. Colours are refined until nothing changes. If marks
still have equal colours, each is tried in turn, and the smallest form counts. At most `TRIES` forms are compared:
beyond that, two specs of one game may get two forms. Games with so many equal marks are rare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeAlias

Mark: TypeAlias = str  # "$", a letter for its kind, a number, ";"
Colours: TypeAlias = dict[tuple[str, str], int]  # of (kind, name)

TRIES = 120
_MARK = re.compile(r"\$([a-z])(\d+);")


class Marks:
    """Makes marks, and orders texts that contain them by the colours of the marks alone."""

    def __init__(self, colours: Colours | None = None) -> None:
        self.colours = colours or {}
        self.names: dict[tuple[str, str], Mark] = {}
        self.ambiguous = False  # whether an order among texts that differ only in their marks was arbitrary
        self._shown: dict[str, str] = {}

    def mark(self, kind: str, name: str) -> Mark:
        """The mark of a name."""
        known = self.names.get((kind, name))
        if known is None:
            known = self.names[kind, name] = f"${kind}{len(self.names)};"
            self._shown[known] = f"${kind}{self.colours.get((kind, name), '')};"
        return known

    def key(self, text: str) -> str:
        """The text with colours for marks."""
        return _MARK.sub(lambda match: self._shown[match[0]], text) if "$" in text else text

    def order(self, texts: Iterable[str]) -> list[str]:
        """The texts in an order that depends only on them and the colours."""
        keyed = sorted((self.key(text), text) for text in texts)
        self.ambiguous |= any(a[0] == b[0] and a[1] != b[1] for a, b in pairwise(keyed))
        return [text for _, text in keyed]


def settle(write: Callable[[Marks], str]) -> str:
    """The form that `write` writes, with marks numbered independently of names and of the order of listing."""
    marks = Marks()
    text = write(marks)
    return _search(write, dict.fromkeys(marks.names, 0), [TRIES]) if marks.ambiguous else _numbered(text)


def _search(write: Callable[[Marks], str], colours: Colours, tries: list[int]) -> str:
    colours = _refined(write, colours)
    marks = Marks(colours)
    text = write(marks)
    tries[0] -= 1
    alike = _alike(colours)
    if not marks.ambiguous or not alike:
        return _numbered(text)
    found: list[str] = []
    for name in alike[0]:
        if not found or tries[0] > 0:
            found.append(_search(write, _special(colours, name), tries))
    return min(found)


def _refined(write: Callable[[Marks], str], colours: Colours) -> Colours:
    """Refine the colours by the form that each mark gives when it is special."""
    while alike := _alike(colours):
        looks = {name: (colour, "") for name, colour in colours.items()}
        for name in (name for group in alike for name in group):
            marks = Marks(colours | {name: max(len(colours), *colours.values()) + 1})
            looks[name] = (colours[name], marks.key(write(marks)))
        places = {look: i for i, look in enumerate(sorted(set(looks.values())))}
        if len(places) == len(set(colours.values())):
            break
        colours = {name: places[look] for name, look in looks.items()}
    return colours


def _special(colours: Colours, name: tuple[str, str]) -> Colours:
    """The colours with a special one for a mark: the number of marks; if the mark has that already, an unused one."""
    last = len(colours)
    return colours | {name: last if colours[name] != last else 1 + max(colours.values())}


def _alike(colours: Colours) -> list[list[tuple[str, str]]]:
    """Groups of several marks of one kind and colour, in an order that does not depend on names."""
    groups: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for name, colour in colours.items():
        groups.setdefault((colour, name[0]), []).append(name)
    return [groups[key] for key in sorted(groups) if len(groups[key]) > 1]


def _numbered(text: str) -> str:
    """The text with marks numbered by first appearance, each kind from 0 on."""
    numbers: dict[str, str] = {}
    counts: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        if match[0] not in numbers:
            count = counts[match[1]] = counts.get(match[1], -1) + 1
            numbers[match[0]] = f"${match[1]}{count};"
        return numbers[match[0]]

    return _MARK.sub(number, text)
