"""Strategy profiles on a game tree: both players' behaviour, one probability per sequence."""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from antemill.engine.arguments import ArgumentTypeError, ArgumentValueError, described, wrong_type
from antemill.engine.text.labels import SEATS
from antemill.solver.game import Array
from antemill.solver.trees.sequence_form import Sides

# Alice's and Bob's policy, float64[sequences] each: the probability of a sequence's last action in its information set.
StrategyProfile = tuple[Array, Array]

_TOLERANCE = 1e-9


class StrategyPair(NamedTuple):
    """A strategy profile with a short repr."""

    alice: Array
    bob: Array

    def __repr__(self) -> str:
        return f"<StrategyProfile: {len(self.alice):,} sequences of Alice, {len(self.bob):,} of Bob>"


class HasProfile(Protocol):
    """Anything with a strategy profile, such as a `Run`."""

    @property
    def profile(self) -> StrategyProfile:
        """Both players' policies."""
        ...


Profiled: TypeAlias = StrategyProfile | HasProfile


def profile_of(both: Sides, given: Profiled) -> StrategyProfile:
    """The strategy profile of this tree that is given, or that of an object with one, such as a `Run`.

    Raises UsageError unless both policies fit the tree and are probabilities in every information set.
    """
    pair: object = getattr(given, "profile", given)
    if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(one, np.ndarray) for one in pair):
        raise ArgumentTypeError(
            f"a strategy profile is needed, not {described(pair)}: pass what `solve` returns, or Alice's and Bob's "
            "policy as arrays; `as_profile` converts dictionaries."
        )
    for seat, policy in enumerate(pair):
        check_policy(both, seat, policy)
    return pair if isinstance(pair, StrategyPair) else StrategyPair(*pair)


def check_policy(both: Sides, seat: int, policy: Array) -> None:
    """Raise UsageError unless a player's policy fits the tree and is probabilities in every information set."""
    name, side = SEATS[seat], both[seat]
    if not isinstance(policy, np.ndarray):
        wrong_type("opponent", policy, f"{name}'s policy", f"give the float64[{side.sequences}] of a strategy profile")
    if policy.shape != (side.sequences,) or policy.dtype != np.float64:
        raise ArgumentValueError(
            f"{name}'s policy does not fit: {policy.shape} of {policy.dtype}; "
            f"pass the float64[{side.sequences}] of this game."
        )
    sums = np.add.reduceat(policy, side.start[:-1]) if len(side.parent_sequence) else np.ones(0)
    good = policy[0] == 1.0 and bool(np.all(policy >= 0.0)) and bool(np.all(np.abs(sums - 1.0) <= _TOLERANCE))
    if not good:
        raise ArgumentValueError(f"{name}'s policy must be probabilities that sum to 1 in every information set.")
