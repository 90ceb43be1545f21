"""What follows from the rules of games: `python -m tests.engine.rules.golden` writes it again, `test_golden` compares.

Of each game the canonical digest, the constructs, and how many information states the builder expects, and at least.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from antemill.engine.builder.generate import generate
from antemill.engine.builder.main_line import fewest
from antemill.engine.builder.states import expected
from antemill.engine.rules.constructs import constructs
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.same import canonical_digest
from antemill.engine.rules.spec import GameSpec
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.same.near_misses import PAIRS
from tests.specs import every_construct

FILE = Path(__file__).parents[2] / "data" / "golden_rules.json"


def games() -> Iterator[tuple[str, GameSpec]]:
    """Games with names, drawn ones, small and of any complexity, fuzzed ones, and pairs of near misses."""
    yield from ((name, make()) for name, make in NAMED.items())
    yield "every construct", every_construct()
    for seed in range(100):
        yield f"generated {seed}", generate(seed)
        yield f"generated {seed}@0.05", generate(seed, 0.05)
        yield f"fuzzed {seed}", fuzzed(seed)
        yield f"small {seed}", fuzzed(seed, small=True)
    for name, pair in PAIRS.items():
        yield from ((f"{name}, {number}", spec) for number, spec in enumerate(pair))


def figures(spec: GameSpec) -> list[object]:
    """Those of one game."""
    return [canonical_digest(spec), int(expected(spec)), int(fewest(spec)), "; ".join(sorted(constructs(spec)))]


def main() -> None:
    """Write the file, a line a game."""
    lines = (f"{json.dumps(name)}: {json.dumps(figures(spec))}" for name, spec in games())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"golden figures of games written to {FILE}")


if __name__ == "__main__":
    main()
