"""GameSpec to Program: the compiler's entry point.

`conditions`, `choices`, `steps` and `phases` turn the spec into instructions, and `assembler` resolves their labels.
The result is only defined for a spec that `engine.rules.check` accepts.
"""

from __future__ import annotations

from engine.compiler.phases import PHASE_HANDLERS
from engine.compiler.steps import Lowering
from engine.machine.opcodes import Op
from engine.machine.program import Program
from engine.rules.spec import GameSpec


def compile_spec(spec: GameSpec, suited: bool | None = None) -> Program:
    """Compile a legal spec.

    suited: whether keys tell suits apart; None: only if some rule reads suits (X2).
    Raises SpecError if the game exceeds the machine's size, or if nobody ever decides anything in it.
    """
    lowering = Lowering(spec, PHASE_HANDLERS)
    for name in spec.sequence:
        lowering.perform(name)
    lowering.asm.emit(Op.SPLIT)
    lowering.asm.emit(Op.ODD)
    lowering.lower_subroutines()
    conditionals = tuple(spec.phases[c.phase].name for c in lowering.survey.conditionals)
    return lowering.asm.finish(spec, conditionals, lowering.survey.suits if suited is None else suited)
