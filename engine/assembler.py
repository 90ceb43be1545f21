"""Building a program's code: rows, labels, tables, decision types (the compiler's lower half)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine import layout as at
from engine.errors import SpecError
from engine.opcodes import WIDTH, Op
from engine.program import DecisionType, Names, Program
from engine.spec import GameSpec

_PADDING = (0,) * WIDTH


class Label:
    """A place in the code, known once `Assembler.place` has been called with it."""

    __slots__ = ("row",)

    def __init__(self) -> None:
        self.row = -1


class Table:
    """A place behind the code, known when the program is finished."""

    __slots__ = ("offset",)

    def __init__(self, offset: int) -> None:
        self.offset = offset


Operand = int | Label | Table


class Assembler:
    """Collects instructions and names while the phases are lowered."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.code: list[int] = []
        self.data: list[int] = []
        self._code_fixups: list[tuple[int, Label | Table]] = []
        self._data_fixups: list[tuple[int, Label]] = []
        self.phases: dict[str, int] = {phase.name: i for i, phase in enumerate(spec.phases)}
        self.decisions: dict[tuple[int, str, str, str], int] = {}
        self._decision_types: list[DecisionType] = []
        self.texts: dict[str, int] = {}
        self.variables: dict[str, int] = {name: i for i, name in enumerate(spec.variables)}

    # rows and labels

    @property
    def row(self) -> int:
        """The row that the next instruction gets."""
        return len(self.code) // WIDTH

    def emit(self, op: Op, *operands: Operand) -> None:
        """Append an instruction."""
        start = len(self.code) + 1
        self.code.append(int(op))
        for i, operand in enumerate(operands):
            if type(operand) is int:
                self.code.append(operand)
            else:
                self._code_fixups.append((start + i, operand))  # type: ignore[arg-type]
                self.code.append(0)
        self.code.extend(_PADDING[len(operands) + 1 :])

    def place(self, label: Label) -> None:
        """The label means the next instruction."""
        label.row = self.row

    def table(self, values: Sequence[int | Label]) -> Table:
        """Append a table behind the code."""
        table = Table(len(self.data))
        for value in values:
            if isinstance(value, Label):
                self._data_fixups.append((len(self.data), value))
                self.data.append(0)
            else:
                self.data.append(value)
        return table

    # names

    def phase(self, name: str) -> int:
        """The number of a phase or sub-phase, new names being added at the end."""
        return self.phases.setdefault(name, len(self.phases))

    def text(self, text: str) -> int:
        """The number of an announcement."""
        return self.texts.setdefault(text, len(self.texts))

    def decision(
        self, seat: int, phase: str, move_type: str, move_name: str, labels: tuple[str, ...] = (), low: int = 0, high: int = 0
    ) -> tuple[int, int]:
        """(number, stride) of a decision type; a seat known only in play gets two in a row and stride 1."""
        seats = (seat,) if seat < 2 else (0, 1)
        key = (seat if seat < 2 else 2, phase, move_type, move_name)
        if key not in self.decisions:
            self.decisions[key] = len(self._decision_types)
            self._decision_types += [DecisionType(s, phase, move_type, move_name, labels, low, high) for s in seats]
        return self.decisions[key], len(seats) - 1

    # result

    def finish(self, conditionals: tuple[str, ...], suited: bool) -> Program:
        """Resolve labels and tables."""
        end = len(self.code)
        for position, target in self._code_fixups:
            self.code[position] = end + target.offset if isinstance(target, Table) else target.row
        for position, label in self._data_fixups:
            self.data[position] = label.row
        spec = self.spec
        if len(self.phases) > 64 * at.PHASE_WORDS or len(conditionals) > 32 * at.BRANCH_WORDS:
            raise SpecError(
                f"game '{spec.name}' has {len(self.phases)} phases and {len(conditionals)} conditionals; "
                f"the machine takes {64 * at.PHASE_WORDS} and {32 * at.BRANCH_WORDS}"
            )
        names = Names(
            game=spec.name,
            ranks=spec.deck.ranks,
            suits=spec.deck.suits,
            phases=tuple(self.phases),
            spec_phases=len(spec.phases),
            decisions=tuple(self._decision_types),
            conditionals=conditionals,
            texts=tuple(self.texts),
            variables=spec.variables,
        )
        code = np.array(self.code + self.data, dtype=np.int32)
        return Program(code, end // WIDTH, spec.chips, suited, names)
