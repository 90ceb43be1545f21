"""GameSpec to Program: the compiler's entry point.

`lowering` turns the table of the rules into instructions, kind by kind (`phases`, `steps`, `conditions`, `choices`),
with `assembler`; all of this is compiled. `names` adds the names. The result is only defined for a spec that
`engine.rules.check` accepts.
"""

from __future__ import annotations

from engine.compiler.assembler import ASTRAY, BROKEN, CODE, SIDE_BETS, SUITS, TYPES
from engine.compiler.lowering import lower
from engine.compiler.names import names_of
from engine.errors import SpecError
from engine.machine import layout as at
from engine.machine.program import NO_DECISION, Program
from engine.rules.limits import MAX_SIDE_BETS, MAX_VARIABLES
from engine.rules.spec import GameSpec
from engine.rules.table.reading import table_of


def compile_spec(spec: GameSpec, suited: bool | None = None) -> Program:
    """Compile a legal spec.

    suited: whether keys tell suits apart; None: only if some rule reads suits (X2).
    Raises SpecError if the game exceeds the machine's size, if nobody ever decides anything in it, or if it names what
    it does not have.
    """
    code, asm = lower(table_of(spec))
    counts = asm.counts.tolist()
    if counts[BROKEN]:
        raise SpecError(f"game '{spec.name}' names a phase, a variable or a suit that it does not have.")
    assert not counts[ASTRAY], "the compiler knows all kinds, and numbers conditionals as they are walked"
    if counts[SIDE_BETS] > MAX_SIDE_BETS or len(spec.variables) > MAX_VARIABLES:
        raise SpecError(
            f"game '{spec.name}' has {counts[SIDE_BETS]} side bets and {len(spec.variables)} variables; "
            f"the machine takes {MAX_SIDE_BETS} and {MAX_VARIABLES}"
        )
    if not counts[TYPES]:
        raise SpecError(NO_DECISION.format(spec.name))
    names = names_of(spec, asm)
    if len(names.phases) > 64 * at.PHASE_WORDS or len(names.conditionals) > 32 * at.BRANCH_WORDS:
        raise SpecError(
            f"game '{spec.name}' has {len(names.phases)} phases and {len(names.conditionals)} conditionals; "
            f"the machine takes {64 * at.PHASE_WORDS} and {32 * at.BRANCH_WORDS}"
        )
    return Program(code, counts[CODE], spec.chips, bool(counts[SUITS]) if suited is None else suited, names)
