"""Risk (GENSTRAT appendix C, X7): the cost of preferring the best worst decile to the best expected value.

    score of a seat = sum over contexts of w * (EV(a*) - EV(a_safe)) / sigma_U
    a* = argmax EV,  a_safe = argmax of the tenth percentile of the payoff

A context is (decision type, hand, action path, chip bin). It is eligible with 20 visits and two actions of 5 tries
each.

Our reading: only actions with 5 tries compete; the percentile inverts the empirical distribution function (the
smallest payoff that at least a tenth of the tries do not exceed); among tied floors the action with the best EV is
the safe one; the weights w are visit shares among the seat's eligible contexts. Scores below .01 are reported as 0,
as the paper says.
"""

import numpy as np

from antemill.axes.axis import Axis, Play
from antemill.axes.grouping import Array, Gathered, IntArray, best_mean, gathered, sigma_u, tally
from antemill.engine.kernel import kernel
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log
from antemill.engine.machine.words import unsigned

MIN_VISITS = 20
MIN_TRIES = 5
SMALLEST = 0.01


def risk(log: Log, program: Program, sigma: float | None = None, known: Gathered | None = None) -> float:
    """Risk of a game from a log of random play: the mean over seats, or 0 if that is below .01.

    sigma: `sigma_u` of the log, if known. known: groups of the log, if they are already computed.
    """
    alice, bob = risk_by_seat(log, program, sigma, known)
    mean = (alice + bob) / 2
    return mean if mean >= SMALLEST else 0.0


def risk_by_seat(
    log: Log, program: Program, sigma: float | None = None, known: Gathered | None = None
) -> tuple[float, float]:
    """Risk of each seat, without the lower cut; 0 without eligible contexts."""
    sigma = sigma_u(log) if sigma is None else sigma
    if sigma == 0.0:
        return 0.0, 0.0
    known = gathered(log, program) if known is None else known
    alice, bob, by_alice, by_bob = _costs(log, known)
    return alice / max(by_alice, 1) / sigma, bob / max(by_bob, 1) / sigma


@kernel(allocates=True)
def _costs(log: Log, known: Gathered) -> tuple[float, float, int, int]:
    """For Alice and for Bob, visits times cost summed over eligible contexts; then the visits of each."""
    seat, action, utility = log.seat, log.action, known.utility
    order, starts = known.contexts.order, known.contexts.starts
    costs, visits = np.zeros(2), np.zeros(2, np.int64)
    sums, counts = np.empty_like(known.sums), np.empty_like(known.counts)
    payoffs, place = np.empty(len(utility), np.int64), np.empty_like(known.counts)
    for g in range(len(starts) - 1):
        rows = order[starts[g] : starts[g + 1]]
        if len(rows) < MIN_VISITS:
            continue
        n = tally(rows, action, utility, sums, counts)
        tried = 0
        for a in range(n):
            tried += 1 if counts[a] >= MIN_TRIES else 0
        if tried >= 2:
            player = seat[rows[0]]
            visits[player] += len(rows)
            safe = _safe_mean(rows, action, utility, sums, counts, n, payoffs, place)
            costs[player] += len(rows) * (best_mean(sums, counts, n, MIN_TRIES) - safe)
    return costs[0], costs[1], visits[0], visits[1]


@kernel
def _safe_mean(
    rows: IntArray,
    action: Array,
    utility: IntArray,
    sums: IntArray,
    counts: IntArray,
    n: int,
    payoffs: IntArray,
    place: IntArray,
) -> float:
    """The mean payoff of the action with the highest floor, the best mean among tied floors.

    payoffs, place: workspace, int64[rows] and int64[actions].
    """
    end = 0
    for a in range(n):
        place[a] = end
        end += counts[a]
    for row in rows:
        to = unsigned(action[unsigned(row)])
        payoffs[unsigned(place[to])] = utility[unsigned(row)]
        place[to] += 1
    floor, mean = -np.inf, -np.inf
    for a in range(n):
        if counts[a] >= MIN_TRIES:
            own_floor = np.float64(tenth_percentile(payoffs[place[a] - counts[a] : place[a]]))
            own_mean = sums[a] / counts[a]
            if own_floor > floor or (own_floor == floor and own_mean > mean):
                floor, mean = own_floor, own_mean
    return mean


@kernel
def tenth_percentile(values: IntArray) -> int:
    """The smallest value that at least a tenth of the values do not exceed. Reorders the values."""
    wanted, low, high = (len(values) + 9) // 10 - 1, 0, len(values) - 1
    while low < high:  # Hoare's selection: the wanted place lies in low..high
        middle, i, j = values[unsigned((low + high) // 2)], low, high
        while i <= j:
            while values[unsigned(i)] < middle:
                i += 1
            while values[unsigned(j)] > middle:
                j -= 1
            if i <= j:
                values[unsigned(i)], values[unsigned(j)] = values[unsigned(j)], values[unsigned(i)]
                i, j = i + 1, j - 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return int(values[wanted])


def _measure(play: Play) -> tuple[float]:
    return (risk(play.log, play.program, play.sigma, play.gathered),)


AXIS = Axis(
    "risk",
    "risk",
    "standard deviations of the payoff",
    "what it costs to prefer the best worst decile to the best expected value",
    _measure,
)
