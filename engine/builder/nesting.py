"""How deep conditionals and performed sub-phases lie in one another, from a table of rules."""

from __future__ import annotations

from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array


@kernel(inline="always")
def _deepest(nodes: Array, first: int) -> int:
    """The deepest of a list of steps."""
    most, step = 0, first
    while step != of.NONE:
        most = max(most, nesting(nodes, step))
        step = nodes[step, of.NEXT]
    return most


@kernel
def nesting(nodes: Array, node: int) -> int:
    """The most conditionals and performed sub-phases around a step of a phase; for a step, itself included."""
    kind = nodes[node, of.KIND]
    if kind < of.IF:
        return 0
    if kind == of.IF:
        return 1 + max(_deepest(nodes, nodes[node, of.IF_THEN]), _deepest(nodes, nodes[node, of.IF_OTHERWISE]))
    if kind == of.PERFORM:
        return 1 + nesting(nodes, nodes[node, of.PERFORM_PHASE])
    if kind == of.STEPS:
        return _deepest(nodes, nodes[node, of.STEPS_STEPS])
    most = 0
    if kind == of.BETTING_LOOP:
        most = _deepest(nodes, nodes[node, of.BETTING_LOOP_BETWEEN])
    elif kind == of.ACTION_ROUND:
        option = nodes[node, of.ACTION_ROUND_OPTIONS]
        while option != of.NONE:
            most = max(most, _deepest(nodes, nodes[option, of.OPTION_STEPS]))
            option = nodes[option, of.NEXT]
    elif kind == of.SIMULTANEOUS:
        most = _deepest(nodes, nodes[node, of.SIMULTANEOUS_OTHERS])
        cell = nodes[node, of.SIMULTANEOUS_CELLS]
        while cell != of.NONE:
            most = max(most, _deepest(nodes, nodes[cell, of.CELL_STEPS]))
            cell = nodes[cell, of.NEXT]
    return most
