"""Notices a model whose replies cannot be used: a run of random moves looks like a success and costs as much.

Only replies that this session has paid for are counted, not those from the record after a `resume`. So a run that has
paused for unusable replies asks for others before it pauses again. What an earlier session has said of a model holds
until one of its replies can be used.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

IN_A_ROW = 20  # unless the configuration says otherwise
_LAST = 100  # the latest replies of a model, of which at most half may fail


class Tripped(NamedTuple):
    """A model whose replies cannot be used, the most frequent cause, and a sentence about it."""

    model: str
    cause: str
    sentence: str


class Breaker:
    """Counts the replies of a run's models. in_a_row: failures of one cause in a row after which the run pauses; 0:
    after `IN_A_ROW` of them the run reports it and goes on.
    """

    def __init__(self, in_a_row: int = IN_A_ROW) -> None:
        self._least = in_a_row or IN_A_ROW
        self.pauses = in_a_row > 0
        self._last: dict[str, deque[str]] = {}
        self._row: dict[str, tuple[str, int]] = {}
        self.used = set[str]()  # models with a reply that could be used

    def count(self, model: str, cause: str) -> None:
        """Count a model's reply. cause: why it could not be used; "" if it could."""
        self._last.setdefault(model, deque(maxlen=_LAST)).append(cause)
        if not cause:
            self.used.add(model)
        before, number = self._row.get(model, ("", 0))
        self._row[model] = (cause, number + 1 if cause == before else 1)

    def tripped(self) -> tuple[Tripped, ...]:
        """The models whose replies cannot be used."""
        found = []
        for model, last in self._last.items():
            cause, number = self._row[model]
            failed = Counter(cause for cause in last if cause)
            if cause and number >= self._least:
                what = f"the last {number:,} replies of {model} could not be used ({cause})"
                found.append(Tripped(model, cause, what))
            elif len(last) == _LAST and 2 * failed.total() > _LAST:
                most = failed.most_common(1)[0][0]
                what = f"{failed.total()} of the last {_LAST} replies of {model} could not be used (most: {most})"
                found.append(Tripped(model, most, what))
        return tuple(found)
