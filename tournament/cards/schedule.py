"""Which slots a tournament consists of: the schedules by name.

fixed     round robin, rotating; thinking ablation
adaptive  the runs that make the leaderboard most certain for the money
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from antemill.tournament.cards import fixed
from antemill.tournament.cards.adaptive import AdaptiveSchedule
from antemill.tournament.cards.config import CardConfig, ScheduleName
from antemill.tournament.cards.disguises import Form
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


class InForms:
    """A schedule whose every slot is played in all forms of its game, with the same cards."""

    def __init__(self, schedule: Schedule, forms: Mapping[str, Sequence[Form | None]]) -> None:
        """forms: of each game by its label; None is the game as itself. All games have equally many."""
        self._schedule, self._forms = schedule, forms
        self._each = next(iter(forms.values()))

    @property
    def total(self) -> int | None:
        """How many slots there will be; None if that depends on the results."""
        return None if self._schedule.total is None else self._schedule.total * len(self._each)

    @property
    def disguised(self) -> int:
        """How many of them are in disguise."""
        return (self._schedule.total or 0) * sum(form is not None for form in self._each)

    def next_slots(self, finished: Sequence[Record]) -> Sequence[Slot]:
        """See `Schedule`."""
        return [
            slot if form is None else replace(slot, game=form.label, disguise=form)
            for slot in self._schedule.next_slots(finished)
            for form in self._forms[slot.game]
        ]


def forms_of(games: Iterable[Form | None], labels: Iterable[str], undisguised: bool) -> dict[str, list[Form | None]]:
    """The forms in which each game is played. games: of each game the disguise that it is, None if it is none."""
    found: dict[str, list[Form | None]] = {label: [None] if undisguised else [] for label in labels}
    for form in games:
        if form is not None:
            found[form.of].append(form)
    return found
