"""Brittleness (GENSTRAT appendix C, X8): the effect on payoffs of a small change of a good policy at one decision type.

    score of a seat = log10(sum over decision types dt of w_dt * |beta_dt| / sigma_U)

1. The focal seat plays L1 (`antemill.axes.best_response`). w_dt is the visit share of dt in 1,500 episodes against
   random play.
2. In each of 20 trials, 3% of the policy's mass at one dt goes to a uniformly random other action. The trial's change
   of payoff is the mean over 15 episodes against each of 10 opponents with Dirichlet(1, ..., 1) policies.
3. beta_dt is the slope of a least-squares line through the trials' changes against the indicator of dt: the mean change
   of dt's trials minus the mean change of all others.

Our reading: the trials take the 20 most visited types in turn, most visited first, ties by number, and start over if
there are fewer. The opponents are the same for all trials. The indicator is not divided by the shifted mass. A single
type has no other to compare with, so its beta is the mean change itself. A base and a perturbed episode share every
draw, so they are equal until a shift happens: only episodes with a shift are played again, which changes no result.
Each round of trials perturbs every type once; the types of a round share their episodes, and every round has new ones.
Sums below the floor are raised to it, so a game whose payoffs no perturbation changes scores log10 of the floor. The
game's score is the mean over seats.
"""

import math
from typing import NamedTuple

import numpy as np

from antemill.axes.axis import Axis, Play
from antemill.axes.best_response import best_response
from antemill.axes.budgets import Tier
from antemill.axes.grouping import Decisions, FloatArray, IntArray, decisions, pairwise_sum
from antemill.axes.playouts import batch_in, begin_all, payoff_of, streams_of, visits, walk_against
from antemill.axes.simplex import dirichlet_policies
from antemill.engine.kernel import kernel
from antemill.engine.machine.batch import BATCH, larger
from antemill.engine.machine.chance import root, subkey, uniform
from antemill.engine.machine.policy import UNIFORM, Policy, PolicyKind, shifted_by, with_weights
from antemill.engine.machine.program import Program
from antemill.engine.machine.together import DECISION, MADE, PARENT, SEAT, Batch
from antemill.engine.machine.words import unsigned
from antemill.engine.seeding import Domain

_TABLE = PolicyKind.TABLE.value
_LEVEL1, _BRITTLENESS = int(Domain.LEVEL1), int(Domain.BRITTLENESS)
FLOOR = 1e-4  # our reading, version 1; far below the effect of a single changed episode in an ordinary game


def brittleness(
    program: Program, level1: Policy, sigma: float, tier: Tier, seed: int, batch: Batch | None = None
) -> float:
    """Brittleness of a game, on the log10 scale.

    level1: the best response to random play, which is perturbed. sigma: the standard deviation of the payoff, from
    `antemill.axes.grouping.sigma_u`. If it is 0, payoffs cannot change, and the score is that of the floor. batch: a
    batch to play in; None makes one.
    """
    if sigma == 0.0:
        return math.log10(FLOOR)
    swings = swing(program, level1, tier, seed, batch)
    return sum(math.log10(max(FLOOR, value / sigma)) for value in swings) / 2


def swing(program: Program, level1: Policy, tier: Tier, seed: int, batch: Batch | None = None) -> tuple[float, float]:
    """The sum over decision types of w_dt * |beta_dt| for each focal seat, in chips; arguments as in `brittleness`."""
    plan, types = plan_of(tier), decisions(program)
    batch = batch_in(program, max(min(tier.level1, BATCH), tier.trials * plan.each), batch, blind=level1.kind != _TABLE)
    while (found := _swings(batch, level1, UNIFORM, types, plan, seed))[0] < 0.0:
        batch = larger(batch)
    return found


class Plan(NamedTuple):
    """A tier's budgets for kernels."""

    level1: int  # episodes, for w_dt
    trials: int
    shift: float
    opponents: int
    playouts: int  # against each of them in a round
    each: int  # episodes of a round


