"""What a statistic of an analysis is: a table by its name, with its words and how it is made.

The analyses of tournaments, duels and games of SKATE each have a list of them. Files, `tables.md`, the page, the JSON
document and the terminal go by that list, and a test holds the documentation to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from antemill.tournament.statistics.sheets import Sheet

A = TypeVar("A")


class Statistic(Struct, Generic[A], frozen=True):
    """One table, or several of one sort.

    name     of its files; "against_*" for several that begin so
    what     what it says, in the words of the documentation
    make     the table, several, or None where there is nothing to say
    paper    where the paper has it; "" if it has not
    printed  whether `analyze` prints it
    """

    name: str
    what: str
    make: Callable[[A], Sheet | Iterable[Sheet] | None]
    paper: str = ""
    printed: bool = False


def tables_of(statistics: Sequence[Statistic[A]], found: A) -> Iterator[Sheet]:
    """All tables of an analysis, in the order of the list."""
    for one in statistics:
        made = one.make(found)
        if isinstance(made, Sheet):
            yield made
        elif made is not None:
            yield from made


def printed_names(statistics: Sequence[Statistic[A]]) -> set[str]:
    """The tables that `analyze` prints."""
    return {one.name for one in statistics if one.printed}
