"""Walking through OpenSpiel's states by names."""

from __future__ import annotations

import pyspiel


def child(state: pyspiel.State, label: str) -> pyspiel.State:
    """The state after the action (or chance outcome) with this name."""
    for action in state.legal_actions():
        if state.action_to_string(action) == label:
            return state.child(action)
    raise LookupError(f"there is no '{label}' in {state}")
