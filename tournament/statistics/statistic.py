"""The tables of an analysis in their order: files, `tables.md`, the groups of a page and what the terminal prints.

@statistic("coverage", "strength against number of matches", "appendix H", group="Strength")
def coverage(a: Analysis) -> Sheet:
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from msgspec import Struct

from antemill.tournament.statistics.sheets import Sheet

A = TypeVar("A")
R = TypeVar("R", bound=Sheet | Iterable[Sheet] | None)


class Statistic(Struct, Generic[A], frozen=True):
    """One table, or several of one sort. name: of its files; "against_*" for several that begin so. what: it says, in
    the words of the documentation. make: the table, several, or None where there is nothing to say. paper: where the
    paper has it. group: of the page. printed: whether `analyze` prints it.
    """

    name: str
    what: str
    make: Callable[[A], Sheet | Iterable[Sheet] | None]
    paper: str
    group: str
    printed: bool


class Statistics(Generic[A]):
    """The statistics of one analysis, in the order in which they were registered. groups: of its page, in order."""

    def __init__(self, *groups: str) -> None:
        self.groups = groups
        self._registered: list[Statistic[A]] = []

    def __call__(
        self, name: str, what: str, paper: str = "", *, group: str, printed: bool = False
    ) -> Callable[[Callable[[A], R]], Callable[[A], R]]:
        """Register the function below as a statistic; arguments as of `Statistic`.

        Raises ValueError for a name that is taken and for a group that the page does not have.
        """
        if name in {one.name for one in self._registered}:
            raise ValueError(f"there are two statistics called '{name}'")
        if group not in self.groups:
            raise ValueError(f"the group '{group}' of '{name}' is none of {', '.join(self.groups)}")

        def register(make: Callable[[A], R]) -> Callable[[A], R]:
            self._registered.append(Statistic(name, what, make, paper, group, printed))
            return make

        return register

    def __iter__(self) -> Iterator[Statistic[A]]:
        return iter(self._registered)

    def tables(self, found: A) -> list[Sheet]:
        """All tables of an analysis, in order."""
        return [sheet for one in self for sheet in tables_of(one, found)]

    @property
    def names(self) -> list[str]:
        """The names of all tables, as patterns."""
        return [one.name for one in self]

    @property
    def printed(self) -> set[str]:
        """The names of the tables that `analyze` prints."""
        return {one.name for one in self if one.printed}


def tables_of(one: Statistic[A], found: A) -> list[Sheet]:
    """The tables of one statistic."""
    made = one.make(found)
    return [made] if isinstance(made, Sheet) else [*(made or ())]


def on_page(*parts: Statistics[Any]) -> dict[str, list[str]]:
    """The names of the tables in each group of a page, in its order. parts: with the same groups."""
    return {group: [one.name for part in parts for one in part if one.group == group] for group in parts[0].groups}
