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

from collections.abc import Callable

import numpy as np

from axes.axis import Axis, Play
from axes.budgets import Tier
from axes.grouping import Array, Decisions, IntArray, decisions, mark_best
from axes.playouts import begin_all, tally_actions
from axes.simplex import FloatArray, sobol_policies
from engine.kernel import kernel
from engine.machine.chance import key_of
from engine.machine.policy import UNIFORM, mixed
from engine.machine.program import Program
from engine.machine.rollout import BATCH, Log, Streams, batch_for, play, streams
from engine.machine.together import Batch
from engine.seeding import Domain

NEW_SHARE = 0.35  # our reading: share of the Sobol point in a second-pass opponent
_HELD = 1 << 22  # weights of opponents that are held at a time, 32 MB; a game of thousands of chips has a million each


def opponent_modeling(program: Program, shares: FloatArray, tier: Tier, seed: int) -> float:
    """Opponent modeling of a game, between 0 and 1. shares: float64[types], w_dt, as `visit_shares` gives them."""
    types = decisions(program)
    flips = [flip_rates(best_actions(program, types, shares, tier, seed, focal), types.offsets) for focal in (0, 1)]
    return float(np.sum(shares * (flips[0] + flips[1])))


def visit_shares(log: Log, program: Program) -> FloatArray:
    """float64[types]: each decision type's share of all visits in a log."""
    counts = np.bincount(log.decision, minlength=len(program.names.decisions))
    return counts / max(1, log.rows)


def best_actions(program: Program, types: Decisions, shares: FloatArray, tier: Tier, seed: int, focal: int) -> Array:
    """uint8[opponents, all actions]: 1 for each of the focal seat's best actions against each opponent."""
    keys = streams(seed, Domain.SOBOL, focal)
    points = key_of(seed, Domain.SOBOL, focal, Domain.SOBOL)
    first, second = np.arange(tier.opponents), tier.opponents + np.arange(tier.focused)

    def plain(numbers: IntArray) -> FloatArray:
        return sobol_policies(types, 1 - focal, numbers, points)

    best = _sweep(program, keys, plain, first, tier.playouts, focal)
    if tier.focused == 0:
        return best
    weights = instability(best, types.offsets, shares)
    if weights.sum() == 0.0:
        return np.concatenate((best, _sweep(program, keys, plain, second, tier.playouts, focal)))
    parents = systematic(weights, tier.focused)

    def focused(numbers: IntArray) -> FloatArray:
        return (1.0 - NEW_SHARE) * plain(parents[numbers - tier.opponents]) + NEW_SHARE * plain(numbers)

    return np.concatenate((best, _sweep(program, keys, focused, second, tier.playouts, focal)))


def flip_rates(best: Array, offsets: IntArray) -> FloatArray:
    """float64[types]: one minus the modal share; 0 for a decision type that was never visited.

    best: uint8[opponents, all actions], rows of `best_actions`.
    """
    wins = np.maximum.reduceat(best.sum(axis=0, dtype=np.int64), offsets[:-1])
    visited = np.maximum.reduceat(best, offsets[:-1], axis=1).sum(axis=0, dtype=np.int64)
    return np.asarray((visited - wins) / np.maximum(visited, 1), np.float64)


def instability(best: Array, offsets: IntArray, shares: FloatArray) -> FloatArray:
    """float64[opponents]: the summed w_dt of the decision types whose modal action is not a best one against them."""
    wins = best.sum(axis=0)
    weights = np.zeros(len(best))
    for d, share in enumerate(shares):
        own = best[:, offsets[d] : offsets[d + 1]]
        modal = int(np.argmax(wins[offsets[d] : offsets[d + 1]]))
        weights += share * (own.any(axis=1) & (own[:, modal] == 0))
    return weights


def systematic(weights: FloatArray, count: int) -> IntArray:
    """int64[count]: indices in proportion to their weights, by systematic sampling with the offset one half."""
    edges = np.cumsum(weights)
    positions = (np.arange(count) + 0.5) * (edges[-1] / count)
    found = np.searchsorted(edges, positions, side="right")
    return np.asarray(np.minimum(found, np.flatnonzero(weights)[-1]), np.int64)


def _sweep(
    program: Program,
    keys: Streams,
    policies: Callable[[IntArray], FloatArray],
    numbers: IntArray,
    playouts: int,
    focal: int,
) -> Array:
    """Play against the opponents with these consecutive numbers, which name their streams; as `best_actions`.

    policies: gives float64[numbers, all actions]; asked for some opponents at a time.
    """
    actions = int(program.action_offsets[-1])
    best = np.zeros((len(numbers), actions), np.uint8)
    sums, counts = np.zeros(actions, np.int64), np.zeros(actions, np.int64)
    step = max(1, min(_HELD // actions, BATCH // playouts, len(numbers)))
    batch = batch_for(program, step * playouts)
    for low in range(0, len(numbers), step):
        some = numbers[low : low + step]
        opponent = mixed(program, policies(some))
        begin_all(batch, keys, int(some[0]), len(some), playouts, focal)
        alice, bob = (UNIFORM, opponent) if focal == 0 else (opponent, UNIFORM)
        batch, _ = play(batch, len(some) * playouts, alice, bob)
        _mark_all(batch, playouts, focal, program.action_offsets, sums, counts, best[low : low + step])
    return best


@kernel
def _mark_all(
    batch: Batch, playouts: int, focal: int, offsets: IntArray, sums: IntArray, counts: IntArray, best: Array
) -> None:
    """Mark the focal seat's best actions against each opponent, who has a row of `best`."""
    for i in range(len(best)):
        tally_actions(batch, i * playouts, playouts, focal, offsets, sums, counts)
        mark_best(sums, counts, offsets, best[i])


def _measure(game: Play) -> tuple[float]:
    return (opponent_modeling(game.program, visit_shares(game.log, game.program), game.tier, game.seed),)


AXIS = Axis(
    "opponent_modeling",
    "opponent modeling",
    "",
    "how often the best action depends on whom the player faces",
    _measure,
)
