"""Chips lost to perfect play.

Two equilibria that meet in both seats win nothing on average, so what a player's matches against the equilibrium lack
to zero, averaged over both seats, is its loss. AIVAT takes the luck out of each match; it needs the equilibrium's
policy alone and stays unbiased (`antemill.solver.evaluation.aivat_tree`).

Two intervals: for the same games played again with other cards and replies, from the spread of pairs of matches with
the same cards within games; and for games like these, from the spread of the games' means. Both are those of rare
events (`antemill.tournament.statistics.losses`): a game that was not drawn can cost more than all that were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from antemill.tournament import head_to_head as pairs
from antemill.tournament.statistics.losses import Loss, mean_loss, mean_of, skewed, these
from antemill.tournament.statistics.losses import faultless as without_mistake


class GameLoss(Struct, frozen=True):
    """A player in one game, chips a match. unit: the game's deviation, chips. by_pair: the loss of each pair by number,
    if both of its matches are finished. most: the largest possible loss, chips.

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
    most: float = 0.0


class SuiteLoss(Struct, frozen=True):
    """The mean over games: of chips a match, and of deviations. Each with the interval for these games and for others
    like them."""

    chips: Loss
    chips_like: Loss
    units: Loss
    units_like: Loss


def game_loss(game: str, matches: Sequence[pairs.MatchResult], unit: float, most: float | None = None) -> GameLoss:
    """The loss of a player in one game. matches: with AIVAT's estimates of margins, which are twice the chips won.

    most: the largest possible loss, chips; by default the largest that a match came to.
    """
    raw, better = pairs.edge(matches), pairs.edge(matches, pairs.estimate_of)
    found = pairs.pairs_of(matches, pairs.estimate_of)
    most = max((abs(match.margin) / 2 for match in matches), default=0.0) if most is None else most
    whole = [pair for pair in found if pair.as_alice is not None and pair.as_bob is not None]
    return GameLoss(
        game=game,
        matches=better.matches,
        pairs=better.pairs,
        loss=mean_loss([-pair.mean / 2 for pair in found], unit, most),
        raw=-raw.mean / 2,
        ratio=pairs.variance_ratio(raw, better),
        unit=unit,
        by_pair={pair.run: -pair.mean / 2 for pair in whole},
        raw_error=None if raw.error is None else raw.error / 2,
        most=most,
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
    scalable = [one for one in games if one.unit > 0]
    return SuiteLoss(
        skewed(these(chips), _largest(games, [1.0] * len(games)), _possible(games, [1.0] * len(games))),
        _others(chips, [one.most for one in games]),
        skewed(these(scaled), _largest(scalable, units), _possible(scalable, units)),
        _others(scaled, [one.most / one.unit for one in scalable]),
    )


def _others(parts: Sequence[tuple[float, float | None, int]], most: Sequence[float]) -> Loss:
    """The mean of games drawn from others like them, none of which is below zero."""
    seen = max((mean for mean, _, _ in parts), default=0.0) / max(1, len(parts))
    return skewed(like_these(parts), seen, max(most, default=0.0) / max(1, len(parts)))


def _possible(games: Sequence[GameLoss], units: Sequence[float]) -> float:
    """The largest share that one pair could have in the suite's mean."""
    return max((one.most / one.pairs / unit for one, unit in zip(games, units, strict=True)), default=0.0) / max(
        1, len(games)
    )


def _largest(games: Sequence[GameLoss], units: Sequence[float]) -> float:
    """The largest share that one pair has in the suite's mean; 0 where none holds a mistake."""
    if all(without_mistake(list(one.by_pair.values()), one.unit) for one in games):
        return 0.0
    most = [max(one.by_pair.values(), default=0.0) / one.pairs for one in games]
    return max((share / unit for share, unit in zip(most, units, strict=True)), default=0.0) / max(1, len(games))


def like_these(parts: Sequence[tuple[float, float | None, int]]) -> Loss:
    """The mean of games drawn from others like them, with Student's interval."""
    return mean_of([one for one, _, _ in parts])
