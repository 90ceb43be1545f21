"""What `auto` does: which algorithm of the CFR family it begins with, and when the linear program joins it.

The tables of docs/solver.md are the evidence; `table` marks the algorithms. One algorithm needs the least work on most
games, and another one on dense payoff matrices. A few games are solved much faster by a third, which takes turns with
the first until one of them is clearly better. Some games resist the whole family below some exploitability. Some resist
the linear program, whose time grows with a power of the game's size. So the iterations first get most of the time that
the linear program is predicted to take. Then the two take turns of equal length (`turns`): together they take at most
twice the time of the one that is done first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from antemill.engine.storage.memory import physical_memory
from antemill.solver.algorithms.table import ALGORITHMS
from antemill.solver.trees.sequence_form import Sides

_LP_LIMIT = 20_000_000  # sequences and payoffs, at most
_LP_BYTES = 1_000  # of memory at the peak, for each of these; 190 to 750 were measured
_PATIENCE = 0.7  # iterations before the linear program, as a multiple of the predicted ones
_DENSE = 2.0  # payoffs for each sequence
_FEW = 100_000  # sequences, at most, where two algorithms take turns: the second one takes memory
NEVER = 1 << 62  # iterations


class Choice(NamedTuple):
    """The plan of `auto`; for an algorithm by name, this algorithm alone."""

    algorithm: str  # of the CFR family
    rival: str = ""  # takes turns with it in the beginning; empty: none
    patience: int = NEVER  # iterations of both until the linear program begins


def choose(both: Sides) -> Choice:
    """The plan for a game."""
    named = {row.auto: name for name, row in ALGORITHMS.items() if row.auto}
    sequences, payoffs = both[0].sequences + both[1].sequences, len(both[0].columns)
    size = sequences + payoffs
    patience = NEVER
    if size <= _LP_LIMIT and size * _LP_BYTES <= physical_memory():
        patience = int(_PATIENCE * linear_program_iterations(both))
    if payoffs > _DENSE * sequences:
        return Choice(named["dense"], patience=patience)
    return Choice(named["sparse"], named["rival"] if sequences <= _FEW else "", patience)


def linear_program_iterations(both: Sides) -> float:
    """How many iterations take as long as the linear program.

    A power law that was fitted to the games of docs/solver.md; it is off by 1.4 times on average.
    """
    sequences, payoffs = math.log(both[0].sequences + both[1].sequences), math.log(1 + len(both[0].columns))
    return math.exp(
        8.79 - 0.88 * sequences + 0.137 * payoffs - 0.079 * (payoffs - sequences) ** 2 + 0.055 * sequences**2
    )
