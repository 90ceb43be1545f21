"""One evaluation: matches of the card tournament, each player against the equilibrium, and questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.match import Game
from antemill.tournament.cards.fixed import FixedSchedule
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.plan import CardTournament, themselves
from antemill.tournament.cards.seats import PlayerSeat, Seat
from antemill.tournament.cards.slots import Slot, play_seed, read_slot, seatings
from antemill.tournament.evaluation import materials as made_of
from antemill.tournament.evaluation.ask import EVERYWHERE, Questions, ask, asked_in, is_question
from antemill.tournament.evaluation.config import EQUILIBRIUM, REFERENCE, EvalConfig
from antemill.tournament.evaluation.references import Reference
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.runs import Access, Expected, Item, Played, Record

if TYPE_CHECKING:
    pass

Games = Mapping[str, tuple[PinnedGame, Game]]


class Evaluation(CardTournament):
    """One evaluation: matches against the equilibrium, and questions at every decision of small games."""

    def __init__(
        self,
        config: EvalConfig,
        home: Path,
        games: Games,
        references: Mapping[str, Reference],
        disguises: Mapping[str, Disguise],
    ) -> None:
        super().__init__(made_of.as_tournament(config), home, games, disguises)
        own = {label: games[label] for label in themselves(games)}
        runs = range(config.eval.matches_per_seat)
        slots = [slot for run in runs for slot in slots_of(config, themselves(games), run, config.players)]
        self.schedule = self.in_forms(FixedSchedule(slots), config.eval.undisguised)
        self._ask = Questions(config.players, config.policy, own, config.eval.seed)
        self._references = references

    @property
    def total(self) -> int | None:
        """How many matches and questions there will be."""
        return (self.schedule.total or 0) + len(self._ask.slots)

    def parts(self) -> dict[str, int]:
        """The number of matches, those in disguise apart, and of questions."""
        return super().parts() | ({"questions": len(self._ask.slots)} if self._ask.slots else {})

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """All of them, once."""
        slots = () if finished else (*self.schedule.next_slots(()), *self._ask.slots)
        return [Item(slot.key, slot.data(), self._models(slot)) for slot in slots]

    async def play(self, item: Item, access: Access) -> Played:
        """Play a match, or ask a question."""
        if not is_question(item.data):
            return await super().play(item, access)
        slot = read_slot(item.data)
        player = self._seat(asked_in(slot)[0], slot.game)
        return await ask(slot, self._ask.sets(slot.game), player, access, self._setting)

    def estimate(self) -> list[Expected]:
        """The calls against the equilibrium, and those of questions."""
        return [*super().estimate(), *self.questions()]

    def questions(self) -> list[Expected]:
        """The calls of questions: as those of matches, but each question is one."""
        found = []
        for (name, label), count in self._ask.counts().items():
            if self.config.players[name].model is not None:
                [one] = self.calls([Slot(label, 0, name, EVERYWHERE, 0)])
                found.append(replace(one, calls=count, spread=0.0))
        return found

    def _seat(self, name: str, game: str) -> Seat:
        if self.config.players[name].policy == REFERENCE and (name, game) not in self._seats:
            solved = SolvedPlayer(name, self._references[game].saved, self.games[game][1])
            self._seats[name, game] = PlayerSeat(name, solved, twin=int(name != EQUILIBRIUM))
        return super()._seat(name, game)


def slots_of(config: EvalConfig, seeds: Mapping[str, int], run: int, players: Iterable[str]) -> Iterator[Slot]:
    """A pair of each player in every game, with cards that depend on the game and the number of the pair alone."""
    for label, seed in seeds.items():
        cards = play_seed(seed, run, "", config.eval.seed)
        for player in players:
            yield from seatings(label, run, player, EQUILIBRIUM, cards)
