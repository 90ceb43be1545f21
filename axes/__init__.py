"""The complexity axes of a game (GENSTRAT section 4 and appendix C), one module each, listed in `AXES`.

    score(program, FAST).axes["risk"]

Every axis is a pure function of rollout logs, or of a program that it rolls out itself through the engine. `exact` has
the axes of small games without random play: `score(program, EXACT)`. `select` chooses a benchmark from a scored pool.
The package imports only `engine`.
"""

from antemill.axes.axis import Axis
from antemill.axes.budgets import FAST, PRECISE, Tier
from antemill.axes.exact.tier import EXACT, TIERS, Exact
from antemill.axes.public import score
from antemill.axes.scores import Scores
from antemill.axes.table import AXES

__all__ = ["AXES", "EXACT", "FAST", "PRECISE", "TIERS", "Axis", "Exact", "Scores", "Tier", "score"]
