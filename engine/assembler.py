"""Building a program's code: rows, labels, tables, decision types (the compiler's lower half)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType

import numpy as np

from engine import layout as at
from engine.errors import SpecError
from engine.opcodes import WIDTH, Op
from engine.program import DecisionType, Names, Program
from engine.spec import GameSpec

# Labels and tables are numbers outside the range of operands until the program is finished.
Label = NewType("Label", int)  # a place in the code: _LABELS - i, known once `Assembler.place` has been called with it
Table = NewType("Table", int)  # a place behind the code: _TABLES + offset
_LABELS = -(1 << 40)
_TABLES = 1 << 40
_PADDING = [(0,) * (WIDTH - 1 - operands) for operands in range(WIDTH)]


class Assembler:
    """Collects instructions and names while the phases are lowered."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.code: list[int] = []
        self.data: list[int] = []
        self._label_rows: list[int] = []
        self.phases: dict[str, int] = {phase.name: i for i, phase in enumerate(spec.phases)}
        self.decisions: dict[tuple[int, str, str, str], int] = {}
        self._decision_types: list[DecisionType] = []
        self.texts: dict[str, int] = {}
        self.variables: dict[str, int] = {name: i for i, name in enumerate(spec.variables)}

    # rows and labels

    def emit(self, op: Op, *operands: int) -> None:
        """Append an instruction."""
        self.code.append(op)
        self.code += operands
        self.code += _PADDING[len(operands)]

    def label(self) -> Label:
        """A new label."""
        self._label_rows.append(-1)
        return Label(_LABELS - len(self._label_rows) + 1)

    def place(self, label: Label) -> None:
        """The label means the next instruction."""
        self._label_rows[_LABELS - label] = len(self.code) // WIDTH

    def table(self, values: Sequence[int]) -> Table:
        """Append a table of numbers and labels behind the code."""
        table = Table(_TABLES + len(self.data))
        self.data += values
        return table

    # names

    def phase(self, name: str) -> int:
        """The number of a phase or sub-phase, new names being added at the end."""
        return self.phases.setdefault(name, len(self.phases))

    def text(self, text: str) -> int:
        """The number of an announcement."""
        return self.texts.setdefault(text, len(self.texts))

    def decision(
        self,
        seat: int,
        phase: str,
        move_type: str,
        move_name: str,
        labels: tuple[str, ...] = (),
        low: int = 0,
        high: int = 0,
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
        words = np.array(self.code + self.data, dtype=np.int64)
        end = len(self.code)
        labels, tables = words <= _LABELS, words >= _TABLES
        words[labels] = np.array(self._label_rows or [0], dtype=np.int64)[_LABELS - words[labels]]
        words[tables] += end - _TABLES
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
        return Program(words.astype(np.int32), end // WIDTH, spec.chips, suited, names)
