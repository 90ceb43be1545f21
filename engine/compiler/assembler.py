"""Building a program's code: rows, labels, tables, decision types (the compiler's lower half)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from engine.errors import SpecError
from engine.machine import layout as at
from engine.machine.opcodes import WIDTH, Op
from engine.machine.program import NO_DECISION, DecisionType, Names, Program
from engine.rules.spec import GameSpec

# Labels and tables are numbers outside the range of operands until the program is finished.
Label: TypeAlias = int  # a place in the code: _LABELS - i, known once `Assembler.place` has been called with it
Table: TypeAlias = int  # a place behind the code: _TABLES + offset
_LABELS: Final = -(1 << 40)
_TABLES: Final = 1 << 40
_ROW: Final = Struct(f"{WIDTH}q").pack  # makes bytes of an instruction
# Looked up once: a member of an enumeration takes as long to find as the instruction to append.
_JUMP: Final = Op.JUMP
_TEST: Final = Op.TEST


class Stamp(NamedTuple):
    """Code that was lowered once and is repeated for other phases: a betting round of a certain shape.

    The words hold numbers relative to where the stamp lands; the lists say at which places, and relative to what.
    Names of phases are what follows the name of the phase that the stamp is used for.
    """

    words: array[int]
    rows: tuple[int, ...]  # places of row numbers in `words`
    tables: tuple[int, ...]  # places of table offsets in `words`
    decisions: tuple[int, ...]  # places of decision types in `words`
    fired: tuple[int, ...]  # places of phases in `words`, as positions in `phases`
    data: array[int]  # tables
    data_rows: tuple[int, ...]  # places of row numbers in `data`
    types: tuple[tuple[int, int, str, str, tuple[str, ...], int, int], ...]  # fields of decision types; phases as above
    phases: tuple[str, ...]


class Assembler:
    """Collects instructions and names while the phases are lowered."""

    def __init__(self, phases: Iterable[str] = (), variables: Iterable[str] = ()) -> None:
        self.code = array("q")
        self.data = array("q")
        self._append = self.code.frombytes
        self._label_rows: list[int] = []
        self.phases: dict[str, int] = {name: i for i, name in enumerate(phases)}
        self._decisions: dict[tuple[int, str, str, str], int] = {}
        self._types: list[DecisionType] = []
        self.texts: dict[str, int] = {}
        self.variables: dict[str, int] = {name: i for i, name in enumerate(variables)}

    # rows and labels

    def emit(self, op: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0) -> None:
        """Append an instruction: an opcode and its operands."""
        self._append(_ROW(op, a, b, c, d, e, f, g))

    def jump(self, target: Label) -> None:
        """Go on at the label."""
        self._append(_ROW(_JUMP, target, 0, 0, 0, 0, 0, 0))

    def test(self, slot: int, seat: int, low: int, high: int, otherwise: Label) -> None:
        """Unless low <= state[slot + seat] <= high go on at `otherwise`."""
        self._append(_ROW(_TEST, slot, seat, low, high, otherwise, 0, 0))

    def label(self) -> Label:
        """A new label."""
        rows = self._label_rows
        rows.append(-1)
        return _LABELS - len(rows) + 1

    def place(self, label: Label) -> None:
        """The label means the next instruction."""
        self._label_rows[_LABELS - label] = len(self.code) // WIDTH

    def table(self, values: Sequence[int]) -> Table:
        """Append a table of numbers and labels behind the code."""
        table = _TABLES + len(self.data)
        self.data.extend(values)
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
        if key not in self._decisions:
            self._decisions[key] = len(self._types)
            self._types += [DecisionType(s, phase, move_type, move_name, labels, low, high) for s in seats]
        return self._decisions[key], len(seats) - 1

    # stamps

    def as_stamp(self) -> Stamp:
        """What was assembled so far, for `repeat`. Its phases are named by what follows the own name."""
        words, data, choices = self.code[:], self.data[:], (Op.CHOOSE, Op.AMOUNT)
        rows = _resolve(words, self._label_rows)
        data_rows = _resolve(data, self._label_rows)
        tables = tuple(i for i, word in enumerate(words) if word >= _TABLES)
        for i in tables:
            words[i] -= _TABLES
        starts = [i for i in range(0, len(words), WIDTH) if words[i] in choices]
        decisions = tuple(i + 2 for i in starts)
        fired = tuple(i + (6 if words[i] == Op.CHOOSE else 7) for i in starts)
        return Stamp(
            words,
            rows,
            tables,
            decisions,
            fired,
            data,
            data_rows,
            tuple(
                [(t.seat, self.phases[t.phase], t.move_type, t.move_name, t.labels, t.low, t.high) for t in self._types]
            ),
            tuple(self.phases),
        )

    def repeat(self, stamp: Stamp, name: str) -> None:
        """Append a stamp's code for the phase `name`, whose decisions are all new."""
        row, table, decision = len(self.code) // WIDTH, _TABLES + len(self.data), len(self._types)
        names = [name + suffix for suffix in stamp.phases]
        numbers = [self.phase(each) for each in names]
        words, data = stamp.words[:], stamp.data[:]
        for i in stamp.rows:
            words[i] += row
        for i in stamp.tables:
            words[i] += table
        for i in stamp.decisions:
            words[i] += decision
        for i in stamp.fired:
            words[i] = numbers[words[i]]
        for i in stamp.data_rows:
            data[i] += row
        self.code += words
        self.data += data
        self._types += [
            DecisionType(seat, names[phase], move_type, move_name, labels, low, high)
            for seat, phase, move_type, move_name, labels, low, high in stamp.types
        ]

    # result

    def finish(self, spec: GameSpec, conditionals: tuple[str, ...], suited: bool) -> Program:
        """The program of the spec: labels and tables resolved."""
        if not self._types:
            raise SpecError(NO_DECISION.format(spec.name))
        words = np.frombuffer(self.code + self.data, np.int64)
        end = len(self.code)
        labels, tables = (words <= _LABELS).nonzero()[0], (words >= _TABLES).nonzero()[0]
        words[labels] = np.frombuffer(array("q", self._label_rows or [0]), np.int64)[_LABELS - words[labels]]
        words[tables] += end - _TABLES
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
            decisions=tuple(self._types),
            conditionals=conditionals,
            texts=tuple(self.texts),
            variables=spec.variables,
        )
        return Program(words.astype(np.int32), end // WIDTH, spec.chips, suited, names)


def _resolve(words: array[int], label_rows: list[int]) -> tuple[int, ...]:
    """Replace labels by their rows; returns their places."""
    places = tuple(i for i, word in enumerate(words) if word <= _LABELS)
    for i in places:
        words[i] = label_rows[_LABELS - words[i]]
    return places
