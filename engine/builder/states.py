"""How many information states random play of a game meets, from its rules alone (GENSTRAT appendix C, X3).

The paper's fifty games have 20 to 16,000. What multiplies them are the decisions of a play, and how seldom two plays
look alike to a player who decides: hands, what was seen of other cards, and the choices so far. `expected` follows
random play through the phases in their order. On a line of play with share r of all plays, a player who can have come
there in w distinguishable ways meets w (1 - exp(-r n / w)) of them in n plays, as if all were equally likely.

Conditions are not evaluated: each outcome gets at least `LIKELY` of the plays, since games with outcomes that hardly
ever happen are mostly rejected by the gate. Against random play of accepted games `expected` is right within a quarter
(one standard deviation) where there are many states, and too high where there are few.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, exp, expm1, inf, log
from typing import Any, Final

from engine.builder.line import Line
from engine.builder.questions import EACH, Questions, fixed, one, seats_of, variable
from engine.rules.spec import (
    ActionRound,
    All,
    AnyOf,
    Auction,
    BettingLoop,
    BoardHasRank,
    ChipsAre,
    Condition,
    Deal,
    DealBoard,
    DeckSizeIs,
    Discard,
    Draw,
    EndGame,
    FixedBetting,
    GameSpec,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    InProgress,
    Leads,
    Not,
    Observation,
    Peek,
    Perform,
    Positions,
    PotIs,
    Reveal,
    Showdown,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    VariableBetting,
    VariableIs,
)
from engine.rules.walk import reads_hidden, reads_suits

PLAYS: Final = 3_000  # those of the precise tier
LIKELY: Final = 0.3  # what an outcome of a condition has of the plays at least
LEAVES: Final = 0.25  # of the plays that could go on with a loop's next round: somebody has too few chips
OPEN: Final = 0.625  # of the plays of a betting round in which nobody folds
_TWO: Final = log(2.0)
_PLENTY: Final = 40.0  # a logarithm: every play is in a state of its own
_EVEN: Final = frozenset(
    {PotIs, ChipsAre, DeckSizeIs, HandSizeIs, VariableIs, HasHigherCard, Leads}
)  # hold half the time


def expected(spec: GameSpec) -> int:
    """About how many information states `PLAYS` random plays meet, both seats together."""
    return _Walk(spec).total()


class _Walk:
    """Random play of one game, followed as far as it makes information states."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.phases = {phase.name: phase for phase in spec.phases}
        self.ranks, self.suits = len(spec.deck.ranks), len(spec.deck.suits)
        self.classes = classes(spec)
        self.card = log(self.classes)  # a card that is seen, as a logarithm; so are all that follow
        self.known = 0.9 * self.card  # one that is not among those that the player holds
        self.signals = {"card": self.card, "suit": log(self.suits), "top-rank": log(self.ranks), "size": 0.5}
        self.found = 0.0

    def total(self) -> int:
        line = Line(1.0, 0.0, (0.0, 0.0), (0, 0))
        for name in self.spec.sequence:
            self.phase(name, line)
        return round(self.found)

    def phase(self, name: str, line: Line) -> None:
        """Plays go through a phase."""
        phase = self.phases[name]
        if line.share > 0.0:
            _PHASES[type(phase)](self, phase, line)

    def steps(self, steps: tuple[Step, ...], line: Line) -> Line:
        """Plays go through steps; the line."""
        for step in steps:
            effect = _STEPS.get(type(step))
            if effect is not None and line.share > 0.0:
                effect(self, step, line)
        return line

    def decide(self, line: Line, questions: Questions, more: float = 0.0) -> None:
        """Questions are put to the players after `more` paths."""
        plays, paths = PLAYS * line.share, line.paths
        ways = [exp(min(told + paths + more, _PLENTY)) for told in line.told]
        found = self.found
        for seat, share in questions:
            found -= ways[seat] * expm1(-plays * share / ways[seat])
        self.found = found

    def chance(self, condition: Condition) -> float:
        """How often a condition holds, guessed from its form."""
        kind = type(condition)
        if kind in _EVEN:
            return 0.5
        match condition:
            case HoldsRank() | BoardHasRank():
                return len(condition.ranks) / self.ranks
            case HoldsSuit():
                return 1.0 / self.suits
            case Not():
                return 1.0 - self.chance(condition.condition)
            case All() | AnyOf():
                none = 1.0
                for part in condition.conditions:
                    chance = self.chance(part)
                    none *= chance if kind is All else 1.0 - chance
                return none if kind is All else 1.0 - none
            case InProgress():
                return 1.0
        raise AssertionError(f"nobody knows how often {kind.__name__} holds")

    # -------------------------------------------------------------------------------------------- steps

    def conditional(self, step: If, line: Line) -> None:
        chance = min(max(self.chance(step.condition), LIKELY), 1.0 - LIKELY)
        then, otherwise = line.part(chance), line.part(1.0 - chance)
        line.become((self.steps(step.then, then), self.steps(step.otherwise, otherwise)), False)
        if reads_hidden(step.condition):  # told in public, or seen from chips that move
            line.paths += 0.8 * _TWO if step.public else 0.3

    def perform(self, step: Perform, line: Line) -> None:
        self.phase(step.phase, line)

    def deal(self, step: Deal, line: Line) -> None:
        seats, among = seats_of(step.player), log(hands(self.spec, self.classes, step.count))
        line.take(seats, step.count)
        line.tell(among * (0 in seats), among * (1 in seats))

    def draw(self, step: Draw, line: Line) -> None:
        seats = seats_of(step.player)
        among = step.count * self.card * (0.5 if step.player not in ("alice", "bob", "both") else 1.0)
        if step.visibility == "public":
            line.tell(among * len(seats), among * len(seats))
        else:
            line.tell(among * (0 in seats), among * (1 in seats))
        line.take(seats, step.count)

    def board(self, step: DealBoard, line: Line) -> None:
        line.tell(step.count * self.card, step.count * self.card)

    def part_with(self, step: Discard | Reveal, line: Line) -> None:
        """A card of a hand is discarded or shown: its owner learns which one, the other what it is, if anything."""
        seats = seats_of(step.player)
        if step.which == "random":
            alice, bob = self.cards(line)
            line.tell(alice * (0 in seats) / len(seats), bob * (1 in seats) / len(seats))
        if not isinstance(step, Discard) or step.face_up:
            line.tell_one(seats if len(seats) > 1 else (1 - seats[0],), self.known)

    def peek(self, step: Peek, line: Line) -> None:
        self.signal(step.visibility, step.player, self.known, line)

    def swap(self, _: Swap, line: Line) -> None:
        alice, bob = self.cards(line)
        line.tell(self.known + alice, self.known + bob)

    def steal(self, step: Steal, line: Line) -> None:
        seats = seats_of(step.player)
        line.tell_one(seats, self.known)
        alice, bob = self.cards(line)
        line.tell(alice * (0 not in seats), bob * (1 not in seats))

    def cards(self, line: Line) -> tuple[float, float]:
        """Which card of a seat's hand it is, as a logarithm."""
        return log(max(1, line.hand[0])), log(max(1, line.hand[1]))

    def end(self, _: EndGame | Showdown, line: Line) -> None:
        line.share = 0.0

    def signal(self, visibility: str, viewer: str, among: float, line: Line) -> None:
        """Something is seen by the viewer or by both."""
        if visibility == "public":
            line.tell(among, among)
        else:
            line.tell_one(seats_of(viewer), among)

    # -------------------------------------------------------------------------------------------- phases

    def list(self, phase: Steps, line: Line) -> None:
        self.steps(phase.steps, line)

    def fixed(self, phase: FixedBetting, line: Line) -> None:
        self.decide(line, fixed(phase.opener, phase.raises))
        line.share *= OPEN
        line.paths += log(3.0 + 2.0 * phase.raises)

    def variable(self, phase: VariableBetting, line: Line) -> None:
        sizes = max(1.0, min(phase.cap or inf, self.spec.chips / 2.0))
        before, after = variable(phase.opener)
        self.decide(line, before)
        self.decide(line, after, log(sizes))
        line.share *= OPEN
        line.paths += log(1.0 + 2.0 * sizes)

    def loop(self, phase: BettingLoop, line: Line) -> None:
        left: list[Line] = []
        for number in range(phase.cap):
            if number:
                left.append(line.part(LEAVES))
                line.share *= 1.0 - LEAVES
                self.steps(phase.between, line)
            self.phase(phase.rounds[min(number, len(phase.rounds) - 1)], line)
        line.become((*left, line.part(1.0)), False)

    def menu(self, phase: ActionRound, line: Line) -> None:
        seats = seats_of(phase.player)
        for _ in range(phase.picks):
            if line.share <= 0.0:
                return
            self.decide(line, one(seats))
            ends = []
            for option in phase.options:
                end = line.part(1.0 / len(phase.options))
                if option.cost is not None and option.cost.odds is not None:
                    end.paths += _TWO if phase.public else _TWO / 2.0
                ends.append(self.steps(option.steps, end))
            line.become(ends, phase.public)
            if not phase.public:
                line.tell_one(seats, log(len(phase.options)))

    def simultaneous(self, phase: Simultaneous, line: Line) -> None:
        self.decide(line, EACH)
        pairs = len(phase.alice_options) * len(phase.bob_options)
        ends = [self.steps(cell.steps, line.part(1.0 / pairs)) for cell in phase.cells]
        if rest := pairs - len(phase.cells):
            end = line.part(rest / pairs)
            end.paths += log(rest)
            ends.append(self.steps(phase.others, end))
        line.become(ends, True)

    def auction(self, phase: Auction, line: Line) -> None:
        self.decide(line, EACH)
        line.paths += 2.0 * log(1.0 + min(phase.max_bid, self.spec.chips))
        self.steps((phase.prize,), line)

    def observation(self, phase: Observation, line: Line) -> None:
        among = self.signals[phase.signal]
        self.signal(phase.visibility, phase.viewer, among if phase.trigger is None else 0.6 * among, line)

    def positions(self, phase: Positions, line: Line) -> None:
        chips = phase.criterion in ("most-chips", "fewest-chips", "alternate")  # follows from what was seen, mostly
        line.paths += 0.3 * _TWO if chips else _TWO

    def side_bet(self, phase: SideBet, line: Line) -> None:
        self.decide(line, one(seats_of(phase.player)))
        line.paths += _TWO


