"""The evaluation as a kind of runs: matches of the card tournament, each player against the equilibrium."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.match import Game
from antemill.engine.match.prompt import NOTHING, Briefing
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.llm import Model, dollar_text
from antemill.solver.evaluation.transcripts import Aivat, aivat_for
from antemill.tournament.cards.config import CardConfig, PlayerTable, TournamentTable
from antemill.tournament.cards.fixed import FixedSchedule
from antemill.tournament.cards.kind import GAMES, CardTournament, Told, themselves
from antemill.tournament.cards.pinned_games import PinnedGame, disguises_in, load_games, pin_games
from antemill.tournament.cards.play import play_slot, read_match
from antemill.tournament.cards.schedule import Schedule
from antemill.tournament.cards.seats import PlayerSeat, Seat, check_players, make_seat
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.evaluation.ask import EVERYONE, EVERYWHERE, Questions, ask, asked_in, is_question
from antemill.tournament.evaluation.config import EQUILIBRIUM, REFERENCE, EvalConfig
from antemill.tournament.evaluation.references import Reference, read_references, solve_references
from antemill.tournament.evaluation.stopping import ESTIMATE, UntilPrecise, promised, slots_of
from antemill.tournament.evaluation.suites import require_canonical
from antemill.tournament.evaluation.weak import Opponent, opponent_in
from antemill.tournament.evaluation.weak_plan import EARLIER, Weak, is_own, opponents
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
        super().__init__(_as_tournament(config), home, games, disguises)
        self.plan = _plan(config, themselves(games))
        self.schedule = self.in_forms(self.plan, config.eval.undisguised)
        self.evaluation, self.references = config.eval, references
        self._methods: dict[str, Aivat] = {}
        self._weak = Weak(config, {label: games[label] for label in themselves(games)})
        self._ask = Questions(
            config.players, config.policy, {label: games[label] for label in themselves(games)}, config.eval.seed
        )

    @property
    def total(self) -> int | None:
        """How many matches and questions there will be."""
        own = self.schedule.total
        return None if own is None else own + len(self._weak.all_slots) + len(self._ask.slots)

    def parts(self) -> dict[str, int]:
        """The number of matches, with a precision of those that are played in any case; and of questions."""
        slots = self.schedule.next_slots(())
        hidden, questions = sum(slot.disguise is not None for slot in slots), len(self._ask.slots)
        found = {"matches": len(slots) - hidden + len(self._weak.all_slots), "matches in disguise": hidden}
        return {name: count for name, count in (found | {"questions": questions}).items() if count or name == "matches"}

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """The matches against the equilibrium, those against weak opponents, whose rounds follow each other, and the
        questions."""
        own = [record for record in finished if is_own(record)]
        slots: list[tuple[Slot, dict[str, Any]]] = []
        if own or not finished:
            slots += [(slot, {}) for slot in self.schedule.next_slots(own)]
        slots += self._weak.next_slots(finished)
        slots += [] if finished else [(slot, {}) for slot in self._ask.slots]
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


def _as_tournament(config: EvalConfig) -> CardConfig:
    """The evaluation in the words of a tournament."""
    table = config.eval
    return CardConfig(
        tournament=TournamentTable(
            games=config.games,
            benchmark=table.benchmark,
            schedule="open",
            list_moves=table.list_moves,
        ),
        players={**config.players, EQUILIBRIUM: PlayerTable(policy=REFERENCE), **opponents(config), **EVERYONE},
        models=config.models,
        budget=config.budget,
        limits=config.limits,
        paper=config.paper,
    )


def _plan(config: EvalConfig, seeds: Mapping[str, int]) -> Schedule:
    if config.eval.precision is not None:
        return UntilPrecise(config, seeds)
    runs = range(config.eval.matches_per_seat)
    return FixedSchedule([slot for run in runs for slot in slots_of(config, seeds, run, config.players)])


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


def _materials(config: EvalConfig, home: Path) -> dict[str, bytes]:
    outside = {name: player for name, player in config.players.items() if player.policy != REFERENCE}
    check_players(outside, home)
    table = config.eval
    chosen = replace(_as_tournament(config).tournament, seed=table.seed, disguises=table.disguises)
    pinned = pin_games(chosen, home)
    loaded = load_games(pinned)
    games = {label: loaded[label][1] for label in themselves(loaded)}
    if config.is_suite:
        _require_suite(games)
    return {GAMES: pinned, **solve_references(games, config.eval.target)}


def _require_suite(games: Mapping[str, Game]) -> None:
    for label, game in games.items():
        assert game.spec is not None
        require_canonical(label, canonical_digest(game.spec))


def _make(config: EvalConfig, home: Path, materials: Mapping[str, bytes]) -> Evaluation:
    games = load_games(materials[GAMES])
    references = read_references(materials, {label: game for label, (_, game) in games.items()})
    return Evaluation(config, home, games, references, disguises_in(materials[GAMES]))


def _promise(evaluation: Evaluation) -> Promise:
    own, table = list(themselves(evaluation.games)), evaluation.evaluation
    references = [evaluation.references[label] for label in own]
    return promised(table, references, table.undisguised + len(evaluation.games) // len(own) - 1)


EVALUATION = RunType("eval", EvalConfig, _materials, _make, promise=_promise, foretold=_foretold)


def run_type() -> AbstractContextManager[RunType[EvalConfig]]:
    """`antemill eval`, which needs nothing to be opened."""
    return nullcontext(EVALUATION)
