"""Opponent modeling (GENSTRAT appendix C, X6): how often the best action depends on whom the player faces.

    score = sum over decision types dt of w_dt * (1 - modal share over opponents of argmax_a E[U | dt, a, opponent])

1. 64 opponents, one simplex point per opponent decision type from a scrambled Sobol sequence; 32 playouts each.
2. Precise tier: 256 more opponents, each 65% a first-pass opponent against whom some best action was not the modal one,
   and 35% the next Sobol point. If there is no such opponent, the next Sobol points themselves.

Our reading: the focal player plays uniformly; each seat is the focal one in turn, and w_dt is the visit share of dt
among all decision types of both seats in random play; first-pass opponents are drawn in proportion to the w_dt at
which they differ; an opponent against whom dt was not visited does not count there; one against whom several actions
tie counts for each of them. Opponents are played independently of each other: no two share cards.
"""

import numpy as np

from axes.axis import Axis, Play
from axes.budgets import Tier
from axes.grouping import Array, Decisions, FloatArray, IntArray, decisions, mark_best, pairwise_sum
from axes.playouts import begin_all, room_for, streams_of, tally_actions, walk_against
from axes.simplex import directions_for, legal_actions, require_points, sobol_weights
from engine.kernel import kernel
from engine.machine.chance import root, subkey
from engine.machine.policy import UNIFORM, Policy, with_weights
from engine.machine.program import Program
from engine.machine.rollout import Log
from engine.machine.room import BATCH, larger
from engine.machine.together import Batch
from engine.seeding import Domain

NEW_SHARE = 0.35  # our reading: share of the Sobol point in a second-pass opponent
_SOBOL = int(Domain.SOBOL)
_HELD = 1 << 22  # weights of opponents that are held at a time, 32 MB; a game of thousands of chips has a million each


def opponent_modeling(program: Program, shares: FloatArray, tier: Tier, seed: int, room: Batch | None = None) -> float:
    """Opponent modeling of a game, between 0 and 1.

    shares: float64[types], w_dt, as `visit_shares` gives them. room: to play in, if there is some already.
    """
    types = decisions(program)
    batch = room_for(program, min(BATCH, max(tier.opponents, tier.focused) * tier.playouts), room, blind=True)
    alice, bob = (best_actions(program, batch, types, shares, tier, seed, focal) for focal in (0, 1))
    return _score(alice, bob, types.offsets, shares)


@kernel(allocates=True)
def _score(alice: Array, bob: Array, offsets: IntArray, shares: FloatArray) -> float:
    """As `opponent_modeling`, from the `best_actions` of both seats."""
    terms, other = flip_rates(alice, offsets), flip_rates(bob, offsets)
    for d in range(len(terms)):
        terms[d] = shares[d] * (terms[d] + other[d])
    return pairwise_sum(terms)


def visit_shares(log: Log, program: Program) -> FloatArray:
    """float64[types]: each decision type's share of all visits in a log."""
    counts = np.bincount(log.decision, minlength=len(program.names.decisions))
    return counts / max(1, log.rows)


def best_actions(
    program: Program, room: Batch, types: Decisions, shares: FloatArray, tier: Tier, seed: int, focal: int
) -> Array:
    """uint8[opponents, all actions]: 1 for each of the focal seat's best actions against each opponent."""
    first, second = np.arange(tier.opponents), tier.opponents + np.arange(tier.focused)
    best = _sweep(program, room, types, first, first[:0], tier, seed, focal)
    if tier.focused == 0:
        return best
    weights = instability(best, types.offsets, shares)
    parents = systematic(weights, tier.focused) if weights.any() else first[:0]
    return np.concatenate((best, _sweep(program, room, types, second, parents, tier, seed, focal)))


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
    """int64[all actions]: against how many opponents each is a best one."""
    wins = np.zeros(best.shape[1], np.int64)
    for i in range(len(best)):
        for j in range(len(wins)):
            wins[j] += best[i, j]
    return wins


