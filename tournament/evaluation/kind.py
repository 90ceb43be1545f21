"""The evaluation as a kind of runs: matches of the card tournament, each player against the equilibrium."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec.structs import replace

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.match import Game
from antemill.engine.match.prompt import NOTHING, Briefing
from antemill.llm import Model, dollar_text
from antemill.solver.evaluation.transcripts import Aivat, aivat_for
from antemill.tournament.cards.kind import GAMES, CardTournament, Told, themselves
from antemill.tournament.cards.pinned_games import PinnedGame, disguises_in, load_games
from antemill.tournament.cards.play import play_slot, read_match
from antemill.tournament.cards.seats import PlayerSeat, Seat, make_seat
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.evaluation.ask import EVERYWHERE, ask, asked_in, is_question
from antemill.tournament.evaluation.config import EQUILIBRIUM, REFERENCE, EvalConfig
from antemill.tournament.evaluation.materials import as_tournament, materials, outline
from antemill.tournament.evaluation.plan import Plan, main_schedule
from antemill.tournament.evaluation.references import Reference, has_references, nodes_of, read_references
from antemill.tournament.evaluation.stopping import ESTIMATE, promised
from antemill.tournament.evaluation.suites import LARGEST_TREES, STARTER
from antemill.tournament.evaluation.weak import Opponent, opponent_in
from antemill.tournament.evaluation.weak_plan import EARLIER
from antemill.tournament.head_to_head import corrected
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.runs import Access, Expected, Item, Played, Promise, Record, RunType
from antemill.tournament.runs.estimate import forecast

Games = Mapping[str, tuple[PinnedGame, Game]]


class Evaluation(CardTournament):
    """One evaluation: `antemill.tournament.runs.Kind`."""

    def __init__(
        self,
        config: EvalConfig,
        home: Path,
        games: Games,
        references: Mapping[str, Reference],
        disguises: Mapping[str, Disguise],
    ) -> None:
        super().__init__(as_tournament(config), home, games, disguises)
        own = {label: games[label] for label in themselves(games)}
        self.schedule = self.in_forms(main_schedule(config, themselves(games)), config.eval.undisguised)
        self._all = Plan(config, own, self.schedule)
        self._weak, self._ask = self._all.weak, self._all.questions
        self.whole, self.evaluation, self.references = config, config.eval, references
        self._methods: dict[str, Aivat] = {}

    @property
    def total(self) -> int | None:
        """How many matches and questions there will be."""
        return self._all.total

    def parts(self) -> dict[str, int]:
        """See `Plan.parts`."""
        return self._all.parts()

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """See `Plan.next_slots`."""
        slots = self._all.next_slots(finished)
        return [Item(slot.key, slot.data() | more, self._models(slot)) for slot, more in slots]

    async def play(self, item: Item, access: Access) -> Played:
        """Play a match, or ask a question; a model that meets a weak opponent may be told more than the rules.

        With a precision, the row of a match against the equilibrium has the player's estimated margin.
        """
        slot = read_slot(item.data)
        if is_question(item.data):
            player = self._seat(asked_in(slot)[0], slot.game)
            return await ask(slot, self._ask.sets(slot.game), player, access, self._setting)
        found = opponent_in(slot)
        if found is None:
            played = await super().play(item, access)
            estimated = {} if self.evaluation.precision is None else {ESTIMATE: self._estimate(slot, played)}
            return replace(played, row=played.row | estimated)
        opponent, seat = found
        game = self.games[slot.game][1]
        briefing = Briefing(opponent=self._weak.told(opponent, slot), earlier=tuple(item.data.get(EARLIER, ())))
        player = self._briefed((slot.alice, slot.bob)[seat], slot.game, briefing)
        other = self._seat(Opponent(opponent.bot).name, slot.game)
        seats = (player, other) if seat == 0 else (other, player)
        return await play_slot(slot, game, seats, access, self._setting, self._weak.seen(opponent, seat))

    def estimate(self) -> list[Expected]:
        """The calls against the equilibrium, and against weak opponents in all rounds, and those of questions.

        With a precision, those of the matches that are played in any case, and at most all.
        """
        times = 1.0
        if self.evaluation.precision is not None:
            times = self.evaluation.most_per_seat / self.evaluation.matches_per_seat
        own = [replace(one, most=math.ceil(one.at_most * times)) for one in super().estimate()]
        return [*own, *self._calls(self._weak.all_slots), *self.questions()]

    def questions(self) -> list[Expected]:
        """The calls of questions: as those of matches, but each question is one."""
        found = []
        for (name, label), count in self._ask.counts().items():
            model = self.config.players[name].model
            if model is not None:
                [one] = self._calls([Slot(label, 0, name, EVERYWHERE, 0)])
                found.append(replace(one, calls=count, most=count))
        return found

    def _told(self, slot: Slot, seat: int) -> Told:
        found, told = opponent_in(slot), super()._told(slot, seat)
        if found is None:
            return told
        briefing = replace(told.briefing, opponent=self._weak.told(found[0], slot))
        return Told(briefing, self._weak.earlier(found[0], slot))

    def _briefed(self, name: str, game: str, briefing: Briefing) -> Seat:
        if briefing == NOTHING or self.config.players[name].model is None:
            return self._seat(name, game)
        return make_seat(name, self._setting, self.games[game][1], briefing)

    def _estimate(self, slot: Slot, played: Played) -> float:
        game, seat = self.games[slot.game][1], 0 if slot.bob == EQUILIBRIUM else 1
        if slot.game not in self._methods:
            self._methods[slot.game] = aivat_for(game.program, self.references[slot.game].saved.table)
        return corrected(self._methods[slot.game], game, read_match(played.transcript).transcript, seat)

    def _seat(self, name: str, game: str) -> Seat:
        if self.config.players[name].policy == REFERENCE and (name, game) not in self._seats:
            solved = SolvedPlayer(name, self.references[game].saved, self.games[game][1])
            self._seats[name, game] = PlayerSeat(name, solved)
        return super()._seat(name, game)


def _foretold(evaluation: Evaluation, models: Mapping[str, Model]) -> list[str]:
    """What the questions of each model cost."""
    expected = evaluation.questions()
    count = len({one.about for one in expected})
    games = f"{count} game{'s' if count > 1 else ''}"
    return [
        f"{one.model} is asked at every decision of {games}, which takes {one.calls:,} calls"
        f"{f' and costs about {dollar_text(one.dollars)}' if one.priced else ''}."
        for one in forecast(expected, models)
    ]


def _make(config: EvalConfig, home: Path, materials: Mapping[str, bytes]) -> Evaluation:
    games = load_games(materials[GAMES])
    own = {label: game for label, (_, game) in games.items()}
    references = read_references(materials, own) if has_references(materials) else {}
    return Evaluation(config, home, games, references, disguises_in(materials[GAMES]))


def _promise(evaluation: Evaluation) -> Promise:
    own, config = list(themselves(evaluation.games)), evaluation.whole
    nodes = LARGEST_TREES[config.eval.suite or STARTER] if config.is_suite else 0
    nodes = nodes or max(nodes_of(label, evaluation.games[label][1]) for label in own)
    forms = config.eval.undisguised + len(evaluation.games) // len(own) - 1
    return promised(config.eval, len(own), nodes, forms)


EVALUATION = RunType("eval", EvalConfig, materials, _make, promise=_promise, foretold=_foretold, outline=outline)


def run_type() -> AbstractContextManager[RunType[EvalConfig]]:
    """Evaluations, which need nothing to be opened."""
    return nullcontext(EVALUATION)
