"""What a draft counts of a game before it is complete."""

from __future__ import annotations

from typing import Any

import pytest

from antemill.engine.builder import draft
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_table
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from tests.specs import every_construct

SPECS = {name: make() for name, make in NAMED.items()} | {"every construct": every_construct()}


@pytest.mark.parametrize("spec", [*SPECS.values(), *map(generate, range(40))], ids=lambda spec: spec.name)
def test_a_phase_counts_as_many_phases_as_the_machine_marks(spec: GameSpec) -> None:
    table = table_of(spec)
    phases = [node for node, row in enumerate(table.nodes) if of.STEPS <= row[of.KIND] <= of.SHOWDOWN]
    marks: Any = draft._marks
    assert sum(marks.py_func(table, node) for node in phases) == compile_table(table, spec.name).outline.phases
