"""One fold over the phase graph, for whatever is measured along all plays of a game.

A measure says what a node does itself (`leaf`) and how the measures of parts are put together: one after the other
(`then`), one of several (`either`), several times (`repeat`). Each phase is measured once. The fold also accepts
graphs that are not legal: an unknown phase, or one that performs itself, counts as nothing, and `cycle` names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Generic, TypeVar, get_args

from antemill.engine.rules.fields import FIELDS
from antemill.engine.rules.spec import (
    ActionRound,
    BettingLoop,
    Cell,
    Condition,
    Cost,
    GameSpec,
    If,
    NodeBase,
    Option,
    Phase,
    Simultaneous,
    Step,
    Steps,
)

T = TypeVar("T")
_NO_STEPS: Final = ((), get_args(Condition), (Cost,))
# The fields of each kind that hold steps, in themselves or in options and cells.
_STEP_FIELDS: Final = {
    kind: [field.name for field in fields if field.kinds not in _NO_STEPS] for kind, fields in FIELDS.items()
}
# The kinds that hold no steps and play no phases.
_SINGLE: Final = frozenset(
    kind
    for kind, fields in _STEP_FIELDS.items()
    if not fields and getattr(kind, "plays", NodeBase.plays) is NodeBase.plays
)


class Fold(Generic[T]):
    """A measure of a game's plays."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.phases = {phase.name: phase for phase in reversed(spec.phases)}  # the first of a name
        self.known: dict[str, T] = {}
        self.cycle: list[str] = []  # for each cycle found, one phase that performs itself
        self._open: set[str] = set()

    # ------------------------------------------------------------------------------------ of a measure

    def leaf(self, node: Step | Phase | Option | Cell) -> T:
        """What a node does itself, without its parts."""
        raise NotImplementedError

    def then(self, parts: Iterable[T]) -> T:
        """All parts, one after the other."""
        raise NotImplementedError

    def either(self, ways: Sequence[T]) -> T:
        """One of several ways."""
        raise NotImplementedError

    def repeat(self, part: T, times: int) -> T:
        """A part several times."""
        return self.then([part] * times)

    def visit(self, phase: Phase, inside: T) -> T:  # noqa: ARG002
        """A whole visit of a phase, with all that happens in it."""
        return inside

    # ------------------------------------------------------------------------------------ the same for all

    def game(self) -> T:
        """A whole play."""
        return self.then([self.named(name) for name in self.spec.sequence])

    def named(self, name: str) -> T:
        """A visit of a phase, by its name."""
        if name in self.known:
            return self.known[name]
        if name in self._open or name not in self.phases:
            self.cycle += [name] * (name in self._open)
            return self.then(())
        self._open.add(name)
        phase = self.phases[name]
        found = self.known[name] = self.visit(phase, self.node(phase))
        self._open.remove(name)
        return found

    def steps(self, steps: Iterable[Any]) -> T:
        """Steps in order."""
        leaf, node = self.leaf, self.node
        return self.then([leaf(step) if type(step) in _SINGLE else node(step) for step in steps])

    def node(self, node: Any) -> T:
        """A step, a phase, an option or a cell, with its parts."""
        kind = type(node)
        if kind in _SINGLE:
            return self.leaf(node)
        if kind is If:
            ways = [self.steps(node.then), self.steps(node.otherwise)]
            return self.then([self.leaf(node), self.either(ways)])
        if kind is Steps:
            return self.then([self.leaf(node), self.steps(node.steps)])
        return self.then([self.leaf(node), *self._parts(node)])

    def _parts(self, node: Any) -> list[T]:
        match node:
            case BettingLoop():
                rounds = [self.named(name) for name in node.rounds]
                again = self.repeat(rounds[-1], node.cap - len(rounds))
                return [*rounds, again, self.repeat(self.steps(node.between), node.cap - 1)]
            case ActionRound():
                return [self.repeat(self.either([self.node(option) for option in node.options]), node.picks)]
            case Simultaneous():
                return [self.either([*map(self.node, node.cells), self.steps(node.others)])]
        played = [self.named(name) for name in getattr(node, "plays", ())]
        held = [getattr(node, field) for field in _STEP_FIELDS[type(node)]]
        lists = [value if type(value) is tuple else (value,) for value in held]
        return played + [self.node(step) for items in lists for step in items]
