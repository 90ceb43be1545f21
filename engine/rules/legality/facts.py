"""Facts about a spec for the rules of legality: its nodes by type, the phase graph, the opening."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any, NamedTuple

from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    Ante,
    BettingLoop,
    GameSpec,
    If,
    Phase,
    Shuffle,
    Step,
    Steps,
    Trait,
)
from antemill.engine.rules.walk import node_fields, traits, uses, walk


class Facts:
    """Facts about a spec: its nodes by type, from one walk; the others are computed when they are read first."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.phases = {phase.name: phase for phase in spec.phases}
        self.variables = frozenset(spec.variables)
        self.ranks = frozenset(spec.deck.ranks)
        self.suits = frozenset(spec.deck.suits)
        self.cards = len(spec.deck.ranks) * len(spec.deck.suits)
        self.all_chips = 2 * spec.chips
        self.nodes: dict[type, list[tuple[int, Any]]] = {}
        self._played: list[str] = []
        self.links: dict[str, list[str]] = {name: [] for name in self.phases}  # the phases that each one plays
        weights = [0] * len(spec.phases)
        self.visits = walk(spec)
        for index, node in self.visits:
            weights[index] += 1
            if node.plays:
                self._played += node.plays
                known = [name for name in dict.fromkeys(node.plays) if name in self.phases]
                self.links[spec.phases[index].name] += known
            found = self.nodes.get(type(node))
            if found is None:
                self.nodes[type(node)] = [(index, node)]
            else:
                found.append((index, node))
        self.weights = {phase.name: weights[index] for index, phase in enumerate(spec.phases)}
        self.traits = traits(self.nodes)
        self._endings: dict[str, bool] = {}
        self.loops: dict[str, BettingLoop] = {loop.counter: loop for _, loop in self.nodes.get(BettingLoop, ())}

    def has(self, *kinds: type) -> bool:
        """Whether a node of one of these kinds occurs anywhere."""
        return any(kind in self.nodes for kind in kinds)

    @cached_property
    def references(self) -> Counter[str]:
        """The number of times that each phase is named."""
        return Counter(uses(self.spec, self._played))

    @cached_property
    def graph(self) -> Graph:
        """Depths, lengths and cycles of the phase graph, from the main phases."""
        return Graph(self)

    @cached_property
    def changes(self) -> dict[str, tuple[bool, bool]]:
        """For each variable whether some step lowers it, and whether some step raises it."""
        changes: dict[str, tuple[bool, bool]] = {}
        for _, step in self.nodes.get(AddToVariable, ()):
            lowers, raises = changes.get(step.variable, (False, False))
            changes[step.variable] = (lowers or step.amount < 0, raises or step.amount > 0)
        return changes

    def ends(self, step: Step) -> bool:
        """Whether the game is certainly over after the step."""
        if isinstance(step, If):
            return any(map(self.ends, step.then)) and any(map(self.ends, step.otherwise))
        return "end" in step.brings or any(map(self.phase_ends, step.plays))

    def phase_ends(self, name: str) -> bool:
        """Whether the game is certainly over after the phase."""
        if name not in self._endings:
            self._endings[name] = False  # the value for a phase that performs itself
            phase = self.phases.get(name)
            self._endings[name] = isinstance(phase, Steps) and any(map(self.ends, phase.steps))
        return self._endings[name]

    @cached_property
    def opening(self) -> Opening:
        """What certainly happens before the first choice or condition."""
        return _opening(self)


class Graph:
    """Measures of every phase, from one walk of the phase graph that begins at the main phases."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.depth: dict[str, int] = {}  # phases on the longest way down, itself included
        self.calls: dict[str, int] = {}  # the most return addresses that the machine keeps, its own call included
        self.length: dict[str, int] = {}  # the most steps and conditions of one visit
        self.cycle: list[str] = []  # for each cycle found, one phase that performs itself
        self._open: set[str] = set()
        for name in facts.spec.sequence:
            if name in facts.phases:
                self._measure(name)

    def _measure(self, name: str) -> None:
        if name in self.depth:
            return
        self._open.add(name)
        depth, calls, length = 0, 0, self.facts.weights[name]
        for target in self.facts.links[name]:
            if target in self._open:
                self.cycle.append(target)
                continue
            self._measure(target)
            depth = max(depth, self.depth[target])
            calls = max(calls, self.calls[target])
            length += self.length[target]
        self._open.remove(name)
        phase = self.facts.phases[name]
        self.depth[name] = depth + 1
        self.calls[name] = calls + _calls(phase, self.facts.references[name])
        self.length[name] = length * phase.repeats


def _calls(phase: Phase, named: int) -> int:
    """The number of calls by which compiled code reaches the inside of the phase: see `antemill.engine.compiler`."""
    return int(named > 1) + int(type(phase) is ActionRound and phase.picks > 1)


class Opening(NamedTuple):
    """What certainly happens before the first choice or condition."""

    unshuffled: bool  # whether a card leaves the deck before any shuffle
    shuffled: bool
    cards: int  # the number of cards dealt, drawn or turned up
    paid: tuple[int, int]  # antes of Alice and Bob
    stop: Phase | None  # the main phase that ends the opening


def _opening(facts: Facts) -> Opening:
    unshuffled, shuffled, cards = False, False, 0
    paid = {"alice": 0, "bob": 0}
    stop = None
    for name in facts.spec.sequence:
        phase = facts.phases.get(name)
        taken, done = _certain(facts, phase)
        for step in taken:
            if isinstance(step, Shuffle):
                shuffled = True
            elif isinstance(step, Ante):
                for seat in ("alice", "bob") if step.player == "both" else (step.player,):
                    paid[seat] = paid.get(seat, 0) + step.amount
            elif "deck" in step.brings:
                unshuffled |= not shuffled
                cards += step.draws
        if not done:
            stop = phase
            break
    return Opening(unshuffled, shuffled, cards, (paid["alice"], paid["bob"]), stop)


_OPEN: frozenset[Trait] = frozenset({"check", "chips", "choice", "end", "showdown"})  # after these, play is not certain


def _certain(facts: Facts, phase: Phase | None) -> tuple[list[Step], bool]:
    """The leading steps of a main phase that always happen and ask no player, and whether they are the whole phase."""
    if not isinstance(phase, Steps):
        alone = phase is not None and facts.weights[phase.name] == 1 and not phase.plays
        return [], phase is not None and alone and _OPEN.isdisjoint(phase.brings)
    taken: list[Step] = []
    for step in phase.steps:
        open_ended = step.plays or node_fields(type(step)) or not _OPEN.isdisjoint(step.brings)
        if (open_ended and not isinstance(step, Ante)) or (isinstance(step, Shuffle) and step.discard_pile):
            return taken, False
        taken.append(step)
    return taken, True
