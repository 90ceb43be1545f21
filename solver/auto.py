"""Which algorithm `auto` takes: by the size of the sequence form and the target, whichever should be there first.

Measured on one core, in seconds to exploitabilities of 1e-3 and 1e-4 chips, and of the linear program (lp):

    game (nodes; sequences; payoffs)              CFR+          DCFR          PCFR+         lp
    Leduc, suits kept (9,457; 2,186; 4,920)       0.02, 0.05    0.01, 0.04    0.03, 0.14    0.07
    Leduc with 12 cards (100,993; 9,410; 56,928)  0.23, 1.1     0.14, 0.44    0.34, 0.58    3.7
    seed 21@0.1 (102,257; 34,382; 55,416)         0.15, 0.50    0.09, 0.29    0.07, 0.11    0.36
    seed 194@0.1 (15,422; 5,198; 9,188)           0.05, 0.43    0.03, 0.42    0.02, 0.04    0.13
    seed 173@0.1 (21,697; 12,224; 11,183)         0.10, 0.37    0.07, 0.60    0.05, 0.07    0.20
    seed 44@0.05 (344,509; 23,622; 148,622)       0.08, 0.13    0.03, 0.08    0.05, 0.08    5.1

Over some hundred generated games DCFR and PCFR+ are level at 1e-3; below it PCFR+ is, at its worst, less bad. The
linear program's time follows the payoffs times the square of their number per sequence, and it does not depend on the
target; the iterations of the others grow like its inverse root.
"""

from __future__ import annotations

import math

from solver.sequence_form import Sides

_LOOSE = 1e-3  # chips: down to here DCFR, below it PCFR+
_ITERATIONS = 10.0  # to a target of 1
_SECONDS_A_STEP = 4e-9  # of an iteration, per payoff and per sequence of each player
_LP_SEQUENCE, _LP_PAYOFF = 6e-6, 2.2e-6  # seconds


def choose(both: Sides, target: float, warm: bool) -> str:
    """The name of the algorithm. `warm`: there is a policy to start with, of which the linear program has no use."""
    if not warm and linear_program_seconds(both) < iteration_seconds(both, target):
        return "lp"
    return "dcfr" if target >= _LOOSE else "pcfr+"


def linear_program_seconds(both: Sides) -> float:
    """About how long the linear program takes."""
    sequences, payoffs = both[0].sequences + both[1].sequences, len(both[0].chips)
    return _LP_SEQUENCE * sequences + _LP_PAYOFF * payoffs * (payoffs / sequences) ** 2


def iteration_seconds(both: Sides, target: float) -> float:
    """About how long iterations to the target take."""
    steps = sum(side.sequences + len(side.chips) for side in both)
    return float(_SECONDS_A_STEP * steps * _ITERATIONS / math.sqrt(max(target, 1e-12)))
