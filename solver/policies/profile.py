"""Strategy profiles on a game tree: both players' behaviour, one probability per sequence."""

from __future__ import annotations

import numpy as np

from antemill.engine.errors import UsageError
from antemill.solver.game import Array
from antemill.solver.trees.sequence_form import Sides

# Alice's and Bob's policy, float64[sequences] each: the probability of a sequence's last action in its information set.
StrategyProfile = tuple[Array, Array]

_TOLERANCE = 1e-9


def check_profile(both: Sides, profile: StrategyProfile) -> None:
    """Raise UsageError unless both policies fit the tree and are probabilities in every information set."""
    told: object = profile
    if not isinstance(told, tuple | list) or len(told) != 2 or not all(isinstance(one, np.ndarray) for one in told):
        raise UsageError(
            "a strategy profile is needed: pass Alice's and Bob's policy as arrays; "
            "of dictionaries `as_profile` makes them."
        )
    for name, side, policy in zip(("Alice", "Bob"), both, profile, strict=True):
        if policy.shape != (side.sequences,) or policy.dtype != np.float64:
            raise UsageError(
                f"{name}'s policy does not fit: {policy.shape} of {policy.dtype}; "
                f"pass the float64[{side.sequences}] of this game."
            )
        sums = np.add.reduceat(policy, side.start[:-1]) if len(side.parent_sequence) else np.ones(0)
        good = policy[0] == 1.0 and bool(np.all(policy >= 0.0)) and bool(np.all(np.abs(sums - 1.0) <= _TOLERANCE))
        if not good:
            raise UsageError(f"{name}'s policy must be probabilities that sum to 1 in every information set: fix them.")
