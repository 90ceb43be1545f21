"""Which algorithm `auto` takes: the one that should reach the target first, by the size of the sequence form.

The choice follows measurements on one core. The table has the seconds to exploitabilities of 1e-3 and of 1e-4 chips,
and the seconds of the linear program (lp), which is exact:

    game (nodes; sequences; payoffs)              CFR+          DCFR          PCFR+         lp
    Leduc, suits kept (9,457; 2,186; 4,920)       0.02, 0.05    0.01, 0.04    0.03, 0.14    0.07
    Leduc with 12 cards (100,993; 9,410; 56,928)  0.23, 1.1     0.14, 0.44    0.34, 0.58    3.7
    seed 21@0.1 (102,257; 34,382; 55,416)         0.15, 0.50    0.09, 0.29    0.07, 0.11    0.36
    seed 194@0.1 (15,422; 5,198; 9,188)           0.05, 0.43    0.03, 0.42    0.02, 0.04    0.13
    seed 173@0.1 (21,697; 12,224; 11,183)         0.10, 0.37    0.07, 0.60    0.05, 0.07    0.20
    seed 44@0.05 (344,509; 23,622; 148,622)       0.08, 0.13    0.03, 0.08    0.05, 0.08    5.1

Over some hundred generated games DCFR and PCFR+ are equally fast at 1e-3. Below it PCFR+ is less bad in its worst
games. The time of the linear program does not depend on the target; it grows with the number of payoffs times the
square of the number of payoffs per sequence. The iterations of the others grow with the inverse root of the target.
"""

from __future__ import annotations

import math

from solver.algorithms.table import ALGORITHMS, EXACT
from solver.trees.sequence_form import Sides

_ITERATIONS = 10.0  # to a target of 1 chip
_SECONDS_A_STEP = 4e-9  # of an iteration, per payoff and per sequence of each player
_LP_SEQUENCE, _LP_PAYOFF = 6e-6, 2.2e-6  # seconds of the linear program, see `linear_program_seconds`


def choose(both: Sides, target: float, warm: bool) -> str:
    """The name of the algorithm to take for a target in chips.

    warm: whether there is a strategy profile to start with. The linear program could not use it, so it is not chosen.
    """
    if not warm and linear_program_seconds(both) < iteration_seconds(both, target):
        return EXACT
    rows = [(row.auto_from, row.name) for row in ALGORITHMS.values() if row.auto_from is not None]
    return next((name for least, name in sorted(rows, reverse=True) if target >= least), min(rows)[1])


def linear_program_seconds(both: Sides) -> float:
    """A rough prediction of the seconds that the linear program takes."""
    sequences, payoffs = both[0].sequences + both[1].sequences, len(both[0].chips)
    return _LP_SEQUENCE * sequences + _LP_PAYOFF * payoffs * (payoffs / sequences) ** 2


def iteration_seconds(both: Sides, target: float) -> float:
    """A rough prediction of the seconds that iterations to a target in chips take."""
    steps = sum(side.sequences + len(side.chips) for side in both)
    return float(_SECONDS_A_STEP * steps * _ITERATIONS / math.sqrt(max(target, 1e-12)))
