"""Facts about a policy: its game, how it was found, its value and its exploitability."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from antemill.solver.policies.policy import Policy
from antemill.solver.trees.abstraction import VERSION as ABSTRACTION_VERSION

VERSION = 2
MEASURED = ("exact, on the tree", "sampled lower bound")


class LowerBound(Struct, frozen=True):
    """A sampled lower bound of the exploitability (NashConv / 2) in chips per game."""

    mean: float
    low: float  # ends of the 95% confidence interval
    high: float
    episodes: int  # fresh ones, both seats


class Estimate(Struct, frozen=True):
    """A mean with its standard error."""

    mean: float
    error: float
    episodes: int


class Solution(Struct, frozen=True, kw_only=True):
    """Which game a policy is for, and how it was found. Chips per game; None for what is unknown."""

    game: str
    digest: str  # of the program
    suited: bool
    abstraction: Literal["none", "default", "fine"]
    algorithm: str
    stopped: str  # target, time, iterations, interrupted or precision (numbers of 64 bits show nothing better)
    target: float
    iterations: int
    seconds: float
    nodes: int | None = None  # of the tree that was built; None without a tree
    information_sets: int  # of both players in this tree; without a tree, the number that was met
    abstract_sets: int | None = None  # with an abstraction
    value: float | None = None  # Alice's expected payoff; exact if the exploitability is, else a sampled mean
    value_error: float | None = None  # standard error of a sampled value
    exploitability: float | None = None  # NashConv / 2 in the real game, exact; None if it is not known
    abstract_regret: float | None = None  # at most what could still be gained within the abstraction
    lower_bound: LowerBound | None = None  # of the exploitability in the real game, sampled
    version: int = VERSION
    abstraction_version: int = ABSTRACTION_VERSION
    keys: str = ""  # keys_digest() when it was written
    limit: int | None = None  # the largest tree that was allowed, in nodes; None if an older version wrote it

    def __repr__(self) -> str:
        known = "unknown" if self.exploitability is None else f"{self.exploitability:.2g}"
        return f"<Solution of {self.game!r}: exploitability {known} by {self.algorithm}, stopped by {self.stopped}>"

    @property
    def measured(self) -> str:
        """How its exploitability was measured: one of `MEASURED`, or "" if it was not.

        More iterations lower the figure of a policy solved on a tree. They need not lower any other.
        """
        if self.exploitability is not None:
            return MEASURED[0]
        return MEASURED[1] if self.lower_bound is not None else ""

    @property
    def reached(self) -> bool:
        """Whether the exploitability in the real game is known, and at most the target. Neither a sampled bound nor a
        small abstract regret shows that."""
        exact = self.nodes is not None and self.abstraction == "none"
        stopped = exact and self.stopped == "target"
        return self.exploitability is not None and (stopped or self.exploitability <= self.target)


class SavedPolicy(Struct, frozen=True, eq=False):
    """A policy with the facts about it."""

    solution: Solution
    table: Policy

    def __repr__(self) -> str:
        return f"<SavedPolicy for {self.solution.game!r}: {self.table.rows:,} sets of decisions>"
