"""What an axis is, and what it is computed from."""

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
    from antemill.axes.budgets import Tier  # so that an edit of the budgets compiles no axis again


class Play(Struct, frozen=True, eq=False, dict=True):
    """A game and its random play, from which every axis starts."""

    program: Program
    log: Log  # of `tier.level0` episodes of random play
    tier: Tier  # how much an axis may simulate beyond this play
    seed: int  # of what it simulates
    batch: Batch | None = None  # of `BATCH` episodes, in which the axes play one after the other; None: in a new one

    @cached_property
    def sigma(self) -> float:
        """`sigma_u` of the log."""
        return sigma_u(self.log)

    @cached_property
    def gathered(self) -> Gathered:
        """What several axes read off the log."""
        return gathered(self.log, self.program)


class Axis(Struct, frozen=True):
    """One axis of strategic complexity.

    name: what its columns are called. label: what tables and figures call it, before its unit, unless that is "".
    what: what it measures, as a clause. measure: computes it for a game. The first figure is the axis, which is
    finite; the further ones are columns by the names in `also`. plays: whether it plays episodes of its own.
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
