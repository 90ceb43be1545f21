"""The names of a program, from the lists of its lowering and the texts of the spec."""

from __future__ import annotations

from typing import Final, NamedTuple

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import Assembler
from antemill.engine.machine.program import DecisionType, Names
from antemill.engine.rules.spec import ActionRound, Announce, GameSpec, Phase, Simultaneous
from antemill.engine.rules.table.columns import Array
from antemill.engine.rules.walk import decision_phases, parts

# The decision types with the same names in every phase, without their amounts.
_MOVES: Final[dict[int, tuple[str, str, tuple[str, ...]]]] = {
    code.BET_OR_CHECK: ("choose", "bet/check", ("bet", "check")),
    code.FOLD_OR_CALL: ("choose", "fold/call", ("fold", "call")),
    code.FOLD_CALL_OR_RAISE: ("choose", "fold/call/raise", ("fold", "call", "raise")),
    code.TAKE_OR_PASS: ("choose", "take/pass", ("take", "pass")),
    code.WAGER: ("wager", "wager", ()),
    code.BID: ("bid", "bid", ()),
}


class Lists(NamedTuple):
    """The lists of a lowered table from which names are made: the first columns of their rows (`assembler`)."""

    sub_phases: Array  # int64[sub-phases, 2]
    types: Array  # int64[decision types, 5]
    phases: Array  # int64[phases, 2]
    announced: Array  # int64[different texts, 3]
    texts: Array  # int64[texts, 1]


def lists_of(asm: Assembler) -> Lists:
    """Copies of the lists, since those of the assembler are large."""
    columns = ((code.SUB_PHASES, 2), (code.TYPES, 5), (code.PHASES, 2), (code.ANNOUNCED, 3), (code.TEXTS, 1))
    return Lists(*[asm.lists[which, : asm.counts[which], :count].copy() for which, count in columns])


def names_of(spec: GameSpec, lists: Lists) -> Names:
    """The names of a program. lists: from the lowering of the table of `spec`."""
    phases = _phases(spec, lists.sub_phases.tolist())
    return Names(
        game=spec.name,
        ranks=spec.deck.ranks,
        suits=spec.deck.suits,
        phases=tuple(phases),
        spec_phases=len(spec.phases),
        decisions=_decisions(spec, phases, lists.types.tolist()),
        conditionals=_conditionals(phases, lists.phases.tolist()),
        texts=_texts(spec, lists),
        variables=spec.variables,
    )


def _phases(spec: GameSpec, rows: list[list[int]]) -> list[str]:
    """The phases, then the sub-phases of betting rounds."""
    rounds = {place: decision_phases(spec.phases[place]) for place in {place for place, _ in rows}}
    assert all(which <= len(rounds[place]) for place, which in rows), "decision_phases names every sub-phase"
    return [phase.name for phase in spec.phases] + [rounds[place][which - 1] for place, which in rows]


def _decisions(spec: GameSpec, phases: list[str], rows: list[list[int]]) -> tuple[DecisionType, ...]:
    found: list[DecisionType] = []
    for seat, phase, move, low, high in rows:
        kind, name, labels = _MOVES.get(move) or _own(spec.phases[phase], move)
        found.append(DecisionType(seat, phases[phase], kind, name, labels, low, high))
    return tuple(found)


def _own(phase: Phase, move: int) -> tuple[str, str, tuple[str, ...]]:
    """A decision type whose names come from the phase."""
    if isinstance(phase, ActionRound):
        kind, labels = "choose", tuple([option.name for option in phase.options])
    else:
        assert isinstance(phase, Simultaneous)
        kind, labels = "simultaneous", phase.alice_options if move == code.ALICE_OPTIONS else phase.bob_options
    return kind, "/".join(labels), labels


def _conditionals(phases: list[str], rows: list[list[int]]) -> tuple[str, ...]:
    """The phase of every conditional."""
    return tuple([name for name, (_, number) in zip(phases, rows) for _ in range(number)])


def _texts(spec: GameSpec, lists: Lists) -> tuple[str, ...]:
    """The announcements, looked up where the walk has found them."""
    places = [(phase, number) for _, phase, number in lists.announced.tolist()]
    found = [places[announced] for (announced,) in lists.texts.tolist()]
    said = {phase: _announced(spec.phases[phase]) for phase in {phase for phase, _ in found}}
    return tuple([said[phase][number] for phase, number in found])


def _announced(phase: Phase) -> list[str]:
    return [step.text for step in parts(phase) if type(step) is Announce]
