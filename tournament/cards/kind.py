"""The card tournament as a kind of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.match import Game, Match
from antemill.engine.match import prompt as prompts
from antemill.engine.match.prompt import Briefing
from antemill.llm import Model, Reach
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.foreseen import NO_INTERVALS, foreseen, sentence
from antemill.tournament.cards.longest import Longest, longest
from antemill.tournament.cards.pinned_games import PinnedGame, disguises_in, load_games, pin_games, rejections
from antemill.tournament.cards.play import play_slot
from antemill.tournament.cards.schedule import InForms, Schedule, forms_of, make_schedule
from antemill.tournament.cards.seats import Seat, Setting, check_players, make_seat
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.players import Observation, make_bot
from antemill.tournament.runs import Access, Expected, Item, Played, Promise, Record, RunType

GAMES, BENCHMARK = "games.json", "benchmark.parquet"
_REPLIES = {False: 20, True: 60}  # characters of a reply of one action, and of a mix
_TRIAL_MATCHES = 10  # of random play in each game, for the estimate of costs


class CardTournament:
    """One tournament: `antemill.tournament.runs.Kind`."""

    def __init__(
        self,
        config: CardConfig,
        home: Path,
        games: Mapping[str, tuple[PinnedGame, Game]],
        disguises: Mapping[str, Disguise],
    ) -> None:
        """disguises: among the games, by label."""
        self.config = config
        self.games = games
        self._disguises = disguises
        self.plan = make_schedule(config, themselves(games))
        self.schedule = self.in_forms(self.plan, config.tournament.undisguised)
        self._setting = Setting(config.players, home, config.tournament.list_moves, config.paper is True)
        self._seats: dict[tuple[str, str], Seat] = {}

    def in_forms(self, plan: Schedule, undisguised: bool) -> Schedule:
        """The plan with every slot in all forms in which its game is played."""
        forms = [pinned.disguise for pinned, _ in self.games.values()]
        return InForms(plan, forms_of(forms, themselves(self.games), undisguised)) if any(forms) else plan

    @property
    def models(self) -> tuple[str, ...]:
        """The models that play."""
        return self.config.asked

    @property
    def total(self) -> int | None:
        """How many matches there will be."""
        return self.schedule.total

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """The next slots of the schedule."""
        return [Item(slot.key, slot.data(), self._models(slot)) for slot in self.schedule.next_slots(finished)]

    async def play(self, item: Item, access: Access) -> Played:
        """Play a match."""
        slot = read_slot(item.data)
        seats = self._seat(slot.alice, slot.game), self._seat(slot.bob, slot.game)
        return await play_slot(slot, self.games[slot.game][1], seats, access, self._setting)

    async def check(self) -> Sequence[Reach]:
        """A tournament needs nothing beside the models."""
        return ()

    def parts(self) -> dict[str, int]:
        """The number of matches, those in disguise apart."""
        total, hidden = self.schedule.total or 0, 0
        if isinstance(self.schedule, InForms):
            hidden = self.schedule.disguised
        return {"matches": total - hidden} | ({"matches in disguise": hidden} if hidden else {})

    def estimate(self) -> list[Expected]:
        """The calls of all slots, if those that are not known yet are like the first batch, and matches as long as
        under random play; at most, with every match as long as the game can be, and every model in all slots that are
        not known yet.
        """
        slots = self.schedule.next_slots(())
        total = self.schedule.total or len(slots)
        more = total / max(1, len(slots))
        found = self._calls(slots, more)
        if total <= len(slots):
            return found
        bounds = {
            label: longest(game, self._setting.list_moves, self._setting.paper)
            for label, (_, game) in self.games.items()
        }
        return found + [_unknown(model, total - len(slots), bounds) for model in self.models]

    def _calls(self, slots: Sequence[Slot], more: float = 1.0) -> list[Expected]:
        """The calls of slots. more: a factor of the expected number."""
        form = self._setting.list_moves, self._setting.paper
        trials = {label: _trial(game, *form) for label, (_, game) in self.games.items()}
        bounds: dict[tuple[str, Told], Longest] = {}
        calls: dict[tuple[str, str, Told], float] = {}
        most: Counter[tuple[str, str, Told]] = Counter()
        for slot in slots:
            game = self.games[slot.game][1]
            for seat, name in enumerate((slot.alice, slot.bob)):
                model = self.config.players[name].model
                if model is not None:
                    told = self._told(slot, seat)
                    if (slot.game, told) not in bounds:
                        bounds[slot.game, told] = longest(game, *form, *told)
                    key = model, slot.game, told
                    calls[key] = calls.get(key, 0.0) + trials[slot.game].moves[seat]
                    most[key] += bounds[slot.game, told].moves[seat]
        return [
            Expected(
                model,
                round(count * more),
                self._system_size(game, told),
                trials[game].turn,
                _REPLIES[told.briefing.mix],
                most=most[model, game, told],
                longest=bounds[game, told].requests,
                about=game,
            )
            for (model, game, told), count in calls.items()
        ]

    def _told(self, slot: Slot, seat: int) -> Told:
        """What a model is told in a slot."""
        return Told(Briefing(mix=self.config.players[(slot.alice, slot.bob)[seat]].answer == "mix"), 0)

    def _system_size(self, label: str, told: Told) -> int:
        """Characters of the system prompt, with records of earlier matches that are as long as random play's."""
        game = self.games[label][1]
        assert game.spec is not None
        briefing = told.briefing
        if told.earlier:
            match, random = Match(game, 0), make_bot("random", game)
            while not match.over:
                match.apply(random.choose(Observation(match)))
            briefing = replace(briefing, earlier=(prompts.record(match, 0),) * told.earlier)
        return len(prompts.system(game.spec, self._setting.paper, briefing, game.turned, game.words))

    def _models(self, slot: Slot) -> tuple[str, ...]:
        found = (self.config.players[name].model for name in (slot.alice, slot.bob))
        return tuple(model for model in found if model is not None)

    def _seat(self, name: str, game: str) -> Seat:
        """Players keep nothing between decisions, so one of each is enough for all matches of a game."""
        if (name, game) not in self._seats:
            disguise = self._disguises.get(game)
            self._seats[name, game] = make_seat(name, self._setting, self.games[game][1], disguise=disguise)
        return self._seats[name, game]


