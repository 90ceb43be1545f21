"""Which slots a tournament consists of: the schedules by name.

fixed     round robin, rotating; thinking ablation
adaptive  the runs that make the leaderboard most certain for the money
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from antemill.tournament.cards import fixed
from antemill.tournament.cards.adaptive import AdaptiveSchedule
from antemill.tournament.cards.config import CardConfig, ScheduleName
from antemill.tournament.cards.slots import Slot
from antemill.tournament.runs import Record


class Schedule(Protocol):
    """What is to be played. Deterministic: a function of the configuration, the games and the results."""

    @property
    def total(self) -> int | None:
        """How many slots there will be; None if that depends on the results."""
        ...

    def next_slots(self, finished: Sequence[Record]) -> Sequence[Slot]:
        """Called with () at first, then with all results whenever a batch is complete. No slots end the tournament."""
        ...


SCHEDULES: dict[ScheduleName, Callable[[CardConfig, Mapping[str, int]], Schedule]] = {
    "round-robin": fixed.round_robin,
    "rotating": fixed.rotating,
    "adaptive": AdaptiveSchedule,
    "none": fixed.ablation_only,
    "open": fixed.unplanned,
}


def make_schedule(config: CardConfig, seeds: Mapping[str, int]) -> Schedule:
    """The schedule of a configuration. seeds: of the games, by label."""
    return SCHEDULES[config.tournament.schedule](config, seeds)
