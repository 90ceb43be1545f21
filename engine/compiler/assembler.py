"""Building a program's code: rows, labels, tables, decision types (the compiler's lower half).

All data are rows of numbers in lists of the same capacity. A full list takes no further row and sets `FULL`, so that
the caller can start again with a larger capacity.

Instructions are emitted immediately, or requested with `then`. Pending instructions come after all that the current
task emits, in the order of the requests. So nested steps need no recursion, whatever their depth.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine.opcodes import WIDTH, Op
from antemill.engine.rules.table.columns import Array

# The lists.
LISTS: Final = 13
(
    CODE,  # instructions: an opcode and its operands
    PENDING,  # requested instructions and tasks, the next one last
    LABELS,  # the row in the code of each label
    DATA,  # the words of the tables behind the code: numbers and labels
    TYPES,  # decision types: see below
    SUB_PHASES,  # the index of a betting round among the game's phases, and its sub-phase (`engine.compiler.choices`)
    ANNOUNCED,  # different texts in the order of the walk: see below
    TEXTS,  # the indices in `ANNOUNCED` of the program's texts
    CALLED,  # phases that are called, by their rows in the table of rules
    SIDE_BETS,  # phases that are side bets, by their rows in the table of rules
    PHASES,  # facts about each phase: see below
    PLACES,  # for each row in the table of rules that is a phase, its index among the phases; not counted
    BUCKETS,  # eight a row, by a text's number: 1 + the index of the bucket's last text in `ANNOUNCED`; not counted
) = range(LISTS)
# Further words of `counts`: whether a list was full, whether the rules name something that they do not have, whether
# the compiler has found an unknown kind, whether some rule tells suits apart, the index of the phase that is lowered,
# whether the last condition depends on hidden cards, and the number of all conditionals.
COUNTS: Final = LISTS + 7
FULL, BROKEN, ASTRAY, SUITS, PHASE, HIDDEN, BRANCHES = range(LISTS, COUNTS)

# Columns of announced texts: the text's number, a phase that has it, its index among that phase's announcements, 1 +
# the index of the text before it in its bucket, and 1 + its index among the program's texts (0: it has none).
TEXT, IN_PHASE, WHICH, BEFORE, KNOWN = range(5)
# Columns of decision types.
SEAT, OF_PHASE, MOVE, LOW, HIGH = range(5)
# Moves. The last three have different names in each phase.
BET_OR_CHECK, FOLD_OR_CALL, FOLD_CALL_OR_RAISE, WAGER, BID, TAKE_OR_PASS, OPTIONS, ALICE_OPTIONS, BOB_OPTIONS = range(9)
# Columns of phases: how often the phase is named, the numbers of its conditionals and announcements, the number of its
# first conditional and how many are lowered, its index among the side bets, and the label of its code if it is called
# (else 0).
USES, CONDITIONALS, ANNOUNCEMENTS, FIRST_CONDITIONAL, LOWERED, BET, START = range(7)

# Tasks, which stand for instructions that come later (`engine.compiler.lowering`).
PLACE, STEP, CONDITION, BRANCH, PERFORM, INLINE, OPTION, LEAVE = range(-8, 0)

# Labels and tables are numbers outside the range of operands until the program is finished.
_LABELS: Final = -(1 << 60)  # label i: a place in the code, known once `place` has been called with it
_TABLES: Final = 1 << 60  # plus offset: a place behind the code


class Assembler(NamedTuple):
    """The lists from which a program is made, and their lengths."""

    lists: Array  # int64[LISTS, capacity, WIDTH]
    counts: Array  # int64[COUNTS]


@kernel(allocates=True)
def assembler(capacity: int) -> Assembler:
    """Empty lists of `capacity` rows each."""
    lists = np.empty((LISTS, capacity, WIDTH), np.int64)
    lists[BUCKETS, : _rows_of_buckets(capacity)] = 0
    return Assembler(lists, np.zeros(COUNTS, np.int64))


@kernel
def _rows_of_buckets(capacity: int) -> int:
    return capacity // WIDTH + 1


@kernel
def append(
    asm: Assembler, to: int, a: int, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0, h: int = 0
) -> int:
    """Append a row to a list; returns its index."""
    place = int(asm.counts[to])
    if place == asm.lists.shape[1]:
        asm.counts[FULL] = 1
        return 0
    row = asm.lists[to, place]
    row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7] = a, b, c, d, e, f, g, h
    asm.counts[to] = place + 1
    return place


# rows and labels


@kernel
def emit(
    asm: Assembler, op: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0
) -> None:
    """Append an instruction: an opcode and its operands."""
    append(asm, CODE, op, a, b, c, d, e, f, g)


@kernel
def jump(asm: Assembler, target: int) -> None:
    """Go on at the label."""
    emit(asm, Op.JUMP, target)


@kernel
def then(asm: Assembler, what: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0) -> None:
    """Request an instruction or a task, to come after all that was emitted or requested before."""
    append(asm, PENDING, what, a, b, c, d, e, 0, 0)


@kernel
def label(asm: Assembler) -> int:
    """A new label."""
    return _LABELS + append(asm, LABELS, 0)


@kernel
def labels(asm: Assembler, number: int) -> int:
    """Make `number` new labels with consecutive numbers; returns the first."""
    first = label(asm)
    for _ in range(number - 1):
        label(asm)
    return first


@kernel
def place(asm: Assembler, label: int) -> None:
    """Let a label mean the next instruction."""
    asm.lists[LABELS, label - _LABELS, 0] = asm.counts[CODE]


@kernel
def new_table(asm: Assembler) -> int:
    """A new table, which begins with the next word."""
    return _TABLES + int(asm.counts[DATA])


@kernel
def word(asm: Assembler, value: int) -> None:
    """Append a number or a label to the tables behind the code."""
    append(asm, DATA, value)


# names


@kernel
def sub_phase(asm: Assembler, phase: int, which: int) -> int:
    """The number of a phase (which: 0) or of one of its sub-phases. New ones are added after the game's phases."""
    if which == 0:
        return phase
    known, phases = asm.lists[SUB_PHASES], int(asm.counts[PHASES])
    for i in range(asm.counts[SUB_PHASES]):
        if known[i, 0] == phase and known[i, 1] == which:
            return phases + i
    return phases + append(asm, SUB_PHASES, phase, which)


