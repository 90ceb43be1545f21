"""The type of an axis, and the data from which it is computed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from antemill.axes.grouping import Gathered, gathered, sigma_u
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log
from antemill.engine.machine.together import Batch

if TYPE_CHECKING:
    from antemill.axes.budgets import Tier  # only for types, so that a change of the budgets recompiles no axis


class Play(Struct, frozen=True, eq=False, dict=True):
    """A game and its random play, the input of every axis."""

    program: Program
    log: Log  # of `tier.level0` episodes of random play
    tier: Tier  # the budgets of an axis beyond this play
    seed: int  # of the axis's own simulations
    batch: Batch | None = None  # buffers for `BATCH` episodes, which the axes use in turn; None: each makes its own

    @cached_property
    def sigma(self) -> float:
        """`sigma_u` of the log."""
        return sigma_u(self.log)

    @cached_property
    def gathered(self) -> Gathered:
        """Groups of the log's rows that several axes share."""
        return gathered(self.log, self.program)


class Axis(Struct, frozen=True):
    """One axis of strategic complexity.

    name: of its column. label: in tables and figures, followed by the unit unless that is "". what: the measured
    quantity, as a clause. measure: computes the figures for a game. The first figure is the axis, and is finite; the
    others are columns with the names in `also`. plays: whether the axis plays episodes of its own.
    """

    name: str
    label: str
    unit: str
    what: str
    measure: Callable[[Play], tuple[float, ...]]
    also: tuple[str, ...] = ()
    plays: bool = False

    @property
    def title(self) -> str:
        """The label with the unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label
