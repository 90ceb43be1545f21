"""Brittleness (GENSTRAT appendix C, X8): how much a small change of a good policy at one decision type moves payoffs.

    score of a seat = log10(sum over decision types dt of w_dt * |beta_dt| / sigma_U)

1. The focal seat plays L1 (`axes.best_response`). w_dt is the visit share of dt in 1,500 episodes against random play.
2. In each of 20 trials, 3% of the policy's mass at one dt goes to a uniformly random other action. The trial's change
   of payoff is the mean over 15 episodes against each of 10 opponents with Dirichlet(1, ..., 1) policies.
3. beta_dt is the slope of a least-squares line through the trials' changes against the indicator of dt: the mean change
   of dt's trials minus the mean change of all others.

Our reading: the trials take the 20 most visited types, most visited first, ties by number, and start over where there
are fewer; the opponents are the same throughout; the indicator is not divided by the mass shifted; with a single type
there is nothing to compare with, and its beta is the mean change itself. A base and a perturbed episode share every
draw, so they are the same until a shift happens: only episodes in which it does are played again, which changes no
result. Trials go by rounds, in each of which every type is perturbed once: the types of a round share their episodes,
and every round plays others. Sums below the floor are raised to it, so that a game that
nothing moves scores log10 of the floor. The game's score is the mean over seats.
"""

import math

import numpy as np

from axes.axis import Axis, Play
from axes.best_response import best_response
from axes.budgets import Tier
from axes.grouping import FloatArray, IntArray, decisions, pairwise_sum
from axes.playouts import begin_all, payoff_of, room_for, streams_of, visits
from axes.simplex import dirichlet_policies
from engine.kernel import kernel
from engine.machine.chance import key_of, uniform
from engine.machine.policy import UNIFORM, Policy, mixed
from engine.machine.program import Program
from engine.machine.room import play
from engine.machine.together import DECISION, MADE, PARENT, SEAT, Batch
from engine.seeding import Domain

_LEVEL1, _BRITTLENESS = int(Domain.LEVEL1), int(Domain.BRITTLENESS)
FLOOR = 1e-4  # our reading, version 1; far below what a single changed episode amounts to in an ordinary game


def brittleness(
    program: Program, level1: Policy, sigma: float, tier: Tier, seed: int, room: Batch | None = None
) -> float:
    """Brittleness of a game, on the log10 scale.

    level1: the best response to random play, which is the policy that is changed a little. sigma: the standard
    deviation of the payoff, as `axes.grouping.sigma_u` gives it. If it is 0, nothing can move payoffs, and the score is
    that of the floor. room: to play in, if there is some already.
    """
    if sigma == 0.0:
        return math.log10(FLOOR)
    opponent = _opponents(program, tier, seed)
    swings = [swing(program, level1, tier, seed, focal, room, opponent) / sigma for focal in (0, 1)]
    return sum(math.log10(max(FLOOR, value)) for value in swings) / 2


def _opponents(program: Program, tier: Tier, seed: int) -> Policy:
    """The opponents of all trials, who have a row each."""
    key = key_of(seed, Domain.BRITTLENESS, Domain.BRITTLENESS)
    return mixed(program, dirichlet_policies(decisions(program), tier.dirichlet, key))


def swing(
    program: Program,
    level1: Policy,
    tier: Tier,
    seed: int,
    focal: int,
    room: Batch | None = None,
    opponent: Policy | None = None,
) -> float:
    """The sum over decision types of w_dt * |beta_dt| for one focal seat, in chips.

    room, opponent: to play in and against, if they are there already.
    """
    counts = level1_visits(program, level1, tier, seed, focal, room)
    ranked = most_visited(counts, tier.trials)
    if len(ranked) == 0:
        return 0.0
    changes = trial_changes(program, level1, ranked, tier, seed, focal, room, opponent)
    return _weighted(counts, ranked, changes)


@kernel(allocates=True)
def _weighted(counts: IntArray, ranked: IntArray, changes: FloatArray) -> float:
    """As `swing`."""
    return pairwise_sum(counts[ranked] / counts.sum() * np.abs(slopes(changes, len(ranked))))


def level1_visits(
    program: Program, level1: Policy, tier: Tier, seed: int, focal: int, room: Batch | None = None
) -> IntArray:
    """int64[types]: how often the focal seat meets each decision type while it plays L1 against random play."""
    keys = streams_of(seed, _LEVEL1, focal)
    return visits(program, keys, *_seated(level1, UNIFORM, focal), tier.level1, focal, room)


@kernel(allocates=True)
def most_visited(counts: IntArray, most: int) -> IntArray:
    """int64[<= most]: the decision types that were visited, the most visited ones first, ties by number."""
    left, ranked = counts.copy(), np.empty(min(most, len(counts)), np.int64)
    for n in range(len(ranked)):
        ranked[n] = left.argmax()
        if left[ranked[n]] == 0:
            return ranked[:n]
        left[ranked[n]] = 0
    return ranked


