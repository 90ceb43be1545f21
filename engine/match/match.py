"""One game, one decision at a time (design decision D2: a driver of `advance`).

    match = Match(kuhn(), play_seed=7)
    while not match.over:
        match.apply(match.menu.choice(0))
    match.result.payoffs

Chance depends on the play seed and on what is drawn, not on the players or the order of draws. So a play seed deals the
same cards under both seat assignments (N1), and the same as the episode of `rollout(program, 1, streams(play_seed))`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from antemill.engine.arguments import seed, text, truth, whole, wrong_type
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import start
from antemill.engine.machine.chance import below, key_of, subkey
from antemill.engine.machine.events import Chance
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.program import DecisionType
from antemill.engine.machine.rollout import payoff, streams
from antemill.engine.machine.vm import advance
from antemill.engine.match.errors import MatchError, MatchOverError
from antemill.engine.match.game import Game, Rules
from antemill.engine.match.menu import Menu, Reason
from antemill.engine.match.prices import paid_at_once
from antemill.engine.match.transcript import DecisionRecord, Entry, EventRecord, Transcript, recordable
from antemill.engine.match.view import View
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.seeding import Domain
from antemill.engine.text.describe import journal
from antemill.engine.text.labels import SEATS

_CAPACITY = 256  # events of the journal; doubled when a game needs more
_SHOWN = 40  # the most characters of a menu in a match's `repr`
_SUBSTITUTES = 1  # word of a seat's stream for substituted choices, in addition to episode 0


class Draw(NamedTuple):
    """A chance draw for a driver to make: one of n outcomes. kind, seat, occurrence: as in `Chance`."""

    kind: Chance
    seat: int
    occurrence: int
    n: int


ChanceSource: TypeAlias = Callable[[Draw], int]


class Numbers(NamedTuple):
    """The numbers that are always public (G35)."""

    stacks: tuple[int, int]
    pot: int
    deck: int
    leader: int
    score: int  # Alice's; Bob's is the negative
    variables: tuple[int, ...]


class Keys(NamedTuple):
    """Information keys of the seat that decides (`antemill.engine.machine.observe`)."""

    recall: int
    info: int
    context: int


class Played(NamedTuple):
    """The choice that was played. reason: for a choice that differs from the submitted one; None if it does not."""

    choice: str | int
    reason: Reason | None


class Piles(NamedTuple):
    """All cards, including hidden ones, as card ids in the order of the piles."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    board: tuple[int, ...]
    deck: tuple[int, ...]
    discards: tuple[int, ...]


class Result(Struct, frozen=True):
    """The result of a match; pairs are Alice's and Bob's.

    payoffs: chips won, including the score; they sum to 0. stacks: in chips. score: Alice's; Bob's is the negative.
    moves: numbers of decisions. substitutions: numbers of choices that were replaced.
    """

    payoffs: tuple[int, int]
    stacks: tuple[int, int]
    score: int
    moves: tuple[int, int]
    substitutions: tuple[int, int]


