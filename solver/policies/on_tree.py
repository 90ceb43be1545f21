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
    abstract_sets,
    actions,
    describe_tree,
    lift,
    normalised,
    own_sets,
)
from antemill.solver.trees.abstraction import Abstraction


def policy_on_tree(program: Program, tree: ExtensiveForm, policy: KernelPolicy, seat: int) -> Array:
    """float64[sequences]: the policy at `seat` of a kernel policy (`antemill.engine.machine.policy`) on the tree.

    Bids above the stack count as bids of the stack. Raises UsageError for a perturbed policy.
    """
    if policy.shifted >= 0:
        raise UsageError("a perturbed policy has no best response: use the policy itself.")
    described, mine = describe_tree(program, tree)[seat], tree.sets[seat]
    found, chosen = np.ones(mine.sequences), actions(mine)
    for i in range(mine.size):
        low, high = int(mine.start[i]), int(mine.start[i + 1])
        named = bool(program.names.decisions[int(mine.decision[i])].labels)
        menu = _menu(policy, described, mine, i, chosen[low - 1 : high - 1], named)
        found[low : high - 1] = menu[: high - low - 1]
        found[high - 1] = menu[high - low - 1 :].sum()
    return found


def _menu(
    policy: KernelPolicy, described: Description, mine: InformationSets, i: int, actions: Array, named: bool
) -> Array:
    """float64[menu entries]: the policy at information set i. actions: of its sequences. named: whether by labels."""
    n, first, decision = int(described.offered[i]), int(actions[0]), int(mine.decision[i])
    actions = actions if named else np.arange(first, first + n)
    uniform = np.full(n, 1.0 / n)
    if policy.kind == PolicyKind.MIXED:
        weights = policy.weights[policy.offsets[decision] + actions]
        return weights / weights.sum() if weights.sum() > 0 else uniform
    if policy.kind == PolicyKind.GREEDY:
        slot = int(find_slot(policy.keys, described.context[i]))
        action = int(policy.values[slot] if slot >= 0 else policy.fallback[decision])
        wanted = actions == (action if named else min(max(action, first), first + n - 1))
        return wanted.astype(np.float64) if wanted.any() else uniform
    if policy.kind == PolicyKind.TABLE:
        keys = {KeyKind.RECALL: mine.key[i], KeyKind.INFO: described.info[i]}
        slot = int(find_slot(policy.keys, keys.get(KeyKind(policy.key_kind), described.context[i])))
        start = int(policy.values[slot])
        return policy.weights[start : start + n] if slot >= 0 else uniform
    return uniform


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


def policy_of_tree(both: tuple[InformationSets, InformationSets], profile: StrategyProfile) -> Policy:
    """The policy by information key of a strategy profile on a program's tree."""
    return policy_of(own_sets(both), Abstraction.NONE, (profile[0][1:], profile[1][1:]))


def profile_on(program: Program, tree: ExtensiveForm, policy: Policy) -> StrategyProfile:
    """A policy table on the tree of its game; uniform at unknown keys, as players play it."""
    abstract = abstract_sets(program, tree, policy.abstraction)
    found, _ = policies_of(abstract, policy)
    alice, bob = (lift(mine, normalised(mine, row)) for mine, row in zip(abstract, found, strict=True))
    return alice, bob


def policies_of(both: AbstractSides, table: Policy) -> tuple[StrategyProfile, int]:
    """The abstract policies in a table, uniform where it lacks a key; and how many keys it lacks.

    Raises UsageError if a row of the table has another number of actions than the set.
    """
    place = np.argsort(table.key)
    ordered = table.key[place]
    found, missing = [], 0
    for abstract in both:
        policy = normalised(abstract, np.zeros(abstract.actions))
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
