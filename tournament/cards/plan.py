"""One tournament: which matches there are, how they are played, and what they are expected to take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.match import Game, Match
from antemill.engine.match import prompt as prompts
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.pinned_games import PinnedGame, load_games
from antemill.tournament.cards.play import play_slot
from antemill.tournament.cards.schedule import InForms, Schedule, forms_of, make_schedule
from antemill.tournament.cards.seats import Seat, Setting, make_seat
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.mixes import mix_schema
from antemill.tournament.players import Observation, make_bot
from antemill.tournament.replies import action_schema
from antemill.tournament.runs import Access, Expected, Item, Plan, Played, Record

if TYPE_CHECKING:
    pass

NAME = "tournament"  # of the kind, and of its table
GAMES, BENCHMARK = "games.json", "benchmark.parquet"
_REPLIES = {False: 20, True: 60}  # characters of a reply of one action, and of a mix
_TRIAL_MATCHES = 10  # of random play in each game, for the estimate of costs


class CardTournament(Plan):
    """One tournament."""

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

    def parts(self) -> dict[str, int]:
        """The number of matches, those in disguise apart."""
        total, hidden = self.schedule.total or 0, 0
        if isinstance(self.schedule, InForms):
            hidden = self.schedule.disguised
        return {"matches": total - hidden} | ({"matches in disguise": hidden} if hidden else {})

    def estimate(self) -> list[Expected]:
        """The calls of all slots, if those that are not known yet are like the first batch, and matches are as long as
        under random play.
        """
        slots = self.schedule.next_slots(())
        return self.calls(slots, (self.schedule.total or len(slots)) / max(1, len(slots)))

    def calls(self, slots: Iterable[Slot], more: float = 1.0) -> list[Expected]:
        """The calls of slots. more: a factor of their number."""
        trials: dict[str, _Trial] = {}
        met: Counter[tuple[str, str, bool, int]] = Counter()
        for slot in slots:
            for seat, name in enumerate((slot.alice, slot.bob)):
                player = self.config.players[name]
                if player.model is not None:
                    met[player.model, slot.game, player.answer == "mix", seat] += 1
        found = []
        for (model, label, mix, seat), count in met.items():
            game = self.games[label][1]
            if label not in trials:
                trials[label] = _trial(game, self._setting.list_moves, self._setting.paper)
            mean, deviation = trials[label].moves[seat]
            assert game.spec is not None
            system = len(prompts.system(game.spec, self._setting.paper, mix, game.turned, game.words))
            spread = deviation * sqrt(count * more)
            calls, turn = round(mean * count * more), trials[label].turn
            found.append(Expected(model, calls, system, turn, _REPLIES[mix], spread, label, trials[label].schema[mix]))
        return found

    def _models(self, slot: Slot) -> tuple[str, ...]:
        found = (self.config.players[name].model for name in (slot.alice, slot.bob))
        return tuple(model for model in found if model is not None)

    def _seat(self, name: str, game: str) -> Seat:
        """Players keep nothing between decisions, so one of each is enough for all matches of a game."""
        if (name, game) not in self._seats:
            disguise = self._disguises.get(game)
            self._seats[name, game] = make_seat(name, self._setting, self.games[game][1], disguise=disguise)
        return self._seats[name, game]


class _Trial(Struct, frozen=True):
    """Random play: mean and standard deviation of each seat's decisions, the mean of characters of a user message, and
    a schema of one action and of a mix.
    """

    moves: tuple[tuple[float, float], tuple[float, float]]
    turn: int
    schema: tuple[Any, Any]


def _trial(game: Game, list_moves: bool, paper: bool) -> _Trial:
    random, moves, lengths = make_bot("random", game), [], []
    schema: tuple[Any, Any] = (None, None)
    for seed in range(_TRIAL_MATCHES):
        match = Match(game, seed)
        while not match.over:
            observation, menu = Observation(match), game.shown(match.menu)
            lengths.append(len(observation.prompt(list_moves, paper)))
            schema = action_schema(menu, list_moves), mix_schema(menu, list_moves)
            match.apply(random.choose(observation))
        moves.append(match.moves)
    alice, bob = ((fmean(own), pstdev(own)) for own in zip(*moves, strict=True))
    return _Trial((alice, bob), round(fmean(lengths)) if lengths else 0, schema)


def themselves(games: Mapping[str, tuple[PinnedGame, Game]]) -> dict[str, int]:
    """The seeds of the games that are no disguises, by label."""
    return {label: pinned.seed for label, (pinned, _) in games.items() if pinned.disguise is None}


def read_games(materials: Mapping[str, bytes]) -> dict[str, Game]:
    """The games of a run by label."""
    return {label: game for label, (_, game) in load_games(materials[GAMES]).items()}
