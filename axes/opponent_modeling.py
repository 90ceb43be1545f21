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

from axes.budgets import Tier
from axes.grouping import Array, Decisions, IntArray, decisions, mark_best
from axes.playouts import Machine, count_batch, mixed_row, substreams, with_machine
from axes.simplex import FloatArray, sobol_policies
from engine.chance import key_of
from engine.kernel import kernel
from engine.policy import UNIFORM, Policy
from engine.program import Program
from engine.rollout import Log, Streams, streams
from engine.streams import Domain

NEW_SHARE = 0.35  # share of the Sobol point in a second-pass opponent


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
    first = tier.opponents
    policies = sobol_policies(types, 1 - focal, first + tier.focused, points)
    best = _sweep(program, keys, policies[:first], 0, tier.playouts, focal)
    if tier.focused == 0:
        return best
    weights = instability(best, types.offsets, shares)
    if weights.sum() > 0.0:
        parents = policies[systematic(weights, tier.focused)]
        policies[first:] = (1.0 - NEW_SHARE) * parents + NEW_SHARE * policies[first:]
    more = _sweep(program, keys, policies[first:], first, tier.playouts, focal)
    return np.concatenate((best, more))


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


def _sweep(program: Program, keys: Streams, policies: FloatArray, first: int, playouts: int, focal: int) -> Array:
    """Play against each policy; as `best_actions`. first: the number of the first policy, which names its streams."""
    best = np.zeros(policies.shape, np.uint8)
    sums, counts = np.zeros(policies.shape[1], np.int64), np.zeros(policies.shape[1], np.int64)
    with_machine(
        program, lambda machine: _play_all(machine, keys, UNIFORM, policies, first, playouts, focal, sums, counts, best)
    )
    return best


@kernel
def _play_all(
    machine: Machine,
    keys: Streams,
    uniform: Policy,
    policies: FloatArray,
    first: int,
    playouts: int,
    focal: int,
    sums: IntArray,
    counts: IntArray,
    best: Array,
) -> bool:
    """The focal seat's best actions against every policy; False if an episode does not fit into the machine's log."""
    for i in range(len(policies)):
        opponent = mixed_row(policies, i, machine.offsets, uniform)
        own = substreams(keys, first + i)
        alice, bob = (uniform, opponent) if focal == 0 else (opponent, uniform)
        if not count_batch(machine, own, alice, bob, playouts, focal, sums, counts):
            return False
        mark_best(sums, counts, machine.offsets, best[i])
    return True
