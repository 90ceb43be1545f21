"""The sequence form of a game whose tree is too large to be kept: a walk adds up the payoffs without storing nodes.

Many ends of a tree share one entry of the payoff matrix, because neither player sees the difference between them, and
many others pay 0. So the matrix can be hundreds of times smaller than the tree. It has all that the algorithms need of
the game: information sets with the sequences that lead to them, and the payoffs of pairs of sequences.

The walk verifies what building a tree verifies (`antemill.solver.trees.numbering`). Sets are numbered depth first, in
the order in which the walk meets them where the forest of sets leaves it open.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import sparse

from antemill.engine.errors import UsageError
from antemill.engine.execute import checkpoint
from antemill.engine.machine.branches import WALKED
from antemill.engine.machine.program import Program
from antemill.engine.storage.memory import physical_memory
from antemill.solver.game import Array, InformationSets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.form_walk import ENTRIES_FULL, PAUSED, SETS_FULL, Entries, Path, copy_entries, walk_on
from antemill.solver.trees.numbering import FAULTS, Met, contradiction, grown, none_met, number_sets, players
from antemill.solver.trees.sequence_form import Matrix, Sides, sides_of
from antemill.solver.trees.walk import renaming, walk_with

_BYTES_AN_ENTRY = 120  # of the matrix, at the peak: in its hash table, and while it is sorted
_BYTES_A_SET = 150
_SLICE = 1_000_000  # nodes between two looks at the keyboard
_CAPACITY = 1 << 12  # entries at first


class StreamedForm(NamedTuple):
    """A game in the form that the algorithms need. Sets and sequences have the same numbers in both parts."""

    sides: Sides
    sets: tuple[InformationSets, InformationSets]
    nodes: int  # of the tree that was walked


def _new_entries(capacity: int) -> Entries:
    return Entries(np.zeros(capacity, np.int64), np.zeros(capacity), np.zeros(1, np.int64))


def _larger_entries(entries: Entries) -> Entries:
    larger = _new_entries(2 * len(entries.slots))
    copy_entries(entries, larger)
    return larger


def streamed_form(
    program: Program, abstraction: Abstraction = Abstraction.NONE, memory: float | None = None
) -> StreamedForm:
    """The sequence form of a program's tree; under `Abstraction.SUITS`, of the tree without names of suits.

    Raises UsageError if the sequence form needs more memory than the machine has, or more than `memory` bytes;
    RuntimeError if the keys do not give perfect recall, which would be a bug.
    """
    most = min(physical_memory(), math.inf if memory is None else memory)
    suits = renaming(program, abstraction)
    kept: list[tuple[Met, Entries, int]] = []

    def walk(stack: Array, observed: Array) -> int:
        levels, met, entries = len(stack), none_met(), _new_entries(_CAPACITY)
        path = Path(
            np.zeros((levels, 2), np.int32),
            np.zeros(levels, np.int32),
            np.ones(levels),
            np.zeros(2, np.int64),
        )
        while True:
            what = int(walk_on(program.code, stack, observed, suits, met, entries, path, _SLICE))
            checkpoint()
            if what == SETS_FULL:
                met = grown(met)
            elif what == ENTRIES_FULL:
                entries = _larger_entries(entries)
            elif what in FAULTS:
                raise contradiction(program.names.game, met, what)
            elif what != PAUSED:
                if what == WALKED:
                    kept.append((met, entries, int(path.cursor[1])))
                return what
            if met.capacity * _BYTES_A_SET + len(entries.slots) // 2 * _BYTES_AN_ENTRY > most:
                raise UsageError(
                    f"the sequence form of {program.names.game} takes more than {most / 1e9:.1f} GB: solve an "
                    "abstraction of it (--abstraction default) or sample it (--algorithm mccfr)."
                )

    walk_with(program, suits, walk)
    return _arranged(*kept[0])


def _arranged(met: Met, entries: Entries, nodes: int) -> StreamedForm:
    """The sets of each player depth first, and the matrix in the order of their sequences."""
    seats = players(met)
    sets, number = number_sets(met)
    order = []  # of each player's sequences as they were met
    for seat, mine in enumerate(sets):
        met_as = number[seats == seat]
        width = np.diff(mine.start)[met_as]
        place = np.zeros(mine.sequences, np.int32)
        place[1:] = np.repeat(mine.start[met_as] - np.cumsum(width) + width, width) + np.arange(len(place) - 1)
        order.append(place)
    filled = np.flatnonzero(entries.slots)
    pairs = entries.slots[filled]
    rows, columns = order[0][(pairs >> 32) - 1], order[1][pairs & 0xFFFF_FFFF]
    shape = (len(order[0]), len(order[1]))
    matrix = sparse.csr_array(sparse.coo_array((entries.chips[filled], (rows, columns)), shape))
    matrix.eliminate_zeros()
    paid = Matrix(matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data)
    return StreamedForm(sides_of(sets, paid), sets, nodes)
