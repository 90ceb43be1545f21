"""Who leads a tournament, and how sure that is: one sentence from the figures of its leaderboard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antemill.tournament.cards.findings import CardFindings
from antemill.tournament.cards.rows import tallies
from antemill.tournament.charts.text import LONGEST, fitted
from antemill.tournament.runs.costs import headline as cost
from antemill.tournament.runs.kind import Headline
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.estimates import LIKE, THESE, Estimates, shown_interval
from antemill.tournament.statistics.sheets import MARGIN, signed

_NAMED = 4  # players on one level that are named; of more only how many they are


def headline(a: CardFindings) -> Headline:
    """The first screen."""
    e = a.analysis.e
    players = [name for name in e.models if name not in e.unranked]
    found = tallies(a.done, dict.fromkeys(name for part in a.parts for name in part.config.players))
    return Headline(
        sentence=sentence(e),
        players=players + [name for name in e.models if name in e.unranked],
        table="table1_leaderboard",
        figure="leaderboard",
        measured="Strength is a margin: a player's chips less the opponent's at the end of a match, less the mean of "
        f"all players. In brackets: {shown_interval(e)[1]}.",
        tiles=(
            ("Matches", f"{len(e.table.margin):,}", ""),
            ("Players", f"{len(e.models)}", ""),
            ("Games", f"{len(e.games)}", f"{int(e.known.sum())} with axes"),
            ("Fallbacks", f"{sum(one.fallbacks for one in found):,}", f"of {sum(one.moves for one in found):,} moves"),
            cost([total for part in a.parts for total in spending(part.folder)]),
        ),
    )


def sentence(e: Estimates) -> str:
    """Who has the highest strength, and from whom the matches do not tell it apart; players without a rank are none."""
    if not np.isfinite(e.overall).any():
        return "There is no ranking: not every game says how strong all players are."
    found = e.ranks(THESE)
    order = [int(m) for m in np.argsort(-e.overall, kind="stable") if e.models[m] not in e.unranked]
    if not order:
        return "There is no ranking: no player played its own moves."
    ranked = [m for m in order if found.low[m] > 0]
    if not ranked:
        return f"{_named(e, order[0])} has the highest strength; too few matches for a ranking."
    first, level = ranked[0], [m for m in ranked[1:] if found.low[m] == 1]
    if not level:
        follows = f", before {_named(e, ranked[1])}" if len(ranked) > 1 else ""
        other = float(e.ranks(LIKE).best[first])
        said = f" ({_probability(other)} on games like these)" if np.isfinite(other) else ""
        sure = f"with probability {_probability(found.best[first])}{said}"
        return f"{_named(e, first)} is first on these games, {sure}{follows}."
    if len(level) > _NAMED:
        return (
            f"{_named(e, first)} has the highest strength; the matches do not tell it apart from {len(level)} others."
        )
    return f"{_named(e, first)} has the highest strength; the matches do not tell it apart from {_listed(e, level)}."


def _listed(e: Estimates, players: Sequence[int]) -> str:
    *names, last = (_named(e, m) for m in players)
    return f"{', '.join(names)} and {last}" if names else last


def _named(e: Estimates, m: int) -> str:
    """A name with its strength and interval; a long one is shortened."""
    these = shown_interval(e)[0]
    low, high = float(these.low[m]), float(these.high[m])
    around = f" [{signed(low)}, {signed(high)}]" if np.isfinite(low) and np.isfinite(high) else ""
    return f"{fitted(e.models[m], LONGEST)} ({signed(float(e.overall[m]))} {MARGIN}{around})"


def _probability(share: float) -> str:
    """Two digits, and never certainty: draws are a sample."""
    return "above .99" if share > 0.995 else "below .01" if share < 0.005 else f"{share:.2f}".lstrip("0")
