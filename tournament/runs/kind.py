"""What a kind of runs is. Everything else is written once, in this package and in `antemill.tournament.pages`.

A kind is one `Kind`: a class with the parts below, whose instance is called `KIND` in the module that `kinds.KINDS`
names. Each part has a default where a kind can do without it, so that a small kind is some forty lines
(`tests/tournament/runs/guessing.py` is one).

To play:

    config                    the configuration's shape, a `RunConfig` with the kind's table
    materials(config, home)   what a run is made from, read once when it begins
    make(...)                 the run as a `Plan`: `next_items`, `play(item, access)`, `parts`, `estimate`
    opened()                  the kind with what its runs need while they are played (a sandbox, ...)

To look at it:

    items(store, calls, path)   `Items`: of each item an `Entry` with its columns, and its events (lines and decisions)

To say what was found, of one folder or of several as of one run:

    findings(folders, clean)   what tables, figures and the headline are made of; `clean`: without the items in which
                               a reply could not be used
    tables                     the `Statistics` that are made of the findings
    charts(found)              the figures by name; `beside` has the table of each
    headline(found)            who leads and how sure that is, in a sentence, with one figure and one table

Of these, `antemill.tournament.runs` and `antemill.tournament.pages` make lists, the terminal's text, exports, logs of
Inspect, status, estimates, pages and analyses, and they say beside every verdict how much of the run is finished, and
whose replies could not be used (`antemill.tournament.runs.honest`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from msgspec import Struct

from antemill.llm import Model, Reach, Script
from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.estimate import Expected
from antemill.tournament.runs.folder import existing_folder
from antemill.tournament.runs.items import Calls, Items
from antemill.tournament.runs.records import Access, Item, Played, Record
from antemill.tournament.runs.store import RunStore

if TYPE_CHECKING:
    import pyarrow as pa

    from antemill.tournament.charts.chart import Chart
    from antemill.tournament.statistics.statistic import Statistics

Behind: TypeAlias = Callable[[Mapping[str, Any]], str]  # the address of what is behind a cell, given its row
C = TypeVar("C", bound=RunConfig)
F = TypeVar("F")


class Plan:
    """One run of some kind, made from its configuration and its materials.

    It is deterministic: with deterministic players, plan and play depend on configuration and materials alone, not on
    the order, the number of items in flight or interruptions.
    """

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml that may be asked."""
        raise NotImplementedError

    @property
    def total(self) -> int | None:
        """The number of items in the end; None if only the items planned so far are known, because later ones depend on
        results.
        """
        return None

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """The next items to plan. Called with () at the start, and again when all planned items are done or discarded.

        finished: all earlier items, in the order of the plan. An empty result ends the run. The plan is stored in the
        run's folder, so after an interruption this is not called again for items that are planned.
        """
        raise NotImplementedError

    async def play(self, item: Item, access: Access) -> Played:
        """Play an item from its start. After an interruption it is played again, with the replies on record."""
        raise NotImplementedError

    async def check(self) -> Sequence[Reach]:
        """Check the run's other services (such as an embedder on a server): whether each can be used, with a reason."""
        return ()

    def parts(self) -> Mapping[str, int]:
        """The expected number of items of each sort ("matches", "questions", ...), for the estimate before a run."""
        return {"items": self.total or len(self.next_items(()))}

    def estimate(self) -> Sequence[Expected]:
        """The expected calls, for the estimate of costs before a run."""
        return ()


class Headline(Struct, frozen=True):
    """The first screen of a page: a sentence of who leads and how sure that is, one figure, one table.

    players: the best first. table: the name of the leaderboard, whose first column has the players; figure: the name of
    the figure beside it, "" for none. measured: what the figures of the sentence are. tiles: (label, figure, remark).
    """

    sentence: str
    players: Sequence[str]
    table: str
    figure: str = ""
    measured: str = ""
    tiles: Sequence[tuple[str, str, str]] = ()


