"""The candidates of a pool, and their rows as a table.

A candidate is a table of rules until the gate accepts it: a rejected one needs neither objects nor names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.builder.generate import Drawn, draw_game
from antemill.engine.compiler.compile import Compiled, compile_table
from antemill.engine.errors import SpecError
from antemill.engine.machine.gate import Gate, gate
from antemill.engine.machine.program import to_columns
from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.check import check
from antemill.engine.rules.constructs import constructs_of
from antemill.engine.rules.same import canonical_digest, rules_digest
from antemill.engine.rules.spec import to_json
from antemill.engine.storage.store import CANDIDATES, GAMES, HAS

_SCHEMA = pa.schema([*CANDIDATES.schema, *(field for field in GAMES.schema if field not in CANDIDATES.schema)])
CHECKED = 16  # the rules of an accepted game are checked if its seed is a multiple of this number
TOO_LARGE = "too large"  # a reason beside those of the gate: the game exceeds the machine


class Candidate(NamedTuple):
    """What a pool records of a game that was drawn."""

    seed: int
    complexity: float
    found: npt.NDArray[np.bool_]  # bool[constructs]
    verdict: Gate | None  # None: the game exceeds the machine
    game: dict[str, Any]  # of an accepted one, by columns; a rejected one has none


def judged(drawn: Sequence[tuple[int, float]], caps: Caps = BENCHMARK_CAPS) -> list[Candidate]:
    """Generate, compile and gate the games of some seeds and complexities, and check a sample of the accepted ones.

    All are drawn and compiled before the first is gated, because the gate fills the processor's caches. Raises
    AssertionError if the generator made an illegal game, which would be a bug.
    """
    made = [_made(seed, complexity, caps) for seed, complexity in drawn]
    verdicts = [None if one.compiled is None else gate(one.compiled.code, seed) for (seed, _), one in zip(drawn, made)]
    found = []
    for (seed, complexity), one, verdict in zip(drawn, made, verdicts):
        game = {}
        if one.compiled is not None and verdict is not None and verdict.accepted:
            game = _columns(seed, complexity, one.drawn, one.compiled)
        found.append(Candidate(seed, complexity, one.found, verdict, game))
    return found


class _Made(NamedTuple):
    """A game before it is gated."""

    drawn: Drawn
    found: npt.NDArray[np.bool_]
    compiled: Compiled | None  # None if it exceeds the machine


def _made(seed: int, complexity: float, caps: Caps) -> _Made:
    drawn = draw_game(seed, complexity, caps).kept()
    found = constructs_of(drawn.table)
    try:
        return _Made(drawn, found, compile_table(drawn.table, drawn.name))
    except SpecError:
        return _Made(drawn, found, None)


def _columns(seed: int, complexity: float, drawn: Drawn, compiled: Compiled) -> dict[str, Any]:
    """The columns of an accepted game."""
    spec = drawn.spec()
    faults = check(spec) if seed % CHECKED == 0 else []
    assert not faults, f"seed {seed} at complexity {complexity} gives an illegal game: {faults[0]}"
    return {
        "rules_digest": rules_digest(spec),
        "canonical_digest": canonical_digest(spec),
        "spec": to_json(spec),
        **to_columns(compiled.program(spec)),
    }


def table_of(candidates: Sequence[Candidate]) -> pa.Table:
    """Candidates as rows: the columns of both candidates and games. A rejected one has nulls in those of games."""
    found = np.array([candidate.found for candidate in candidates]).reshape(-1, len(HAS))
    verdicts = [candidate.verdict for candidate in candidates]
    columns: dict[str, Any] = {
        "seed": [candidate.seed for candidate in candidates],
        "complexity": [candidate.complexity for candidate in candidates],
        "accepted": [verdict is not None and verdict.accepted for verdict in verdicts],
        "reason": [TOO_LARGE if verdict is None else verdict.reason for verdict in verdicts],
    }
    for name in ("moves", "rare_phases", "dead_branches", "accepted_by"):
        columns[name] = [getattr(verdict, name, None) for verdict in verdicts]
    for reading in READINGS:
        shares = [None if verdict is None else verdict.rare_by_reading[reading] for verdict in verdicts]
        columns[f"rare_phases_{reading}"] = shares
    columns |= dict(zip(HAS.values(), np.ascontiguousarray(found.T), strict=True))
    for name in _SCHEMA.names:
        if name not in columns:
            columns[name] = [candidate.game.get(name) for candidate in candidates]
    columns["code"] = _lists(columns["code"], _SCHEMA.field("code").type)
    return pa.table(columns, schema=_SCHEMA)


def _lists(arrays: Sequence[npt.NDArray[Any] | None], kind: pa.ListType) -> pa.ListArray:
    """Arrays as a column of lists, and None as null; Arrow itself would take their numbers one by one."""
    ends = np.cumsum([0, *(0 if array is None else len(array) for array in arrays)], dtype=np.int32)
    values = np.concatenate([np.empty(0, np.int32), *(array for array in arrays if array is not None)])
    missing = pa.array([array is None for array in arrays], pa.bool_())
    return pa.ListArray.from_arrays(ends, pa.array(values, kind.value_type), kind, mask=missing)
