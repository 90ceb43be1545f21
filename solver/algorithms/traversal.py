"""An iteration of the CFR family over the sequence form, on one thread or several.

An update of a player has three steps.

1. The payoffs of the player's sequences against the opponent's realization plan: a sparse matrix times a vector.
2. Set by set, from the last one to the first: the payoffs become counterfactual values, those of a set's sequences
   become regrets and a new policy by the algorithm's rule (`rules`), and the set's value under the old policy is added
   to the counterfactual value of its parent sequence. The set's own values are free then: if another thread owns the
   parent, the first of them holds the value until that thread reads it.
3. Set by set, from the first one to the last: the realization plan of the new policy, which enters the average by the
   rule.

Each thread takes its spans of sets, which are whole subtrees (`partition`), through all three steps, so its data stay
in its processor's cache. The threads share step 1 of the few sets above the spans, and the first thread does the other
steps there. For any number of threads every number is computed from the same terms in the same order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from antemill.engine.kernel import kernel
from antemill.solver.algorithms.barrier import wait
from antemill.solver.algorithms.learner import Learner
from antemill.solver.algorithms.partition import Partition
from antemill.solver.algorithms.rules import discount, fading, update
from antemill.solver.algorithms.table import Rule
from antemill.solver.game import Array
from antemill.solver.trees.sequence_form import Side, fill_immediate_rows


class Team(NamedTuple):
    """The worker threads of an iteration."""

    barrier: Array
    workers: int


@kernel(inline="always")
def _update_set(side: Side, learner: Learner, i: int, rule: Rule, discounted: float) -> float:
    """Step 2 for information set i: update its policy; returns its value under the old policy, in the stored
    precision."""
    low, high = side.start[i], side.start[i + 1]
    regret, policy, counterfactual = learner.regret, learner.policy, learner.counterfactual
    value = 0.0
    for k in range(low, high):
        value += policy[k] * counterfactual[k]
    update(rule, regret, policy, counterfactual, low, high, value, discounted)
    total = 0.0
    for k in range(low, high):
        total += policy[k]
    for k in range(low, high):
        policy[k] = policy[k] / total if total > 0.0 else 1.0 / (high - low)
    return float(counterfactual.dtype.type(value))


@kernel(inline="always")
def _average_set(side: Side, learner: Learner, i: int, rule: Rule, faded: float) -> None:
    """Step 3 for information set i: its part of the realization plan, and of the average."""
    realization, total = learner.realization, learner.total
    before = realization[side.parent_sequence[i]]
    for k in range(side.start[i], side.start[i + 1]):
        if rule.simultaneous:
            total[k] = total[k] * faded + realization[k]
            realization[k] = before * learner.policy[k]
        else:
            realization[k] = before * learner.policy[k]
            total[k] = learner.policy[k] if math.isinf(rule.averaging) else total[k] * faded + realization[k]


@kernel
def _update_policy(
    side: Side,
    learner: Learner,
    opponent_realization: Array,
    partition: Partition,
    worker: int,
    team: Team,
    rule: Rule,
    discounted: float,
) -> None:
    """One thread's part of steps 1 and 2."""
    counterfactual = learner.counterfactual
    for j in range(partition.upper_start[worker], partition.upper_start[worker + 1]):
        i = partition.upper[j]
        fill_immediate_rows(side, opponent_realization, counterfactual, side.start[i], side.start[i + 1])
    for span in range(partition.span_start[worker], partition.span_start[worker + 1]):
        low, high = partition.span_low[span], partition.span_high[span]
        inside = side.start[low]
        fill_immediate_rows(side, opponent_realization, counterfactual, inside, side.start[high])
        for i in range(high - 1, low - 1, -1):
            value = _update_set(side, learner, i, rule, discounted)
            if side.parent_sequence[i] >= inside:
                counterfactual[side.parent_sequence[i]] += value
            else:
                counterfactual[side.start[i]] = value
    if len(partition.top) == 0:
        return
    wait(team.barrier, team.workers)
    if worker == 0:
        for j in range(len(partition.top) - 1, -1, -1):
            i = partition.top[j]
            is_root = partition.is_root[j]
            value = counterfactual[side.start[i]] if is_root else _update_set(side, learner, i, rule, discounted)
            if side.parent_sequence[i] > 0:  # the empty sequence needs no value, and its entry in the plan is 1
                counterfactual[side.parent_sequence[i]] += value


@kernel
def _average_plan(
    side: Side, learner: Learner, partition: Partition, worker: int, team: Team, rule: Rule, faded: float
) -> None:
    """One thread's part of step 3."""
    if len(partition.top) > 0:
        if worker == 0:
            for j in range(len(partition.top)):
                if not partition.is_root[j]:
                    _average_set(side, learner, partition.top[j], rule, faded)
        wait(team.barrier, team.workers)
    for span in range(partition.span_start[worker], partition.span_start[worker + 1]):
        for i in range(partition.span_low[span], partition.span_high[span]):
            _average_set(side, learner, i, rule, faded)
    wait(team.barrier, team.workers)


@kernel
def iterate(
    alice_side: Side,
    bob_side: Side,
    alice: Learner,
    bob: Learner,
    alice_partition: Partition,
    bob_partition: Partition,
    worker: int,
    team: Team,
    rule: Rule,
    start: int,
    stop: int,
) -> None:
    """One thread's part of the iterations start..stop-1, counted from 1."""
    for t in range(start, stop):
        faded = fading(rule, t)
        discounted = discount(rule, t)
        _update_policy(alice_side, alice, bob.realization, alice_partition, worker, team, rule, discounted)
        if not rule.simultaneous:
            _average_plan(alice_side, alice, alice_partition, worker, team, rule, faded)
        _update_policy(bob_side, bob, alice.realization, bob_partition, worker, team, rule, discounted)
        if rule.simultaneous:
            wait(team.barrier, team.workers)  # other threads may still be reading Alice's plan
            _average_plan(alice_side, alice, alice_partition, worker, team, rule, faded)
        _average_plan(bob_side, bob, bob_partition, worker, team, rule, faded)
