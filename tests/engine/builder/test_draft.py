"""What a draft counts of a game before it is complete."""

from __future__ import annotations

from typing import Any

from antemill.engine.builder import draft
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_table
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from tests.specs import every_construct


def test_a_phase_counts_as_many_phases_as_the_machine_marks() -> None:
    marks: Any = draft._marks
    for spec in [*(make() for make in NAMED.values()), every_construct(), *map(generate, range(40))]:
        table = table_of(spec)
        phases = [node for node, row in enumerate(table.nodes) if of.STEPS <= row[of.KIND] <= of.SHOWDOWN]
        marked = sum(marks.py_func(table, node) for node in phases)
        assert marked == compile_table(table, spec.name).outline.phases, spec.name
