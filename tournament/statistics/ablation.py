"""The gain by a bigger thinking budget: paired differences of margins (GENSTRAT section 9, table 2; N14).

Siblings are two matches with the same game, play seed, seat and opponent, one by a family's high-effort variant and one
by its low-effort variant. Delta is the mean of high minus low over all siblings of a family. The paper's interval comes
from a bootstrap of whole games: a resample's Delta is the sum of its games' sums over the sum of their counts. That is
too narrow for few games, so Student's interval for games like these stands beside it, with the games' deviations from
Delta, times n / (n - 1), and n - 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.tournament.statistics.errors import Error
from antemill.tournament.statistics.intervals import Floats, Interval, percentile


class Effect(Struct, frozen=True):
    """A family's effect in chips a game; bounds are NaN, with a reason, below two games."""

    delta: float
    low: float  # of the paper's 95% interval
    high: float
    pairs: int
    games: int
    reason: str = ""
    error: float = float("nan")  # the standard error, for games like these

    @property
    def significant(self) -> bool:
        """Whether the 95% interval excludes 0."""
        return self.low > 0.0 or self.high < 0.0

    @property
    def student(self) -> Interval:
        """Student's 95% interval, for games like these."""
        return Error(np.array(self.error), np.array(self.games - 1.0)).interval(np.array(self.delta))


class Siblings(Struct, frozen=True, eq=False):
    """Pairs of matches: the game's index, and the high variant's margin minus the low one's."""

    game: npt.NDArray[np.int64]
    difference: Floats


def effect(game: npt.NDArray[np.integer], difference: Floats, bootstrap: int = 2000, seed: int = 0) -> Effect:
    """The mean difference with a cluster bootstrap over games."""
    if not len(difference):
        return Effect(float("nan"), float("nan"), float("nan"), 0, 0, "no pairs of sibling matches")
    index = np.unique(game, return_inverse=True)[1].reshape(-1)
    count = np.bincount(index).astype(np.float64)
    total = np.bincount(index, weights=difference)
    delta, pairs, games = float(total.sum() / count.sum()), len(difference), len(count)
    if games < 2:
        return Effect(delta, float("nan"), float("nan"), pairs, games, "one game gives no interval")
    random = np.random.Generator(np.random.PCG64(seed))
    weights = random.multinomial(games, np.full(games, 1.0 / games), bootstrap).astype(np.float64)
    interval = percentile((weights @ total) / (weights @ count))
    error = float(np.sqrt(games / (games - 1.0) * np.sum((total - delta * count) ** 2)) / pairs)
    return Effect(delta, float(interval.low), float(interval.high), pairs, games, "", error)


def siblings(
    game: npt.NDArray[np.integer],
    play_seed: Sequence[object],
    alice: Sequence[str],
    bob: Sequence[str],
    margin: Floats,
    high: str,
    low: str,
) -> Siblings:
    """The sibling pairs of two variants. Matches without a sibling, or with another copy of themselves, stay out.

    margin: Alice minus Bob. Matches of the two variants against each other are none.
    """
    found: dict[tuple[int, object, int, str], dict[str, list[float]]] = {}
    for g, deck, a, b, value in zip(game, play_seed, alice, bob, margin, strict=True):
        if (a in (high, low)) == (b in (high, low)):
            continue
        seat, name, other, sign = (0, a, b, 1.0) if a in (high, low) else (1, b, a, -1.0)
        found.setdefault((int(g), deck, seat, other), {}).setdefault(name, []).append(sign * float(value))
    pairs = [
        (key, sides) for key, sides in found.items() if [len(sides.get(name, ())) for name in (high, low)] == [1, 1]
    ]
    games = np.array([key[0] for key, _ in pairs], np.int64)
    return Siblings(games, np.array([sides[high][0] - sides[low][0] for _, sides in pairs], np.float64))