@kernel(allocates=True)
def slopes(changes: FloatArray, types: int) -> FloatArray:
    """float64[types]: beta of each type, from the changes of payoff in all trials.

    changes: float64[trials]. types: how many types were perturbed; trial t perturbed type t modulo `types`.
    """
    trials = len(changes)
    if types == 1:
        return np.array([pairwise_sum(changes) / trials])
    betas = np.empty(types)
    for d in range(types):
        own = np.arange(trials) % types == d
        inside = pairwise_sum(np.where(own, changes, 0.0)) / own.sum()
        betas[d] = inside - pairwise_sum(np.where(own, 0.0, changes)) / (trials - own.sum())
    return betas


def trial_changes(
    program: Program,
    level1: Policy,
    ranked: IntArray,
    tier: Tier,
    seed: int,
    focal: int,
    room: Batch | None = None,
    opponent: Policy | None = None,
) -> FloatArray:
    """float64[trials]: the mean change of the focal seat's payoff. Trial t perturbs type ranked[t % len(ranked)]."""
    opponent = _opponents(program, tier, seed) if opponent is None else opponent
    each = tier.dirichlet * tier.dirichlet_playouts  # episodes of a round
    rounds = -(-tier.trials // len(ranked))
    batch = room_for(program, tier.trials * each, room)
    keys = streams_of(seed, _BRITTLENESS, focal)
    begin_all(batch, keys, 0, rounds * tier.dirichlet, tier.dirichlet_playouts, focal, tier.dirichlet)
    batch, _ = play(batch, rounds * each, *_seated(level1, opponent, focal))

    types = ranked[np.arange(tier.trials) % len(ranked)]
    origins, theirs = _reached(batch, each, focal, tier.shift, ranked, tier.trials, len(program.names.decisions))
    before = _begin_again(batch, origins, theirs, focal)
    perturbed = level1._replace(shift=tier.shift, shifted_by_row=types)
    batch, _ = play(batch, len(theirs), *_seated(perturbed, opponent, focal))
    return _changes(batch, before, theirs, focal, tier.trials) / each


@kernel(allocates=True)
def _begin_again(batch: Batch, origins: IntArray, theirs: IntArray, focal: int) -> IntArray:
    """Let the batch be these of its episodes, the focal seat with these rows; returns its payoffs of before, int64."""
    before = np.array([payoff_of(batch, episode, focal) for episode in origins], np.int64)
    for stream in range(len(batch.keys)):
        batch.keys[stream, : len(origins)] = batch.keys[stream][origins]
    batch.rows[1 - focal, : len(origins)] = batch.rows[1 - focal][origins]
    for i in range(len(theirs)):
        batch.rows[focal, i] = theirs[i]
    return before


@kernel(allocates=True)
def _changes(batch: Batch, before: IntArray, theirs: IntArray, focal: int, trials: int) -> IntArray:
    """int64[trials]: by how much the focal seat's payoffs have changed in all episodes of each trial together."""
    changes = np.zeros(trials, np.int64)
    for i in range(len(theirs)):
        changes[theirs[i]] += payoff_of(batch, i, focal) - before[i]
    return changes


@kernel(allocates=True)
def _reached(
    base: Batch, each: int, focal: int, shift: float, ranked: IntArray, number: int, types: int
) -> tuple[IntArray, IntArray]:
    """int64[n] twice: episodes that the perturbation of a trial would change, and these trials.

    A decision that comes after i others takes the draws from i * `base.draws` on of its player's stream, and the shift
    happens where the first of them is below its probability (`engine.machine.policy`). each: episodes of a round.
    number: of trials.
    """
    rounds = -(-number // len(ranked))
    trials = np.full((rounds, types), -1, np.int64)  # which trial of a round perturbs a type
    for trial in range(number):
        trials[trial // len(ranked), ranked[trial % len(ranked)]] = trial
    origins, theirs = np.empty(number * each, np.int64), np.empty(number * each, np.int64)
    n = 0
    for episode in range(rounds * each):
        end, first = base.ends[base.end[episode]], n
        key, made, place = base.keys[focal, episode], end[MADE], end[PARENT]
        while place >= 0:
            here = base.places[place]
            made -= 1
            if here[SEAT] == focal and uniform(key, base.draws * made) < shift:
                trial = trials[episode // each, here[DECISION]]
                known = trial < 0
                for i in range(first, n):
                    known |= theirs[i] == trial
                if not known:
                    origins[n], theirs[n] = episode, trial
                    n += 1
            place = here[PARENT]
    return origins[:n], theirs[:n]


def _seated(player: Policy, opponent: Policy, focal: int) -> tuple[Policy, Policy]:
    """Alice's and Bob's policy."""
    return (player, opponent) if focal == 0 else (opponent, player)


def _measure(game: Play) -> tuple[float]:
    level1 = best_response(game.log, game.program, game.gathered)
    return (brittleness(game.program, level1, game.sigma, game.tier, game.seed, game.room),)


AXIS = Axis(
    "brittleness",
    "brittleness",
    "log10 of standard deviations of the payoff",
    "how much a small change of a good policy at one decision type moves payoffs",
    _measure,
)
