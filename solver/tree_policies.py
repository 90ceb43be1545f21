"""Policies on a tree that come from elsewhere: exact best responses, and those that kernels play (`engine.policy`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import UsageError
from engine.kernel import kernel
from engine.policy import KeyKind, Kind, Policy, find_slot
from engine.program import Program
from solver.abstract_tree import Described, describe_tree
from solver.abstraction import Abstraction
from solver.sequence_form import Side, Sides, fill_gain, fill_plan
from solver.tree import ExtensiveForm

Array = npt.NDArray[Any]


@kernel
def _fill_best(side: Side, opponent_plan: np.ndarray, gain: np.ndarray, policy: np.ndarray) -> None:
    """Write a best response to `policy`; of equal actions it takes the first."""
    fill_gain(side, opponent_plan, gain)
    policy[0] = 1.0
    for i in range(len(side.past) - 1, -1, -1):
        best = side.start[i]
        for k in range(side.start[i], side.start[i + 1]):
            policy[k] = 0.0
            if gain[k] > gain[best]:
                best = k
        policy[best] = 1.0
        gain[side.past[i]] += gain[best]


def best_response(both: Sides, seat: int, opponent: Array) -> Array:
    """float64[sequences]: a best response of `seat` to the other seat's policy. It is deterministic."""
    side, other = both[seat], both[1 - seat]
    plan, policy = np.empty(other.sequences), np.empty(side.sequences)
    fill_plan(other, opponent, plan)
    _fill_best(side, plan, np.empty(side.sequences), policy)
    return policy


def policy_on_tree(program: Program, tree: ExtensiveForm, policy: Policy, seat: int) -> Array:
    """float64[sequences]: how a kernel's policy plays the tree at `seat`.

    Bids above the stack count as bids of the stack. Raises UsageError for a perturbed policy.
    """
    if policy.shifted >= 0:
        raise UsageError("a perturbed policy has no best response: use the policy itself.")
    described = describe_tree(program, tree, Abstraction.NONE)
    mine = tree.sets[seat]
    found = np.ones(mine.sequences)
    for i in range(mine.size):
        low, high = int(mine.start[i]), int(mine.start[i + 1])
        menu = _menu(policy, described, mine.key[i], int(mine.decision[i]), seat, i, low)
        found[low : high - 1] = menu[: high - low - 1]
        found[high - 1] = menu[high - low - 1 :].sum()
    return found


def _menu(policy: Policy, described: Described, recall: int, decision: int, seat: int, i: int, low: int) -> Array:
    """float64[menu entries]: the policy at information set i, whose sequences begin at `low`."""
    n, named = int(described.offered[seat][i]), described.word[seat][i] > 0
    first = int(described.action[seat][low])
    actions = described.action[seat][low : low + n] if named else np.arange(first, first + n)
    uniform = np.full(n, 1.0 / n)
    if policy.kind == Kind.MIXED:
        weights = policy.weights[policy.offsets[decision] + actions]
        return weights / weights.sum() if weights.sum() > 0 else uniform
    if policy.kind == Kind.GREEDY:
        slot = int(find_slot(policy.keys, described.context[seat][i]))
        action = int(policy.values[slot] if slot >= 0 else policy.fallback[decision])
        wanted = actions == (action if named else min(max(action, first), first + n - 1))
        return wanted.astype(np.float64) if wanted.any() else uniform
    if policy.kind == Kind.TABLE:
        keys = {KeyKind.RECALL: recall, KeyKind.INFO: described.info[seat][i]}
        slot = int(find_slot(policy.keys, keys.get(KeyKind(policy.key_kind), described.context[seat][i])))
        start = int(policy.values[slot])
        return policy.weights[start : start + n] if slot >= 0 else uniform
    return uniform
