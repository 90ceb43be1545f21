"""How precisely a schedule can distinguish players, computed before anything is played.

A run is two matches of a pair with the same cards, one in either seating. Half the difference of their margins is an
estimate of the difference of the two strengths; what the cards give to a seat cancels. With V the noise's variance of
that half difference in the run's game, and x = e_a - e_b for the run of players a and b,

    W = sum of x x'      C = W+ (sum of V x x') W+

is the covariance of the least-squares strengths that sum to zero (`antemill.tournament.statistics.strength`). An
interval reaches 1.96 standard errors to either side. The forecast takes players as equally good at all games. Where
they are not, intervals are wider, because they are over games as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.few import FEWEST

_Z = 1.959964


class Runs(Struct, frozen=True):
    """Runs of a pair in a game: how many are planned, which a mean over pairs may make a fraction."""

    game: str
    a: str
    b: str
    count: float


class Foreseen(Struct, frozen=True):
    """How precise the results of a schedule will be, in chips a game.

    half_width: of the 95% interval of a player's strength, averaged over players. difference: the same of the
    difference of two players; a smaller one cannot be told from none. noise: the standard deviation of a run's mean
    margin, over the schedule's runs. runs: of a player, on average.
    """

    half_width: float
    difference: float
    noise: float
    players: int
    runs: float


def foresee(runs: Sequence[Runs], noise: Mapping[str, float]) -> Foreseen | None:
    """The precision of a schedule. noise: by game, the standard deviation of half the difference of a run's margins.

    None where there will be no intervals: a player has fewer than five runs, or not all players are connected.
    """
    players = sorted({name for one in runs for name in (one.a, one.b)})
    place = {name: number for number, name in enumerate(players)}
    weight, spread = (np.zeros((len(players), len(players))) for _ in range(2))
    for one in runs:
        a, b = place[one.a], place[one.b]
        for matrix, value in ((weight, one.count), (spread, one.count * noise[one.game] ** 2)):
            matrix[[a, b], [a, b]] += value
            matrix[[a, b], [b, a]] -= value
    if len(players) < 2 or weight.diagonal().min() < FEWEST:
        return None
    values = np.linalg.eigvalsh(weight)
    if values[1] < 1e-9 * values[-1]:  # several parts, whose strengths cannot be compared
        return None
    inverse = np.linalg.pinv(weight, hermitian=True)
    covariance = inverse @ spread @ inverse
    own = covariance.diagonal()
    between = own[:, None] + own[None, :] - 2.0 * covariance
    pairs = np.triu_indices(len(players), 1)
    total = float(weight.diagonal().sum())
    return Foreseen(
        half_width=float(_Z * np.sqrt(np.maximum(own, 0.0)).mean()),
        difference=float(_Z * np.sqrt(np.maximum(between[pairs], 0.0)).mean()),
        noise=float(np.sqrt(spread.diagonal().sum() / total)),
        players=len(players),
        runs=float(weight.diagonal().mean()),
    )
