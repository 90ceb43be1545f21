"""The generator's caps (GENSTRAT section 3); `sizes` says what of a finished game each of them limits.

The paper names the caps without printing them. Ours leave room for its own game (appendix B), which a test holds, and
are the same for every game: where the dial stands near 1 the largest draws reach them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

FIRST = 64
# Words of a draft's state, from FIRST on: the caps but that of the dial.
(
    CARDS,
    RANKS,
    HAND,
    CHIPS,
    ANTE,
    MAIN_PHASES,
    PHASES,
    ROUNDS,
    RAISES,
    OPTIONS,
    SIMULTANEOUS_OPTIONS,
    EVENTS,
    EFFECTS,
    NESTING,
    BID,
    STATES,
) = range(FIRST, FIRST + 16)
COUNT = 16
_ENDLESS = 1 << 40

_LEAST = {
    "complexity": 0.0,
    "cards": 3,
    "ranks": 3,
    "hand": 1,
    "chips": 3,
    "ante": 1,
    "main_phases": 5,
    "phases": 10,
    "rounds": 1,
    "raises": 0,
    "options": 2,
    "simultaneous_options": 2,
    "events": 1,
    "effects": 1,
    "nesting": 0,
    "bid": 1,
    "states": 50,
}


@dataclass(frozen=True, slots=True)
class Caps:
    """Upper limits of what the generator draws. Relax them for games beyond the benchmark."""

    complexity: float = 1.0  # largest value of the dial
    cards: int = 44
    ranks: int = 13
    hand: int = 4  # cards dealt to a player at the start
    chips: int = 30
    ante: int = 12
    main_phases: int = 8
    phases: int = 24  # nodes of the phase graph
    rounds: int = 4  # of a betting loop
    raises: int = 2
    options: int = 4  # of a menu
    simultaneous_options: int = 3
    events: int = 5  # steps of a list of events
    effects: int = 4  # steps of one branch
    nesting: int = 3  # conditionals and performed sub-phases around a step
    bid: int = 6
    states: int = 14_500  # information states that random play is expected to meet

    def __post_init__(self) -> None:
        for field in fields(self):
            least, given = _LEAST[field.name], getattr(self, field.name)
            if not given >= least:
                raise ValueError(f"The cap {field.name} must be at least {least}.")
            try:
                plain = float(given) if field.name == "complexity" else index(given)
            except TypeError as error:
                raise ValueError(f"The cap {field.name} must be a whole number, not {given}.") from error
            object.__setattr__(self, field.name, plain)


@lru_cache(64)
def numbers(caps: Caps) -> npt.NDArray[Any]:
    """int64[COUNT]: the caps but that of the dial, in their order."""
    return np.array([min(getattr(caps, field.name), _ENDLESS) for field in fields(caps)[1:]], np.int64)


BENCHMARK_CAPS = Caps()
