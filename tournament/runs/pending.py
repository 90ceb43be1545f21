"""Chooses the item that starts next: the earliest in the plan whose models all have free capacity."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

from antemill.tournament.runs.records import Record

_Models = tuple[str, ...]


class Pending:
    """Waiting items in the order of the plan, by the models that they need.

    capacity: calls at a time for each model. An item asks one of its models at a time, so an item with two models
    counts as half an item for each.
    """

    def __init__(self, capacity: Mapping[str, int]) -> None:
        self._capacity = capacity
        self._load: Counter[str] = Counter()  # in parts of an item
        self._waiting: dict[_Models, list[tuple[int, Record]]] = {}
        self._parts = 2

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, records: Iterable[Record]) -> None:
        """Add items that are to be played."""
        for record in records:
            heapq.heappush(self._waiting.setdefault(_models(record), []), (record.position, record))

    def take(self) -> Record | None:
        """Take the next item, which then counts as running; None if none can start."""
        heads = [(queue[0][0], models) for models, queue in self._waiting.items() if queue and self._fits(models)]
        if not heads:
            return None
        models = min(heads)[1]
        for model in models:
            self._load[model] += self._share(models)
        return heapq.heappop(self._waiting[models])[1]

    def release(self, record: Record) -> None:
        """An item has ended."""
        models = _models(record)
        for model in models:
            self._load[model] -= self._share(models)

    def _fits(self, models: _Models) -> bool:
        return all(self._load[model] < self._parts * self._capacity.get(model, 1) for model in models)

    def _share(self, models: _Models) -> int:
        return self._parts if len(models) == 1 else 1


def _models(record: Record) -> _Models:
    return tuple(sorted(set(record.item.models)))
