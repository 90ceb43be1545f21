"""A kind whose package has its parts as modules, as a `Kind`. It goes when no kind is written so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from antemill.llm import Script
from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.items import Calls, Entry, Event, Items, Row
from antemill.tournament.runs.kind import Headline, Kind
from antemill.tournament.runs.records import Record
from antemill.tournament.runs.store import RunStore


class OlderItems(Items):
    """Items with columns, documents, passages and details."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self.facets, self.measures = made.facets, made.measures

    def entry(self, record: Record) -> Entry:
        """See `Items`."""
        found: Entry = self._made.entry(record)
        return found

    def columns(self, record: Record) -> Row:
        """See `Items`."""
        found: Row = self._made.columns(record)
        return found

    def events(self, record: Record, transcript: Any) -> list[Event]:
        """See `Items`."""
        found: list[Event] = self._made.passages(record, self._made.document(record, transcript))
        return found

    def replay(self, record: Record, transcript: Any) -> Row | None:
        """See `Items`."""
        found: Row = self._made.detail(record, self._made.document(record, transcript))
        return found


class Older(Kind[Any, Any]):
    """See the head of this module."""

    def __init__(self, name: str, package: str, config: type[RunConfig], bots: Mapping[str, Script]) -> None:
        self.name, self.package, self.config, self.bots = name, package, config, bots  # type: ignore[misc]
        self.title = self.listed = name  # type: ignore[misc]

    def part(self, name: str) -> Any:
        """A module of its package."""
        return import_module(f"{self.package}.{name}")

    @property
    def tables(self) -> Any:  # type: ignore[override]
        """See `Kind`."""
        return self.part("tables").STATISTICS

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """See `Kind`."""
        with self.part("kind").run_type() as made:
            yield made

    def make(self, config: Any, home: Path, materials: Mapping[str, bytes]) -> Any:
        """See `Kind`."""
        with self.opened() as made:
            return made.make(config, home, materials)

    def items(self, store: RunStore, calls: Calls, path: Path) -> Items:
        """See `Kind`."""
        return OlderItems(self.part("items").items(store, calls, path))

    def findings(self, folders: Sequence[Path], clean: bool = False) -> Any:  # noqa: ARG002
        """The folders: the parts of the package read them."""
        return list(folders)

    def headline(self, found: Any) -> Headline:
        """See `Kind`."""
        raise NotImplementedError

    def rows(self, folders: Sequence[Path]) -> Any:
        """See `Kind`."""
        return self.part("analyze").rows(folders[0])
