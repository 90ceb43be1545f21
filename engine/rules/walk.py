"""One walk over a spec, and the questions that several readers of a spec ask of it.

`walk` lists every node in a fixed depth-first order: the phases in the order of `spec.phases`; below a phase its
trigger or wager condition, then its steps in field order; below an `If` its condition, `then`, and `otherwise`. An
auction's prize counts as a step. The numbering of conditionals follows this order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from engine.rules.spec import (
    ActionRound,
    All,
    AnyOf,
    Auction,
    BettingLoop,
    Condition,
    FixedBetting,
    GameSpec,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    Not,
    Observation,
    Perform,
    Phase,
    Showdown,
    SideBet,
    Simultaneous,
    Step,
    Steps,
    VariableBetting,
)

Node: TypeAlias = Phase | Step | Condition
Visit: TypeAlias = tuple[int, Node]  # index into spec.phases, and a node of that phase

_HIDDEN = frozenset({HandSizeIs, HasHigherCard, HoldsRank, HoldsSuit})


class Conditional(NamedTuple):
    """A place where a game branches: an `If`, a variable round's affordability test, or an observation's trigger."""

    phase: int  # index into spec.phases
    node: If | VariableBetting | Observation


def walk(spec: GameSpec) -> list[Visit]:
    """Every phase, step and condition of the spec, in the order that the module describes."""
    visits: list[Visit] = []
    for index, phase in enumerate(spec.phases):
        visits.append((index, phase))
        if type(phase) is Observation:
            if phase.trigger is not None:
                _visit_condition(phase.trigger, index, visits)
        elif type(phase) is SideBet:
            _visit_condition(phase.condition, index, visits)
        else:
            for steps in step_lists(phase):
                _visit_steps(steps, index, visits)
    return visits


def step_lists(phase: Phase) -> list[tuple[Step, ...]]:
    """The lists of steps that a phase holds, in field order; an auction's prize is a list of one."""
    if isinstance(phase, Steps):
        return [phase.steps]
    if isinstance(phase, BettingLoop):
        return [phase.between]
    if isinstance(phase, ActionRound):
        return [option.steps for option in phase.options]
    if isinstance(phase, Simultaneous):
        return [*(cell.steps for cell in phase.cells), phase.others]
    if isinstance(phase, Auction):
        return [(phase.prize,)]
    return []


def _visit_steps(steps: tuple[Step, ...], index: int, visits: list[Visit]) -> None:
    for step in steps:
        visits.append((index, step))
        if type(step) is If:
            _visit_condition(step.condition, index, visits)
            _visit_steps(step.then, index, visits)
            _visit_steps(step.otherwise, index, visits)


def _visit_condition(condition: Condition, index: int, visits: list[Visit]) -> None:
    visits.append((index, condition))
    if type(condition) is Not:
        _visit_condition(condition.condition, index, visits)
    elif type(condition) is All or type(condition) is AnyOf:
        for part in condition.conditions:
            _visit_condition(part, index, visits)


def steps(spec: GameSpec) -> Iterator[tuple[int, Step]]:
    """Every step of the spec with the index of its phase, nested ones and auction prizes included."""
    return ((index, node) for index, node in walk(spec) if isinstance(node, Step))


def conditions(spec: GameSpec) -> Iterator[tuple[int, Condition]]:
    """Every condition of the spec with the index of its phase, the parts of composed ones included."""
    return ((index, node) for index, node in walk(spec) if isinstance(node, Condition))


class Survey(NamedTuple):
    """What one walk over a spec finds."""

    conditionals: list[Conditional]  # see `conditionals`
    performed: list[str]  # the phases that Perform steps name, once for every step
    suits: bool  # see `reads_suits`


def survey(spec: GameSpec) -> Survey:
    """Everything that the compiler asks of a spec, from one walk."""
    conditionals: list[Conditional] = []
    performed: list[str] = []
    suits = False
    for index, node in walk(spec):
        if type(node) is Perform:
            performed.append(node.phase)
        elif type(node) is If or type(node) is VariableBetting:
            conditionals.append(Conditional(index, node))
        elif type(node) is Observation:
            suits |= node.signal == "suit"
            if node.trigger is not None:
                conditionals.append(Conditional(index, node))
        elif type(node) is HoldsSuit:
            suits = True
        elif type(node) is Showdown:
            suits |= node.metric == "suits"
    return Survey(conditionals, performed, suits)


def references(spec: GameSpec, performed: Iterable[str]) -> Counter[str]:
    """How often each phase is named by the sequence, by loops, and by Perform steps, which `performed` lists.

    The compiler lays a phase that is named once out in place and calls any other.
    """
    named = Counter(spec.sequence)
    for phase in spec.phases:
        if isinstance(phase, BettingLoop):
            named.update(phase.rounds)
    named.update(performed)
    return named


def conditionals(spec: GameSpec) -> list[Conditional]:
    """The spec's conditionals; a conditional's number is its position. Branch 2n is taken if n held, 2n + 1 if not."""
    return survey(spec).conditionals


def parts(condition: Condition) -> Iterator[Condition]:
    """The condition itself and everything it is composed of, depth first."""
    visits: list[Visit] = []
    _visit_condition(condition, 0, visits)
    return (node for _, node in visits if isinstance(node, Condition))


def reads_hidden(condition: Condition) -> bool:
    """Whether the condition depends on a hand, its size or its cards. Its public check is a signal (X2)."""
    return any(type(part) in _HIDDEN for part in parts(condition))


def reads_suits(spec: GameSpec) -> bool:
    """Whether any rule of the game depends on suits; otherwise cards of one rank are interchangeable."""
    return survey(spec).suits


def decision_phases(phase: Phase) -> tuple[str, ...]:
    """The phase names that a betting round's decisions carry beside its own; empty for every other kind of phase.

    They count as phases of the game (the paper's sub-phases, such as "Bob: Fold or Call").
    """
    if isinstance(phase, FixedBetting):
        return (*_betting(phase.name), *(f"{phase.name}: raise {number + 1}" for number in range(phase.raises)))
    if isinstance(phase, VariableBetting):
        fallback = f"{phase.name}, fallback"
        return (*_betting(phase.name), fallback, *_betting(fallback))
    return ()


def _betting(name: str) -> tuple[str, str, str]:
    return f"{name}: fold or call", f"{name}: bet or check", f"{name}: fold or call, responding"
