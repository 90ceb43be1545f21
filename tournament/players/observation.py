"""What a player gets when it has to choose: what its seat knows, and nothing else of the match."""

from __future__ import annotations

from antemill.engine.errors import AntemillError
from antemill.engine.machine.chance import below, uniform
from antemill.engine.machine.program import DecisionType, Program
from antemill.engine.match import Game, Keys, Match, Menu, Numbers, View
from antemill.engine.match import prompt as prompts
from antemill.engine.seeding import Stream
from antemill.tournament.players.consequences import Question, question


class StaleObservationError(AntemillError):
    """An observation was used after its decision had been made."""


class Observation:
    """One decision of one seat. Costly parts are made on request, as long as the decision is open.

    seat: 0 Alice, 1 Bob. menu: the legal actions. decision: number of the decision type. numbers: what is public.
    key, counter: the start of the seat's own randomness for this decision, which has two draws.
    """

    __slots__ = ("_match", "_ply", "counter", "decision", "key", "menu", "seat")

    def __init__(self, match: Match, twin: int = 0) -> None:
        """twin: the player's number among players that are the same: each draws from a stream of its own."""
        self._match = match
        self._ply = match.ply
        self.seat = match.seat
        self.menu: Menu = match.menu
        self.decision = match.decision
        self.key, self.counter = match.draws(self.seat)
        self.counter += twin << 40  # more draws than a match has

    @property
    def game(self) -> Game:
        """The game of the match."""
        return self._match.game

    @property
    def program(self) -> Program:
        """The program of the game."""
        return self._match.game.program

    @property
    def kind(self) -> DecisionType:
        """The type of the decision."""
        return self._match.game.names.decisions[self.decision]

    @property
    def play_seed(self) -> int:
        """The seed by which a person can play the match again. It determines the cards, so bots must not read it."""
        return self._match.play_seed

    @property
    def seats(self) -> tuple[str, str]:
        """The players at Alice's and Bob's seat."""
        return self._match.names

    def numbers(self) -> Numbers:
        """Stacks, pot, deck size, leader, score and variables."""
        return self._open().numbers

    def keys(self) -> Keys:
        """The seat's information keys."""
        return self._open().keys()

    def view(self) -> View:
        """The events that the seat has seen so far. Raises MatchError if the match keeps no log."""
        return self._open().view(self.seat)

    def prompt(self, moves: bool = True, paper: bool = False) -> str:
        """The user message for a language model (`antemill.engine.match.prompt.turn`).

        Raises MatchError if the match keeps no log.
        """
        return prompts.turn(self._open(), self.seat, moves, paper)

    def question(self) -> Question:
        """The decision to a person, with what each choice costs and leads to. Raises MatchError without a log."""
        return question(self._open())

    def below(self, n: int) -> int:
        """A uniform integer in 0..n-1 from the seat's stream. It is always the same for this decision."""
        return int(below(self.key, self.counter, n))

    def uniform(self) -> float:
        """The same draw as a float in [0, 1)."""
        return float(uniform(self.key, self.counter))

    def stream(self) -> Stream:
        """A separate stream for players that need many draws for one decision."""
        return Stream(self.key, self.counter)

    def _open(self) -> Match:
        if self._match.ply != self._ply:
            raise StaleObservationError("this decision has been made: ask for the observation of the next one.")
        return self._match