class Kind(Generic[C, F]):
    """A kind of runs; see the head of this module.

    name: of the configuration's table. title: of its page. listed, shown: what `list` lists and what `show` shows.
    bots: its scripted players by the names under which they are asked. purposes: of the table of costs, by the first
    part of a call's sample or by what a call says of itself. terms: what the intervals of a page mean. rows_file: the
    file of `rows`. hidden: keys of columns that a page does not show. roles: columns of tables whose players are found
    in a column of the list of that name.
    """

    name: ClassVar[str]
    config: type[C]
    title: ClassVar[str] = "Run"
    listed: ClassVar[str] = "all items"
    shown: ClassVar[str] = "a finished item"
    bots: Mapping[str, Script] = {}
    tables: Statistics[F]
    beside: ClassVar[Mapping[str, str]] = {}
    purposes: ClassVar[Mapping[str, str]] = {}
    terms: ClassVar[Sequence[tuple[str, str]]] = ()
    rows_file: ClassVar[str] = "rows.parquet"
    hidden: ClassVar[frozenset[str]] = frozenset()
    roles: ClassVar[Mapping[str, str]] = {}

    # ------------------------------------------------------------------------------------------ to play

    def opened(self) -> AbstractContextManager[Self]:
        """The kind, with what its runs need while they are played."""
        return nullcontext(self)

    def materials(self, config: C, home: Path) -> dict[str, bytes]:  # noqa: ARG002
        """The run's inputs (games, puzzles, ...), read once when it begins. home: the folder to which file names of the
        configuration are relative.
        """
        return {}

    def outline(self, config: C, home: Path) -> dict[str, bytes]:
        """The materials that a forecast needs, if it can do without some; `make` takes these alone as well."""
        return self.materials(config, home)

    def make(self, config: C, home: Path, materials: Mapping[str, bytes]) -> Plan:
        """A run from its configuration, that folder and its materials."""
        raise NotImplementedError

    def uncounted(self, config: C) -> str:  # noqa: ARG002
        """A sentence about costs that no budget and no table counts; "" for none."""
        return ""

    def foretold(self, made: Any, models: Mapping[str, Model]) -> Sequence[str]:  # noqa: ARG002
        """Sentences about a run and its models that are said before it begins."""
        return ()

    # ------------------------------------------------------------------------------------------ to look at

    def items(self, store: RunStore, calls: Calls, path: Path) -> Items:
        """The items of a run, for lists, the terminal, files and pages. path: its folder."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------ what was found

    def findings(self, folders: Sequence[Path], clean: bool = False) -> F:
        """What the finished items of some folders come to. Raises UsageError if nothing is finished.

        clean: without the items in which a reply could not be used; raises UsageError if none is left.
        """
        raise NotImplementedError

    def charts(self, found: F) -> Mapping[str, Chart]:  # noqa: ARG002
        """The figures by the names of their files; empty ones are left out."""
        return {}

    def left_out(self, found: F) -> Mapping[str, str]:  # noqa: ARG002
        """The figures that were not drawn, and why."""
        return {}

    def headline(self, found: F) -> Headline:
        """The first screen."""
        raise NotImplementedError

    def cells(self, found: F) -> Mapping[str, Behind]:  # noqa: ARG002
        """What is behind the cells of some columns of tables, by their keys."""
        return {}

    def games(self, found: F) -> Sequence[str]:  # noqa: ARG002
        """The names of games that lead to their items; () where the list has no column of games."""
        return ()

    def finished(self, folders: Sequence[Path], clean: bool = False) -> list[Record]:
        """The finished items of some folders, in the order of the plan. clean: without those in which a reply could not
        be used. Raises StorageError for a folder without such a run.
        """
        found: list[Record] = []
        for folder in folders:
            with RunStore(existing_folder(folder, self.name).database, read_only=True) as store:
                records = store.records(finished_only=True)
            found += [one for one in records if one.status == "done" and not (clean and one.fallbacks)]
        return found

    def rows(self, folders: Sequence[Path]) -> pa.Table:
        """What was played, one row each, in the order of the plan. It has no rows while nothing is finished."""
        import pyarrow as pa

        return pa.Table.from_pylist([{"item": one.item.key} | one.row for one in self.finished(folders)])

    def documents(self, found: F) -> Iterator[tuple[str, bytes]]:  # noqa: ARG002
        """Further files of an analysis: (name, content)."""
        yield from ()
