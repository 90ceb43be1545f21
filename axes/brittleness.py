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
result. Trials that repeat a type play other episodes. Sums below the floor are raised to it, so that a game that
nothing moves scores log10 of the floor. The game's score is the mean over seats.
"""

import math

import numpy as np

from axes.axis import Axis, Play
from axes.best_response import best_response
from axes.budgets import Tier
from axes.grouping import IntArray, decisions
from axes.playouts import Machine, mixed_row, substreams, visits, with_machine
from axes.risk import sigma_u
from axes.simplex import FloatArray, dirichlet_policies
from engine.kernel import kernel
from engine.machine.chance import key_of, subkey, uniform
from engine.machine.policy import UNIFORM, Policy
from engine.machine.program import Program
from engine.machine.rollout import Log, Streams, payoff, play, streams
from engine.seeding import Domain

FLOOR = 1e-4  # our reading, version 1; far below what a single changed episode amounts to in an ordinary game


def brittleness(program: Program, level1: Policy, sigma: float, tier: Tier, seed: int) -> float:
    """Brittleness of a game, on the log10 scale.

    level1: the best response to random play, which is the policy that is changed a little. sigma: the standard
    deviation of the payoff, as `axes.risk.sigma_u` gives it. If it is 0, nothing can move payoffs, and the score is
    that of the floor.
    """
    if sigma == 0.0:
        return math.log10(FLOOR)
    swings = [swing(program, level1, tier, seed, focal) / sigma for focal in (0, 1)]
    return sum(math.log10(max(FLOOR, value)) for value in swings) / 2


def swing(program: Program, level1: Policy, tier: Tier, seed: int, focal: int) -> float:
    """The sum over decision types of w_dt * |beta_dt| for one focal seat, in chips."""
    counts = level1_visits(program, level1, tier, seed, focal)
    ranked = most_visited(counts, tier.trials)
    if len(ranked) == 0:
        return 0.0
    changes = trial_changes(program, level1, ranked, tier, seed, focal)
    return float(np.sum(counts[ranked] / counts.sum() * np.abs(slopes(changes, len(ranked)))))


def level1_visits(program: Program, level1: Policy, tier: Tier, seed: int, focal: int) -> IntArray:
    """int64[types]: how often the focal seat meets each decision type while it plays L1 against random play."""
    keys = streams(seed, Domain.LEVEL1, focal)
    alice, bob = (level1, UNIFORM) if focal == 0 else (UNIFORM, level1)
    return visits(program, keys, alice, bob, tier.level1, focal)


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
    perturbed = np.arange(len(changes)) % types == np.arange(types)[:, None]
    inside = (perturbed * changes).sum(axis=1) / perturbed.sum(axis=1)
    outside = (~perturbed * changes).sum(axis=1) / (~perturbed).sum(axis=1)
    return np.asarray(inside - outside, np.float64)


def trial_changes(program: Program, level1: Policy, ranked: IntArray, tier: Tier, seed: int, focal: int) -> FloatArray:
    """float64[trials]: the mean change of the focal seat's payoff. Trial t perturbs type ranked[t % len(ranked)]."""
    types = decisions(program)
    opponents = dirichlet_policies(types, tier.dirichlet, key_of(seed, Domain.BRITTLENESS, Domain.BRITTLENESS))
    keys = streams(seed, Domain.BRITTLENESS, focal)
    changes, queue = np.zeros(tier.trials), np.zeros(len(ranked), np.int64)
    with_machine(
        program,
        lambda machine: _trials(
            machine,
            keys,
            level1,
            UNIFORM,
            opponents,
            focal,
            tier.dirichlet_playouts,
            ranked,
            tier.shift,
            queue,
            changes,
        ),
    )
    return changes / (tier.dirichlet * tier.dirichlet_playouts)


@kernel
def _perturbed(policy: Policy, decision: int, shift: float) -> Policy:
    """The greedy policy with a share `shift` of its mass at one decision type moved to the other actions.

    decision: the number of the type; -1 leaves the policy as it is.
    """
    return Policy(
        policy.kind, policy.weights, policy.offsets, policy.keys, policy.values, policy.fallback, policy.key_kind,
        decision, shift,
    )  # fmt: skip


@kernel
def _trials(
    machine: Machine,
    keys: Streams,
    level1: Policy,
    random: Policy,
    opponents: FloatArray,
    focal: int,
    episodes: int,
    ranked: IntArray,
    shift: float,
    queue: IntArray,
    changes: FloatArray,
) -> bool:
    """Write to `changes` how much the payoffs of each trial's episodes change in sum.

    The trials go by rounds, in each of which every type of `ranked` is perturbed once: round c begins with trial
    c * len(ranked). A round plays the same episodes for all of its types. Against opponent o they draw from the
    substream c * len(opponents) + o of `keys`. queue: scratch, int64[len(ranked)]. Returns False, with `changes` not
    complete, if an episode does not fit into the machine's log.
    """
    changes[:] = 0.0
    state, log = machine.state, machine.log
    for first in range(0, len(changes), len(ranked)):
        types = ranked[: len(changes) - first]
        for o in range(len(opponents)):
            opponent = mixed_row(opponents, o, machine.offsets, random)
            own = substreams(keys, first // len(ranked) * len(opponents) + o)
            for episode in range(episodes):
                base, queued, place = 0, 0, -1
                while place < queued:  # the base episode, then one for every type that a shift would reach
                    decision = types[queue[place]] if place >= 0 else -1
                    player = _perturbed(level1, decision, shift)
                    alice, bob = (player, opponent) if focal == 0 else (opponent, player)
                    rows = play(machine.code, machine.initial, state, own, episode, alice, bob, log, 0)
                    if rows < 0:
                        return False
                    utility = payoff(state) if focal == 0 else -payoff(state)
                    if place < 0:
                        base = utility
                        key = subkey(own.alice if focal == 0 else own.bob, episode)
                        queued = _shifted_types(log, rows, focal, key, shift, types, queue)
                    else:
                        changes[first + queue[place]] += utility - base
                    place += 1
    return True


@kernel
def _shifted_types(log: Log, rows: int, focal: int, key: int, shift: float, types: IntArray, queue: IntArray) -> int:
    """Write to `queue` the places in `types` whose perturbation would change this episode, and return how many.

    A decision in row r of an episode takes the draws 2 r and 2 r + 1 of its player's stream
    (`engine.machine.rollout.play`), and the shift happens where the first of them is below its probability
    (`engine.machine.policy`).
    """
    queued = 0
    for row in range(rows):
        if log.seat[row] == focal and uniform(key, 2 * row) < shift:
            for place in range(len(types)):
                if types[place] == log.decision[row]:
                    known = False
                    for i in range(queued):
                        known |= queue[i] == place
                    if not known:
                        queue[queued] = place
                        queued += 1
    return queued


def _measure(play: Play) -> tuple[float]:
    level1 = best_response(play.log, play.program)
    return (brittleness(play.program, level1, sigma_u(play.log), play.tier, play.seed),)


AXIS = Axis(
    "brittleness",
    "brittleness",
    "log10 of standard deviations of the payoff",
    "how much a small change of a good policy at one decision type moves payoffs",
    _measure,
)
