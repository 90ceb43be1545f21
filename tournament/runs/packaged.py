"""A kind whose package has what is shown and found as modules, which are imported when they are first needed.

items      `items(store, calls, path)` and `cells(found)`
tables     `STATISTICS`
figures    `BESIDE` and `charts(found)`
findings   `findings(kind, folders, clean)`, `headline(found)` and `rows(kind, folders)`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.kind import Headline, Kind

C = TypeVar("C", bound=RunConfig)
F = TypeVar("F")


class Packaged(Kind[C, F], Generic[C, F]):
    """See the head of this module, and `Kind`."""

    def _part(self, name: str) -> Any:
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.{name}")

    @property
    def tables(self) -> Any:  # type: ignore[override]
        """See `Kind`."""
        return self._part("tables").STATISTICS

    @property
    def beside(self) -> Mapping[str, str]:  # type: ignore[override]
        """See `Kind`."""
        found: Mapping[str, str] = self._part("figures").BESIDE
        return found

    def items(self, *run: Any) -> Any:
        """See `Kind`."""
        return self._part("items").items(*run)

    def findings(self, folders: Sequence[Path], clean: bool = False) -> F:
        """See `Kind`."""
        found: F = self._part("findings").findings(self, folders, clean)
        return found

    def charts(self, found: F) -> Any:
        """See `Kind`."""
        return self._part("figures").charts(found)

    def headline(self, found: F) -> Headline:
        """See `Kind`."""
        first: Headline = self._part("findings").headline(found)
        return first

    def cells(self, found: F) -> Any:
        """See `Kind`."""
        return self._part("items").cells(found)

    def rows(self, folders: Sequence[Path]) -> Any:
        """See `Kind`."""
        return self._part("findings").rows(self, folders)
