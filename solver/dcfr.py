"""Discounted CFR (Brown and Sandholm 2019) with alpha 1.5, beta 0, gamma 2, and alternating updates.

After iteration t regrets above 0 are multiplied by t^alpha / (t^alpha + 1), those below by t^beta / (t^beta + 1), which
is 1/2, and the sum of plans by (t / (t + 1))^gamma. The last amounts to the weight t^gamma for the plan that the update
of iteration t makes; the paper gives it to the one before the update.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel

ALPHA = 1.5
_BELOW = 0.5


@kernel
def discount(t: int) -> float:
    """The factor of the regrets above 0 after iteration t."""
    power = float(t**ALPHA)
    return power / (power + 1.0)


@kernel(inline="always")
def update(
    regret: np.ndarray, policy: np.ndarray, gain: np.ndarray, low: int, high: int, value: float, above: float
) -> None:
    """Update the sequences low..high-1 of an information set worth `value`; the policy is left unscaled.

    `above`: the iteration's `discount`.
    """
    for k in range(low, high):
        after = regret[k] + gain[k] - value
        regret[k] = after * (above if after > 0.0 else _BELOW)
        policy[k] = max(0.0, regret[k])
