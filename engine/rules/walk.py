"""One walk over a spec, and functions that several readers of a spec use.

`walk` lists every node in a fixed depth-first order: the phases in the order of `spec.phases`, and below a node the
steps and conditions of its fields, in the order of the fields. An auction's prize counts as a step. Conditionals are
numbered in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias, TypeGuard, get_args

from msgspec import Struct

from antemill.engine.rules.fields import FIELDS
from antemill.engine.rules.spec import (
    Condition,
    Cost,
    FixedBetting,
    GameSpec,
    If,
    NodeBase,
    Observation,
    Phase,
    Step,
    Trait,
    VariableBetting,
)

Node: TypeAlias = Phase | Step | Condition
Visit: TypeAlias = tuple[int, Node]  # index into spec.phases, and a node of that phase

_NODES: Final[frozenset[type[Struct]]] = frozenset((*get_args(Phase), *get_args(Step), *get_args(Condition)))
# By kind, the fields that hold steps or conditions, in themselves, in lists or in plain structs; and those that name a
# player or an account.
NODE_FIELDS: Final = {
    kind: tuple(field.name for field in fields if field.kinds and field.kinds != (Cost,))
    for kind, fields in FIELDS.items()
}
PLAYER_FIELDS: Final = {kind: tuple(field.name for field in fields if field.player) for kind, fields in FIELDS.items()}
_LEAVES: Final = frozenset(kind for kind in _NODES if not NODE_FIELDS[kind])
# The kinds that define `suited` themselves.
_SUITED: Final = frozenset(kind for kind in _NODES if kind.suited is not NodeBase.suited)  # type: ignore[attr-defined]


class Conditional(NamedTuple):
    """A place where a game branches: an `If`, a variable round's affordability test, or an observation's trigger."""

    phase: int  # index into spec.phases
    node: If | VariableBetting | Observation


def walk(spec: GameSpec) -> tuple[Visit, ...]:
    """Every phase, step and condition of the spec, in the order that the module describes."""
    global _last
    last, visits = _last
    if spec is not last:
        found: list[Visit] = []
        for index, phase in enumerate(spec.phases):
            _visit(phase, index, found)
        _last = spec, visits = spec, tuple(found)
    return visits


# The last spec and its nodes: several readers ask for it in turn.
_last: tuple[GameSpec | None, tuple[Visit, ...]] = None, ()


def _visit(node: Struct, index: int, visits: list[Visit]) -> None:
    kind = type(node)
    if kind in _NODES:
        visits.append((index, node))  # type: ignore[arg-type]
    for field in NODE_FIELDS[kind]:
        value = getattr(node, field)
        for item in value if type(value) is tuple else (value,):
            if type(item) in _LEAVES:
                visits.append((index, item))
            elif item is not None:
                _visit(item, index, visits)


def traits(kinds: Iterable[type[Node]]) -> frozenset[Trait]:
    """The traits that the kinds bring into a game."""
    return frozenset[Trait]().union(*(kind.brings for kind in kinds))


BRANCHING: Final = (If, VariableBetting, Observation)  # the kinds that may be conditionals


def branches(node: Node) -> TypeGuard[If | VariableBetting | Observation]:
    """Whether the game branches at the node itself: see `Conditional`."""
    return type(node) in BRANCHING and (type(node) is not Observation or node.trigger is not None)


def uses(spec: GameSpec, played: Iterable[str]) -> dict[str, int]:
    """How often each phase is named, by the sequence and in `played`, the names that phases and steps play.

    The compiler inlines a phase that is named once and calls any other.
    """
    found: dict[str, int] = {}
    for name in (*spec.sequence, *played):
        found[name] = found.get(name, 0) + 1
    return found


def conditionals(spec: GameSpec) -> list[Conditional]:
    """The spec's conditionals. Conditional n is at index n; branch 2n is taken if it held, 2n + 1 if not."""
    return [Conditional(index, node) for index, node in walk(spec) if branches(node)]


def parts(node: Node) -> Iterator[Node]:
    """The node itself and all nodes that it contains, depth first."""
    visits: list[Visit] = []
    _visit(node, 0, visits)
    return (part for _, part in visits)


def reads_suits(spec: GameSpec) -> bool:
    """Whether any rule of the game depends on suits; otherwise cards of one rank are interchangeable."""
    for _, node in walk(spec):
        if type(node) in _SUITED and node.suited:
            return True
    return False


FALLBACK = ", fallback"  # the end of the name of the round that replaces a variable one if a player has no chips


def decision_phases(phase: Phase) -> tuple[str, ...]:
    """The phase names of a betting round's decisions, besides its own; empty for every other kind of phase.

    They count as phases of the game (the paper's sub-phases, such as "Bob: Fold or Call").
    """
    if type(phase) is FixedBetting:
        return (*_betting(phase.name), *(f"{phase.name}: raise {number + 1}" for number in range(phase.raises)))
    if type(phase) is VariableBetting:
        fallback = phase.name + FALLBACK
        return (*_betting(phase.name), fallback, *_betting(fallback))
    return ()


def _betting(name: str) -> tuple[str, str, str]:
    return f"{name}: fold or call", f"{name}: bet or check", f"{name}: fold or call, responding"
