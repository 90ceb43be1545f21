"""A game while it is being drawn: random stream, dial, caps, the phases so far, and what can be true by now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

from engine.builder.bounds import Bounds, at_start
from engine.builder.caps import Caps
from engine.builder.dice import UNIT, Dice, Weighted
from engine.rules.limits import MAX_PHASES
from engine.rules.spec import (
    All,
    AnyOf,
    Condition,
    Deck,
    If,
    NoAction,
    Not,
    Perform,
    Phase,
    Player,
    Step,
)
from engine.rules.walk import decision_phases, parts

Drawer = Callable[[], tuple[Step, ...]]
# Draws a phase, or one for each player, with the ending of their names; returns the names of what is played in turn.
Template = Callable[["Draft", str], tuple[str, ...]]
MOST_MARKS: Final = 8  # of a round with free sizes: itself, its fallback, and three sub-phases of each

SEATS: Final[tuple[Player, Player]] = ("alice", "bob")
POSITIONS: Final[tuple[Player, Player]] = ("leader", "follower")
OPPONENT: Final[dict[Player, Player]] = {"alice": "bob", "bob": "alice", "leader": "follower", "follower": "leader"}


class Draft:
    """The state of the builder. Everything that is drawn goes through `dice`, in a fixed order.

    Whatever draws a part of the game leaves `bounds` after that part: it moves on in the order of play.
    """

    deck: Deck
    bounds: Bounds  # what can be true at this point

    def __init__(self, dice: Dice, features: dict[str, float], caps: Caps) -> None:
        self.dice = dice
        self._word = dice.word
        self.features = features
        self.caps = caps
        self.phases: list[Phase] = []
        self.pending = 0  # phases begun or planned, but not in the graph yet
        self.marks = 0  # phases in the graph as the machine counts them, with the sub-phases of betting rounds
        self.ante = 1
        self.low_impact = False  # choices matter little in this game
        self.depth = 0  # conditionals and performed sub-phases around this point
        self.most = 1  # phases that a template may return at this point
        self.secret = 0  # private conditionals around this point
        self.enclosing: list[str] = []  # what the conditions around this point read
        self.theme: str | None = None  # the game's own variable
        self.stirred = False  # some choice changes that variable
        self.positions = False  # leader and follower have been assigned
        self.subphases: list[str] = []  # finished sub-phases, that may be performed again
        self.counters: list[str] = []  # the variables that loops count their rounds with
        self.betting_rounds = 0
        self.side_bets: list[tuple[Player, Condition]] = []  # no two are the same
        self._names: set[str] = set()
        self._tables: dict[tuple[str, ...], Weighted[str]] = {}

    def start(self, deck: Deck, chips: int) -> None:
        """Fix the deck and each player's chips; nothing has been dealt."""
        self.deck = deck
        self.bounds = at_start(chips, len(deck.ranks) * len(deck.suits))

    # -------------------------------------------------------------------------------------------- draws

    def chance(self, feature: str) -> bool:
        """True with the probability in the dial's row."""
        return self._word() * UNIT < self.features[feature]

    def around(self, feature: str) -> int:
        """A count, whose mean is the dial's row, uniform over 0 to twice that and rounded at random."""
        return int(2.0 * self.features[feature] * (self._word() * UNIT) + self._word() * UNIT)

    def skewed(self, feature: str) -> int:
        """As `around`, but mostly small and up to three times the mean."""
        u = self.dice.uniform()
        return int(3.0 * self.features[feature] * u * u + self.dice.uniform())

    def size(self, feature: str, most: int) -> int:
        """One more than a count with the dial's row as its mean, at most `most`."""
        return min(1 + self.around(feature), max(1, most))

    def table(self, features: tuple[str, ...]) -> Weighted[str]:
        """The features weighted by the dial's rows (prepared once)."""
        table = self._tables.get(features)
        if table is None:
            table = self._tables[features] = Weighted([(feature, self.features[feature]) for feature in features])
        return table

    def player(self) -> Player:
        """Somebody: a position if positions matter in this game, else a seat."""
        if self.positions and self.dice.below(2):
            return POSITIONS[self.dice.below(2)]
        return SEATS[self.dice.below(2)]

    # -------------------------------------------------------------------------------------------- the phase graph

    def room(self, count: int = 1) -> bool:
        """Whether `count` more phases fit, whichever they are: into the cap, and into what the machine marks."""
        more = self.pending + count
        fits = self.marks + MOST_MARKS * more <= MAX_PHASES
        return fits and len(self.phases) + more <= self.caps.phases

    def nests(self) -> bool:
        """Whether one more conditional or performed sub-phase may stand around what is drawn next."""
        return self.depth < self.caps.nesting

    def name(self, base: str) -> str:
        """A phase name that is not taken yet: the base, or the base and a number. The name is taken from now on."""
        name, number = base, 2
        while name in self._names:
            name, number = f"{base} {number}", number + 1
        self._names.add(name)
        return name

    def round_name(self) -> str:
        """The name of the next betting round."""
        self.betting_rounds += 1
        return self.name(f"Betting Round {self.betting_rounds}")

    def begin(self) -> int:
        """Begin a phase, whose sub-phases are drawn before it is complete; its place in the order, for `add`."""
        self.pending += 1
        return len(self.phases)

    def add(self, phase: Phase, place: int, played: bool = False) -> str:
        """Put a phase that was begun into the graph and play it, unless its drawing has done that; its name."""
        self.pending -= 1
        self.marks += 1 + len(decision_phases(phase))
        self.phases.insert(place, phase)
        self.bounds.phases[phase.name] = phase
        if played:
            self.bounds.tighten()
        else:
            self.bounds.phase(phase)
        return phase.name

    # -------------------------------------------------------------------------------------------- branches

    def branch(
        self, draw: Drawer, ends: list[Bounds], condition: Condition | None = None, holds: bool = True
    ) -> tuple[Step, ...]:
        """Draw steps on a side line of play, on which the condition came out as `holds`; its end goes to `ends`."""
        saved, count = self.bounds, len(self.enclosing)
        self.bounds = saved.copy()
        if condition is not None:
            self.bounds.assume(condition, holds)
            self.enclosing += reads(condition)
        steps = draw()
        del self.enclosing[count:]
        ends.append(self.bounds)
        self.bounds = saved
        return steps

    def conditional(self, condition: Condition, public: bool, then: Drawer, otherwise: Drawer | None = None) -> If:
        """Draw the branches of a conditional and move on past it."""
        ends: list[Bounds] = []
        self.secret += not public
        self.depth += 1
        first = self.branch(then, ends, condition)
        second: tuple[Step, ...] = ()
        if otherwise is not None:
            second = self.branch(otherwise, ends, condition, False)
        else:
            ends.append(self.bounds.copy())
            ends[-1].assume(condition, False)
        self.depth -= 1
        self.secret -= not public
        self.bounds.become(ends)
        return If(condition, first or (NoAction(),), second if second != first else (), public)

    def perform(self, template: Template, where: str, most: int) -> tuple[Step, ...]:
        """Draw sub-phases, at most `most`, that are performed here one after the other."""
        before, self.most = self.most, most
        self.depth += 1
        names = template(self, where)
        self.depth -= 1
        self.most = before
        return tuple([Perform(name) for name in names])

    def apply(self, *steps: Step) -> tuple[Step, ...]:
        """Move on past the steps."""
        for step in steps:
            self.bounds.step(step)
        return steps


def reads(condition: Condition) -> list[str]:
    """The tags of what a condition reads."""
    tag = _TAGS.get(type(condition))
    return [tag] if tag else [_TAGS[type(part)] for part in parts(condition) if type(part) in _TAGS]


_COMPOSED: Final = (All, AnyOf, Not)
_TAGS: Final = {kind: str(kind.__struct_config__.tag) for kind in get_args(Condition) if kind not in _COMPOSED}
