"""The budgets of simulation for a score (X1): the fast tier scores a pool, the precise tier scores chosen games."""

from msgspec import Struct


class Tier(Struct, frozen=True):
    """Budgets of one tier, as numbers of episodes unless stated otherwise. The defaults are the precise tier's."""

    name: str
    level0: int  # of random play
    level1: int = 1500  # of best-response play, for each focal seat
    opponents: int = 64  # policies of the first Sobol pass
    focused: int = 256  # policies of the second pass, near those against which the best response was unstable
    playouts: int = 32  # against each Sobol opponent, for each focal seat
    trials: int = 20  # perturbation trials, for each focal seat
    shift: float = 0.03  # probability mass moved in a trial
    dirichlet: int = 10  # opponents in a trial
    dirichlet_playouts: int = 15  # against each of them


FAST = Tier("fast", level0=1000, focused=0)  # for the games of a pool, before selection
PRECISE = Tier("precise", level0=3000)  # for the games of a benchmark
TIERS = {tier.name: tier for tier in (FAST, PRECISE)}  # the budgets by name
