"""The CFR family as its papers write it: walks over the tree's nodes, one after the other, nothing shared."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile

Pair = tuple[Array, Array]


def _pair(tree: ExtensiveForm) -> Pair:
    return np.zeros(tree.sets[ALICE].sequences), np.zeros(tree.sets[BOB].sequences)


def _match(tree: ExtensiveForm, seat: int, weights: Array) -> Array:
    """Probabilities in proportion to the weights above 0."""
    policy = np.ones(len(weights))
    for low, high in pairwise(tree.sets[seat].start):
        above = np.maximum(weights[low:high], 0.0)
        policy[low:high] = above / above.sum() if above.sum() > 0 else 1 / (high - low)
    return policy


def _plan(tree: ExtensiveForm, seat: int, policy: Array) -> Array:
    realization = policy.copy()
    for parent_sequence, (low, high) in zip(
        tree.sets[seat].parent_sequence, pairwise(tree.sets[seat].start), strict=True
    ):
        realization[low:high] *= realization[parent_sequence]
    return realization


def _regrets(tree: ExtensiveForm, seat: int, policies: Pair) -> Array:
    """The instantaneous counterfactual regrets of `seat`."""
    change = np.zeros(tree.sets[seat].sequences)

    def walk(node: int, others: float) -> float:
        """The payoff of `seat`; `others` is everyone else's reach."""
        player = int(tree.player[node])
        children = tree.first[node] + np.arange(tree.width[node])
        if player == END:
            return float(tree.payoff[node] * (1 - 2 * seat))
        if player == NATURE:
            odds = tree.weight[children] / tree.weight[children].sum()
        else:
            low = int(tree.sets[player].start[tree.information_set[node]])
            odds = policies[player][low : low + len(children)]
        reach = [others if player == seat else others * p for p in odds]
        values = np.array([walk(int(child), r) for child, r in zip(children, reach, strict=True)])
        value = float(np.dot(odds, values))
        if player == seat:
            change[low : low + len(children)] += others * (values - value)
        return value

    walk(0, 1.0)
    return change


def _averages(tree: ExtensiveForm, totals: Pair) -> StrategyProfile:
    return _match(tree, ALICE, totals[ALICE]), _match(tree, BOB, totals[BOB])


def cfr(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """Both players update at once; the policies that they update against are averaged uniformly."""
    regrets, totals = _pair(tree), _pair(tree)
    for _ in range(iterations):
        policies = _averages(tree, regrets)
        changes = [_regrets(tree, seat, policies) for seat in (ALICE, BOB)]
        for seat in (ALICE, BOB):
            regrets[seat][:] += changes[seat]
            totals[seat][:] += _plan(tree, seat, policies[seat])
    return _averages(tree, totals)


def cfr_plus(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """Regrets never below 0, updates by turns, the policy after the update of iteration t with weight t."""
    regrets, totals = _pair(tree), _pair(tree)
    for t in range(1, iterations + 1):
        for seat in (ALICE, BOB):
            change = _regrets(tree, seat, _averages(tree, regrets))
            regrets[seat][:] = np.maximum(0.0, regrets[seat] + change)
            totals[seat][:] += t * _plan(tree, seat, _match(tree, seat, regrets[seat]))
    return _averages(tree, totals)


def dcfr(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """Discounts alpha 1.5, beta 0, gamma 2 after each iteration; updates by turns; what an update makes is averaged."""
    regrets, totals = _pair(tree), _pair(tree)
    for t in range(1, iterations + 1):
        for seat in (ALICE, BOB):
            grown = regrets[seat] + _regrets(tree, seat, _averages(tree, regrets))
            regrets[seat][:] = np.where(grown > 0, grown * t**1.5 / (t**1.5 + 1), grown * t**0 / (t**0 + 1))
            totals[seat][:] += _plan(tree, seat, _match(tree, seat, regrets[seat]))
            totals[seat][:] *= (t / (t + 1)) ** 2
    return _averages(tree, totals)


def _predictive(
    tree: ExtensiveForm, iterations: int, alpha: float | None, prediction: float, gammas: tuple[float, float]
) -> StrategyProfile:
    """As PDCFR+'s authors write it: a discount of (t - 1)^alpha before the update of iteration t, and of t^alpha before
    the prediction, which is a part of the last change. gammas: at iteration 0, and from 1,000 on.
    """
    regrets, expected, totals = _pair(tree), _pair(tree), _pair(tree)

    def kept(t: int) -> float:
        return 1.0 if alpha is None else t**alpha / (t**alpha + 1)

    for t in range(1, iterations + 1):
        gamma = gammas[0] + (gammas[1] - gammas[0]) * min(t, 1_000) / 1_000
        updates = [t - 1, t - 1]  # how many each player has made
        for seat in (ALICE, BOB):
            ahead = [np.maximum(0.0, regrets[s] * kept(updates[s]) + prediction * expected[s]) for s in (ALICE, BOB)]
            change = _regrets(tree, seat, _averages(tree, (ahead[ALICE], ahead[BOB])))
            regrets[seat][:] = np.maximum(0.0, regrets[seat] * kept(t - 1) + change)
            expected[seat][:] = change
            updates[seat] = t
            totals[seat][:] *= ((t - 1) / t) ** gamma
            totals[seat][:] += _plan(tree, seat, _match(tree, seat, regrets[seat] * kept(t) + prediction * change))
    return _averages(tree, totals)


def pcfr_plus(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """The last change is expected to come again; updates by turns, the policy after an update with weight t^5."""
    return _predictive(tree, iterations, None, 1.0, (5.0, 5.0))


def pdcfr_plus(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """Discounts alpha 2.3, a third of the last change, weight t^5."""
    return _predictive(tree, iterations, 2.3, 1 / 3, (5.0, 5.0))


def hs_pdcfr_plus(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """The same with gamma 15 - 5 t / 1000."""
    return _predictive(tree, iterations, 2.3, 1 / 3, (15.0, 10.0))


def last_pdcfr_plus(tree: ExtensiveForm, iterations: int) -> StrategyProfile:
    """The policy that PDCFR+ would play next."""
    regrets, expected = _pair(tree), _pair(tree)

    def kept(t: int) -> float:
        return float(t**2.3 / (t**2.3 + 1))

    def ahead(seat: int, t: int) -> Array:
        return _match(tree, seat, np.maximum(0.0, regrets[seat] * kept(t) + expected[seat] / 3))

    for t in range(1, iterations + 1):
        for seat, updates in ((ALICE, (t - 1, t - 1)), (BOB, (t, t - 1))):
            change = _regrets(tree, seat, (ahead(ALICE, updates[ALICE]), ahead(BOB, updates[BOB])))
            regrets[seat][:] = np.maximum(0.0, regrets[seat] * kept(t - 1) + change)
            expected[seat][:] = change
    return ahead(ALICE, iterations), ahead(BOB, iterations)


NAIVE = {
    "cfr": cfr,
    "cfr+": cfr_plus,
    "dcfr": dcfr,
    "pcfr+": pcfr_plus,
    "pdcfr+": pdcfr_plus,
    "hs-pdcfr+": hs_pdcfr_plus,
    "last-pdcfr+": last_pdcfr_plus,
}
