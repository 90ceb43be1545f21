"""What decisions give away by the axes of the games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from antemill.axes.budgets import FAST
from antemill.axes.scores import score
from antemill.axes.table import AXES
from antemill.engine.match import Game
from antemill.tournament.evaluation.findings import Findings
from antemill.tournament.evaluation.registry import statistic
from antemill.tournament.evaluation.regrets import Decided, mean_cost
from antemill.tournament.statistics.losses import Loss, interval
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet, number, text

THIRDS = ("lower", "middle", "upper")
_FEW = Missing("too few decisions")


@statistic("regrets_by_axis", "the same by axis of the games", group="Decisions", after="regrets", below="regrets")
def regrets_by_axis(a: Findings) -> Sheet | None:
    """A row for each player and axis; None with fewer than three games."""
    if len(a.games) < len(THIRDS):
        return None
    thirds = thirds_of(a.games)
    columns = [text("player", "Player"), text("axis", "Axis"), *(number(one, one, 4, False) for one in THIRDS)]
    columns += [number("more", "upper less lower", 4), number("more_low", "low", 4), number("more_high", "high", 4)]
    rows = [
        [one.name, axis.replace("_", " "), *_cells(one.decisions, thirds[axis])] for one in a.players for axis in AXES
    ]
    note = (
        "Chips a decision, in the lower, middle and upper third of the games by each axis (by random play, at the fast "
        "tier). The interval of the difference is over pairs of matches: it is about these games."
    )
    return Sheet("regrets_by_axis", "Regret by axis", columns, rows, note)


def thirds_of(games: Mapping[str, Game]) -> dict[str, dict[str, int]]:
    """{axis: {game: 0, 1 or 2}}: the third of the games in which each game lies; equal scores share a third."""
    scores = {label: score(game.program, FAST).axes for label, game in games.items()}
    found = {}
    for axis in AXES:
        order = sorted(one[axis] for one in scores.values())
        found[axis] = {label: len(THIRDS) * order.index(one[axis]) // len(order) for label, one in scores.items()}
    return found


def _cells(decisions: Sequence[Decided], third: Mapping[str, int]) -> list[Cell]:
    parts = [mean_cost([one for one in decisions if third[one.game] == place]) for place in range(len(THIRDS))]
    means: list[Cell] = [_FEW if math.isnan(loss.mean) else loss.mean for loss, _ in parts]
    return [*means, *_difference(parts[0], parts[-1])]


def _difference(lower: tuple[Loss, int], upper: tuple[Loss, int]) -> list[Cell]:
    """The mean in the upper third less that in the lower one, with its interval."""
    (low, few), (high, many) = lower, upper
    if low.error is None or high.error is None:
        return [_FEW] * 3
    found = interval(high.mean - low.mean, math.hypot(low.error, high.error), min(few, many) - 1)
    return [found.mean, *(_FEW if bound is None else bound for bound in (found.low, found.high))]
