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

import functools
import math

import numpy as np
import numpy.typing as npt

from axes.axis import Axis, Play
from axes.best_response import best_response
from axes.budgets import Tier
from axes.grouping import IntArray, decisions
from axes.playouts import begin_all, payoffs, room_for, visits
from axes.simplex import FloatArray, dirichlet_policies
from engine.kernel import kernel
from engine.machine.chance import key_of, uniform
from engine.machine.policy import UNIFORM, Policy, mixed
from engine.machine.program import Program
from engine.machine.rollout import play, streams
from engine.machine.together import DECISION, MADE, PARENT, SEAT, Batch
from engine.seeding import Domain

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
    swings = [swing(program, level1, tier, seed, focal, room) / sigma for focal in (0, 1)]
    return sum(math.log10(max(FLOOR, value)) for value in swings) / 2


def swing(program: Program, level1: Policy, tier: Tier, seed: int, focal: int, room: Batch | None = None) -> float:
    """The sum over decision types of w_dt * |beta_dt| for one focal seat, in chips."""
    counts = level1_visits(program, level1, tier, seed, focal, room)
    ranked = most_visited(counts, tier.trials)
    if len(ranked) == 0:
        return 0.0
    changes = trial_changes(program, level1, ranked, tier, seed, focal, room)
    return float(np.sum(counts[ranked] / counts.sum() * np.abs(slopes(changes, len(ranked)))))


def level1_visits(
    program: Program, level1: Policy, tier: Tier, seed: int, focal: int, room: Batch | None = None
) -> IntArray:
    """int64[types]: how often the focal seat meets each decision type while it plays L1 against random play."""
    keys = streams(seed, Domain.LEVEL1, focal)
    return visits(program, keys, *_seated(level1, UNIFORM, focal), tier.level1, focal, room)


def most_visited(counts: IntArray, most: int) -> IntArray:
    """int64[<= most]: the decision types that were visited, the most visited ones first, ties by number."""
    ranked = np.argsort(-counts, kind="stable")[:most]
    return ranked[counts[ranked] > 0]


def slopes(changes: FloatArray, types: int) -> FloatArray:
    """float64[types]: beta of each type, from the changes of payoff in all trials.

    changes: float64[trials]. types: how many types were perturbed; trial t perturbed type t modulo `types`.
    """
    if types == 1:
        return np.array([changes.mean()])
    chosen, count = _perturbed(len(changes), types)
    inside, outside = (chosen * changes).sum(axis=2) / count
    return np.asarray(inside - outside, np.float64)


@functools.cache
def _perturbed(trials: int, types: int) -> tuple[npt.NDArray[np.bool_], IntArray]:
    """bool[2, types, trials]: whether a trial perturbs a type, or does not; int64[2, types]: how many of them."""
    perturbed = np.arange(trials) % types == np.arange(types)[:, None]
    chosen = np.stack((perturbed, ~perturbed))
    return chosen, chosen.sum(axis=2)


def trial_changes(
    program: Program,
    level1: Policy,
    ranked: IntArray,
    tier: Tier,
    seed: int,
    focal: int,
    room: Batch | None = None,
) -> FloatArray:
    """float64[trials]: the mean change of the focal seat's payoff. Trial t perturbs type ranked[t % len(ranked)]."""
    opponents = dirichlet_policies(
        decisions(program), tier.dirichlet, key_of(seed, Domain.BRITTLENESS, Domain.BRITTLENESS)
    )
    opponent, each = mixed(program, opponents), tier.dirichlet * tier.dirichlet_playouts  # episodes of a round
    trial = np.arange(tier.trials)
    in_round, types = trial // len(ranked), ranked[trial % len(ranked)]
    trials = np.full((in_round[-1] + 1, len(program.names.decisions)), -1, np.int64)  # that perturbs a type, by round
    trials[in_round, types] = trial

    episodes = len(trials) * each
    batch = room_for(program, tier.trials * each, room)
    keys = streams(seed, Domain.BRITTLENESS, focal)
    begin_all(batch, keys, 0, len(trials) * tier.dirichlet, tier.dirichlet_playouts, focal, tier.dirichlet)
    batch, _ = play(batch, episodes, *_seated(level1, opponent, focal))
    origins, theirs = np.empty(tier.trials * each, np.int64), np.empty(tier.trials * each, np.int64)
    n = _reached(batch, episodes, each, focal, tier.shift, trials, origins, theirs)
    origins, theirs = origins[:n], theirs[:n]
    before = payoffs(batch, episodes, focal)[origins]

    batch.keys[:, :n] = batch.keys[:, origins]
    batch.rows[:, :n] = batch.rows[:, origins]
    batch.rows[focal, :n] = theirs
    perturbed = level1._replace(shift=tier.shift, shifted_by_row=types)
    batch, _ = play(batch, n, *_seated(perturbed, opponent, focal))
    changes = payoffs(batch, n, focal) - before
    return np.bincount(theirs, weights=changes, minlength=tier.trials) / each


@kernel
def _reached(
    base: Batch,
    episodes: int,
    each: int,
    focal: int,
    shift: float,
    trials: IntArray,
    origins: IntArray,
    theirs: IntArray,
) -> int:
    """Write down the trials whose perturbation would change an episode, with the episode; returns how many.

    A decision that comes after i others takes the draws from i * `base.draws` on of its player's stream, and the shift
    happens where the first of them is below its probability (`engine.machine.policy`). trials: int64[rounds, types], -1
    for a type that the round does not perturb; a round has `each` episodes.
    """
    n = 0
    for episode in range(episodes):
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
    return n


def _seated(player: Policy, opponent: Policy, focal: int) -> tuple[Policy, Policy]:
    """Alice's and Bob's policy."""
    return (player, opponent) if focal == 0 else (opponent, player)


def _measure(game: Play) -> tuple[float]:
    level1 = best_response(game.log, game.program)
    return (brittleness(game.program, level1, game.sigma, game.tier, game.seed, game.room),)


AXIS = Axis(
    "brittleness",
    "brittleness",
    "log10 of standard deviations of the payoff",
    "how much a small change of a good policy at one decision type moves payoffs",
    _measure,
)
