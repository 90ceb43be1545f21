"""Chips lost to perfect play.

Two equilibria that meet in both seats win nothing on average, so what a player's matches against the equilibrium lack
to zero, averaged over both seats, is its loss. AIVAT takes the luck out of each match; it needs the equilibrium's
policy alone and stays unbiased (`antemill.solver.evaluation.aivat_tree`).

Two intervals: for the same games played again with other cards and replies, from the spread of pairs of matches with
the same cards within games; and for games like these, from the spread of the games' means. The second is Student's.
The first is that of rare events (`antemill.tournament.statistics.losses`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from antemill.tournament import head_to_head as pairs
from antemill.tournament.statistics.losses import FAULTLESS, Loss, interval, skewed, these

_MISTAKE = 0.01  # of a game's unit: a pair that differs from perfect play by less holds none


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


def like_these(parts: Sequence[tuple[float, float | None, int]]) -> Loss:
    """The mean of games drawn from others like them."""
    values = [one for one, _, _ in parts]
    return interval(math.fsum(values) / len(values), pairs.standard_error(values), len(values) - 1)
