"""The statistics of an analysis: each is registered where it is computed, and every list of them is made of that.

    @statistic("coverage", "strength against number of matches", "appendix H", group="Strength")
    def coverage(a: Analysis) -> Sheet:

The analyses of tournaments, duels and games of SKATE each have their `Statistics`. Files, `tables.md`, the JSON
document, the groups of a page and what the terminal prints derive from it; a test compares the documentation with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from antemill.tournament.statistics.sheets import Sheet

A = TypeVar("A")
R = TypeVar("R", bound=Sheet | Iterable[Sheet] | None)


class Statistic(Struct, Generic[A], frozen=True):
    """One table, or several of one sort.

    name     of its files; "against_*" for several that begin so
    what     what it says, in the words of the documentation
    make     the table, several, or None where there is nothing to say
    paper    where the paper has it; "" if it has not
    group    of the page, under which its contents list the table
    printed  whether `analyze` prints it
    after    the table which it follows in files; "" for the one before it in its module
    below    the table which it follows in its group of the page; "" for the one before it in its module
    """

    name: str
    what: str
    make: Callable[[A], Sheet | Iterable[Sheet] | None]
    paper: str
    group: str
    printed: bool
    after: str
    below: str


class Statistics(Generic[A]):
    """The statistics of one analysis. groups: of its page, in their order."""

    def __init__(self, *groups: str) -> None:
        self.groups = groups
        self._registered: list[Statistic[A]] = []

    def __call__(
        self,
        name: str,
        what: str,
        paper: str = "",
        *,
        group: str,
        printed: bool = False,
        after: str = "",
        below: str = "",
    ) -> Callable[[Callable[[A], R]], Callable[[A], R]]:
        """Register the function below as a statistic; arguments as of `Statistic`.

        Raises ValueError for a name that is taken and for a group that the page does not have.
        """
        if name in {one.name for one in self._registered}:
            raise ValueError(f"there are two statistics called '{name}'")
        if group not in self.groups:
            raise ValueError(f"the group '{group}' of '{name}' is none of {', '.join(self.groups)}")

        def register(make: Callable[[A], R]) -> Callable[[A], R]:
            self._registered.append(Statistic(name, what, make, paper, group, printed, after, below))
            return make

        return register

    def __iter__(self) -> Iterator[Statistic[A]]:
        """All of them, in the order of files and of the documentation."""
        return iter(_spliced(self._registered, lambda one: one.after))

    def tables(self, found: A) -> list[Sheet]:
        """All tables of an analysis, in the order of files."""
        return [sheet for one in self for sheet in tables_of(one, found)]

    @property
    def names(self) -> list[str]:
        """The names of all tables, as patterns."""
        return [one.name for one in self]

    @property
    def printed(self) -> set[str]:
        """The names of the tables that `analyze` prints."""
        return {one.name for one in self._registered if one.printed}

    @property
    def registered(self) -> Sequence[Statistic[A]]:
        """All of them, in the order in which they were registered."""
        return tuple(self._registered)


def tables_of(one: Statistic[A], found: A) -> list[Sheet]:
    """The tables of one statistic."""
    made = one.make(found)
    return [made] if isinstance(made, Sheet) else [*(made or ())]


def on_page(*parts: Statistics[Any]) -> dict[str, list[str]]:
    """The names of the tables in each group of a page, in its order. parts: with the same groups."""
    found = [one for part in parts for one in part.registered]
    members = {group: [one for one in found if one.group == group] for group in parts[0].groups}
    return {group: [one.name for one in _spliced(own, lambda one: one.below)] for group, own in members.items()}


def _spliced(found: Sequence[Statistic[A]], follows: Callable[[Statistic[A]], str]) -> list[Statistic[A]]:
    """Statistics in the order in which they were registered, but one that follows another stands behind that one.

    Those below it in its module come along, up to the next one that follows another. Raises ValueError if one follows a
    statistic that is not there.
    """
    runs: list[list[Statistic[A]]] = []
    for one in found:
        if not runs or follows(one) or runs[-1][-1].make.__module__ != one.make.__module__:
            runs.append([])
        runs[-1].append(one)
    order = [one for run in runs if not follows(run[0]) for one in run]
    waiting = [run for run in runs if follows(run[0])]
    while waiting:
        places = {one.name: place for place, one in enumerate(order, 1)}
        ready = [run for run in waiting if follows(run[0]) in places]
        if not ready:
            pairs = (f"'{run[0].name}' follows '{follows(run[0])}'" for run in waiting)
            raise ValueError(f"there is no such statistic: {', '.join(pairs)}")
        place = places[follows(ready[0][0])]
        order[place:place] = ready[0]
        waiting.remove(ready[0])
    return order
