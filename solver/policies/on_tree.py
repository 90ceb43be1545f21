"""Converting policies between three forms: by information key, on a tree, and for the engine's kernels."""

from __future__ import annotations

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.machine.policy import KeyKind, PolicyKind, find_slot
from antemill.engine.machine.policy import Policy as KernelPolicy
from antemill.engine.machine.policy import table as kernel_table
from antemill.engine.machine.program import Program
from antemill.solver.game import ALICE, BOB, Array, ExtensiveForm, InformationSets
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.abstract_sets import (
    AbstractSides,
    Description,
    actions,
    describe_tree,
    lift,
    uniform_abstract,
)
from antemill.solver.trees.abstraction import Abstraction


def policy_on_tree(program: Program, tree: ExtensiveForm, policy: KernelPolicy, seat: int) -> Array:
    """float64[sequences]: the policy at `seat` of a kernel policy (`antemill.engine.machine.policy`) on the tree.

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


def kernel_policy(program: Program, policy: Policy) -> KernelPolicy:
    """A policy without an abstraction as the engine's kernels play it. Raises UsageError for one with an abstraction.

    A menu of amounts can be longer than its row: bids above the stack, which are bids of the stack. They get weight 0.
    """
    if policy.abstraction != Abstraction.NONE:
        raise UsageError(
            f"the policy is over the abstraction '{policy.abstraction.label}', which the machine's keys do not "
            "support: use one without an abstraction."
        )
    kinds = program.names.decisions
    width = np.diff(policy.start)
    slots = np.maximum(width, [0 if kinds[i].labels else kinds[i].actions for i in policy.decision])
    start = np.concatenate((np.zeros(1, np.int64), np.cumsum(slots)))
    weights = np.zeros(start[-1])
    weights[np.repeat(start[:-1] - policy.start[:-1], width) + np.arange(len(policy.probability))] = policy.probability
    return kernel_table(program, policy.key, start[:-1], weights)


def _menu(
    policy: KernelPolicy, described: Description, recall: int, decision: int, seat: int, i: int, low: int
) -> Array:
    """float64[menu entries]: the policy at information set i, whose sequences begin at `low`."""
    n, named = int(described.offered[seat][i]), described.word[seat][i] > 0
    first = int(described.action[seat][low])
    actions = described.action[seat][low : low + n] if named else np.arange(first, first + n)
    uniform = np.full(n, 1.0 / n)
    if policy.kind == PolicyKind.MIXED:
        weights = policy.weights[policy.offsets[decision] + actions]
        return weights / weights.sum() if weights.sum() > 0 else uniform
    if policy.kind == PolicyKind.GREEDY:
        slot = int(find_slot(policy.keys, described.context[seat][i]))
        action = int(policy.values[slot] if slot >= 0 else policy.fallback[decision])
        wanted = actions == (action if named else min(max(action, first), first + n - 1))
        return wanted.astype(np.float64) if wanted.any() else uniform
    if policy.kind == PolicyKind.TABLE:
        keys = {KeyKind.RECALL: recall, KeyKind.INFO: described.info[seat][i]}
        slot = int(find_slot(policy.keys, keys.get(KeyKind(policy.key_kind), described.context[seat][i])))
        start = int(policy.values[slot])
        return policy.weights[start : start + n] if slot >= 0 else uniform
    return uniform


def lift_profile(both: AbstractSides, policies: StrategyProfile) -> StrategyProfile:
    """The strategy profile on the tree of two abstract policies, float64[abstract actions] each."""
    return lift(both[0], policies[0]), lift(both[1], policies[1])


def table_profile(both: AbstractSides, table: Policy) -> StrategyProfile:
    """The strategy profile on the tree of a policy by information key, uniform where it lacks a key.

    Raises UsageError if a row of the table has another number of actions than its set.
    """
    return lift_profile(both, policies_of(both, table)[0])


def policy_of(both: AbstractSides, abstraction: Abstraction, policies: StrategyProfile) -> Policy:
    """The policy by information key of two abstract policies, float64[abstract actions] each."""
    sides = list(zip((ALICE, BOB), both, strict=True))
    widths = np.concatenate([np.diff(abstract.start) for abstract in both])
    return Policy(
        abstraction,
        np.concatenate([abstract.key for abstract in both]),
        np.concatenate([np.full(abstract.size, seat, np.int8) for seat, abstract in sides]),
        np.concatenate([abstract.decision for abstract in both]),
        np.concatenate((np.zeros(1, np.int64), np.cumsum(widths, dtype=np.int64))),
        np.concatenate([abstract.action for abstract in both]),
        np.concatenate(policies),
    )


def policy_of_tree(
    both: tuple[InformationSets, InformationSets], abstraction: Abstraction, profile: StrategyProfile
) -> Policy:
    """The policy by information key of a strategy profile on a program's tree."""
    alice, bob = both
    first = alice.sequences - 1  # of Bob's
    action = np.empty(first + bob.sequences - 1, np.int32)
    action[:first] = actions(alice)  # one player after the other, because both together are large
    action[first:] = actions(bob)
    return Policy(
        abstraction,
        np.concatenate([mine.key for mine in both]),
        np.repeat(np.array((ALICE, BOB), np.int8), [mine.size for mine in both]),
        np.concatenate([mine.decision for mine in both]),
        np.concatenate((alice.start[:-1] - 1, bob.start + (first - 1)), dtype=np.int64),
        action,
        np.concatenate([policy[1:] for policy in profile]),
    )


def policies_of(both: AbstractSides, table: Policy) -> tuple[StrategyProfile, int]:
    """The abstract policies in a table, uniform where it lacks a key; and how many keys it lacks.

    Raises UsageError if a row of the table has another number of actions than the set.
    """
    place = np.argsort(table.key)
    ordered = table.key[place]
    found, missing = [], 0
    for abstract in both:
        policy = uniform_abstract(abstract)
        at_most = np.minimum(np.searchsorted(ordered, abstract.key), max(0, table.rows - 1))
        known = ordered[at_most] == abstract.key if table.rows else np.zeros(abstract.size, bool)
        missing += int(np.count_nonzero(~known))
        rows = place[at_most[known]] if table.rows else np.zeros(0, np.int64)
        width = np.diff(abstract.start)[known]
        if bool(np.any(np.diff(table.start)[rows] != width)):
            raise UsageError("the policy does not fit the game: its menus differ.")
        within = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width, width)
        policy[np.repeat(abstract.start[:-1][known], width) + within] = table.probability[
            np.repeat(table.start[:-1][rows], width) + within
        ]
        found.append(policy)
    return (found[0], found[1]), missing
