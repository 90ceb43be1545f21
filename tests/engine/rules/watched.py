"""The plain interpreter, insisting that all that a step or a phase does is among what its kind declares.

It reads none of `brings`, `plays`, `draws` and `repeats` itself, so that it can tell whether they are true.
"""

from __future__ import annotations

from antemill.engine.machine.events import Chance, ChipReason, Event
from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.spec import Condition, Deal, GameSpec, Phase, Step, Trait
from antemill.engine.rules.walk import NODE_FIELDS, decision_phases, reads_suits
from tests.naive import RandomChooser
from tests.naive.interpreter import GameOverError, Interpreter
from tests.naive.state import Decision

_OF_EVENTS: dict[Event, Trait] = {Event.LOCK: "secret", Event.LEADER: "positions", Event.SHOW: "showdown"}
_OF_MOVES: dict[str, Trait] = {"wager": "wagers", "bid": "bids"}


class Watched(Interpreter):
    """A random play; raises AssertionError where a kind does what it does not declare."""

    def __init__(self, spec: GameSpec, seed: int) -> None:
        super().__init__(spec, self)
        self.table.suited = False  # else every look at a card tells its suit
        self.table.suit = self._suit  # type: ignore[method-assign]
        self.facts = Facts(spec)
        self.random = RandomChooser(seed)
        self.playing: list[Phase | Step] = []  # from the outside in
        self.begun = 0  # steps and phases
        self.drawn = 0
        self._emit = self.table.emit
        self.table.emit = self._watch  # type: ignore[method-assign]

    def play(self) -> None:
        """Play to the end."""
        try:
            for name in self.spec.sequence:
                self.enter(name)
        except GameOverError:
            pass

    def _suit(self, card: int) -> int:
        assert reads_suits(self.spec), f"{type(self.playing[-1]).__name__} does not say that it is suited"
        return card % len(self.spec.deck.suits)

    def declares(self, *traits: Trait) -> None:
        """The innermost phase or step must bring these."""
        node = self.playing[-1]
        missing = set(traits) - node.brings
        assert not missing, f"{type(node).__name__} does not say that it brings {sorted(missing)}"

    # ------------------------------------------------------------------------------------------ phases and steps

    def enter(self, name: str) -> None:
        assert not self.playing or name in self.playing[-1].plays
        self.playing.append(self.spec.phase(name))
        begun, self.begun = self.begun, self.begun + 1
        super().enter(name)
        assert self.begun - begun <= self.facts.sizes.known[name].length, f"{name} repeats more than it says"
        self.playing.pop()

    def run_step(self, step: Step) -> None:
        self.playing.append(step)
        self.begun += 1
        before, drawn = self._standing(), self.drawn
        try:
            super().run_step(step)
        except GameOverError:
            if not step.plays:
                self.declares("end")
            raise
        if not step.plays:
            self.declares(*self._changes(step, before))
            assert self.drawn - drawn <= step.draws, f"{step} makes {self.drawn - drawn} draws"
        self.playing.pop()

    def _standing(self) -> tuple[object, ...]:
        table = self.table
        hands, chips = tuple(map(tuple, table.hands)), (*table.stacks, table.pot)
        return len(table.deck), len(table.discard), len(table.board), hands, chips, table.score

    def _changes(self, step: Step, before: tuple[object, ...]) -> set[Trait]:
        traits: tuple[Trait, ...] = ("deck", "discards", "board", "hands", "chips", "score")
        changed = {trait for trait, old, new in zip(traits, before, self._standing(), strict=True) if old != new}
        if self.table.events[-1].kind == Event.SHUFFLE:
            changed -= {"deck", "discards"}  # the cards go the other way
        if isinstance(step, Deal):
            changed -= {"hands"}
        return changed

    # ------------------------------------------------------------------------------------------ what happens in them

    def test(self, number: int, condition: Condition, public: bool) -> bool:
        self.begun += 1
        return super().test(number, condition, public)

    def branch(self, number: int, result: bool, public: bool) -> bool:
        phase = next(place for place in reversed(self.playing) if isinstance(place, Phase))
        index = self.spec.phases.index(phase)
        if not any(place == index and isinstance(node, Condition) for place, node in self.facts.visits):
            self.declares("check")
        return super().branch(number, result, public)

    def decide(self, decision: Decision) -> int:
        phase = self.playing[-1]
        assert isinstance(phase, Phase)
        assert decision.phase in (phase.name, *decision_phases(phase))
        lists = any(isinstance(getattr(phase, field), tuple) for field in NODE_FIELDS[type(phase)])
        self.declares("choice")
        if lists:
            self.declares("options")
        if trait := _OF_MOVES.get(decision.move_type):
            self.declares(trait)
        return self.random.decide(decision)

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        self.drawn += 1
        return self.random.chance(kind, seat, occurrence, n)

    def _watch(self, kind: Event, *args: object, **kwargs: object) -> None:
        self._emit(kind, *args, **kwargs)  # type: ignore[arg-type]
        if trait := _OF_EVENTS.get(kind):
            self.declares(trait)
        if kind is Event.CHIPS and self.table.events[-1].z == ChipReason.BET:
            self.declares("betting")
