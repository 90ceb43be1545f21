"""What is done to one block of a pool; runs in a worker, which takes and returns the bytes of parts.

The heavy imports are here and nowhere in the modules that plan the work.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from engine.builder.generate import builder_hash, default_complexity, generate
from engine.compiler.compile import compile_spec
from engine.errors import SpecError
from engine.execute import checkpoint
from engine.machine import gate as gates
from engine.machine.gate import gate
from engine.machine.program import to_columns
from engine.machine.readings import READING
from engine.rules.canonical.digests import canonical_digest, rules_digest
from engine.rules.check import check
from engine.rules.constructs import constructs
from engine.rules.spec import to_json
from engine.storage.store import GAMES, encode, table
from engine.text.rulebook import rulebook
from tournament.pool.repeats import REPEAT

TOO_LARGE = "too large"  # a reason that is not the gate's, as is REPEAT: the game exceeds the machine


class Verdicts(Struct):
    """Candidates by what the gate said of them, counted in two ways. A rejected one may break several rules."""

    first: Counter[str] = msgspec.field(default_factory=Counter)  # by the first rule that they break; "": accepted
    broken: Counter[str] = msgspec.field(default_factory=Counter)  # by every rule that they break

    def add(self, other: Verdicts) -> None:
        """Count the others, too."""
        self.first.update(other.first)
        self.broken.update(other.broken)


class BuiltBlock(Struct, frozen=True):
    """A part of games, and the verdicts on them."""

    part: bytes
    verdicts: Verdicts


def gate_constants() -> dict[str, float | str]:
    """What the gate's verdict depends on."""
    return {
        "episodes": gates.EPISODES,
        "rare": gates.RARE,
        **{f"most_{rule.figure}": rule.most for rule in gates.RULES},
        "reading": READING,
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
    games = table(GAMES, rows)
    return BuiltBlock(encode(GAMES, games, builder_hash()), verdicts(games, gate_constants()))


VERDICT_COLUMNS = ["seed", "reason", *(rule.figure for rule in gates.RULES)]


def verdicts(games: pa.Table, constants: dict[str, float | str]) -> Verdicts:
    """The verdicts on a part's candidates, from its `VERDICT_COLUMNS` and the gate's constants when it was made."""
    first = Counter(games["reason"].to_pylist())
    broken = {reason: first[reason] for reason in (TOO_LARGE, REPEAT)}
    for rule in gates.RULES:
        above = pc.greater(games[rule.figure], constants[f"most_{rule.figure}"])
        broken[rule.reason] = pc.sum(above, min_count=0).as_py()
    return Verdicts(first, Counter({reason: count for reason, count in broken.items() if count}))


def candidate(seed: int, complexity: float) -> dict[str, Any]:
    """Generate, compile and gate one game, and check its rules if the gate takes it: a row of a games part.

    Raises AssertionError if the generator made an illegal game, which is a mistake of the generator.
    """
    spec = generate(seed, complexity)
    row: dict[str, Any] = {"seed": seed, "complexity": complexity, "builder": builder_hash(), "accepted": False}
    row["constructs"] = sorted(constructs(spec))
    try:
        program = compile_spec(spec)
    except SpecError:
        return row | {"reason": TOO_LARGE}
    verdict = gate(program, seed)
    row |= verdict._asdict() | {f"rare_phases_{name}": share for name, share in verdict.rare_by_reading.items()}
    if verdict.accepted:
        faults = check(spec)
        assert not faults, f"seed {seed} at complexity {complexity} gives an illegal game: {faults[0]}"
        row |= {"rules_digest": rules_digest(spec), "canonical_digest": canonical_digest(spec)}
        row |= {"spec": to_json(spec), "rulebook_length": len(rulebook(spec)), **to_columns(program)}
    return row