def plan_of(tier: Tier) -> Plan:
    """The part of a tier for brittleness."""
    opponents, playouts = tier.dirichlet, tier.dirichlet_playouts
    return Plan(tier.level1, tier.trials, tier.shift, opponents, playouts, opponents * playouts)


@kernel(allocates=True)
def _swings(
    batch: Batch, level1: Policy, uniform: Policy, types: Decisions, plan: Plan, seed: int
) -> tuple[float, float]:
    """As `swing`; -1 twice if the batch is too small."""
    opponent = opponents_of(types, level1, plan.opponents, seed)
    number, swings, changes = len(types.seats), np.zeros(2), np.empty(plan.trials)
    for focal in range(2):
        counts = np.zeros(number, np.int64)
        if not level1_visits(batch, level1, uniform, plan, seed, focal, counts):
            return -1.0, -1.0
        ranked = most_visited(counts, plan.trials)
        if len(ranked) > 0:
            if not trial_changes(batch, level1, opponent, ranked, plan, number, seed, focal, changes):
                return -1.0, -1.0
            swings[focal] = _weighted(counts, ranked, changes)
    return swings[0], swings[1]


@kernel(allocates=True)
def opponents_of(types: Decisions, level1: Policy, count: int, seed: int) -> Policy:
    """The opponents of all trials, one row each. level1: a policy for the same game."""
    key = subkey(subkey(root(seed), _BRITTLENESS), _BRITTLENESS)
    return with_weights(level1, dirichlet_policies(types, count, key), types.offsets)


@kernel(inline="always")
def level1_visits(
    batch: Batch, level1: Policy, uniform: Policy, plan: Plan, seed: int, focal: int, counts: IntArray
) -> bool:
    """Count how often the focal seat meets each decision type while it plays L1 against random play.

    counts: int64[types], added to. Returns whether the batch was large enough.
    """
    return visits(batch, streams_of(seed, _LEVEL1, focal), level1, uniform, plan.level1, focal, counts)


@kernel(allocates=True)
def _weighted(counts: IntArray, ranked: IntArray, changes: FloatArray) -> float:
    """As `swing`."""
    terms, all_visits = slopes(changes, len(ranked)), 0
    for d in range(len(counts)):
        all_visits += counts[d]
    for i in range(len(terms)):
        terms[i] = counts[ranked[i]] / all_visits * abs(terms[i])
    return pairwise_sum(terms)


@kernel(allocates=True)
def most_visited(counts: IntArray, most: int) -> IntArray:
    """int64[<= most]: the visited decision types, the most visited first, ties by number."""
    left, ranked = counts.copy(), np.empty(min(most, len(counts)), np.int64)
    for n in range(len(ranked)):
        first = 0
        for d in range(1, len(left)):
            if left[d] > left[first]:
                first = d
        if left[first] == 0:
            return ranked[:n]
        ranked[n], left[first] = first, 0
    return ranked


@kernel(allocates=True)
def slopes(changes: FloatArray, types: int) -> FloatArray:
    """float64[types]: beta of each type, from the changes of payoff in all trials.

    changes: float64[trials]. types: number of perturbed types; trial t perturbed type t modulo `types`.
    """
    trials, betas = len(changes), np.empty(types)
    if types == 1:
        betas[0] = pairwise_sum(changes) / trials
        return betas
    own, others = np.empty(trials), np.empty(trials)
    for d in range(types):
        n = 0
        for t in range(trials):
            inside = t % types == d
            own[t], others[t] = (changes[t], 0.0) if inside else (0.0, changes[t])
            n += inside
        betas[d] = pairwise_sum(own) / n - pairwise_sum(others) / (trials - n)
    return betas


