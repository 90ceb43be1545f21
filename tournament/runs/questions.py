"""One item's questions to models: each is read, asked once more if it could not be, and counted for its player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from antemill.llm import Message, Reply, Request
from antemill.tournament.replies import TRIES, Read, ask_read
from antemill.tournament.runs.records import Access, Played

T = TypeVar("T")


class Asking:
    """Asks the models. item: makes the samples of its requests unique. paper: one try, in the paper's own form."""

    def __init__(self, access: Access, item: str, paper: bool = False, temperature: float | None = None) -> None:
        self._access, self._item, self._paper, self._temperature = access, item, paper, temperature
        self.reads: list[tuple[str, Read[Any]]] = []

    async def read(
        self,
        player: str,
        model: str,
        prompt: str,
        sample: str,
        parse: Callable[[Reply], T],
        schema: dict[str, Any] | None,
        purpose: str = "",
    ) -> Read[T]:
        """The answer to a prompt, and all replies. purpose: by default the end of the sample."""
        request = Request(
            messages=(Message("user", prompt),),
            sample=f"{self._item}/{sample}",
            schema=schema,
            plain=self._paper,
            temperature=self._temperature,
            purpose=purpose or sample.rpartition("/")[2],
        )
        read = await ask_read(self._access, model, request, parse, 1 if self._paper else TRIES)
        self.reads.append((player, read))
        return read

    def played(self, row: dict[str, Any], transcript: Any) -> Played:
        """The result of the item, with what its players' replies came to."""
        counts: dict[str, tuple[int, int, int]] = {}
        for player, read in self.reads:
            asked, second, unusable = counts.get(player, (0, 0, 0))
            counts[player] = asked + 1, second + (read.tries > 1), unusable + bool(read.cause)
        fallbacks = sum(unusable for _, _, unusable in counts.values())
        return Played(row, transcript, fallbacks, tuple(read.counted for _, read in self.reads), counts)
