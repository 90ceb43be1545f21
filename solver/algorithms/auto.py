"""What `auto` does: it begins with the algorithm of the CFR family that needs the least work on most games, and then
tries the linear program.

The tables of docs/solver.md are the evidence; `table` marks the algorithm. Some games resist the whole family, at least
below some exploitability, and some resist the linear program, whose time grows with a power of the game's size. So the
iterations get somewhat more time than the linear program is predicted to take. Then the linear program gets twice as
long as all has taken until then. If that is not enough, the iterations continue, and it is tried again after four times
as many. If the prediction is right, the total is at most two and a half times the time of the better one. Other
algorithms that take turns with the first one cost more than they save, see docs/solver.md.
"""

from __future__ import annotations

from typing import NamedTuple

from antemill.engine.storage.memory import physical_memory
from antemill.solver.algorithms.table import ALGORITHMS
from antemill.solver.trees.sequence_form import Sides

_LEAST = 300  # iterations before the linear program; it took as long as 315 at least in the games that were measured
# Seconds of an iteration: fixed, per sequence, per payoff; and of the linear program, see `linear_program_iterations`.
_STEP, _STEP_SEQUENCE, _STEP_PAYOFF = 4e-7, 9.3e-9, 2.2e-9
_LP, _LP_SEQUENCE, _LP_PAYOFF = 3e-3, 6e-6, 2.2e-6
_LP_DENSE, _LP_PIVOT = 6e-7, 5e-10
_LP_LIMIT = 20_000_000  # sequences and payoffs, at most
_LP_BYTES = 1_000  # of memory at the peak, for each of these; 800 were measured
_PATIENCE = 1.5  # iterations before the linear program, as a multiple of the predicted ones
NEVER = 1 << 62  # iterations


class Choice(NamedTuple):
    """The plan of `auto`."""

    algorithm: str  # of the CFR family
    patience: int  # its iterations until the linear program is tried


def choose(both: Sides) -> Choice:
    """The plan for a game."""
    (first,) = (name for name, row in ALGORITHMS.items() if row.auto)
    size = both[0].sequences + both[1].sequences + len(both[0].columns)
    if size > _LP_LIMIT or size * _LP_BYTES > physical_memory():
        return Choice(first, NEVER)
    return Choice(first, max(_LEAST, int(_PATIENCE * linear_program_iterations(both))))


def linear_program_iterations(both: Sides) -> float:
    """How many iterations take as long as the linear program, by a rough prediction.

    A payoff costs more where a sequence has many of them, but no more than its part of the pivots: in a dense matrix
    there is a pivot for each sequence, and each reads all payoffs.
    """
    sequences, payoffs = both[0].sequences + both[1].sequences, len(both[0].columns)
    payoff = min(_LP_PAYOFF * (payoffs / sequences) ** 2, _LP_DENSE + _LP_PIVOT * sequences)
    seconds = _LP + _LP_SEQUENCE * sequences + payoff * payoffs
    return seconds / (_STEP + _STEP_SEQUENCE * sequences + _STEP_PAYOFF * payoffs)
