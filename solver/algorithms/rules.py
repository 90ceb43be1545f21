"""The updates of the CFR family: how the counterfactual values of an information set become regrets and a policy.

CFR     Zinkevich, Johanson, Bowling and Piccione 2007: regret matching.
CFR+    Tammelin 2014: regret matching+. The first plan in the average is the one that the first update makes; the
        uniform policy that this update faces has weight 0.
DCFR    Brown and Sandholm 2019, with alpha 1.5, beta 0 and gamma 2. After iteration t regrets above 0 are multiplied by
        t^alpha / (t^alpha + 1), those below by t^beta / (t^beta + 1), which is 1/2, and the sum of plans by
        (t / (t + 1))^gamma. The last amounts to the weight t^gamma for the plan that the update of iteration t makes;
        the paper gives it to the one before the update.
PCFR+   Farina, Kroer and Sandholm 2021: regret matching+ that expects each regret to come once more. The plan that the
        update of iteration t makes has weight t^2.

All but CFR update by turns. The averaging weights are in `table`, which also says which number is whose.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from solver.algorithms.table import RULES

_CFR, _CFR_PLUS, _DCFR, _PCFR_PLUS = (RULES[name].update for name in ("cfr", "cfr+", "dcfr", "pcfr+"))
_ALPHA = 1.5
_DISCOUNT_BELOW_ZERO = 0.5


@kernel
def discount(t: int) -> float:
    """DCFR's factor of the regrets above 0 after iteration t."""
    power = float(t**_ALPHA)
    return power / (power + 1.0)


@kernel(inline="always")
def update(
    rule: int,
    regret: np.ndarray,
    policy: np.ndarray,
    values: np.ndarray,
    low: int,
    high: int,
    value: float,
    discounted: float,
) -> None:
    """Update the regrets of the sequences low..high-1, an information set, and its policy, which is left unscaled.

    values: counterfactual values of the sequences; value: that of the set under the policy so far, in chips.
    discounted: `discount` of this iteration.
    """
    if rule == _CFR_PLUS:
        for k in range(low, high):
            regret[k] = max(0.0, regret[k] + values[k] - value)
            policy[k] = regret[k]
    elif rule == _DCFR:
        for k in range(low, high):
            after = regret[k] + values[k] - value
            regret[k] = after * (discounted if after > 0.0 else _DISCOUNT_BELOW_ZERO)
            policy[k] = max(0.0, regret[k])
    elif rule == _CFR:
        for k in range(low, high):
            regret[k] += values[k] - value
            policy[k] = max(0.0, regret[k])
    elif rule == _PCFR_PLUS:
        for k in range(low, high):
            change = values[k] - value
            regret[k] = max(0.0, regret[k] + change)
            policy[k] = max(0.0, regret[k] + change)
