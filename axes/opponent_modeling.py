"""Opponent modeling (GENSTRAT appendix C, X6): how often the best action depends on the opponent.

    score = sum over decision types dt of w_dt * (1 - modal share over opponents of argmax_a E[U | dt, a, opponent])

1. 64 opponents, one simplex point per opponent decision type from a scrambled Sobol sequence; 32 playouts each.
2. Precise tier: 256 more opponents. Each is a mixture of 65% a first-pass opponent against which some best action was
   not the modal one, and 35% the next Sobol point. If there is no such opponent, it is the next Sobol point itself.

Our reading: the focal player plays uniformly. Each seat is the focal one in turn, and w_dt is the visit share of dt
among all decision types of both seats in random play. First-pass opponents are drawn in proportion to the w_dt at
which they differ. An opponent against which dt was not visited does not count there. If several actions tie against an
opponent, it counts for each of them. Opponents are played independently of each other: no two share cards.
"""

from typing import NamedTuple

import numpy as np

from antemill.axes.axis import Axis, Play
from antemill.axes.budgets import Tier
from antemill.axes.grouping import Array, Decisions, FloatArray, IntArray, decisions, mark_best, means, pairwise_sum
from antemill.axes.playouts import batch_in, begin_all, streams_of, walk_against, ways
from antemill.axes.simplex import directions_for, legal_columns, most_legal, require_points, sobol_weights
from antemill.engine.kernel import kernel
from antemill.engine.machine.batch import BATCH, larger
from antemill.engine.machine.chance import root, subkey
from antemill.engine.machine.policy import UNIFORM, Policy, with_weights
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log
from antemill.engine.machine.together import PAYOFF, Batch
from antemill.engine.machine.words import unsigned
from antemill.engine.seeding import Domain

NEW_SHARE = 0.35  # our reading: share of the Sobol point in a second-pass opponent
_SOBOL = int(Domain.SOBOL)
_HELD = 1 << 22  # the most weights of opponents in memory at a time, 32 MB; an opponent may have a million


class Passes(NamedTuple):
    """A tier's budgets for the kernel, and the division of the work."""

    opponents: int  # of the first pass
    focused: int  # of the second one
    playouts: int  # against each of them
    share: float  # of an opponent's own point in the second pass
    step: int  # the number of opponents that are played together


