"""Iterations of the CFR family over the sequence form: each player's regrets, current policy and average, per sequence.

An update of a player has three steps.

1. The payoffs of the player's sequences against the opponent's realization plan: a sparse matrix times a vector.
2. Set by set, from the last one to the first: the payoffs become counterfactual values, those of a set's sequences
   become regrets and a new policy by the algorithm's rule (`rules`), and the set's value under the old policy is added
   to the counterfactual value of its parent sequence.
3. Set by set, from the first one to the last: the realization plan of the new policy, which enters the average by the
   rule.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.solver.algorithms.rules import discount, fading, update
from antemill.solver.algorithms.table import Rule
from antemill.solver.evaluation.measures import average_exploitability
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.sequence_form import (
    Side,
    Sides,
    fill_immediate_rows,
    fill_policy,
    fill_realization_plan,
    uniform_policy,
)


class Learner(NamedTuple):
    """One player's state, in float64.

    Entry 0 of each array belongs to the empty sequence. With alternating updates a player's old realization plan is not
    needed during the update, so the plan and the counterfactual values share one array.
    """

    regret: Array  # [sequences]
    policy: Array  # [sequences] the current one
    realization: Array  # [sequences] the realization plan of the current policy
    total: Array  # [sequences] weighted sum of realization plans; without an average the last policy
    counterfactual: Array  # [sequences] workspace of an update: the counterfactual value of each sequence


@kernel(inline="always")
def _update_set(side: Side, learner: Learner, i: int, rule: Rule, discounted: float) -> float:
    """Step 2 for information set i: update its policy; returns its value under the old policy."""
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
    return value


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
def _update_policy(side: Side, learner: Learner, opponent_realization: Array, rule: Rule, discounted: float) -> None:
    """Steps 1 and 2."""
    counterfactual = learner.counterfactual
    fill_immediate_rows(side, opponent_realization, counterfactual, 1, len(counterfactual))
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        value = _update_set(side, learner, i, rule, discounted)
        if side.parent_sequence[i] > 0:  # the empty sequence needs no value, and its entry in the plan is 1
            counterfactual[side.parent_sequence[i]] += value


@kernel
def _average_plan(side: Side, learner: Learner, rule: Rule, faded: float) -> None:
    """Step 3."""
    for i in range(len(side.parent_sequence)):
        _average_set(side, learner, i, rule, faded)


@kernel
def _iterate(alice_side: Side, bob_side: Side, alice: Learner, bob: Learner, rule: Rule, start: int, stop: int) -> None:
    """Make the iterations start..stop-1, counted from 1."""
    for t in range(start, stop):
        faded, discounted = fading(rule, t), discount(rule, t)
        _update_policy(alice_side, alice, bob.realization, rule, discounted)
        if not rule.simultaneous:
            _average_plan(alice_side, alice, rule, faded)
        _update_policy(bob_side, bob, alice.realization, rule, discounted)
        if rule.simultaneous:
            _average_plan(alice_side, alice, rule, faded)
        _average_plan(bob_side, bob, rule, faded)


class Iterations:
    """The learners of a game, and how many iterations of a rule they have made. Both begin with uniform play."""

    def __init__(self, both: Sides, rule: Rule) -> None:
        self.both, self.done = both, 0
        self._rule, self._lent = rule, False  # whether the buffer of the plans may hold something else
        self._workspace = np.empty(sum(side.sequences for side in both))
        plans = np.split(self._workspace, [both[0].sequences])
        alice, bob = (_learner(side, plan, rule) for side, plan in zip(both, plans, strict=True))
        self.learners = alice, bob
        self._fill_plans()

    def advance(self, iterations: int) -> None:
        """Make this many more iterations. After an exception the state of the learners is invalid."""
        if self._lent:
            self._fill_plans()
            self._lent = False
        _iterate(*self.both, *self.learners, self._rule, self.done + 1, self.done + iterations + 1)
        self.done += iterations

    def _fill_plans(self) -> None:
        for side, learner in zip(self.both, self.learners, strict=True):
            fill_realization_plan(side, learner.policy, learner.realization)

    def average(self) -> StrategyProfile:
        """The average policies, in new arrays."""
        return average_policy(self.both, self.totals())

    def totals(self) -> tuple[Array, Array]:
        """The sums of plans behind the average policies; further iterations change them."""
        return self.learners[0].total, self.learners[1].total

    def exploitability(self) -> float:
        """The exploitability of the average policies, in chips, in the memory that there is."""
        self._lent = True
        return average_exploitability(self.both, self.totals(), self._workspace)


def _learner(side: Side, plan: Array, rule: Rule) -> Learner:
    """A learner that plays uniformly, with an empty average. plan: the buffer for its plan."""
    regret, total = np.zeros(side.sequences), np.zeros(side.sequences)
    return Learner(regret, uniform_policy(side), plan, total, np.empty_like(plan) if rule.simultaneous else plan)


def average_policy(both: Sides, totals: tuple[Array, Array]) -> StrategyProfile:
    """The average policies of sums of plans, in new arrays; uniform in information sets that no plan has reached."""
    found = np.empty(both[0].sequences), np.empty(both[1].sequences)
    for side, total, policy in zip(both, totals, found, strict=True):
        fill_policy(side, total, policy)
    return found
