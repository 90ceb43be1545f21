"""Links from figures of a report to the matches, duels or questions behind them.

A link is the address of the page's list, narrowed down to the players and the game that a cell or a mark names:

    the first cell of a row that names players or a game     all of them
    a cell of a matrix, whose heading names one more         those of its row and its heading
    a mark of a figure                                       those that its tooltip begins with
    a cell of a column for which the kind says what it counts or names, such as fallbacks by cause or a match

So a new table or figure has its links as soon as it names what the run names. `#/list?` is the list of the page's run
and `#/item/` one of its items (shell.js), whatever its folder is called.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from antemill.tournament.charts.text import plain
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet

Behind: TypeAlias = Callable[[Mapping[str, Any]], str]
"""The address of what is behind a cell, given its row by the columns' keys; "" if it has no link."""

_MOST_STOPS = 60  # links of a figure that the keyboard stops at; with more it takes those of the table
_MARK = re.compile(r"<(circle|path|rect)\b[^>]*><title>([^<]*)</title></\1>")
_BETWEEN = ", "


def listed(*filters: tuple[str, str]) -> str:
    """The address of the list, narrowed down by columns of the list with their values."""
    return f"#/list?{urlencode(filters)}"


def item(key: str, place: str = "") -> str:
    """The address of an item, or of a place within it."""
    return f"#/item/{quote(key, safe='')}" + (f"/{quote(place, safe='')}" if place else "")


class Evidence:
    """What the run of a page names.

    games: () where the list has no column of games. roles: columns of tables whose players are found in a column of the
    list of that name, instead of among all players of an item. cells: what is behind the cells of a column, by its key;
    cells of a count that is 0, and missing ones, have no link.
    """

    def __init__(
        self,
        players: Iterable[str] = (),
        games: Iterable[str] = (),
        roles: Mapping[str, str] = MappingProxyType({}),
        cells: Mapping[str, Behind] = MappingProxyType({}),
    ) -> None:
        self._players, self._games = frozenset(players), frozenset(games)
        self._roles, self._cells = roles, cells

    def cell(self, sheet: Sheet, n: int, i: int) -> str:
        """The address of what is behind a cell; "" if it has no link. n, i: its row and column."""
        row, columns = sheet.rows[n], sheet.columns
        key, there = columns[i].key, _there(row[i])
        if key in self._cells:
            return self._cells[key](dict(zip((one.key for one in columns), row, strict=True))) if there else ""
        texts = [j for j, column in enumerate(columns) if column.kind == "text"]
        named = [j for j in texts if self._known(row[j])]
        if not named:
            return ""
        names = [(self._roles.get(columns[j].key, ""), str(row[j])) for j in named]
        if i == named[0]:
            return self._narrowed(names)
        heading = columns[i].heading
        shown = row[i] is not None and not isinstance(row[i], Missing)
        return self._narrowed([*names, ("", heading)]) if shown and i not in texts and self._known(heading) else ""

    def place(self, names: Sequence[str]) -> str:
        """The address of the items of all these players and games; "" if the list cannot be narrowed down to them."""
        return self._narrowed([("", name) for name in names])

    def _narrowed(self, names: Sequence[tuple[str, str]]) -> str:
        """names: each with its column of the list, "" for players or games."""
        found = dict.fromkeys((role or self._column(name), name) for role, name in names)
        players = [one for one in found if one[0] not in ("", "about")]
        games = [one for one in found if one[0] == "about"]
        return listed(*players, *games) if names and len(players) <= 2 and len(games) <= 1 else ""

    def _column(self, name: str) -> str:
        return "players" if name in self._players else "about" if name in self._games else ""

    def drawn(self, svg: str) -> str:
        """A drawing, whose marks lead to what their tooltips name."""
        stops = len(_MARK.findall(svg)) <= _MOST_STOPS
        linked = _MARK.sub(lambda found: self._linked(found, stops), svg)
        return linked if linked == svg else linked.replace('role="img"', 'role="group"', 1)

    def _linked(self, found: re.Match[str], stops: bool) -> str:
        told = html.unescape(found.group(2))
        place = self.place(names) if (names := self._told(told)) else ""
        if not place:
            return found.group()
        quiet = "" if stops else ' tabindex="-1"'
        return f'<a href="{plain(place)}" aria-label="{plain(told)}"{quiet}>{found.group()}</a>'

    def _told(self, text: str) -> list[str]:
        """The names that a tooltip begins with, before its colon: one, or those of a row and a column."""
        for name in self._longest_first:
            if text.startswith(f"{name}:") or text == name:
                return [name]
            if text.startswith(f"{name}{_BETWEEN}"):
                return [name, *self._told(text[len(name) + len(_BETWEEN) :])]
        return []

    @cached_property
    def _longest_first(self) -> list[str]:
        return sorted(self._players | self._games, key=len, reverse=True)

    def _known(self, cell: object) -> bool:
        return isinstance(cell, str) and (cell in self._players or cell in self._games)


def _there(cell: Cell) -> bool:
    """Whether a cell counts, measures or names something."""
    return not isinstance(cell, Missing) and cell not in (None, "", 0)


NO_EVIDENCE = Evidence()
