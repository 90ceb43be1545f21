"""L1: the best response to random play that a log of random play supports (GENSTRAT appendix C, X8).

Our reading: at each context (decision type, hand, action path, chip bin) the action with the best mean payoff among
those tried at least five times there; where no action was, the decision type's action with the best mean payoff.
Among tied actions the lowest is played. One policy serves both seats, since contexts belong to a seat.
"""

import numpy as np

from axes.grouping import Array, Decisions, IntArray, action_table, decisions, first_best, group, tally, utilities
from engine.kernel import kernel
from engine.machine.policy import Policy, greedy
from engine.machine.program import Program
from engine.machine.rollout import Log

MIN_TRIES = 5


def best_response(log: Log, program: Program) -> Policy:
    """The L1 policy from a log of random play. A decision type that the log lacks gets its lowest action."""
    types = decisions(program)
    utility = utilities(log)
    groups = group(log.context)
    actions = _context_actions(groups.order, groups.starts, log.action, utility, int(np.diff(types.offsets).max()))
    known = actions >= 0
    keys = log.context[groups.order[groups.starts[:-1]]]
    return greedy(keys[known], actions[known], _type_actions(*action_table(log, utility, types.offsets), types))


@kernel(allocates=True)
def _context_actions(order: IntArray, starts: IntArray, action: Array, utility: IntArray, actions: int) -> IntArray:
    """int64[groups]: the best action of each context, -1 if none was tried often enough."""
    chosen = np.empty(len(starts) - 1, np.int64)
    sums, counts = np.empty(actions, np.int64), np.empty(actions, np.int64)
    for g in range(len(chosen)):
        n = tally(order[starts[g] : starts[g + 1]], action, utility, sums, counts)
        chosen[g] = first_best(sums, counts, n, MIN_TRIES)
    return chosen


@kernel(allocates=True)
def _type_actions(sums: IntArray, counts: IntArray, types: Decisions) -> IntArray:
    """int64[types]: the best action of each decision type."""
    chosen = types.lows.copy()
    for d in range(len(chosen)):
        low, high = types.offsets[d], types.offsets[d + 1]
        action = first_best(sums[low:high], counts[low:high], high - low, 1)
        if action >= 0:
            chosen[d] = action
    return chosen