_STEPS: Final[dict[type, Callable[[_Walk, Any, Line], object]]] = {
    If: _Walk.conditional,
    Perform: _Walk.perform,
    Deal: _Walk.deal,
    Draw: _Walk.draw,
    DealBoard: _Walk.board,
    Discard: _Walk.part_with,
    Reveal: _Walk.part_with,
    Peek: _Walk.peek,
    Swap: _Walk.swap,
    Steal: _Walk.steal,
    EndGame: _Walk.end,
}  # what the others do, nobody sees but in chips
_PHASES: Final[dict[type, Callable[[_Walk, Any, Line], object]]] = {
    Steps: _Walk.list,
    FixedBetting: _Walk.fixed,
    VariableBetting: _Walk.variable,
    BettingLoop: _Walk.loop,
    ActionRound: _Walk.menu,
    Simultaneous: _Walk.simultaneous,
    Auction: _Walk.auction,
    Observation: _Walk.observation,
    Positions: _Walk.positions,
    SideBet: _Walk.side_bet,
    Showdown: _Walk.end,
}


def classes(spec: GameSpec) -> int:
    """How many different cards there are: of one rank those are different that some rule tells apart."""
    ranks, suits = len(spec.deck.ranks), len(spec.deck.suits)
    return ranks * suits if suits > 1 and reads_suits(spec) else ranks


def hands(spec: GameSpec, different: int, count: int) -> int:
    """How many hands of so many cards there are, with so many `classes` of cards."""
    if different == len(spec.deck.ranks):
        return comb(different + count - 1, count)
    return comb(different, min(count, different - 1))
