"""An item's access to the models, and what a run needs of the client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from antemill import llm
from antemill.tournament.runs.records import Record


class AbandonedError(Exception):
    """The run is stopping: the item is dropped, and played again when the run is resumed."""


class Asks(Protocol):
    """The part of `antemill.llm.Client` that a run needs."""

    async def ask(self, model_name: str, request: llm.Request) -> llm.Reply:
        """A reply, or an LLMError."""
        ...

    def drop(self) -> None:
        """Send nothing more: calls that are only waiting end with CallDroppedError."""
        ...

    def watch(self) -> Sequence[llm.ModelState]:
        """The state of each model's calls."""
        ...


class _Run(Protocol):
    """The part of a runner that an item needs."""

    @property
    def stopping(self) -> bool:
        """Whether no new call may be made."""
        ...

    def answered(self, model: str, reply: llm.Reply, record: Record) -> None:
        """A model has answered a call of an item."""
        ...


class ItemAccess:
    """An item's access to the client, which sums the item's cost. fresh: the models of the calls of this session."""

    def __init__(self, client: Asks, run: _Run, record: Record) -> None:
        self._client, self._run, self._record = client, run, record
        self.cost = 0.0
        self.fresh: dict[int, str] = {}

    async def ask(self, model: str, request: llm.Request) -> llm.Reply:
        """One reply. Raises AbandonedError if the run is stopping."""
        if self._run.stopping:
            raise AbandonedError
        reply = await self._client.ask(model, request)
        self._run.answered(model, reply, self._record)
        self.cost += reply.usage.cost
        if not reply.stored:
            self.fresh[reply.call] = model
        return reply
