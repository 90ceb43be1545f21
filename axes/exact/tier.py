"""The exact tier: what is enumerated, and what remains a sample of opponents."""

from __future__ import annotations

from msgspec import Struct

from antemill.axes.budgets import FAST, PRECISE, Tier


class Exact(Struct, frozen=True):
    """The exact tier: no random play, except for games that are too large.

    The defaults are the paper's budgets where its formulas have a budget.
    """

    name: str = "exact"
    nodes: int = 1 << 18  # of the largest tree that is enumerated; a larger game gets the tier `beyond`
    episodes: int = 3000  # for which `state_space` is the expected number of different information states
    opponents: int = 64  # policies of the first Sobol pass
    focused: int = 256  # policies of the second pass, near those against which the best response was unstable
    trials: int = 20  # perturbation trials, for each focal seat
    shift: float = 0.03  # probability mass moved in a trial
    dirichlet: int = 16  # opponents in a trial, if their mean is not an urn
    beyond: Tier = PRECISE  # for games that are too large


EXACT = Exact()  # for games whose tree fits
TIERS: dict[str, Tier | Exact] = {tier.name: tier for tier in (FAST, PRECISE, EXACT)}  # all tiers by name
