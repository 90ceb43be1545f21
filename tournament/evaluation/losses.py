"""Chips lost to perfect play.

Two equilibria that meet in both seats win nothing on average, so what a player's matches against the equilibrium lack
to zero, averaged over both seats, is its loss. AIVAT takes the luck out of each match; it needs the equilibrium's
policy alone and stays unbiased (`antemill.solver.evaluation.aivat_tree`).

Two intervals: for the same games played again with other cards and replies, from the spread of pairs of matches with
the same cards within games; and for games like these, from the spread of the games' means. The second is Student's.
The first is skewed: a loss is a sum of mistakes, so what a short run has not seen can only add to it, and Student's
interval is too low where mistakes are rare. It is the gamma interval for weighted sums of rare events (Fay and Feuer
1997, "Confidence intervals for directly standardized rates", section 3), in which the largest pair that was seen stands
for one more that was not. The variance is that of the pairs, widened as Student's quantile is beside the normal one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from scipy.special import gammaincinv, ndtri, stdtrit

from antemill.tournament import head_to_head as pairs
from antemill.tournament.statistics.intervals import LEVEL

FAULTLESS = 30  # pairs, of all games that are looked at: fewer without a mistake tell too little
TOO_FEW = "too few matches to tell"  # in tables, for the interval
_MISTAKE = 0.01  # of a game's unit: a pair that differs from perfect play by less holds none


class Loss(Struct, frozen=True):
    """A mean with its 95% interval; None where too little was played to know."""

    mean: float
    error: float | None
    low: float | None
    high: float | None


class GameLoss(Struct, frozen=True):
    """A player in one game, chips a match. unit: the game's deviation, chips. by_pair: the loss of each pair by number.

    ratio: the share of the matches that gives the same precision as all would without AIVAT. raw: the loss by the chips
    as they were won; raw_error: its standard error.
    """

    game: str
    matches: int
    pairs: int
    loss: Loss
    raw: float
    ratio: float | None
    unit: float
    by_pair: Mapping[int, float]
    raw_error: float | None = None


class SuiteLoss(Struct, frozen=True):
    """The mean over games: of chips a match, and of deviations. Each with the interval for these games and for others
    like them."""

    chips: Loss
    chips_like: Loss
    units: Loss
    units_like: Loss


def game_loss(game: str, matches: Sequence[pairs.MatchResult], unit: float) -> GameLoss:
    """The loss of a player in one game. matches: with AIVAT's estimates of margins, which are twice the chips won."""
    raw, better = pairs.edge(matches), pairs.edge(matches, pairs.estimate_of)
    by_pair = {pair.run: -pair.mean / 2 for pair in pairs.pairs_of(matches, pairs.estimate_of)}
    error = None if better.error is None else better.error / 2
    loss = interval(-better.mean / 2, error, better.pairs - 1)
    return GameLoss(
        game=game,
        matches=better.matches,
        pairs=better.pairs,
        loss=loss,
        raw=-raw.mean / 2,
        ratio=pairs.variance_ratio(raw, better),
        unit=unit,
        by_pair=by_pair,
        raw_error=None if raw.error is None else raw.error / 2,
    )


def suite_loss(games: Sequence[GameLoss]) -> SuiteLoss:
    """The mean over games, which all count alike."""
    chips = [(one.loss.mean, one.loss.error, one.pairs - 1) for one in games]
    scaled = [
        (one.loss.mean / one.unit, None if one.loss.error is None else one.loss.error / one.unit, one.pairs - 1)
        for one in games
        if one.unit > 0
    ]
    units = [one.unit for one in games if one.unit > 0]
    if faultless(games):
        little, units_little = (replace(these(parts), low=None, high=None) for parts in (chips, scaled))
        return SuiteLoss(little, like_these(chips), units_little, like_these(scaled))
    return SuiteLoss(
        skewed(these(chips), _largest(games, [1.0] * len(games))),
        like_these(chips),
        skewed(these(scaled), _largest([one for one in games if one.unit > 0], units)),
        like_these(scaled),
    )


def faultless(games: Sequence[GameLoss]) -> bool:
    """Whether there are too few pairs, none of which holds a mistake."""
    few = sum(one.pairs for one in games) < FAULTLESS
    return few and all(abs(loss) <= _MISTAKE * one.unit for one in games for loss in one.by_pair.values())


def _largest(games: Sequence[GameLoss], units: Sequence[float]) -> float:
    """The largest share that one pair has in the suite's mean."""
    shares = [max(one.by_pair.values()) / unit / one.pairs / len(games) for one, unit in zip(games, units, strict=True)]
    return max(shares, default=0.0)


def skewed(found: Loss, largest: float) -> Loss:
    """A mean with Student's interval, which becomes the gamma interval if the mean is positive.

    largest: what the largest observation has added to the mean.
    """
    if found.error is None or found.low is None or found.mean <= 0 or found.error == 0:
        return found
    wide, more = (found.mean - found.low) / float(ndtri((1 + LEVEL) / 2)), max(0.0, largest)
    low = _gamma(found.mean, wide**2, (1 - LEVEL) / 2)
    high = _gamma(found.mean + more, wide**2 + more**2, (1 + LEVEL) / 2)
    return Loss(found.mean, found.error, low, high)


def _gamma(mean: float, variance: float, level: float) -> float:
    """A quantile of the gamma distribution with this mean and variance."""
    return float(gammaincinv(mean**2 / variance, level)) * variance / mean


def interval(mean: float, error: float | None, freedom: float) -> Loss:
    """A mean with Student's interval; none without an error or a degree of freedom."""
    if error is None or freedom < 1:
        return Loss(mean, error, None, None)
    wide = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return Loss(mean, error, mean - wide, mean + wide)


def these(parts: Sequence[tuple[float, float | None, int]]) -> Loss:
    """The mean of independent means with their errors and degrees of freedom (Welch's for the mean)."""
    mean = math.fsum(one for one, _, _ in parts) / len(parts)
    known = [(error, free) for _, error, free in parts if error is not None]
    if len(known) < len(parts):
        return Loss(mean, None, None, None)
    total = math.fsum(error**2 for error, _ in known)
    fourth = math.fsum(error**4 / free for error, free in known if error > 0)
    return interval(mean, math.sqrt(total) / len(parts), max(1.0, total**2 / fourth if fourth else 0.0))


def like_these(parts: Sequence[tuple[float, float | None, int]]) -> Loss:
    """The mean of games drawn from others like them."""
    values = [one for one, _, _ in parts]
    return interval(math.fsum(values) / len(values), pairs.standard_error(values), len(values) - 1)