@kernel(inline="always", allocates=True)
def trial_changes(
    batch: Batch,
    level1: Policy,
    opponent: Policy,
    ranked: IntArray,
    plan: Plan,
    types: int,
    seed: int,
    focal: int,
    changes: FloatArray,
) -> bool:
    """Write the mean change of the focal seat's payoff in each trial; returns whether the batch was large enough.

    Trial t perturbs type ranked[t % len(ranked)]. types: decision types of the game. changes: float64[trials].
    """
    rounds = -(-plan.trials // len(ranked))
    keys = streams_of(seed, _BRITTLENESS, focal)
    begin_all(batch, keys, 0, rounds * plan.opponents, plan.playouts, focal, plan.opponents)
    if walk_against(batch, rounds * plan.each, level1, opponent, focal) < 0:
        return False
    origins, theirs = _reached(batch, plan, focal, ranked, types)
    before = _begin_again(batch, origins, theirs, focal)
    perturbed = np.empty(plan.trials, np.int64)
    for trial in range(plan.trials):
        perturbed[trial] = ranked[trial % len(ranked)]
    if walk_against(batch, len(theirs), shifted_by(level1, plan.shift, perturbed), opponent, focal) < 0:
        return False
    changed = _changes(batch, before, theirs, focal, plan.trials)
    for trial in range(plan.trials):
        changes[trial] = changed[trial] / plan.each
    return True


@kernel(allocates=True)
def _begin_again(batch: Batch, origins: IntArray, theirs: IntArray, focal: int) -> IntArray:
    """Replace the batch by some of its episodes, with these rows for the focal seat. Returns their earlier payoffs."""
    n = len(origins)
    before, found = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        before[i] = payoff_of(batch, origins[i], focal)
    for stream in range(len(batch.keys)):
        for i in range(n):  # all are read before the first is written: an episode may occur several times
            found[i] = batch.keys[stream, origins[i]]
        for i in range(n):
            batch.keys[stream, i] = found[i]
    for i in range(n):
        found[i] = batch.rows[1 - focal, origins[i]]
    for i in range(n):
        batch.rows[1 - focal, i] = found[i]
        batch.rows[focal, i] = theirs[i]
    return before


@kernel(allocates=True)
def _changes(batch: Batch, before: IntArray, theirs: IntArray, focal: int, trials: int) -> IntArray:
    """int64[trials]: the change of the focal seat's payoffs, summed over the episodes of each trial."""
    changes = np.zeros(trials, np.int64)
    for i in range(len(theirs)):
        changes[theirs[i]] += payoff_of(batch, i, focal) - before[i]
    return changes


@kernel(allocates=True)
def _reached(base: Batch, plan: Plan, focal: int, ranked: IntArray, types: int) -> tuple[IntArray, IntArray]:
    """int64[n] twice: episodes that the perturbation of a trial would change, and these trials.

    A decision after i others uses the draws from i * `base.draws` on of its player's stream. The shift happens if the
    first of them is below its probability (`antemill.engine.machine.policy`).
    """
    number, each = plan.trials, plan.each
    rounds = -(-number // len(ranked))
    trials = np.empty((rounds, types), np.int64)  # the trial of a round that perturbs a type
    trials[:] = -1
    for trial in range(number):
        trials[trial // len(ranked), ranked[trial % len(ranked)]] = trial
    origins, theirs = np.empty(number * each, np.int64), np.empty(number * each, np.int64)
    n = 0
    for episode in range(rounds * each):
        end, first = base.ends[unsigned(base.end[episode])], n
        key, made, place = base.keys[focal, episode], end[MADE], end[PARENT]
        while place >= 0:
            here = base.places[unsigned(place)]
            made -= 1
            if here[SEAT] == focal and uniform(key, base.draws * made) < plan.shift:
                trial = trials[episode // each, here[DECISION]]
                known = trial < 0
                for i in range(first, n):
                    known |= theirs[i] == trial
                if not known:
                    origins[n], theirs[n] = episode, trial
                    n += 1
            place = here[PARENT]
    return origins[:n], theirs[:n]


def _measure(game: Play) -> tuple[float]:
    level1 = best_response(game.log, game.program, game.gathered)
    return (brittleness(game.program, level1, game.sigma, game.tier, game.seed, game.batch),)


AXIS = Axis(
    "brittleness",
    "brittleness",
    "log10 of standard deviations of the payoff",
    "how much a small change of a good policy at one decision type moves payoffs",
    _measure,
    plays=True,
)
