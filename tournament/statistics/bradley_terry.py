"""Bradley-Terry strengths of a matrix of wins, by maximum likelihood (GENSTRAT section 6, Token Games section 3.2).

    P(i beats j) = 1 / (1 + exp(s_j - s_i))

The likelihood has a finite maximum only among players each of whom has beaten each other one, directly or along a chain
of wins (Ford 1957). So the players are split into such groups, the maximum is computed within the largest one, and each
other player gets the limit of the likelihood:

    undefeated   a chain of wins leads to the largest group and none back: +infinity
    winless      a chain of wins leads from the group and none back: -infinity
    unconnected  no chain either way: undefined (NaN)

Those outside have an order as well: `antemill.tournament.statistics.placing` gives it. The optimiser is that of `wins`.

Draws. "half": half a win for each. "lost": GENSTRAT's indicator 1[margin > 0] as printed, Alice's seat has not won. So
a draw counts for Bob; with both seat assignments played equally often, that is a win for each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from msgspec import Struct
from scipy.sparse.csgraph import connected_components

from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable
from antemill.tournament.statistics.wins import fit_matrix

_ROUNDING = 1e-12  # a smaller share of wins is none


class Fit(Struct, frozen=True, eq=False):
    """Strengths in log-odds, with mean 0 over the finite ones."""

    strengths: Floats  # float64[players]
    status: tuple[str, ...]  # "rated", "undefeated", "winless" or "unconnected"


def outcomes(table: SlotTable, draws: str = "half") -> SlotTable:
    """The table with margin +1 for a win of Alice, -1 for one of Bob, and a draw as `draws` says (0 for "half")."""
    sign = np.sign(table.margin)
    return replace(table, margin=np.where(sign == 0.0, -1.0, sign) if draws == "lost" else sign)


def bradley_terry(wins: Floats, prior: bool = False) -> Fit:
    """Fit float64[players, players], not negative: the row's wins over the column's, a draw half for each.

    prior: every player has drawn one more match with a player of strength 0, so that all ratings are finite.
    """
    wins = cleaned(wins)
    if prior:
        return Fit(fit_matrix(wins, prior=True), ("rated",) * len(wins))
    label = connected_components(wins > 0.0, directed=True, connection="strong")[1]
    sizes = np.bincount(label)
    first = int(np.flatnonzero(sizes[label] == sizes.max())[0])
    below, above = reached(wins > 0.0, first), reached(wins.T > 0.0, first)
    inside = below & above
    found = np.where(below, -np.inf, np.where(above, np.inf, np.nan))
    members = np.flatnonzero(inside)
    found[members] = fit_matrix(wins[np.ix_(members, members)])
    names = {np.inf: "undefeated", -np.inf: "winless"}
    status = ["unconnected" if np.isnan(s) else names.get(float(s), "rated") for s in found]
    return Fit(found, tuple(status))


def cleaned(wins: Floats) -> Floats:
    """The wins without those of a player over itself, and without what is left of sums by rounding."""
    wins = np.array(wins, np.float64)
    np.fill_diagonal(wins, 0.0)
    wins[wins < _ROUNDING * (wins + wins.T)] = 0.0
    return wins


def reached(edges: np.ndarray, start: int) -> np.ndarray:
    """bool[nodes]: what can be reached from `start`, itself included. edges: bool[nodes, nodes]."""
    found = np.zeros(len(edges), bool)
    found[start] = True
    while (grown := found | edges[found].any(axis=0)).sum() > found.sum():
        found = grown
    return found
