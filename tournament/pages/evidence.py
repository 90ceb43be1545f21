"""Links from figures of a report to the matches, duels or questions behind them.

A link is the address of the page's list, narrowed down to the players and the game that a cell or a mark names:

    the first cell of a row that names players or a game     all of them
    a cell of a matrix, whose heading names one more         those of its row and its heading
    a mark of a figure                                       those that its tooltip begins with

So a new table or figure has its links as soon as it names what the run names. `#/list?` is the list of the page's run
(shell.js), whatever its folder is called.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from urllib.parse import urlencode

from antemill.tournament.charts.text import plain
from antemill.tournament.statistics.sheets import Missing, Sheet

_MOST_STOPS = 60  # links of a figure that the keyboard stops at; with more it takes those of the table
_MARK = re.compile(r"<(circle|path|rect)\b[^>]*><title>([^<]*)</title></\1>")
_BETWEEN = ", "


class Evidence:
    """What the run of a page names. games: () where the list has no column of games."""

    def __init__(self, players: Iterable[str] = (), games: Iterable[str] = ()) -> None:
        self._players, self._games = frozenset(players), frozenset(games)

    def cell(self, sheet: Sheet, n: int, i: int) -> str:
        """The address of what is behind a cell; "" if it has no link. n, i: its row and column."""
        row, columns = sheet.rows[n], sheet.columns
        texts = [j for j, column in enumerate(columns) if column.kind == "text"]
        named = [j for j in texts if self._known(row[j])]
        if not named:
            return ""
        names = [str(row[j]) for j in named]
        if i == named[0]:
            return self.place(names)
        heading = columns[i].heading
        there = row[i] is not None and not isinstance(row[i], Missing)
        return self.place([*names, heading]) if there and i not in texts and self._known(heading) else ""

    def place(self, names: Sequence[str]) -> str:
        """The address of the items of all these players and games; "" if the list can not be narrowed down to them."""
        players = list(dict.fromkeys(name for name in names if name in self._players))
        games = list(dict.fromkeys(name for name in names if name not in self._players and name in self._games))
        if len(players) > 2 or len(games) > 1 or not names:
            return ""
        return f"#/list?{urlencode([('players', one) for one in players] + [('about', one) for one in games])}"

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


NO_EVIDENCE = Evidence()