class Match:
    """A match in play.

    rules: a spec, a program, a name, a seed or a file of rules; or a `Game`, which saves work for many matches.
    play_seed: 0 to 2^63 - 1, the seed of all draws. names: of the players; logs and prompts always say Alice and Bob,
    as the rulebook does. log: whether to keep the journal, from which views, prompts and transcripts are made. chance:
    a function that decides every draw in place of the play seed's stream. Raises UsageError for wrong arguments,
    StorageError for a file that cannot be read, SpecError for rules that are not legal.
    """

    def __init__(
        self,
        rules: Rules | Game,
        play_seed: int = 0,
        names: tuple[str, str] = ("Alice", "Bob"),
        log: bool = True,
        chance: ChanceSource | None = None,
    ) -> None:
        play_seed, log = seed(play_seed, "play_seed"), truth(log, "log")
        if not isinstance(names, tuple | list) or len(names) != len(SEATS):
            wrong_type("names", names, "two names", "give Alice's and Bob's, as in ('me', 'you')")
        names = text(names[0], "names[0]"), text(names[1], "names[1]")
        if chance is not None and not callable(chance):
            wrong_type("chance", chance, "a function of a Draw", "leave it out to play by the play seed")
        self.game = Game.of(rules)
        self.play_seed = play_seed
        self.names = names
        self.log = log
        self.moves = [0, 0]
        self.substitutions = [0, 0]
        keys = streams(play_seed)
        self._own = (int(subkey(keys.alice, 0)), int(subkey(keys.bob, 0)))
        self._chance = chance
        self._capacity = _CAPACITY if log else 0
        self._state = self.game.opening(self._capacity)
        while log and int(self._state[at.JOURNAL_N]) >= self._capacity:
            self._capacity *= 2
            self._state = self.game.opening(self._capacity)
        self._decisions: list[tuple[int, DecisionRecord]] = []  # with the number of events before it
        self._viewed = 0  # events that the views include
        self._noticed = 0  # the same for decisions
        self._views = (View(self.game.wording, 0), View(self.game.wording, 1))
        if chance is None:
            start(self._state, self._state, int(subkey(keys.chance, 0)))
        self._run()

    def __repr__(self) -> str:
        stands = f"over, {self.names[0]} won {self.result.payoffs[0]:+}" if self.over else self._question()
        return f"<Match of {self.game.names.game!r}, play seed {self.play_seed}: {stands}>"

    def _question(self) -> str:
        menu = self._menu.text()
        return f"{self.names[self._seat]} chooses {menu if len(menu) <= _SHOWN else f'one of {len(self._menu)}'}"

    # ------------------------------------------------------------------------------------------ its present state

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return bool(self._stop == OVER)

    @property
    def seat(self) -> int:
        """The seat to move: 0 Alice, 1 Bob. Raises MatchOverError after the end."""
        self.require_turn()
        return self._seat

    @property
    def decision(self) -> int:
        """The number of the decision type. Raises MatchOverError."""
        self.require_turn()
        return int(self._state[at.DECISION])

    @property
    def decision_type(self) -> DecisionType:
        """The type of the decision. Raises MatchOverError."""
        return self.game.names.decisions[self.decision]

    @property
    def menu(self) -> Menu:
        """The legal actions. Raises MatchOverError."""
        self.require_turn()
        return self._menu

    @property
    def ply(self) -> int:
        """The number of decisions made."""
        return self.moves[0] + self.moves[1]

    @property
    def result(self) -> Result:
        """The result. Raises MatchError if the match is not over."""
        if not self.over:
            raise MatchError("the match is still in play: it has no result yet.")
        alice, numbers = int(payoff(self._state)), self.numbers
        moves, substitutions = (self.moves[0], self.moves[1]), (self.substitutions[0], self.substitutions[1])
        return Result((alice, -alice), numbers.stacks, numbers.score, moves, substitutions)

    @property
    def numbers(self) -> Numbers:
        """The public numbers."""
        alice, bob, pot, score = self._state[at.CHIPS : at.SCORE + 1].tolist()
        variables = self._state[at.VARIABLES : at.VARIABLES + len(self.game.names.variables)].tolist()
        deck, leader = int(self._state[at.DECK_N]), int(self._state[at.SEATS + 2])
        return Numbers((alice, bob), pot, deck, leader, score, tuple(variables))

    def keys(self) -> Keys:
        """The information keys of the deciding seat. Raises MatchOverError."""
        seat, decision = self.seat, self.decision
        context = int(context_key(self._state, seat, decision))
        info = int(info_key(self._state, seat, context))
        return Keys(int(recall_key(self._state, seat, decision)), info, context)

    def draws(self, seat: int) -> tuple[int, int]:
        """The key of a seat's own stream and the counter of its next draw. Every decision has two draws."""
        seat = whole(seat, "seat", 0, 1)
        return self._own[seat], 2 * self.ply

    def piles(self) -> Piles:
        """All cards. No player may learn them before the match is over."""
        state = self._state

        def pile(first: int, count: int) -> tuple[int, ...]:
            return tuple(state[first : first + int(state[count])].tolist())

        hands = (pile(at.HANDS, at.HAND_N), pile(at.HANDS + MAX_CARDS, at.HAND_N + 1))
        deck, discards = pile(at.DECK, at.DECK_N), pile(at.DISCARDS, at.DISCARD_N)
        return Piles(hands, pile(at.BOARD, at.BOARD_N), deck, discards)

    def prices(self) -> list[int]:
        """Chips that each option of a choice takes from the deciding seat at once: a bet, a call, a cost.

        [] for amounts and secret choices, which are carried out later. Raises MatchOverError; MatchError without a log.
        """
        self._require_log()
        if self.decision_type.move_type != "choose":
            return []
        return paid_at_once(self.game.program, self._state, self.seat, len(self.menu))

    # ------------------------------------------------------------------------------------------ playing

    def apply(self, choice: object) -> Played:
        """Play a choice for the seat to move, see `Menu.resolve`.

        An amount above the maximum is clamped. For an amount below the minimum, or a choice that is not an amount, a
        random legal amount is drawn. Only the player is informed of it (G24). Raises IllegalChoiceError for a choice
        that is not an option, without any change.
        """
        place, reason = self.menu.resolve(choice)
        return self._play(self._substitute() if place is None else place, choice, reason)

    def apply_random(self, submitted: object = None) -> Played:
        """Play a random legal action, because the submission has no readable choice (N3)."""
        self.require_turn()
        return self._play(self._substitute(), submitted, "no-choice")

    def _substitute(self) -> int:
        """A uniform index from the seat's stream of substitutes."""
        key = key_of(self.play_seed, Domain.ALICE + self._seat, 0, _SUBSTITUTES)
        return int(below(key, self.substitutions[self._seat], len(self._menu)))

    def _play(self, index: int, submitted: object, reason: Reason | None) -> Played:
        seat, choice = self._seat, self._menu.choice(index)
        if self.log:
            record = self._record(submitted, choice, reason)
            self._decisions.append((int(self._state[at.JOURNAL_N]), record))
        self.moves[seat] += 1
        self.substitutions[seat] += reason is not None
        self._state[at.CHOICE] = index
        self._run()
        return Played(choice, reason)

    def _run(self) -> None:
        """Advance to the next decision or to the end of the game."""
        while (what := self._advance()) == CHANCE:
            self._state[at.CHOICE] = self._draw()
        self._stop = what
        if what == DECIDE:
            self._seat = int(self._state[at.SEAT])
            self._menu = self.game.menu(self._state)

    def _advance(self) -> int:
        """Call `vm.advance`; if the journal was too small for it, call it again with a larger one."""
        code = self.game.program.code
        if not self.log:
            return int(advance(code, self._state))
        before = self._state[: at.SIZE].copy()
        what = int(advance(code, self._state))
        while int(self._state[at.JOURNAL_N]) >= self._capacity:
            self._capacity *= 2
            larger = self.game.opening(self._capacity)
            larger[: len(self._state)] = self._state
            larger[: at.SIZE] = before
            self._state = larger
            what = int(advance(code, self._state))
        return what

    def _draw(self) -> int:
        assert self._chance is not None  # otherwise the machine would not ask
        place, occurrence = divmod(int(self._state[at.ADDRESS]), 1 << 16)
        n = int(self._state[at.MENU])
        outcome = whole(self._chance(Draw(Chance(place // 3), place % 3, occurrence, n)), "chance outcome")
        if not 0 <= outcome < n:
            raise MatchError(f"the chance outcome {outcome} is not one of the {n} possible ones, 0 to {n - 1}.")
        return outcome

    def require_turn(self, seat: int | None = None) -> None:
        """Raise MatchOverError if the match is over, MatchError if it is the other seat's turn. None: either seat."""
        if self._stop == OVER:
            raise MatchOverError("the match is over: there is nothing left to decide.")
        if seat is not None and seat != self._seat:
            raise MatchError(f"it is {SEATS[self._seat]}'s turn, not {SEATS[seat]}'s.")

    # ------------------------------------------------------------------------------------------ the record

    def view(self, seat: int) -> View:
        """The events that a seat was informed of so far. Raises MatchError without a log."""
        seat = whole(seat, "seat", 0, 1)
        self._tell_views()
        return self._views[seat]

    def events(self) -> list[list[int]]:
        """The journal, including hidden events. Raises MatchError without a log."""
        self._require_log()
        return journal(self._state)

    def transcript(self) -> Transcript:
        """The match so far. Raises MatchError without a log."""
        entries: list[Entry] = [EventRecord(tuple(row)) for row in self.events()]  # type: ignore[arg-type]
        for place, record in reversed(self._decisions):
            entries.insert(place, record)
        game, digest = self.game.names.game, self.game.digest
        payoffs = self.result.payoffs if self.over else None
        return Transcript(game, digest, self.play_seed, self.names, tuple(entries), payoffs)

    def _record(self, submitted: object, choice: str | int, reason: Reason | None) -> DecisionRecord:
        kind, menu = self.decision_type, self._menu
        return DecisionRecord(
            seat=self._seat,
            phase=kind.phase,
            move_type=kind.move_type,
            move_name=kind.move_name,
            options=menu.labels,
            low=menu.low,
            high=menu.high,
            submitted=recordable(submitted),
            choice=choice,
            substitution=reason,
        )

    def _tell_views(self) -> None:
        """Bring both views up to date: add events, and before the events of a substituted choice its notice."""
        self._require_log()
        for row in journal(self._state, self._viewed):
            while self._noticed < len(self._decisions) and self._decisions[self._noticed][0] <= self._viewed:
                record = self._decisions[self._noticed][1]
                if record.substitution is not None:
                    self._views[record.seat].notice(notice(record))
                self._noticed += 1
            for view in self._views:
                view.tell(row)
            self._viewed += 1

    def _require_log(self) -> None:
        if not self.log:
            raise MatchError("the match keeps no log: start it with log=True.")


def notice(record: DecisionRecord) -> str:
    """The notice to a player whose choice was replaced."""
    match record.substitution:
        case "above-maximum":
            return f"Notice to you alone: your amount was above the maximum, so {record.choice} was played instead."
        case "below-minimum":
            what = f"your amount was below the minimum of {record.low}"
        case "malformed":
            what = "your amount was not a whole number"
        case _:
            what = "no legal action could be read in your reply"
    return f"Notice to you alone: {what}, so {record.choice} was drawn at random from the legal ones and played."
