"""The generator's caps (GENSTRAT section 3). The module `sizes` measures a finished game by each cap.

The paper names the caps without printing them. Ours allow its own game (appendix B), as a test checks. They are the
same for every game, and with the dial near 1 the largest draws reach them. A cap can be relaxed up to the limit that
the rules of a game set; a cap without such a limit can have any value.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from math import inf
from operator import index
from typing import Any, Final, get_type_hints

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.engine.rules import limits
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    BettingLoop,
    Deal,
    FixedBetting,
    PotIs,
    Simultaneous,
)

FIRST: Final = 64
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


def _limit(kind: type[Struct], field: str) -> int:
    """The largest number, or the longest list, that the rules allow in a field."""
    meta = get_type_hints(kind, include_extras=True)[field].__metadata__[0]
    return int(meta.max_length if meta.le is None else meta.le)


# The largest possible caps. A cap that no rule limits has no entry.
_MOST: Final = {
    "complexity": 100.0,  # there the largest draws are hundreds of chapters and events
    "cards": limits.MAX_CARDS,
    "ranks": limits.MAX_RANKS,
    "hand": _limit(Deal, "count"),
    "chips": _limit(PotIs, "value") // 2,  # the pot may hold those of both players
    "ante": _limit(Ante, "amount"),
    "phases": limits.MAX_PHASES - 14,  # two bettings are planned as four phases, which the machine counts as 18
    "rounds": _limit(BettingLoop, "cap"),
    "raises": _limit(FixedBetting, "raises"),
    "options": _limit(ActionRound, "options"),
    "simultaneous_options": _limit(Simultaneous, "alice_options"),
    "bid": _limit(Auction, "max_bid"),
}


@dataclass(frozen=True, slots=True)
class Caps:
    """Upper limits of what the generator draws. Relax them for games beyond the benchmark.

    Raises ValueError for a cap that is too small for any game, or larger than the rules of a game allow.
    """

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
    nesting: int = 3  # conditionals and performed sub-phases that enclose a step
    bid: int = 6
    states: int = 14_500  # information states that random play is expected to visit

    def __post_init__(self) -> None:
        for field in fields(self):
            given, whole = getattr(self, field.name), field.name != "complexity"
            try:
                plain = index(given) if whole else float(given)
            except (TypeError, ValueError, OverflowError) as error:
                raise ValueError(f"The cap {field.name} must be a {'whole ' * whole}number, not {given}.") from error
            least, most = _LEAST[field.name], _MOST.get(field.name, inf)
            if not plain >= least:
                raise ValueError(f"The cap {field.name} must be at least {least:g}.")
            if plain > most:
                raise ValueError(f"The cap {field.name} must be at most {most:g}.")
            object.__setattr__(self, field.name, plain)


# Words of a draft's state (`antemill.engine.builder.workspace`), from FIRST on: the caps except the dial's, by their
# names in capitals.
globals().update({field.name.upper(): FIRST + place for place, field in enumerate(fields(Caps)[1:])})
COUNT: Final = len(fields(Caps)) - 1


def __getattr__(name: str) -> int:  # for readers of types: the names above are computed
    raise AttributeError(f"there is no cap {name}")


@lru_cache(64)
def numbers(caps: Caps) -> npt.NDArray[Any]:
    """int64[COUNT]: the caps except the dial's, in their order."""
    return np.array([min(getattr(caps, field.name), _ENDLESS) for field in fields(caps)[1:]], np.int64)


BENCHMARK_CAPS = Caps()
