"""A match in which a language model learns: prompts and replies are those of tournaments; a bot plays the other seat.

    ground = Ground("kuhn", Setting(opponent="cfr", reward="regret"))
    episode = Episode(ground, play_seed=1, learners=(0,))
    while not episode.over:
        episode.answer(reply to ground.system and episode.question())
    episode.score(0).total

Each decision is made as in tournaments (`antemill.engine.match.prompt`, `antemill.tournament.replies`): a system
prompt with the rulebook, one user message, and a reply of which only JSON is read. A reply that cannot be played
becomes a random legal action and costs the penalty. A learner that stops answering `leaves`: its further decisions are
played like unreadable replies, so that every match ends.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import msgspec
from msgspec import Struct

from antemill.engine.builder.resolve import resolve
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.match import Game, Match
from antemill.engine.match import prompt as prompts
from antemill.engine.rules.check import check
from antemill.engine.rules.spec import GameSpec, from_json
from antemill.engine.text.labels import SEATS
from antemill.llm import Finish
from antemill.tournament.adapters.rewards import Judge, Reward, Score, Unit
from antemill.tournament.players import Observation, Player, make_bot
from antemill.tournament.replies import Cause, Reading, play_reading, read_action

KEPT = 64  # games held in memory, with their opponents and solutions


class Setting(Struct, frozen=True, kw_only=True):
    """The opponent and the reward of a model that learns.

    opponent: plays the seat that does not learn: a bot's name, or the path of a policy or of a folder of them; None if
    both seats learn. reward, unit: see `antemill.tournament.adapters.rewards`. penalty: subtracted for each decision
    that had to be played for the learner, in the reward's unit. solution: a policy file or folder with the equilibrium
    against which "regret" is measured; without one a small game is solved. list_moves: whether prompts list the legal
    actions.
    """

    opponent: str | None = "random"
    reward: Reward = "payoff"
    unit: Unit = "chips"
    penalty: float = 0.0
    solution: str | None = None
    list_moves: bool = True


class Ground:
    """A game prepared for learning: its rulebook, the opponent and the judge.

    game: a GAME as on our command line, or a game's JSON. Raises UsageError, StorageError or SpecError if there is no
    such game, if its rules are not legal, or if the setting is impossible in this game.
    """

    def __init__(self, game: str, setting: Setting) -> None:
        self.setting = setting
        self.spec = _spec(game)
        self.game = Game(self.spec)
        self.deciding = tuple(seat for seat in (0, 1) if (self.game.program.decision_seats == seat).any())
        self.opponent: Player | None = None if setting.opponent is None else make_bot(setting.opponent, self.game)
        self.judge = Judge(
            self.game, setting.reward, setting.unit, setting.penalty, self.opponent, setting.opponent, setting.solution
        )

    @cached_property
    def system(self) -> str:
        """The system prompt: the rulebook, and how to answer."""
        return prompts.system(self.spec)

    def require_decisions(self, seat: int) -> None:
        """Raise UsageError if the seat never decides anything."""
        if seat not in self.deciding:
            raise UsageError(
                f"in {self.spec.name} {SEATS[seat]} never decides anything: let the other seat learn, or another game."
            )


@lru_cache(KEPT)
def ground(game: str, setting: Setting) -> Ground:
    """The `Ground` of a game and a setting, cached for many matches."""
    return Ground(game, setting)


def _spec(game: str) -> GameSpec:
    if not game.lstrip().startswith("{"):
        return resolve(game)
    try:
        spec = from_json(game.encode())
    except msgspec.MsgspecError as error:
        raise SpecError(f"the JSON of the game does not hold rules ({error}): write it with `to_json`.") from error
    if faults := check(spec):
        raise SpecError(f"the game {spec.name} is not legal: {' '.join(faults)}")
    return spec


class Episode:
    """One match. learners: the seats that learn; the setting's opponent plays the others.

    `causes[seat]` has the cause of each decision that was played for a learner, in order.
    """

    def __init__(self, where: Ground, play_seed: int, learners: tuple[int, ...]) -> None:
        if where.opponent is None and learners != (0, 1):
            raise UsageError("a seat is left without a player: name an opponent, or let both seats learn.")
        self.ground = where
        self.match = Match(where.game, play_seed)
        self.causes: tuple[list[Cause], list[Cause]] = ([], [])
        self._asked = set(learners)
        self._left: set[int] = set()
        self._go_on()

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.match.over

    @property
    def seat(self) -> int:
        """The seat of the learner to decide. Raises MatchOverError."""
        return self.match.seat

    def question(self) -> str:
        """The user message for the decision at hand. Raises MatchOverError."""
        return prompts.turn(self.match, moves=self.ground.setting.list_moves)

    def answer(self, text: str, truncated: bool = False, refused: bool = False) -> Reading:
        """Play the action of a reply, then the opponent's moves. Raises MatchOverError.

        truncated, refused: whether the reply was cut off, or the model declined.
        """
        finish: Finish = "refusal" if refused else "length" if truncated else "stop"
        reading = read_action(text, self.match.game.shown(self.match.menu), finish)
        self._play(reading, text)
        self._go_on()
        return reading

    def leave(self, seat: int) -> None:
        """A learner stops answering: its further decisions are played for it.

        If the other seat learns too, the match continues to that seat's next decision.
        """
        self._asked.discard(seat)
        self._left.add(seat)
        self._go_on()

    def score(self, seat: int) -> Score:
        """A learner's score of the match. Raises MatchError if it is not over."""
        return self.ground.judge.score(self.match, seat, len(self.causes[seat]))

    def _play(self, reading: Reading, text: str) -> None:
        if reading.cause is not None:
            self.causes[self.match.seat].append(reading.cause)
        play_reading(self.match, reading, text)

    def _go_on(self) -> None:
        """Play to the next decision of a learner, or to the end."""
        match, opponent = self.match, self.ground.opponent
        while not match.over and match.seat not in self._asked:
            if match.seat in self._left:
                self._play(read_action("", match.menu), "")
            else:
                assert opponent is not None
                match.apply(opponent.choose(Observation(match)))
