"""The traversal that all CFR algorithms on trees share: an iteration over the sequence form, on one thread or several.

An update of a player has three steps.
1. Gains: the payoffs of the own sequences against the opponent's plan, a sparse matrix times a vector.
2. Back, set by set from the last to the first: the algorithm's rule turns the gains of a set's sequences, weighted by
   the reach of everyone else, into regrets and a policy, and the set's value enters the gain of the sequence before it.
3. Forth: the plan of the new policy, which enters the average with the iteration's weight.

Each thread takes whole subtrees of the player's forest of sets, which are consecutive numbers (`solver.tree`), through
all three steps, so what it needs is in its own processor's cache. Of the few sets above them threads share the first
step, and the first thread does the others. Every number is computed from the same terms in the same order for any
number of threads.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from engine.kernel import kernel
from solver import cfr, cfr_plus, dcfr, pcfr_plus
from solver.barrier import wait
from solver.learner import Array, Learner
from solver.sequence_form import Side, fill_gain_rows


class Rule(IntEnum):
    """The algorithms."""

    CFR = 0
    CFR_PLUS = 1
    DCFR = 2
    PCFR_PLUS = 3


_CFR, _CFR_PLUS, _DCFR = int(Rule.CFR), int(Rule.CFR_PLUS), int(Rule.DCFR)


class Shares(NamedTuple):
    """Who does what of one player's update, see `solver.shares`."""

    heavy: Array  # int32[sets above the spans]
    part: Array  # int32[workers + 1] thread w computes the gains of the sets heavy[part[w]] .. heavy[part[w + 1] - 1]
    first: Array  # int32[workers + 1] thread w takes the spans first[w] .. first[w + 1] - 1
    low: Array  # int32[spans] first set of a span: whole subtrees
    high: Array  # int32[spans] the set after its last one
    above: Array  # int32[heavy sets, and roots of subtrees in spans], ascending
    root: Array  # bool[the same] whether it is such a root; those with nothing above them are left out


class Team(NamedTuple):
    """The threads at work."""

    barrier: Array
    workers: int


@kernel
def averaging_weight(rule: int, t: int) -> float:
    """What the plan of iteration t counts in the average."""
    if rule == _CFR:
        return 1.0
    return float(t) if rule == _CFR_PLUS else float(t) * float(t)


@kernel(inline="always")
def _back(side: Side, mine: Learner, i: int, rule: int, above: float) -> float:
    """Update information set i; returns its value under the policy before."""
    low, high = side.start[i], side.start[i + 1]
    regret, policy, gain = mine.regret, mine.policy, mine.gain
    value = 0.0
    for k in range(low, high):
        value += policy[k] * gain[k]
    if rule == _CFR_PLUS:
        cfr_plus.update(regret, policy, gain, low, high, value)
    elif rule == _DCFR:
        dcfr.update(regret, policy, gain, low, high, value, above)
    elif rule == _CFR:
        cfr.update(regret, policy, gain, low, high, value)
    else:
        pcfr_plus.update(regret, policy, gain, low, high, value)
    total = 0.0
    for k in range(low, high):
        total += policy[k]
    for k in range(low, high):
        policy[k] = policy[k] / total if total > 0.0 else 1.0 / (high - low)
    return value


@kernel(inline="always")
def _forth(side: Side, mine: Learner, i: int, rule: int, weight: float) -> None:
    """The plan of information set i, and the average."""
    plan, total = mine.plan, mine.total
    before = plan[side.past[i]]
    for k in range(side.start[i], side.start[i + 1]):
        if rule == _CFR:
            total[k] += weight * plan[k]
            plan[k] = before * mine.policy[k]
        else:
            plan[k] = before * mine.policy[k]
            total[k] += weight * plan[k]


@kernel
def _learn(
    side: Side, mine: Learner, opponent_plan: Array, shares: Shares, worker: int, team: Team, rule: int, above: float
) -> None:
    """Steps 1 and 2."""
    for j in range(shares.part[worker], shares.part[worker + 1]):
        i = shares.heavy[j]
        fill_gain_rows(side, opponent_plan, mine.gain, side.start[i], side.start[i + 1])
    for span in range(shares.first[worker], shares.first[worker + 1]):
        low, high = shares.low[span], shares.high[span]
        inside = side.start[low]
        fill_gain_rows(side, opponent_plan, mine.gain, inside, side.start[high])
        for i in range(high - 1, low - 1, -1):
            value = _back(side, mine, i, rule, above)
            if side.past[i] >= inside:
                mine.gain[side.past[i]] += value
            else:
                mine.value[i] = value
    if len(shares.above) == 0:
        return
    wait(team.barrier, team.workers)
    if worker == 0:
        for j in range(len(shares.above) - 1, -1, -1):
            i = shares.above[j]
            value = mine.value[i] if shares.root[j] else _back(side, mine, i, rule, above)
            mine.gain[side.past[i]] += value


@kernel
def _spread(side: Side, mine: Learner, shares: Shares, worker: int, team: Team, rule: int, weight: float) -> None:
    """Step 3."""
    if len(shares.above) > 0:
        if worker == 0:
            for j in range(len(shares.above)):
                if not shares.root[j]:
                    _forth(side, mine, shares.above[j], rule, weight)
        wait(team.barrier, team.workers)
    for span in range(shares.first[worker], shares.first[worker + 1]):
        for i in range(shares.low[span], shares.high[span]):
            _forth(side, mine, i, rule, weight)
    wait(team.barrier, team.workers)


@kernel
def iterate(
    alice: Side,
    bob: Side,
    first: Learner,
    second: Learner,
    hers: Shares,
    his: Shares,
    worker: int,
    team: Team,
    rule: int,
    start: int,
    stop: int,
) -> None:
    """One thread's part of the iterations start..stop-1, counted from 1."""
    for t in range(start, stop):
        weight = averaging_weight(rule, t)
        above = dcfr.discount(t)
        _learn(alice, first, second.plan, hers, worker, team, rule, above)
        if rule != _CFR:
            _spread(alice, first, hers, worker, team, rule, weight)
        _learn(bob, second, first.plan, his, worker, team, rule, above)
        if rule == _CFR:
            _spread(alice, first, hers, worker, team, rule, weight)
        _spread(bob, second, his, worker, team, rule, weight)
