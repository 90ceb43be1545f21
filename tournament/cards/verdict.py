"""The result of a tournament in a sentence or two: who is first, how sure that is, and who follows.

The intervals are those that the page draws. Players share the top if the matches do not distinguish them
(`antemill.tournament.statistics.ranks`). The probability of a place is the share of bootstrap replicates in which a
player has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antemill.tournament.charts.text import LONGEST, fitted
from antemill.tournament.statistics.estimates import Estimates, ranks_of, shown_interval
from antemill.tournament.statistics.intervals import Interval
from antemill.tournament.statistics.sheets import CHIPS, signed

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
UNIT = f" {CHIPS}"
MOST_NAMED = 4  # players on one level that are named; of more only how many they are


def verdict(e: Estimates) -> str:
    """The sentences; where no strength can be estimated, the reason."""
    if not np.isfinite(e.overall).any():
        return f"There is no ranking: {e.why_not_overall()}."
    found, order = ranks_of(e), np.argsort(-e.overall, kind="stable")
    these = shown_interval(e)[0]
    ranked = [int(m) for m in order if found.low[m] > 0]
    if not ranked:
        level = [int(m) for m in order if signed(float(e.overall[m])) == signed(float(e.overall[order[0]]))]
        if len(level) > 1:
            return f"{_listed(e, these, level, UNIT)} are level at the top; too few matches for a ranking."
        said = f"{name_of(e, level[0])} has the highest strength ({_figure(e, these, level[0], UNIT)})"
        return f"{said}; too few matches for a ranking."
    top = [m for m in ranked if found.low[m] == 1]
    if top != ranked[: len(top)]:
        return _among(e, these, top[0], [m for m in ranked if m not in top])
    parts = [_top(e, these, top, found.best[top[0]], len(top) == len(ranked))]
    followers = [m for m in ranked[len(top) :] if found.low[m] == found.low[ranked[len(top)]]]
    if len(followers) == 1:
        parts.append(_next(e, these, followers[0], len(top)))
    elif followers:
        better = int(found.low[followers[0]]) - 1
        told = f"; the matches show only {better} of the {len(top)} above to be better" if better < len(top) else ""
        parts.append(f"{_listed(e, these, followers)} share {_place(better)} place{told}.")
    return " ".join(parts)


def measured(e: Estimates, chips: Sequence[int]) -> str:
    """What the figures of the sentences are, and at what stakes. chips: those that a player begins each game with."""
    if not np.isfinite(e.overall).any():
        return ""
    least, most = min(chips), max(chips)
    stack = f"{least:,} chips" if least == most else f"{least:,} to {most:,} chips, depending on the game"
    around = f" In brackets: {shown_interval(e)[1].partition(', ')[0]}." if e.enough().any() else ""
    return (
        f"Strength: the chips that a player wins in one game, less the mean of all players.{around} Each player begins "
        f"a game with {stack}."
    )


def _top(e: Estimates, these: Interval, top: Sequence[int], best: float, all_level: bool) -> str:
    first = f"{name_of(e, top[0])} ({_figure(e, these, top[0], UNIT)})"
    if len(top) == 1:
        return f"{first} is first, with probability {_probability(best)}."
    if all_level and not np.ptp(e.overall[list(top)]):
        figure = _figure(e, these, top[0], UNIT)
        return f"The matches do not tell the {len(top)} players apart: all have the same strength ({figure})."
    if all_level:
        return f"The matches do not tell the {len(top)} players apart: the highest strength is that of {first}."
    return f"{_listed(e, these, top, UNIT)} share first place."


def _among(e: Estimates, these: Interval, best: int, behind: Sequence[int]) -> str:
    """Players with wide intervals may share the top with the best, although others above them do not."""
    named = f"{name_of(e, best)} ({_figure(e, these, best, UNIT)})"
    first = f"{name_of(e, behind[0])} ({_figure(e, these, behind[0])})"
    below = _listed(e, these, behind) if len(behind) > 1 else first
    are = "are" if len(behind) > 1 else "is"
    return f"{named} has the highest strength. {below} {are} behind; the matches of the others vary too much to say so."


def _listed(e: Estimates, these: Interval, players: Sequence[int], unit: str = "") -> str:
    units = [unit] + [""] * (len(players) - 1)
    named = [f"{name_of(e, m)} ({_figure(e, these, m, unit)})" for m, unit in zip(players, units, strict=True)]
    if len(named) > MOST_NAMED:
        return f"{len(named)} players, {named[0]} the highest of them,"
    return f"{', '.join(named[:-1])} and {named[-1]}"


def _next(e: Estimates, these: Interval, player: int, place: int) -> str:
    drawn = e.overall_drawn[np.isfinite(e.overall_drawn[:, player])]
    ahead = (drawn > drawn[:, [player]]).sum(axis=1)
    name = f"{name_of(e, player)} ({_figure(e, these, player)})"
    return f"{name} is {_place(place)}, with probability {_probability(float(np.mean(ahead == place)))}."


def _place(better: int) -> str:
    """A place in words. better: how many are before it."""
    return _ORDINALS[better] if better < len(_ORDINALS) else f"number {better + 1}"


def name_of(e: Estimates, m: int) -> str:
    """The name of a player in a sentence, by its place on the leaderboard; a long one is shortened."""
    return fitted(e.models[m], LONGEST)


def _figure(e: Estimates, these: Interval, m: int, unit: str = "") -> str:
    """A strength with its interval. unit: of the first figure of the sentences."""
    bounds = (float(these.low[m]), float(these.high[m]))
    around = f" [{signed(bounds[0])}, {signed(bounds[1])}]" if np.isfinite(bounds).all() else ""
    return f"{signed(float(e.overall[m]))}{unit}{around}"


def _probability(share: float) -> str:
    """Two digits, and never certainty: replicates are a sample."""
    return "above .99" if share > 0.995 else "below .01" if share < 0.005 else f"{share:.2f}".lstrip("0")
