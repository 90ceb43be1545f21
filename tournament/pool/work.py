"""What is done to one block of a pool; runs in a worker, which takes and returns the bytes of parts.

The heavy imports are here and nowhere in the modules that plan the work.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct

from engine import gate as gates
from engine.check import check
from engine.compile import compile_spec
from engine.errors import SpecError
from engine.execute import checkpoint
from engine.gate import gate
from engine.generate import builder_hash, default_complexity, generate
from engine.program import to_columns
from engine.rulebook import rulebook
from engine.spec import to_json
from engine.store import encode, table

TOO_LARGE = "too large"  # the one reason that is not the gate's: the game exceeds the machine


class BuiltBlock(Struct, frozen=True):
    """A part of games, and how many candidates had which reason ("": accepted)."""

    part: bytes
    reasons: dict[str, int]


def gate_constants() -> dict[str, float]:
    """The numbers that the gate's verdict depends on."""
    return {
        "episodes": gates.EPISODES,
        "most_moves": gates.MOST_MOVES,
        "rare": gates.RARE,
        "most_rare_phases": gates.MOST_RARE_PHASES,
        "most_dead_branches": gates.MOST_DEAD_BRANCHES,
    }


def complexity_of(seed: int, bounds: tuple[float, float] | None) -> float:
    """The seed's own complexity, scaled from 0..1 to `bounds`."""
    own = default_complexity(seed)
    return own if bounds is None else bounds[0] + (bounds[1] - bounds[0]) * own


def build_block(start: int, stop: int, bounds: tuple[float, float] | None) -> BuiltBlock:
    """The part of games for the seeds start..stop-1."""
    rows = []
    for seed in range(start, stop):
        checkpoint()
        rows.append(candidate(seed, complexity_of(seed, bounds)))
    reasons = Counter(row["reason"] for row in rows)
    return BuiltBlock(encode("games", table("games", rows), builder_hash()), dict(reasons))


def candidate(seed: int, complexity: float) -> dict[str, Any]:
    """Generate, check, compile and gate one game: a row of a games part.

    Raises AssertionError if the generator made an illegal game, which is a mistake of the generator.
    """
    spec = generate(seed, complexity)
    faults = check(spec)
    assert not faults, f"seed {seed} at complexity {complexity} gives an illegal game: {faults[0]}"
    row: dict[str, Any] = {"seed": seed, "complexity": complexity, "builder": builder_hash(), "accepted": False}
    try:
        program = compile_spec(spec)
    except SpecError:
        return row | {"reason": TOO_LARGE}
    verdict = gate(program, seed)
    row |= verdict._asdict()
    if verdict.accepted:
        row |= {"spec": to_json(spec), "rulebook_length": len(rulebook(spec)), **to_columns(program)}
    return row
