"""CFR (Zinkevich, Johanson, Bowling and Piccione 2007): regret matching, simultaneous updates, uniform averaging.

Both players update against each other's plan of the iteration's start, and these plans enter the averages, all with
weight 1.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel


@kernel(inline="always")
def update(regret: np.ndarray, policy: np.ndarray, gain: np.ndarray, low: int, high: int, value: float) -> None:
    """Update the sequences low..high-1 of an information set worth `value`; the policy is left unscaled."""
    for k in range(low, high):
        regret[k] += gain[k] - value
        policy[k] = max(0.0, regret[k])
