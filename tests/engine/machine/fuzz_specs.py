"""Random legal games far outside of the generator's distribution: every construct of `antemill.engine.rules.spec` in
odd combinations.

Decks of 1 to 60 cards, stacks of 1 to 10,000 chips, any kind of phase first, choices before the first deal, phases that
perform others, are played several times or never come about, names with markup. `fuzzed(seed)` is a function of its
seed; what the checker refuses is drawn again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, get_args, get_type_hints

from antemill.engine.rules import spec as rules
from antemill.engine.rules.check import check
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    All,
    Announce,
    Ante,
    AnyOf,
    Auction,
    BettingLoop,
    BoardHasRank,
    Cell,
    ChipsAre,
    Comparison,
    Condition,
    Cost,
    Deal,
    DealBoard,
    Deck,
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
    NoAction,
    Not,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    Player,
    Players,
    Positions,
    PotIs,
    Reveal,
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    TakePot,
    Transfer,
    VariableBetting,
    VariableIs,
    Visibility,
)

_MARKUP = ("", "", " [bold]", ' "quoted" \\', " |x| **y**", " <i>&amp;", " {0} %s", " ünïcode 牌", " $x_1$")
_SIGHTS: tuple[Visibility, ...] = ("public", "occurrence", "private")
_PLAYERS: tuple[Player, ...] = ("alice", "bob", "leader", "follower")
# In the order of their numbers among the draws; a kind that is not named comes last.
_NAMED = (
    Discard, Ante, Transfer, TakePot, Score, Peek, Swap, Steal, Reveal, Announce, AddToVariable, NoAction, Deal, Draw,
    Shuffle, DealBoard,
)  # fmt: skip
_STEPS = (*_NAMED, *(kind for kind in get_args(Step) if kind not in (*_NAMED, If, Perform, EndGame)))
_CHIPS = (1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 999, 5_000, 10_000)


def fuzzed(seed: int, small: bool = False) -> GameSpec:
    """A legal game. small: few cards, chips and choices, so that its tree is small, too."""
    rng = random.Random(f"{seed} {small}")
    while True:
        spec = _Drawing(rng, small).game(f"Fuzz {seed}")
        if not check(spec):
            return spec


class _Drawing:
    """One attempt at a game."""

    def __init__(self, rng: random.Random, small: bool) -> None:
        self.rng, self.small = rng, small
        ranks, suits = (rng.randint(1, 4), rng.choice((1, 1, 2))) if small else (rng.randint(1, 15), rng.randint(1, 4))
        values = rng.sample(range(1, rng.choice((16, 1_001))), ranks)
        self.deck = Deck(tuple(sorted(values)), tuple(f"suit {i}{rng.choice(_MARKUP)}" for i in range(suits)))
        self.cards = ranks * suits
        self.chips = rng.choice(_CHIPS[:4] if small else _CHIPS)
        self.dealt, self.placed = rng.random() < 0.75, rng.random() < 0.4  # cards are dealt; positions are assigned
        self.board = self.dealt and rng.random() < 0.4
        self.phases: list[Phase] = []
        self.inner: list[str] = []  # phases that may be performed
        self.betting: list[str] = []
        self.variables: list[str] = []
        self.counters: list[str] = []
        self.depth = 0
        self.steps_left = 8 if small else 60

    # ------------------------------------------------------------------------------------------ small things

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def player(self) -> Player:
        return self.rng.choice(_PLAYERS)

    def players(self) -> Players:
        either: tuple[Players, ...] = ("both", "both", self.player())
        return self.rng.choice(either)

    def any_of(self, node: type, field: str) -> Any:
        """One of the words that a field of a node may hold."""
        return self.rng.choice(get_args(get_type_hints(node)[field]))

    def amount(self, most: int) -> int:
        """From 1 to `most`, often at an end."""
        most = min(most, 10_000)
        return self.rng.choice((1, 1, most, self.rng.randint(1, most), self.rng.randint(1, min(5, most))))

    def count(self) -> int:
        return self.rng.choice((1, 1, 2)) if self.small else self.rng.choice((1, 1, 2, 3, 7, 30, 60))

    def name(self, what: str) -> str:
        return f"{what} {len(self.phases)}.{self.rng.randrange(1_000)}{self.rng.choice(_MARKUP)}"

    def add(self, phase: Phase) -> str:
        self.phases.append(phase)
        return phase.name

    # ------------------------------------------------------------------------------------------ conditions

    def condition(self, room: int = 2, wager: bool = False) -> Condition:
        rng = self.rng
        if room and self.chance(0.25):
            parts = tuple(self.condition(room - 1, wager) for _ in range(rng.randint(1, 3)))
            return rng.choice((All, AnyOf))(parts)
        if room and self.chance(0.15):
            inner = self.condition(room - 1, True)
            return inner if isinstance(inner, Not) else Not(inner)
        kinds: list[Callable[[], Condition]] = [
            lambda: ChipsAre(self.player(), *self.compared(2 * self.chips)),
            lambda: PotIs(*self.compared(2 * self.chips)),
            lambda: HasHigherCard(self.player()),
            lambda: HoldsRank(self.player(), self.ranks()),
            lambda: HoldsSuit(self.player(), rng.choice(self.deck.suits)),
            lambda: DeckSizeIs(*self.compared(self.cards)),
            lambda: HandSizeIs(self.player(), *self.compared(self.cards)),
        ]
        if self.board:
            kinds.append(lambda: BoardHasRank(self.ranks()))
        if self.placed:
            kinds.append(lambda: Leads(rng.choice(("alice", "bob"))))
        if self.variables:
            kinds.append(
                lambda: VariableIs(rng.choice(self.variables), rng.choice(("<", "==", ">=")), rng.randint(0, 3))
            )
        if not wager and not self.small:
            kinds.append(InProgress)
        return rng.choice(kinds)()

    def compared(self, most: int) -> tuple[Comparison, int]:
        """An operator and a value that a number from 0 to `most` can be on either side of."""
        op: Comparison = self.rng.choice(get_args(Comparison))
        low, high = {"<": (1, most), "<=": (0, most - 1), "==": (0, most), ">=": (1, most), ">": (0, most - 1)}[op]
        return op, min(10_000, self.rng.choice((low, high, self.rng.randint(low, max(low, min(high, 6))))))

    def ranks(self) -> tuple[int, ...]:
        return tuple(self.rng.sample(self.deck.ranks, self.rng.randint(1, len(self.deck.ranks))))

    # ------------------------------------------------------------------------------------------ steps

    def steps(self, least: int = 1, private: bool = False, ending: bool = True) -> tuple[Step, ...]:
        """Some steps. private: none that performs a phase. ending: whether a branch may end the game."""
        found = [self.step(private, ending) for _ in range(self.rng.choice((least, 1, 2, 3)))]
        return tuple(found)

    def step(self, private: bool, ending: bool) -> Step:
        rng = self.rng
        self.steps_left -= 1
        if self.steps_left > 0 and self.chance(0.2):
            return self.conditional(private, ending)
        if self.steps_left > 0 and not private and self.depth < 6 and self.chance(0.2):
            return Perform(self.performed())
        kinds = [kind for kind in _STEPS if self.dealt or not (kind is Shuffle or "deck" in kind.brings)]
        kind = rng.choice([kind for kind in kinds if self.board or "board" not in kind.brings])
        match kind:
            case rules.Transfer:
                return self.transfer()
            case rules.Score:
                return Score(self.player(), self.amount(10_000))
            case rules.AddToVariable:
                return AddToVariable(self.variable(), rng.choice((1, -1, 2, 10_000)))
            case rules.Shuffle:
                return Shuffle(self.chance(0.6))
        hints = get_type_hints(kind)
        step: Step = kind(*(self.value(hints[field], field) for field in kind.__struct_fields__))
        return step

    def value(self, hint: Any, field: str) -> Any:
        """A value for the field of a step, by its type."""
        if hint in (Players, Player):
            return self.players() if hint == Players else self.player()
        if hint is bool:
            return self.chance(0.5)
        if words := get_args(hint):
            return self.rng.choice(words)
        if hint is str:
            return f"Attention{self.rng.choice(_MARKUP)}"
        return self.count() if field == "count" else self.amount(self.chips)

    def transfer(self) -> Step:
        """Between two seats, two positions, or one of them and the pot."""
        pairs: list[Any] = [("alice", "bob"), ("leader", "follower"), (self.player(), "pot")]
        pair = self.rng.choice(pairs)
        source, target = pair if self.chance(0.5) else pair[::-1]
        return Transfer(source, target, self.amount(2 * self.chips))

    def variable(self) -> str:
        if len(self.variables) < 3 and not (self.variables and self.chance(0.5)):
            self.variables.append(f"variable {len(self.variables)}{self.rng.choice(_MARKUP)}")
        return self.rng.choice(self.variables)

    def conditional(self, private: bool, ending: bool) -> Step:
        hidden = private or self.chance(0.3)
        then = self.steps(private=hidden, ending=ending)
        if ending and self.chance(0.3):
            then += (EndGame(self.player() if self.chance(0.5) else None),)
        otherwise = self.steps(0, hidden, ending=False) if self.chance(0.4) else ()
        return If(self.condition(), then, otherwise, public=not hidden)

    def performed(self) -> str:
        """A phase to perform: one that is there, or a new one below this one."""
        if self.inner and self.chance(0.5):
            return self.rng.choice(self.inner)
        self.depth += 1
        name = self.phase()
        self.depth -= 1
        self.inner.append(name)
        return name

    # ------------------------------------------------------------------------------------------ phases

    def phase(self) -> str:
        """A new phase of any kind but a showdown."""
        kinds = [
            self.list_of_steps, self.fixed, self.variable_bets, self.loop, self.actions, self.actions,
            self.simultaneous, self.auction, self.observation, self.wager,
        ]  # fmt: skip
        if self.placed:
            kinds.append(lambda: self.add(Positions(self.name("Lead"), self.any_of(Positions, "criterion"))))
        return self.rng.choice(kinds)()

    def list_of_steps(self) -> str:
        return self.add(Steps(self.name("Steps"), self.steps()))

    def fixed(self) -> str:
        amount = self.amount(3 * self.chips)
        raises = self.rng.choice((0, 1) if self.small else (0, 0, 1, 4))
        self.betting.append(self.add(FixedBetting(self.name("Fixed"), self.player(), amount, raises)))
        return self.betting[-1]

    def variable_bets(self) -> str:
        cap = self.rng.choice((None, self.amount(10_000)))
        round_ = VariableBetting(self.name("Free"), self.player(), cap, self.amount(3 * self.chips))
        self.betting.append(self.add(round_))
        return self.betting[-1]

    def loop(self) -> str:
        rng = self.rng
        counter = f"counter {len(self.counters)}"
        cap = rng.randint(1, 2) if self.small else rng.choice((1, 2, 3, 5, 20))
        names = []
        for _ in range(min(cap, rng.randint(1, 3))):
            again = self.betting and self.chance(0.4)
            names.append(rng.choice(self.betting) if again else rng.choice((self.fixed, self.variable_bets))())
        between = self.steps() if cap > 1 and self.chance(0.6) else ()
        self.counters.append(counter)
        stop = rng.choice((0, 0, rng.randrange(self.chips)))
        return self.add(BettingLoop(self.name("Loop"), counter, cap, stop, tuple(names), between))

    def actions(self) -> str:
        public = self.chance(0.6)
        wide = self.rng.choice((1, 2, 2, 3)) if self.small else self.rng.choice((1, 2, 3, 5, 16))
        options = [
            Option(f"option {i}{self.rng.choice(_MARKUP)}", self.steps(0, not public), self.cost() if i else None)
            for i in range(wide)
        ]
        self.rng.shuffle(options)
        picks = self.rng.choice((1, 1, 2, 4))
        return self.add(
            ActionRound(self.name("Act"), self.player(), tuple(options), public, 1 if self.small else picks)
        )

    def cost(self) -> Cost | None:
        if self.chance(0.5):
            return None
        n = self.rng.randint(2, 10)
        return Cost(self.amount(2 * self.chips), None if self.chance(0.6) else (self.rng.randint(1, n - 1), n))

    def simultaneous(self) -> str:
        most = 2 if self.small else 8
        alice = tuple(f"a{i}{self.rng.choice(_MARKUP)}" for i in range(self.rng.randint(1, most)))
        bob = tuple(f"b{i}" for i in range(self.rng.randint(1, most)))
        pairs = [(a, b) for a in alice for b in bob]
        chosen = self.rng.sample(pairs, self.rng.randint(0, min(4, len(pairs))))
        cells = tuple(Cell(a, b, self.steps(0)) for a, b in chosen)
        others = self.steps(0) if len(chosen) < len(pairs) else ()
        return self.add(Simultaneous(self.name("Both"), alice, bob, cells, others))

    def auction(self) -> str:
        prizes: list[Draw | Peek | Steal] = [Peek("winner", self.rng.choice(_SIGHTS)), Steal("winner")]
        if self.dealt:
            prizes.append(Draw("winner", self.count(), self.rng.choice(_SIGHTS[:2])))
        most = self.rng.choice((1, self.amount(2 * self.chips), self.amount(10_000)))
        return self.add(Auction(self.name("Auction"), most, self.rng.choice(prizes)))

    def observation(self) -> str:
        subject = self.any_of(Observation, "subject")
        signal: Any = self.rng.choice(("top-rank", "size") if subject == "opponent-hand" else ("card", "suit"))
        trigger = self.condition() if self.chance(0.4) else None
        sight, public = self.rng.choice(_SIGHTS), self.chance(0.5)
        return self.add(Observation(self.name("Look"), self.player(), subject, signal, sight, trigger, public))

    def wager(self) -> str:
        amount = self.amount(2 * self.chips)
        return self.add(SideBet(self.name("Wager"), self.player(), amount, self.condition(wager=True)))

    # ------------------------------------------------------------------------------------------ the game

    def game(self, name: str) -> GameSpec:
        rng = self.rng
        sequence: list[str] = []
        if self.placed and self.chance(0.5):
            sequence.append(self.add(Positions(self.name("First lead"), self.any_of(Positions, "criterion"))))
        if self.dealt:
            first: list[Step] = [Shuffle()]
            first += [Deal(min(self.count(), max(1, self.cards // 2)))] if self.chance(0.6) else []
            sequence.append(self.add(Steps(self.name("Setup"), tuple(first))))
        for _ in range(rng.randint(1, 3 if self.small else 7)):
            again = sequence and self.chance(0.1)
            sequence.append(rng.choice([*self.inner, *sequence]) if again else self.phase())
        if self.board:
            sequence.insert(
                rng.randint(1, len(sequence)), self.add(Steps(self.name("Board"), (DealBoard(self.count()),)))
            )
        show = Showdown(self.name("Showdown"), self.any_of(Showdown, "metric"), self.board and self.chance(0.7))
        sequence.append(self.add(show))
        rng.shuffle(self.phases)
        return GameSpec(
            name, self.deck, self.chips, tuple(self.phases), tuple(sequence), tuple(_shuffled(rng, self.names()))
        )

    def names(self) -> list[str]:
        return [*self.variables, *self.counters]


def _shuffled(rng: random.Random, names: Sequence[str]) -> list[str]:
    return rng.sample(names, len(names))
