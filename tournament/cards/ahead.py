"""On what kind of games the players at the top are stronger: a sentence from the slopes of their strengths on the axes.

The sentence is about games like those that were played, so a slope's error is the one over games, which is larger than
the one behind the bold figures of table 7. A slope is shown if its q is below .05, by Benjamini and Hochberg over the
slopes of the players that the sentence names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from antemill.axes.table import AXES
from antemill.tournament.cards.verdict import MOST_NAMED, name_of
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.estimates import Estimates, ranks_of
from antemill.tournament.statistics.game_axes import LABELS
from antemill.tournament.statistics.intervals import LEVEL, false_discovery
from antemill.tournament.statistics.matches import Flags
from antemill.tournament.statistics.profile import DISCOVERY, why_missing
from antemill.tournament.statistics.sheets import CHIPS, signed

GAMES: Mapping[str, str] = MappingProxyType(
    {
        "state_space": "games with a larger number of different situations",
        "temporal_depth": "games in which early decisions matter more for later ones",
        "information_sensitivity": "games in which the best move depends more on what the player knows",
        "opponent_modeling": "games in which the best move depends more on the opponent",
        "risk": "games in which it costs more to avoid the worst results",
        "brittleness": "games in which a small change of good play moves the result more",
    }
)  # by axis: the games that have more of it
EXPLAINED = (
    "A figure is the change of strength where a game has one standard deviation more of this property and the same of "
    "the others; in brackets its 95% interval for games like these."
)  # what the figures of the sentence are


def ahead(a: Analysis) -> tuple[str, str]:
    """The sentences, and what their figures are; "" where there is nothing to say: no ranking, or no game with axes."""
    top = _top(a.e)
    if not top or not a.e.known.any():
        return "", ""
    p = np.where(_enough(a.e)[:, None], a.slope_errors[1].p(a.profile.slopes), np.nan)[top]
    if not np.isfinite(p).any():
        are = "are" if len(top) > 1 else "is"
        return f"It is not known on which kind of games {_listed(a.e, top)} {are} stronger: {_why(a.e, top[0])}.", ""
    q = false_discovery(p)
    axes = {m: [int(k) for k in np.argsort(p[i]) if q[i, k] < DISCOVERY] for i, m in enumerate(top)}
    shown, rest = [m for m in top if axes[m]], [m for m in top if not axes[m]]
    unit = f" {CHIPS} per standard deviation"
    parts: list[str] = []
    explained = EXPLAINED
    for m in shown:
        units = [unit if not parts and not i else "" for i in range(len(axes[m]))]
        slopes = " and ".join(_slope(a, m, k, one) for k, one in zip(axes[m], units, strict=True))
        parts.append(f"{name_of(a.e, m)} is {slopes}.")
    if rest:
        are = "are" if len(rest) > 1 else "is"
        parts.append(f"{_listed(a.e, rest)} {are} not shown to be stronger on one kind of games than on another.")
    if not shown:
        i, k = np.unravel_index(int(np.nanargmin(p)), p.shape)
        explained = f"Closest to being shown: {name_of(a.e, top[i])} is {_slope(a, top[i], int(k), unit)}. "
        if p[i, k] < 1.0 - LEVEL:
            tested = int(np.isfinite(p).sum())
            explained += f"Its interval leaves out 0, as one of twenty does by chance, and {tested} are tested. "
        explained += EXPLAINED
    return " ".join(parts), explained


def _top(e: Estimates) -> list[int]:
    """The players of rank 1, the best first; the best alone if they are many."""
    found = ranks_of(e).low
    top = [int(m) for m in np.argsort(-e.overall, kind="stable") if found[m] == 1]
    return top if len(top) <= MOST_NAMED else top[:1]


def _enough(e: Estimates) -> Flags:
    """bool[models]: whose games leave one over beside the slopes and the level, which shows how games differ."""
    return np.asarray(np.isfinite(e.per_game[e.known]).sum(axis=0) > len(AXES) + 1, np.bool_)


def _slope(a: Analysis, m: int, k: int, unit: str) -> str:
    """A slope in words, with its interval. unit: behind its figure."""
    slope, bounds = float(a.profile.slopes[m, k]), a.slope_errors[1].interval(a.profile.slopes)
    how = "stronger" if slope > 0 else "less strong"
    around = f"[{signed(float(bounds.low[m, k]))}, {signed(float(bounds.high[m, k]))}]"
    return f"{how} on {GAMES[[*AXES][k]]} ({LABELS[k]}: {signed(slope)}{unit} {around})"


def _why(e: Estimates, m: int) -> str:
    """Why a player has no slope with an interval."""
    axes, mine = e.axes.values[e.known], e.per_game[e.known, m]
    played, least = int(np.isfinite(mine).sum()), len(AXES) + 2
    if played < least:
        return f"{played} game{' is' if played == 1 else 's are'} too few to tell, {least} are needed"
    return next(filter(None, (why_missing(axes, mine, k) for k in range(len(AXES)))), "the slopes have no interval")


def _listed(e: Estimates, players: Sequence[int]) -> str:
    *names, last = (name_of(e, m) for m in players)
    return f"{', '.join(names)} and {last}" if names else last
