"""Facts about a spec for the rules of legality: its nodes by type, the phase graph, the opening."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final, NamedTuple, get_args

from antemill.engine.rules.fields import FIELDS
from antemill.engine.rules.fold import Fold
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    Ante,
    BettingLoop,
    Condition,
    GameSpec,
    NodeBase,
    Phase,
    Shuffle,
    Step,
    Steps,
    Trait,
)
from antemill.engine.rules.walk import NODE_FIELDS, parts, traits, uses, walk

# The fields of each kind that hold a condition.
_ASKING: Final = {
    kind: [field.name for field in fields if field.kinds == get_args(Condition)] for kind, fields in FIELDS.items()
}


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
        weights = [0] * len(spec.phases)
        self.visits = walk(spec)
        for index, node in self.visits:
            weights[index] += 1
            self._played += node.plays
            found = self.nodes.get(type(node))
            if found is None:
                self.nodes[type(node)] = [(index, node)]
            else:
                found.append((index, node))
        self.weights = {phase.name: weights[index] for index, phase in enumerate(spec.phases)}
        self.traits = traits(self.nodes)
        self.loops: dict[str, BettingLoop] = {loop.counter: loop for _, loop in self.nodes.get(BettingLoop, ())}

    def has(self, *kinds: type) -> bool:
        """Whether a node of one of these kinds occurs anywhere."""
        return any(kind in self.nodes for kind in kinds)

    @cached_property
    def references(self) -> Counter[str]:
        """The number of times that each phase is named."""
        return Counter(uses(self.spec, self._played))

    @cached_property
    def sizes(self) -> Sizes:
        """The sizes and the cycles of the phase graph, from the main phases."""
        return Sizes(self.spec, self.references)

    @cached_property
    def endings(self) -> Endings:
        """Which steps and phases certainly end the game."""
        return Endings(self.spec)

    @cached_property
    def changes(self) -> dict[str, tuple[bool, bool]]:
        """For each variable whether some step lowers it, and whether some step raises it."""
        changes: dict[str, tuple[bool, bool]] = {}
        for _, step in self.nodes.get(AddToVariable, ()):
            lowers, raises = changes.get(step.variable, (False, False))
            changes[step.variable] = (lowers or step.amount < 0, raises or step.amount > 0)
        return changes

    @cached_property
    def opening(self) -> Opening:
        """What certainly happens before the first choice or condition."""
        return _opening(self)


class Size(NamedTuple):
    """The size of a part of the game."""

    depth: int  # phases on the longest way down
    calls: int  # the most return addresses that the machine keeps (`antemill.engine.compiler`)
    length: int  # steps and conditions, counted as if every branch were taken


# The size of a node itself, by its kind; None for kinds with conditions.
_LEAVES: Final = {
    kind: None if asking else Size(0, 0, int(issubclass(kind, NodeBase))) for kind, asking in _ASKING.items()
}


class Sizes(Fold[Size]):
    """The size of every phase; one that is not in `known` is never reached."""

    def __init__(self, spec: GameSpec, references: Counter[str]) -> None:
        super().__init__(spec)
        self._references = references
        self.game()

    def leaf(self, node: Any) -> Size:
        known = _LEAVES[type(node)]
        if known is not None:
            return known
        conditions = [getattr(node, field) for field in _ASKING[type(node)]]
        return Size(0, 0, 1 + sum(len(list(parts(one))) for one in conditions if one is not None))

    def then(self, parts: Iterable[Size]) -> Size:
        depth = calls = length = 0
        for deep, called, more in parts:
            length += more
            if deep:
                depth, calls = max(depth, deep), max(calls, called)
        return Size(depth, calls, length)

    def either(self, ways: Iterable[Size]) -> Size:
        return self.then(ways)

    def repeat(self, part: Size, times: int) -> Size:
        return part._replace(length=part.length * times)

    def visit(self, phase: Phase, inside: Size) -> Size:
        called = int(self._references[phase.name] > 1) + int(type(phase) is ActionRound and phase.picks > 1)
        return Size(inside.depth + 1, inside.calls + called, inside.length)


class Endings(Fold[bool]):
    """Whether the game is certainly over afterwards; of phases only lists of steps count."""

    def leaf(self, node: Any) -> bool:
        return "end" in getattr(node, "brings", ())

    def then(self, parts: Iterable[bool]) -> bool:
        return any(parts)

    def either(self, ways: Iterable[bool]) -> bool:
        return all(ways)

    def visit(self, phase: Phase, inside: bool) -> bool:
        return inside and type(phase) is Steps


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
        open_ended = step.plays or NODE_FIELDS[type(step)] or not _OPEN.isdisjoint(step.brings)
        if (open_ended and not isinstance(step, Ante)) or (isinstance(step, Shuffle) and step.discard_pile):
            return taken, False
        taken.append(step)
    return taken, True
