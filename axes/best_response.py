"""L1: the best response to random play, as estimated from a log of random play (GENSTRAT appendix C, X8).

Our reading: at each context (decision type, hand, action path, chip bin) the action with the best mean payoff among
those tried at least five times there; if there is none, the decision type's action with the best mean payoff. Among
tied actions the lowest is played. One policy serves both seats, because each context belongs to one seat.
"""

import numpy as np

from antemill.axes.grouping import Decisions, Gathered, IntArray, decisions, first_best, gathered, tally
from antemill.engine.kernel import kernel
from antemill.engine.machine.policy import Policy, greedy
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log

MIN_TRIES = 5


def best_response(log: Log, program: Program, known: Gathered | None = None) -> Policy:
    """The L1 policy from a log of random play. It plays the lowest action of a decision type that is not in the log.

    known: groups of the log, if they are already computed.
    """
    known = gathered(log, program) if known is None else known
    keys, actions = _context_actions(log, known)
    return greedy(program, keys, actions, _type_actions(known.sums, known.counts, decisions(program)))


@kernel(allocates=True)
def _context_actions(log: Log, known: Gathered) -> tuple[IntArray, IntArray]:
    """int64[contexts] twice: the contexts in which an action was tried often enough, and the best such action."""
    order, starts, context = known.contexts.order, known.contexts.starts, log.context
    action, utility = log.action, known.utility
    keys, chosen = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    sums, counts = np.empty_like(known.sums), np.empty_like(known.counts)
    n = 0
    for g in range(len(starts) - 1):
        if starts[g + 1] - starts[g] >= MIN_TRIES:
            rows = order[starts[g] : starts[g + 1]]
            most = tally(rows, action, utility, sums, counts)
            best = first_best(sums, counts, most, MIN_TRIES)
            if best >= 0:
                keys[n], chosen[n] = context[rows[0]], best
                n += 1
    return keys[:n], chosen[:n]


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
