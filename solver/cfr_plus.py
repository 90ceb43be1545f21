"""CFR+ (Tammelin 2014): regret matching+, alternating updates, linear averaging.

The plan of iteration t has weight t. It is the one made by the update of iteration t; the uniform policy that the
first update faces has weight 0.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel


@kernel(inline="always")
def update(regret: np.ndarray, policy: np.ndarray, gain: np.ndarray, low: int, high: int, value: float) -> None:
    """Update the sequences low..high-1 of an information set worth `value`; the policy is left unscaled."""
    for k in range(low, high):
        regret[k] = max(0.0, regret[k] + gain[k] - value)
        policy[k] = regret[k]
