"""Where players stand whose Bradley-Terry rating is not finite: infinitely far above or below another player (T7, T9).

Players who have all beaten each other along chains of wins make a group; between groups chains lead one way at most.
The largest group is rated. A group with a chain to it stands above it, one that it has a chain to stands below it, and
a group may have others between itself and the rated one. So the order is

    ∞ above b      of all that b's side has beaten, or that beat it, b is the next one down
    ∞ below c      c is the next one up
    no result connects it with c;  no chain of wins leads to c or back

Within a group of several that is not the rated one, ratings are finite against each other only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.sparse.csgraph import connected_components

from antemill.tournament.statistics.bradley_terry import Fit, bradley_terry, cleaned
from antemill.tournament.statistics.intervals import Floats

Flags = npt.NDArray[np.bool_]


class Place(Struct, frozen=True):
    """One player's. level: groups up (above 0) or down to the rated group, 0 within it, None beyond comparison.

    beside: the player next to it on the way to the rated group; of those beyond comparison the first rated one. inside:
    log-odds against the mean of its own group. alone: whether that group is the player itself. met: whether results of
    any kind connect it with the rated group.
    """

    level: int | None
    beside: int
    inside: float
    alone: bool
    met: bool

    @property
    def rank(self) -> tuple[bool, int, float]:
        """Sorts players, the best first, and those beyond comparison last."""
        return self.level is None, -(self.level or 0), -self.inside


def places(wins: Floats, fitted: Fit) -> list[Place]:
    """Where each player stands. wins: float64[players, players], what was fitted without a prior."""
    wins = cleaned(wins)
    label = connected_components(wins > 0.0, directed=True, connection="strong")[1]
    weak = connected_components(wins > 0.0, directed=False)[1]
    first = next((i for i, status in enumerate(fitted.status) if status == "rated"), 0)
    inside = _inside(wins, label, fitted)
    up = _levels(_reach(wins, label), int(label[first]))
    down = _levels(_reach(wins, label).T, int(label[first]))
    return [
        _place(i, label, inside, (up, down), (_reach(wins, label), int(first), bool(weak[i] == weak[first])))
        for i in range(len(wins))
    ]


def said(place: Place, names: Sequence[str], points: float, digits: int = 0) -> str:
    """The place in words; points: of the scale, for one unit of log-odds. digits: decimals of a figure on it."""
    name = names[place.beside]
    if place.level is None:
        text = f"no chain of wins leads to {name} or back" if place.met else f"no result connects it with {name}"
    else:
        text = f"∞ {'above' if place.level > 0 else 'below'} {name}"
    figure = f"{points * place.inside:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return text if place.alone else f"{text} ({figure} in its own group)"


def _place(
    player: int,
    label: npt.NDArray[np.int32],
    inside: Floats,
    levels: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    about: tuple[Flags, int, bool],
) -> Place:
    (up, down), (reach, first, met) = levels, about
    own = int(label[player])
    alone = int((label == own).sum()) == 1
    if up[own] < 0 and down[own] < 0:
        return Place(None, first, float(inside[player]), alone, met)
    if up[own] <= 0 and down[own] <= 0:
        return Place(0, player, float(inside[player]), alone, met)
    above = bool(up[own] > 0)
    level = up if above else down
    on_the_way = (reach[own] if above else reach[:, own]) & (level == level[own] - 1)
    beside = np.flatnonzero(on_the_way[label])
    nearest = beside[np.argmax(inside[beside] if above else -inside[beside])]
    return Place(int(level[own]) if above else -int(level[own]), int(nearest), float(inside[player]), alone, met)


def _inside(wins: Floats, label: npt.NDArray[np.int32], fitted: Fit) -> Floats:
    """float64[players]: strengths within each group, its mean at 0; those of the rated group as they are."""
    inside = fitted.strengths.copy()
    for group in np.unique(label):
        members = np.flatnonzero(label == group)
        if not np.isfinite(inside[members]).all():
            inside[members] = bradley_terry(wins[np.ix_(members, members)]).strengths
    return np.asarray(inside, np.float64)


def _reach(wins: Floats, label: npt.NDArray[np.int32]) -> Flags:
    """bool[groups, groups]: whether a chain of wins leads from the row's group to the column's."""
    groups = int(label.max()) + 1
    reach = np.eye(groups, dtype=bool)
    row, column = np.nonzero(wins > 0.0)
    reach[label[row], label[column]] = True
    for _ in range(groups.bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0.0
    return reach


def _levels(reach: Flags, rated: int) -> npt.NDArray[np.int64]:
    """int64[groups]: groups on the longest chain down to the rated one, -1 where no chain leads there."""
    level = np.full(len(reach), -1, np.int64)
    level[rated] = 0
    above = [int(group) for group in np.flatnonzero(reach[:, rated]) if group != rated]
    for group in sorted(above, key=lambda one: int(reach[one].sum())):  # the group that reaches fewer comes first
        below = [other for other in (*above, rated) if other != group and reach[group, other]]
        level[group] = 1 + max(int(level[int(other)]) for other in below)
    return level