@kernel
def _modal(wins: IntArray, low: int, high: int) -> int:
    """The first of the actions low..high-1 that is a best one most often."""
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


def systematic(weights: FloatArray, count: int) -> IntArray:
    """int64[count]: indices in proportion to their weights, by systematic sampling with the offset one half."""
    edges = np.cumsum(weights)
    positions = (np.arange(count) + 0.5) * (edges[-1] / count)
    found = np.searchsorted(edges, positions, side="right")
    return np.asarray(np.minimum(found, np.flatnonzero(weights)[-1]), np.int64)


def _sweep(
    program: Program,
    batch: Batch,
    types: Decisions,
    numbers: IntArray,
    parents: IntArray,
    tier: Tier,
    seed: int,
    focal: int,
) -> Array:
    """Play against the opponents with these consecutive numbers, which name their streams; as `best_actions`.

    parents: of each the first-pass opponent near which it is, or none of any.
    """
    require_points(numbers)
    actions, playouts = int(types.offsets[-1]), tier.playouts
    best = np.zeros((len(numbers), actions), np.uint8)
    step = max(1, min(_HELD // actions, BATCH // playouts, len(numbers)))
    batch = room_for(program, step * playouts, batch, blind=True)
    columns = legal_actions(types, 1 - focal)
    table = directions_for(columns)
    for low in range(0, len(numbers), step):
        some, near, marks = numbers[low : low + step], parents[low : low + step], best[low : low + step]
        kept, place = np.unique(near, return_inverse=True) if len(near) else (near, near)
        while not _against(
            batch, types, columns, table, UNIFORM, some, kept, place, NEW_SHARE, playouts, seed, focal, marks
        ):
            batch = larger(batch)
    return best


@kernel(allocates=True)
def _against(
    batch: Batch,
    types: Decisions,
    columns: IntArray,
    table: IntArray,
    player: Policy,
    numbers: IntArray,
    kept: IntArray,
    place: IntArray,
    share: float,
    playouts: int,
    seed: int,
    focal: int,
    best: Array,
) -> bool:
    """Play against some opponents and mark the best actions; returns whether the batch had room for it.

    columns, table: the `legal_actions` of the opponents' seat and their `directions`. player: the focal seat's policy.
    kept, place: first-pass opponents, and near which of them each opponent is; empty where near none. share: of an
    opponent's own point. best: as of `best_actions`, zeros.
    """
    points = _points(seed, focal)
    weights = sobol_weights(types.offsets, columns, table, numbers, points)
    if len(place) > 0:
        parents = sobol_weights(types.offsets, columns, table, kept, points)
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                weights[i, j] = (1.0 - share) * parents[place[i], j] + share * weights[i, j]
    opponent = with_weights(player, weights, types.offsets)
    begin_all(batch, streams_of(seed, _SOBOL, focal), numbers[0], len(numbers), playouts, focal, len(numbers))
    if walk_against(batch, len(numbers) * playouts, player, opponent, focal) < 0:
        return False
    _mark_all(batch, playouts, focal, types, best)
    return True


@kernel(allocates=True)
def _mark_all(batch: Batch, playouts: int, focal: int, types: Decisions, best: Array) -> None:
    """Mark the focal seat's best actions against each opponent, who has a row of `best`, which holds zeros."""
    sums, counts = np.empty(best.shape[1], np.int64), np.empty(best.shape[1], np.int64)
    for i in range(len(best)):
        tally_actions(batch, i * playouts, playouts, focal, types.offsets, sums, counts)
        mark_best(sums, counts, types, focal, best[i])


def _measure(game: Play) -> tuple[float]:
    return (opponent_modeling(game.program, visit_shares(game.log, game.program), game.tier, game.seed, game.room),)


AXIS = Axis(
    "opponent_modeling",
    "opponent modeling",
    "",
    "how often the best action depends on whom the player faces",
    _measure,
    plays=True,
)
