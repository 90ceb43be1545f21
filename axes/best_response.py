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
    keys, actions = _context_actions(groups.order, groups.starts, log.context, log.action, utility, types.offsets[-1])
    return greedy(program, keys, actions, _type_actions(*action_table(log, utility, types.offsets), types))


@kernel(allocates=True)
def _context_actions(
    order: IntArray, starts: IntArray, context: Array, action: Array, utility: IntArray, actions: int
) -> tuple[IntArray, IntArray]:
    """int64[contexts] twice: the contexts in which an action was tried often enough, and the best such action."""
    keys, chosen = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    sums, counts = np.empty(actions, np.int64), np.empty(actions, np.int64)
    known = 0
    for g in range(len(starts) - 1):
        if starts[g + 1] - starts[g] >= MIN_TRIES:
            rows = order[starts[g] : starts[g + 1]]
            n = tally(rows, action, utility, sums, counts)
            best = first_best(sums, counts, n, MIN_TRIES)
            if best >= 0:
                keys[known], chosen[known] = context[rows[0]], best
                known += 1
    return keys[:known], chosen[:known]


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