def opponent_modeling(program: Program, shares: FloatArray, tier: Tier, seed: int, batch: Batch | None = None) -> float:
    """Opponent modeling of a game, between 0 and 1.

    shares: float64[types], w_dt, as `visit_shares` gives them. batch: a batch to play in; None makes one. Raises
    ValueError for more opponents than a Sobol sequence has points.
    """
    types, playouts, most = decisions(program), tier.playouts, max(tier.opponents, tier.focused)
    require_points(tier.opponents + tier.focused)
    step = max(1, min(_HELD // int(types.offsets[-1]), BATCH // playouts, most))
    passes = Passes(tier.opponents, tier.focused, playouts, NEW_SHARE, step)
    directions = directions_for(int(most_legal(types)))
    batch = batch_in(program, step * playouts, batch, blind=True)
    while (found := _measured(batch, types, directions, UNIFORM, shares, passes, seed)) < 0.0:
        batch = larger(batch)
    return found


@kernel(allocates=True)
def _measured(
    batch: Batch, types: Decisions, directions: IntArray, player: Policy, shares: FloatArray, passes: Passes, seed: int
) -> float:
    """As `opponent_modeling`; -1 if the batch is too small.

    directions: of a Sobol sequence with a dimension for each action of either seat. player: the focal seat's policy.
    """
    best = np.zeros((2, passes.opponents + passes.focused, types.offsets[-1]), np.uint8)
    for focal in range(2):
        if not _mark_best_actions(batch, types, directions, player, shares, passes, seed, focal, best[focal]):
            return -1.0
    return _score(best[0], best[1], types.offsets, shares)


@kernel(allocates=True)
def _score(alice: Array, bob: Array, offsets: IntArray, shares: FloatArray) -> float:
    """As `opponent_modeling`, from the `best_actions` of both seats."""
    terms, other = flip_rates(alice, offsets), flip_rates(bob, offsets)
    for d in range(len(terms)):
        terms[d] = shares[d] * (terms[d] + other[d])
    return pairwise_sum(terms)


def visit_shares(log: Log, program: Program) -> FloatArray:
    """float64[types]: each decision type's share of all visits in a log."""
    return _visit_shares(log.decision, len(program.decision_seats))


@kernel(allocates=True)
def _visit_shares(decision: Array, types: int) -> FloatArray:
    """As `visit_shares`."""
    counts, shares = np.zeros(types, np.int64), np.empty(types)
    for row in range(len(decision)):
        counts[unsigned(decision[row])] += 1
    for d in range(types):
        shares[d] = counts[d] / max(1, len(decision))
    return shares


@kernel
def _points(seed: int, focal: int) -> int:
    """The key of the Sobol points of a focal seat's opponents."""
    return subkey(subkey(subkey(root(seed), _SOBOL), focal), _SOBOL)


@kernel(allocates=True)
def flip_rates(best: Array, offsets: IntArray) -> FloatArray:
    """float64[types]: one minus the modal share; 0 for a decision type that was never visited.

    best: uint8[opponents, all actions], rows of `best_actions`.
    """
    rates, wins = np.zeros(len(offsets) - 1), _wins(best)
    for d in range(len(rates)):
        low, high = offsets[d], offsets[d + 1]
        most, visited = wins[_modal(wins, low, high)], 0
        if most > 0:
            for i in range(len(best)):
                visited += _any(best[i], low, high)
            rates[d] = (visited - most) / visited
    return rates


@kernel(allocates=True)
def _wins(best: Array) -> IntArray:
    """int64[all actions]: the number of opponents against which each is a best action."""
    wins = np.zeros(best.shape[1], np.int64)
    for i in range(len(best)):
        for j in range(len(wins)):
            wins[j] += best[i, j]
    return wins


@kernel
def _modal(wins: IntArray, low: int, high: int) -> int:
    """The first of the actions low..high-1 that is most often a best action."""
    modal = low
    for i in range(low + 1, high):
        if wins[i] > wins[modal]:
            modal = i
    return modal


@kernel
def _any(row: Array, low: int, high: int) -> bool:
    """Whether one of the actions low..high-1 is marked."""
    for i in range(low, high):
        if row[i] != 0:
            return True
    return False


@kernel(allocates=True)
def instability(best: Array, offsets: IntArray, shares: FloatArray) -> FloatArray:
    """float64[opponents]: the summed w_dt of the decision types whose modal action is not a best one against them."""
    weights, wins = np.zeros(len(best)), _wins(best)
    for d in range(len(shares)):
        low, high = offsets[d], offsets[d + 1]
        modal = _modal(wins, low, high)
        if wins[modal] > 0:
            for i in range(len(best)):
                if best[i, modal] == 0 and _any(best[i], low, high):
                    weights[i] += shares[d]
    return weights


@kernel(allocates=True)
def systematic(weights: FloatArray, count: int) -> IntArray:
    """int64[count]: indices in proportion to their weights, by systematic sampling with the offset one half.

    The indices ascend; there are none if all weights are 0. weights: none is negative.
    """
    edges, total, last = np.empty(len(weights)), 0.0, -1
    for i in range(len(weights)):
        total += weights[i]
        edges[i] = total
        last = i if weights[i] > 0.0 else last
    if last < 0:
        return np.empty(0, np.int64)
    found, place = np.empty(count, np.int64), 0
    for i in range(count):
        position = (i + 0.5) * (total / count)
        while place < last and edges[place] <= position:
            place += 1
        found[i] = place
    return found


@kernel(inline="always", allocates=True)
def _mark_best_actions(
    batch: Batch,
    types: Decisions,
    directions: IntArray,
    player: Policy,
    shares: FloatArray,
    passes: Passes,
    seed: int,
    focal: int,
    best: Array,
) -> bool:
    """Play against all opponents and mark the focal seat's best actions. Returns whether the batch was large enough.

    best: uint8[opponents, all actions], zeros; 1 for each best action against each opponent.
    """
    points, columns = _points(seed, focal), legal_columns(types, 1 - focal)
    first = np.empty((0, 0))  # weights of the first pass, if memory holds them
    parents = np.empty(0, np.int64)  # for each opponent of the second pass its parent in the first, if it has one
    low, count = 0, len(best)
    while low < count:
        if low == passes.opponents:
            parents = systematic(instability(best[:low], types.offsets, shares), passes.focused)
        high = min(low + passes.step, passes.opponents if low < passes.opponents else count)
        weights = sobol_weights(types.offsets, columns, directions, np.arange(low, high), points)
        if high == passes.opponents and low == 0:
            first = weights
        if len(parents) > 0:
            near, rows = parents[low - passes.opponents : high - passes.opponents], first
            if len(first) == 0:
                near, kept = _numbered(near)
                rows = sobol_weights(types.offsets, columns, directions, kept, points)
            _mix(weights, rows, near, passes.share)
        opponent = with_weights(player, weights, types.offsets)
        begin_all(batch, streams_of(seed, _SOBOL, focal), low, high - low, passes.playouts, focal, high - low)
        ends = walk_against(batch, (high - low) * passes.playouts, player, opponent, focal)
        if ends < 0:
            return False
        _mark_all(batch, ends, passes.playouts, focal, types, best[low:high])
        low = high
    return True


@kernel(allocates=True)
def _numbered(sorted_numbers: IntArray) -> tuple[IntArray, IntArray]:
    """int64[n]: the index of each number among the different numbers; int64[different]: these, in ascending order."""
    place, kept = np.empty(len(sorted_numbers), np.int64), np.empty(len(sorted_numbers), np.int64)
    n = 0
    for i in range(len(sorted_numbers)):
        if n == 0 or kept[n - 1] != sorted_numbers[i]:
            kept[n] = sorted_numbers[i]
            n += 1
        place[i] = n - 1
    return place, kept[:n]


@kernel
def _mix(weights: FloatArray, parents: FloatArray, near: IntArray, share: float) -> None:
    """Mix every opponent with its parent. share: of its own weights in the mixture."""
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[i, j] = (1.0 - share) * parents[near[i], j] + share * weights[i, j]


@kernel(allocates=True)
def _mark_all(batch: Batch, ends: int, playouts: int, focal: int, types: Decisions, best: Array) -> None:
    """Mark the focal seat's best actions against each opponent, in its row of `best`, which holds zeros.

    ends: the number of used rows of `batch.ends`.
    """
    starts, actions = ways(batch, ends, focal, types.offsets)
    sums, counts = np.empty(best.shape[1], np.int64), np.empty(best.shape[1], np.int64)
    mean, sign = np.empty(best.shape[1]), 1 if focal == 0 else -1
    for i in range(len(best)):
        sums[:] = 0
        counts[:] = 0
        for episode in range(i * playouts, (i + 1) * playouts):
            end = unsigned(batch.end[unsigned(episode)])
            payoff = sign * batch.ends[end, PAYOFF]
            for k in range(starts[end], starts[end + 1]):
                action = unsigned(actions[unsigned(k)])
                sums[action] += payoff
                counts[action] += 1
        means(sums, counts, mean)
        mark_best(mean, types, focal, best[i])


def _measure(game: Play) -> tuple[float]:
    return (opponent_modeling(game.program, visit_shares(game.log, game.program), game.tier, game.seed, game.batch),)


AXIS = Axis(
    "opponent_modeling",
    "opponent modeling",
    "",
    "how often the best action depends on whom the player faces",
    _measure,
    plays=True,
)
