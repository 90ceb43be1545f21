"""The update of the CFR family: how the counterfactual values of an information set become regrets and a policy.

One formula serves all; `table` has the numbers. In iteration t the regrets of a set's sequences become

    regret <- (regret + change) * (t^alpha / (t^alpha + 1) where that is above 0, else `below`)

and its policy is proportional to regret + prediction * change where that is above 0. `change` is the counterfactual
value of the sequence, less that of the set. The sum of plans is multiplied by ((t - 1) / t)^gamma before the plan of
iteration t is added, so that this plan has the weight t^gamma, if gamma is the same in all iterations.

CFR         Zinkevich, Johanson, Bowling and Piccione 2007: regret matching; all plans count alike.
CFR+        Tammelin 2014: regret matching+. The first plan in the average is the one that the first update makes; the
            uniform policy that this update faces has weight 0.
DCFR        Brown and Sandholm 2019, with alpha 1.5, beta 0 and gamma 2. A beta of 0 halves regrets below 0. The paper
            gives the weight t^gamma to the plan before the update.
PCFR+       Farina, Kroer and Sandholm 2021: regret matching+ that predicts the next regret to equal the last one. The
            weight is t^5, which needs far fewer iterations than the t^2 of the paper.
PDCFR+      Xu, Li, Liu, Fu, Fu, Xing and Cheng 2024 (arXiv 2404.13891): predictive and discounted, with alpha 2.3 and
            gamma 5. A third of the prediction is taken, after the asymmetric step sizes of arXiv 2503.12770.
HS-PDCFR+   PDCFR+ whose gamma falls while it runs (hyperparameter schedules: Zhang, McAleer and Sandholm, arXiv
            2404.09097). The paper's schedule ends with the run. Since a run to a target does not know its end, it ends
            after `HORIZON` iterations here.

LAST-PDCFR+ PDCFR+ without an average: the policy of the last iteration counts. An average means nothing where the
            player's own choices never lead, but regrets are updated wherever the opponent leads. Known proofs that
            last iterates converge need regularised updates (RTCFR+ of 2025), which are slower in the games of
            docs/solver.md.

CFR updates both players at once; all others update them in turn.
"""

from __future__ import annotations

import math

import numpy as np

from antemill.engine.kernel import kernel
from antemill.solver.algorithms.table import HORIZON, Rule


@kernel
def discount(rule: Rule, t: int) -> float:
    """The factor of the regrets above 0 after iteration t."""
    return 1.0 if math.isinf(rule.alpha) else 1.0 / (1.0 + t**-rule.alpha)


@kernel
def fading(rule: Rule, t: int) -> float:
    """The factor of the sum of plans in iteration t, before its own plan is added."""
    gamma = rule.averaging - rule.falling * min(1.0, t / HORIZON)
    return float(((t - 1) / t) ** gamma)


@kernel(inline="always")
def update(
    rule: Rule,
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
    for k in range(low, high):
        change = values[k] - value
        after = regret[k] + change
        regret[k] = after * (discounted if after > 0.0 else rule.below)
        policy[k] = max(0.0, regret[k] + rule.prediction * change)
