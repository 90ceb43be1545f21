"""How many matches an evaluation has saved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from antemill.tournament.evaluation.findings import Findings
from antemill.tournament.evaluation.losses import GameLoss
from antemill.tournament.evaluation.registry import statistic
from antemill.tournament.statistics.losses import TOO_FEW
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet, count, number, text


@statistic("economy", "the matches that the same intervals would take with luck", group="Play", after="dearest")
def economy(a: Findings) -> Sheet:
    """A row for each player."""
    columns = [text("player", "Player"), count("matches", "Matches"), number("half", "±", 3, False)]
    columns += [count("with_luck", "With luck"), number("times", "Times", 1, False)]
    rows = [[one.name, *_row(one.games, one.suite.chips.low, one.suite.chips.high)] for one in a.players]
    note = (
        "±: half of the interval of the loss in these games, chips a match. With luck: the matches that give the same "
        "interval if chips count as they are won, as in a tournament, in which the opponents' luck comes on top."
    )
    return Sheet("economy", "Matches saved", columns, rows, note)


def _row(games: Sequence[GameLoss], low: float | None, high: float | None) -> list[Cell]:
    matches, times = sum(one.matches for one in games), luck(games)
    half: Cell = Missing(TOO_FEW) if low is None or high is None else (high - low) / 2
    unknown = Missing("no variance to compare with")
    return [matches, half, *((unknown, unknown) if times is None else (math.ceil(times * matches), times))]


def luck(games: Sequence[GameLoss]) -> float | None:
    """How many times the variance without luck the variance with luck is; None if there is nothing to compare."""
    errors = [(one.raw_error, one.loss.error) for one in games]
    raw = math.fsum(error**2 for error, _ in errors if error is not None)
    better = math.fsum(error**2 for _, error in errors if error is not None)
    return raw / better if better > 1e-12 else None
