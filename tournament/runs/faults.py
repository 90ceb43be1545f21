"""Whose fault it is that an item has no answer: its own, its model's, or neither's.

An item that got no answer (`AgainError` up to its model's deadline, or `ItemError`) waits for a word on its model. The
model answers another item: then it was the item's fault, and it is discarded. The model answers none of eight items in
a row, or has never answered: then it is the model's, and the run stops. An item in which the model had answered earlier
questions is not counted among the eight.
"""

from __future__ import annotations

from collections.abc import Collection

from antemill import llm
from antemill.tournament.runs import stops
from antemill.tournament.runs.records import Record

SILENT = 8  # items in a row without an answer of their model
Failed = tuple[Record, llm.CallError]


class Faults:
    """answered: models that have answered in an earlier session."""

    def __init__(self, answered: Collection[str]) -> None:
        self._ever = set(answered)
        self._heard = set[tuple[str, int]]()  # models, and the positions of items in which they have answered
        self._failed: dict[str, list[Failed]] = {}  # by model, in a row
        self._guilty: list[Failed] = []

    def answered(self, model: str, record: Record) -> bool:
        """A model has answered a call of an item; whether that says whose fault other items were."""
        self._ever.add(model)
        self._heard.add((model, record.position))
        known = self._failed.pop(model, [])
        self._guilty += known
        return bool(known)

    def failed(self, record: Record, error: llm.CallError) -> stops.RunStalledError | None:
        """An item has got no answer. Returns why the run has to stop, if the model is at fault."""
        failed = self._failed.setdefault(error.model, [])
        failed.append((record, error))
        silent = sum((error.model, one.position) not in self._heard for one, _ in failed)
        if silent < SILENT:
            return None
        what = f"{silent} items in a row got no answer"
        return stops.stalled(f"{what} ({stops.sentence_of(error)}): {llm.advice_on(error)}")

    def decided(self) -> BaseException | None:
        """No other item is left: those that wait are at fault if their model has ever answered. Returns why the run has
        to stop, if one has not.
        """
        for model, failed in list(self._failed.items()):
            if model not in self._ever:
                return stops.reason_for(failed[0][1])
            self._guilty += self._failed.pop(model)
        return None

    def guilty(self) -> Failed | None:
        """The next item that is to be discarded."""
        return self._guilty.pop() if self._guilty else None

    def __bool__(self) -> bool:
        """Whether items wait for a word on their model, or are to be discarded."""
        return bool(self._failed or self._guilty)
