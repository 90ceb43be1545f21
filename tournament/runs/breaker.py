"""Whether a model's replies can still be used: a run of random moves looks like success, and costs as much.

Replies are counted as they were paid for; those that come from the record after a `resume` are not, so a run that has
paused for them asks again before it pauses again.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

IN_A_ROW = 20  # unless the configuration says otherwise
_LAST = 100  # replies of a model of which at most half may fail


class Tripped(NamedTuple):
    """A model whose replies can not be used, for which cause most often, and a sentence that says so."""

    model: str
    cause: str
    sentence: str


class Breaker:
    """The replies of a run's models, one after another. in_a_row: failures of one cause that are too many; 0: as many
    as `IN_A_ROW` are reported, and the run goes on.
    """

    def __init__(self, in_a_row: int = IN_A_ROW) -> None:
        self._least = in_a_row or IN_A_ROW
        self.pauses = in_a_row > 0
        self._last: dict[str, deque[str]] = {}
        self._row: dict[str, tuple[str, int]] = {}

    def count(self, model: str, cause: str) -> None:
        """A model has replied. cause: why the reply could not be used, "" if it could."""
        self._last.setdefault(model, deque(maxlen=_LAST)).append(cause)
        before, number = self._row.get(model, ("", 0))
        self._row[model] = (cause, number + 1 if cause == before else 1)

    def tripped(self) -> tuple[Tripped, ...]:
        """The models whose replies can not be used."""
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
