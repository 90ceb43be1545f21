"""State space (GENSTRAT appendix C, X3): the number of distinct information states that random play meets.

    score = log10(sum over players of distinct visited I),  I = (dt, hand, action path, chip bin, signals, roles)

A decision type belongs to one seat, so the states of the two players are distinct by construction.
"""

import math

from antemill.axes.axis import Axis, Play
from antemill.axes.grouping import Gathered, distinct
from antemill.engine.machine.rollout import Log


def information_states(log: Log, known: Gathered | None = None) -> int:
    """Distinct information states in the log, both seats together. known: groups of the log, if already computed."""
    return distinct(log.info) if known is None else len(known.infos.starts) - 1


def state_space(log: Log, known: Gathered | None = None) -> float:
    """log10 of the number of distinct information states; 0 if the game has no decisions."""
    return math.log10(max(1, information_states(log, known)))


def _measure(play: Play) -> tuple[float]:
    return (state_space(play.log, play.gathered),)


AXIS = Axis(
    "state_space",
    "state space",
    "log10 information states",
    "how many distinct information states random play meets",
    _measure,
)