@kernel
def announce(asm: Assembler, text: int, phase: int, which: int) -> None:
    """Record a phase's announcement, unless its text is known."""
    row, column = _bucket(asm, text)
    before = int(asm.lists[BUCKETS, row, column])
    if _announced(asm, text) < 0:
        asm.lists[BUCKETS, row, column] = 1 + append(asm, ANNOUNCED, text, phase, which, before)


@kernel
def text(asm: Assembler, text: int) -> int:
    """The number of an announcement that `announce` has recorded."""
    found = _announced(asm, text)
    known = asm.lists[ANNOUNCED, found]
    if known[KNOWN] == 0:
        known[KNOWN] = 1 + append(asm, TEXTS, found)
    return int(known[KNOWN]) - 1


@kernel
def _announced(asm: Assembler, text: int) -> int:
    """The index of a text in `ANNOUNCED`; -1 if it is not there."""
    row, column = _bucket(asm, text)
    place = int(asm.lists[BUCKETS, row, column]) - 1
    while place >= 0 and asm.lists[ANNOUNCED, place, TEXT] != text:
        place = int(asm.lists[ANNOUNCED, place, BEFORE]) - 1
    return place


@kernel
def _bucket(asm: Assembler, text: int) -> tuple[int, int]:
    """The row and the column in `BUCKETS` of a text."""
    number = text % (_rows_of_buckets(asm.lists.shape[1]) * WIDTH)
    return number // WIDTH, number % WIDTH


@kernel
def next_conditional(asm: Assembler) -> int:
    """The number of the next conditional in the phase that is lowered."""
    phase = asm.lists[PHASES, asm.counts[PHASE]]
    phase[LOWERED] += 1
    return int(phase[FIRST_CONDITIONAL] + phase[LOWERED]) - 1


@kernel
def decision(asm: Assembler, seat: int, phase: int, move: int, low: int = 0, high: int = 0) -> tuple[int, int]:
    """(number, stride) of a decision type; a seat known only in play gets two in a row and stride 1."""
    stride, first = int(seat > 1), seat if seat < 2 else 0
    known = asm.lists[TYPES]
    for i in range(asm.counts[TYPES] - stride):
        if known[i, OF_PHASE] == phase and known[i, MOVE] == move and known[i, SEAT] == first:
            return i, stride
    number = append(asm, TYPES, first, phase, move, low, high)
    if stride == 1:
        append(asm, TYPES, 1, phase, move, low, high)
    return number, stride


# result


@kernel(allocates=True)
def finish(asm: Assembler) -> Array:
    """int32[words]: the instructions, then the tables, with labels and tables resolved."""
    rows, words = asm.counts[CODE], asm.counts[DATA]
    code = np.empty(rows * WIDTH + words, np.int32)
    for row in range(rows):
        for column in range(WIDTH):
            code[row * WIDTH + column] = _resolved(asm, asm.lists[CODE, row, column])
    for i in range(words):
        code[rows * WIDTH + i] = _resolved(asm, asm.lists[DATA, i, 0])
    return code


@kernel
def _resolved(asm: Assembler, word: int) -> int:
    """An operand for the machine, with a label or a table resolved."""
    if 0 <= word - _TABLES < asm.counts[DATA]:
        return int(asm.counts[CODE]) * WIDTH + word - _TABLES
    if 0 <= word - _LABELS < asm.counts[LABELS]:
        return int(asm.lists[LABELS, word - _LABELS, 0])
    return word
