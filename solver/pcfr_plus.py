"""Predictive CFR+ (Farina, Kroer and Sandholm 2021): regret matching+ that expects each regret to come once more.

Alternating updates; the plan that the update of iteration t makes has weight t^2.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel


@kernel(inline="always")
def update(regret: np.ndarray, policy: np.ndarray, gain: np.ndarray, low: int, high: int, value: float) -> None:
    """Update the sequences low..high-1 of an information set worth `value`; the policy is left unscaled."""
    for k in range(low, high):
        change = gain[k] - value
        regret[k] = max(0.0, regret[k] + change)
        policy[k] = max(0.0, regret[k] + change)
