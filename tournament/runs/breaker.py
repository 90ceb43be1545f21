"""Notices a model whose replies cannot be used: a run of random moves looks like a success and costs as much.

Only replies that this session has paid for are counted, not those from the record after a resumption. So a run that has
paused for unusable replies asks for others before it pauses again. What an earlier session has said of a model holds
until one of its replies can be used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from antemill.tournament.runs.records import Played

IN_A_ROW = 20  # unless the configuration says otherwise
FIRST = 8  # all of a model's first replies


class Tripped(NamedTuple):
    """A model whose replies cannot be used, and a sentence about it."""

    model: str
    sentence: str


class Breaker:
    """Counts the replies of a run's models. in_a_row: unusable ones in a row after which the run pauses; 0: after
    `IN_A_ROW` of them the run reports it and goes on. bots: scripted models of this package, which are not counted.
    """

    def __init__(self, in_a_row: int = IN_A_ROW, bots: Collection[str] = ()) -> None:
        self._bots = bots
        self._said = set[str]()
        self._least = in_a_row or IN_A_ROW
        self.pauses = in_a_row > 0
        self._row: dict[str, tuple[str, int]] = {}  # by model: the last cause, and how many came in a row
        self.used = set[str]()  # models with a reply that could be used

    def judge(self, played: Played, fresh: Mapping[int, str]) -> list[str]:
        """Count the replies of a played item. fresh: the models of the calls of this session. Returns what is new."""
        for call, cause in played.replies:
            if call in fresh and fresh[call] not in self._bots:
                self.count(fresh[call], cause)
        said, self._said = self._said, {one.model for one in self.tripped()}
        return [f"{one.sentence}." for one in self.tripped() if one.model not in said]

    def count(self, model: str, cause: str) -> None:
        """Count a model's reply. cause: why it could not be used; "" if it could."""
        if not cause:
            self.used.add(model)
        self._row[model] = (cause, self._row.get(model, ("", 0))[1] + 1 if cause else 0)

    def tripped(self) -> tuple[Tripped, ...]:
        """The models whose replies cannot be used."""
        found = []
        for model, (cause, number) in self._row.items():
            first = model not in self.used
            if number >= (min(FIRST, self._least) if first else self._least):
                what = f"{'all' if first else 'the last'} {number:,} replies of {model} could not be used"
                found.append(Tripped(model, f"{what} (the last: {cause})"))
        return tuple(found)
