"""Programs: listing, digest, Arrow columns, and the refusal of damaged ones."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from msgspec import structs

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import TABLE, WIDTH, Op
from antemill.engine.machine.program import Program, from_columns, to_columns, validate
from antemill.engine.rules.limits import MAX_SIDE_BETS, MAX_VARIABLES
from antemill.engine.rules.named import NAMED
from tests.specs import every_construct


@pytest.fixture
def kuhn() -> Program:
    return compile_spec(NAMED["kuhn"]())


def programs() -> list[Program]:
    specs = [every_construct(), *(make() for make in NAMED.values()), *(generate(seed) for seed in range(50))]
    return [compile_spec(spec) for spec in specs]


def test_programs_survive_arrow() -> None:
    originals = programs()
    table = pa.Table.from_pylist([to_columns(program) for program in originals])
    for program, row in zip(originals, table.to_pylist(), strict=True):
        copy = from_columns(row)
        assert copy == program
        assert copy.names == program.names
        assert np.array_equal(copy.code, program.code)


def test_the_digest_covers_code_and_names(kuhn: Program) -> None:
    assert compile_spec(NAMED["kuhn"]()).digest == kuhn.digest
    code = kuhn.code.copy()
    code[-1] ^= 1
    assert structs.replace(kuhn, code=code).digest != kuhn.digest
    assert structs.replace(kuhn, chips=3).digest != kuhn.digest
    assert structs.replace(kuhn, names=structs.replace(kuhn.names, game="x")).digest != kuhn.digest


def test_the_listing_has_a_line_for_every_instruction() -> None:
    for program in programs():
        listing = program.to_text().splitlines()
        numbered = [line for line in listing if line[:5].strip().isdigit() and line[5:7] == "  "]
        assert len(numbered) == program.rows
        assert len({d for d in listing if d.startswith("decision ")}) == len(program.names.decisions)


def _damage(program: Program, op: Op, operand: int, value: int) -> Program:
    code = program.code.copy()
    row = int(np.flatnonzero(code[: program.rows * WIDTH : WIDTH] == op)[0])
    code[row * WIDTH + operand] = value
    return structs.replace(program, code=code)


def test_every_operand_with_a_limit_is_held_to_it() -> None:
    """The largest value that each word of each instruction may have is taken, the next one and -1 are refused."""
    program = compile_spec(every_construct())
    names = program.names
    limits = {
        **{"seat": 7, "to": 7, "variable": MAX_VARIABLES, "index": MAX_SIDE_BETS, "slot": at.SIZE},
        **{"phase": len(names.phases), "fired": len(names.phases), "dt": len(names.decisions)},
        **{"branch": 2 * len(names.conditionals), "menu": len(program.code), "table": len(program.code)},
    }
    limited = 0
    for op in sorted({Op(int(word)) for word in program.code[: program.rows * WIDTH : WIDTH]}):
        for operand, name in enumerate(TABLE[op].operands.split(), 1):
            limit = program.rows if name.startswith("->") else limits.get(name)
            if limit is None:
                for value in (-(2**31), 2**31 - 1):
                    validate(_damage(program, op, operand, value))
                continue
            limited += 1
            validate(_damage(program, op, operand, limit - 1))
            for value in (-1, limit):
                with pytest.raises(SpecError, match=rf"operand '{re.escape(name)}' of {op.name} is out of range"):
                    validate(_damage(program, op, operand, value))
    assert limited > 40


def test_a_row_that_lies_about_its_digest_is_refused(kuhn: Program) -> None:
    row = to_columns(kuhn)
    row["chips"] = 5
    with pytest.raises(SpecError, match="does not match its digest"):
        from_columns(row)
