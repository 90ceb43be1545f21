"""What is played and asked in an evaluation, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from antemill.engine.match import Game
from antemill.tournament.cards.fixed import FixedSchedule
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.schedule import Schedule
from antemill.tournament.cards.slots import Slot
from antemill.tournament.evaluation.ask import Questions
from antemill.tournament.evaluation.config import EvalConfig
from antemill.tournament.evaluation.stopping import UntilPrecise, slots_of
from antemill.tournament.evaluation.weak_plan import Weak, is_own
from antemill.tournament.runs import Record


class Plan:
    """Matches against the equilibrium, those against weak opponents, and questions at every decision.

    main: the first ones, in all forms of their games. The others are about the games as themselves.
    """

    def __init__(self, config: EvalConfig, games: Mapping[str, tuple[PinnedGame, Game]], main: Schedule) -> None:
        self.main = main
        self.weak = Weak(config, games)
        self.questions = Questions(config.players, config.policy, games, config.eval.seed)

    @property
    def total(self) -> int | None:
        """How many matches and questions there will be; None if that depends on results."""
        own = self.main.total
        return None if own is None else own + len(self.weak.all_slots) + len(self.questions.slots)

    def parts(self) -> dict[str, int]:
        """The number of each of them, with a precision of those that are played in any case; of the first always."""
        slots = self.main.next_slots(())
        hidden = sum(slot.disguise is not None for slot in slots)
        found = {
            "matches": len(slots) - hidden,
            "matches in disguise": hidden,
            "matches against weak opponents": len(self.weak.all_slots),
            "questions": len(self.questions.slots),
        }
        return {name: count for name, count in found.items() if count or name == "matches"}

    def next_slots(self, finished: Sequence[Record]) -> Iterator[tuple[Slot, dict[str, Any]]]:
        """The next ones, with what their items' data hold in addition; rounds against weak opponents follow each other.

        finished: all records of the run.
        """
        own = [record for record in finished if is_own(record)]
        if own or not finished:
            yield from ((slot, {}) for slot in self.main.next_slots(own))
        yield from self.weak.next_slots(finished)
        if not finished:
            yield from ((slot, {}) for slot in self.questions.slots)


def main_schedule(config: EvalConfig, seeds: Mapping[str, int]) -> Schedule:
    """The matches against the equilibrium, each game as itself. seeds: of the games, by label."""
    if config.eval.precision is not None:
        return UntilPrecise(config, seeds)
    runs = range(config.eval.matches_per_seat)
    return FixedSchedule([slot for run in runs for slot in slots_of(config, seeds, run, config.players)])