class Told(NamedTuple):
    """What a model is told in a slot beside the rules. earlier: how many records of earlier matches will join the
    briefing when those are played."""

    briefing: Briefing
    earlier: int


class _Trial(Struct, frozen=True):
    """Averages of random play: decisions of each seat, and characters of a user message."""

    moves: tuple[float, float]
    turn: int


def _trial(game: Game, list_moves: bool, paper: bool) -> _Trial:
    random, moves, lengths = make_bot("random", game), [], []
    for seed in range(_TRIAL_MATCHES):
        match = Match(game, seed)
        while not match.over:
            observation = Observation(match)
            lengths.append(len(observation.prompt(list_moves, paper)))
            match.apply(random.choose(observation))
        moves.append(match.moves)
    alice, bob = (fmean(match[seat] for match in moves) for seat in (0, 1))
    return _Trial((alice, bob), round(fmean(lengths)) if lengths else 0)


def _unknown(model: str, slots: int, bounds: Mapping[str, Longest]) -> Expected:
    """The most that a slot not chosen yet can bring a model: as many decisions, and as long requests, as any game."""
    moves = max(max(bound.moves) for bound in bounds.values())
    requests = tuple(request for bound in bounds.values() for request in bound.requests)
    return Expected(model, 0, 0, 0, most=slots * moves, longest=requests)


def themselves(games: Mapping[str, tuple[PinnedGame, Game]]) -> dict[str, int]:
    """The seeds of the games that are no disguises, by label."""
    return {label: pinned.seed for label, (pinned, _) in games.items() if pinned.disguise is None}


def read_games(materials: Mapping[str, bytes]) -> dict[str, Game]:
    """The games of a run by label."""
    return {label: game for label, (_, game) in load_games(materials[GAMES]).items()}


def _materials(config: CardConfig, home: Path) -> dict[str, bytes]:
    check_players(config.players, home)
    table = config.tournament
    found = {GAMES: pin_games(table, home)}
    if table.benchmark is not None:
        found[BENCHMARK] = (home / table.benchmark).read_bytes()  # for its axes
    return found


def _make(config: CardConfig, home: Path, materials: Mapping[str, bytes]) -> CardTournament:
    return CardTournament(config, home, load_games(materials[GAMES]), disguises_in(materials[GAMES]))


def _promise(tournament: CardTournament) -> Promise | None:
    """How precise the main schedule's results will be; None if nothing of it is planned."""
    if not tournament.schedule.total or tournament.config.tournament.schedule in ("none", "open"):
        return None
    games = {label: tournament.games[label][1] for label in themselves(tournament.games)}
    found = foreseen(tournament.plan, list(tournament.config.players), games)
    return Promise(found, NO_INTERVALS if found is None else sentence(found))


def _foretold(tournament: CardTournament, _models: Mapping[str, Model]) -> list[str]:
    return [*rejections(tournament.games)]


TOURNAMENT = RunType("tournament", CardConfig, _materials, _make, promise=_promise, foretold=_foretold)


def run_type() -> AbstractContextManager[RunType[CardConfig]]:
    """Card tournaments, which need nothing to be opened."""
    return nullcontext(TOURNAMENT)
