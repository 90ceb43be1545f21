"""The size of the tree that a best response walks through: counted if it is small, else estimated by random paths
(Knuth 1975, "Estimating the efficiency of backtrack programs").

A path continues with each child of a node with the same probability. The product of the numbers of children on the path
to a node, its own included, is an unbiased estimate of the number of nodes on the next level. The sum of these
products, plus 1 for the root, estimates the whole tree. Actions that the opponent never takes are not counted: no
response visits their subtrees.
"""

from __future__ import annotations

import math

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import STACK_FULL, WALKED, next_branch, next_child, root_state, walk_tree
from antemill.engine.machine.chance import below, key_of, subkey
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.program import Program
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy, Strategy, fill_menu, strategy_by_state
from antemill.solver.policies.solution import Estimate
from antemill.solver.trees.abstraction import abstract_key, follow, real_width

LIMIT = 100_000_000_000  # default limit of the nodes that both best responses visit: about a night's work
COUNTED = 2_000  # largest tree, in nodes, that is counted: up to here an estimate is more work
WAYS = 20_000  # of an estimate
NODES_A_SECOND = 7_000_000  # that one thread visits, about
_STREAM = 0x51E


def widest_menu(program: Program) -> int:
    """The largest number of answers that a decision offers."""
    return max(decision.actions for decision in program.names.decisions)


@kernel
def _is_open(state: np.ndarray, seat: int, probability: np.ndarray, index: int) -> bool:
    return bool(state[at.STOP] != DECIDE or state[at.SEAT] == seat or probability[index] > 0.0)


@kernel
def _look(state: np.ndarray, policy: Strategy, probability: np.ndarray) -> None:
    """Write what the policy answers in a state, if that is a decision."""
    if state[at.STOP] == DECIDE:
        who = abstract_key(state, state[at.SEAT], state[at.DECISION], policy.abstraction)
        fill_menu(policy, state, who, probability[: real_width(state)])


@kernel
def _ways(
    code: np.ndarray,
    root: np.ndarray,
    state: np.ndarray,
    seat: int,
    policy: Strategy,
    probability: np.ndarray,
    key: int,
    out: np.ndarray,
) -> None:
    """Write the estimate of each path to `out`. seat: the responder. probability: float64[widest menu], workspace."""
    for way in range(len(out)):
        stream, draws = subkey(key, way), 0
        copy_state(root, state)
        nodes, level = 1.0, 1.0
        while state[at.STOP] != OVER:
            _look(state, policy, probability)
            children, index = 0, next_branch(code, state, 0)
            while index >= 0:
                children += _is_open(state, seat, probability, index)
                index = next_branch(code, state, index + 1)
            level *= children
            nodes += level
            left, index = below(stream, draws, children), next_branch(code, state, 0)
            while left > 0 or not _is_open(state, seat, probability, index):
                left -= _is_open(state, seat, probability, index)
                index = next_branch(code, state, index + 1)
            draws += 1
            state[at.CHOICE] = index
            follow(code, state, policy.abstraction)
        out[way] = nodes


@kernel
def _count(
    code: np.ndarray, stack: np.ndarray, seat: int, policy: Strategy, probability: np.ndarray, limit: int
) -> int:
    """The nodes that are visited from the state in the stack's first row on, at most `limit + 1`; or STACK_FULL.

    seat: the responder. probability: float64[rows of the stack, widest menu], workspace.
    """
    level, nodes = 0, 1
    _look(stack[0], policy, probability[0])
    while nodes <= limit:
        level = next_child(code, stack, level)
        if level < 0:
            return nodes if level == WALKED else STACK_FULL
        child = stack[level]
        if not _is_open(stack[level - 1], seat, probability[level - 1], child[at.CHOICE]):
            level -= 1
            continue
        nodes += 1
        follow(code, child, policy.abstraction)
        child[at.CHOICE] = 0
        _look(child, policy, probability[level])
    return nodes


def response_nodes(
    program: Program, table: Policy, ways: int = WAYS, counted: int = COUNTED
) -> tuple[Estimate, Estimate]:
    """The nodes that Alice's, and Bob's, best response to the policy visits; an estimate of them if there are more than
    `counted`. The same call gives the same estimate."""
    policy = strategy_by_state(table)
    found = [_counted(program, policy, seat, counted) or _estimated(program, policy, seat, ways) for seat in (0, 1)]
    return found[0], found[1]


def _counted(program: Program, policy: Strategy, seat: int, limit: int) -> Estimate | None:
    """The nodes that a responder visits; None if there are more than the limit."""

    def walk(stack: Array) -> int:
        probability = np.zeros((len(stack), widest_menu(program)))
        return int(_count(program.code, stack, seat, policy, probability, limit))

    nodes = walk_tree(program, walk)
    return Estimate(float(nodes), 0.0, 0) if nodes <= limit else None


def _estimated(program: Program, policy: Strategy, seat: int, ways: int) -> Estimate:
    root, out, workspace = root_state(program), np.empty(ways), np.zeros(widest_menu(program))
    _ways(program.code, root, root.copy(), seat, policy, workspace, key_of(_STREAM, seat), out)
    return Estimate(float(out.mean()), float(out.std(ddof=1)) / math.sqrt(ways), ways)


def check_size(program: Program, sizes: tuple[Estimate, Estimate], limit: float, workers: int) -> None:
    """Raise UsageError, with an estimate of the time, if a best response visits more than `limit` nodes."""
    nodes = sum(size.mean for size in sizes)
    if nodes > limit:
        raise UsageError(
            f"a best response in {program.names.game} visits about {nodes:.1e} nodes, which takes about "
            f"{duration(nodes / NODES_A_SECOND / workers)} on {workers} processor{'s' * (workers != 1)}; the limit "
            f"is {limit:.1e}: raise it, or use the sampled lower bound."
        )


def duration(seconds: float) -> str:
    """An estimated time in words."""
    for name, length in (("years", 31_557_600), ("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {name}" if seconds < 1e4 * length else f"{seconds / length:.0e} {name}"
    return f"{max(1.0, seconds):.0f} s"
