"""Golden canonical digests: `python -m tests.engine.rules.canonical.golden` writes them, `test_digests` compares."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from antemill.engine.builder.generate import generate
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.canonical.near_misses import PAIRS
from tests.specs import every_construct

FILE = Path(__file__).parents[3] / "data" / "golden_canonical.json"


def games() -> Iterator[tuple[str, GameSpec]]:
    """Games that a name leads to, drawn ones of small and of any complexity, fuzzed ones, and pairs of near misses."""
    yield from ((name, make()) for name, make in NAMED.items())
    yield "every construct", every_construct()
    for seed in range(100):
        yield f"generated {seed}", generate(seed)
        yield f"generated {seed}@0.05", generate(seed, 0.05)
        yield f"fuzzed {seed}", fuzzed(seed)
        yield f"small {seed}", fuzzed(seed, small=True)
    for name, pair in PAIRS.items():
        yield from ((f"{name}, {number}", spec) for number, spec in enumerate(pair))


def digests() -> dict[str, str]:
    """The digest of each."""
    return {name: canonical_digest(spec) for name, spec in games()}


def main() -> None:
    """Write the file."""
    FILE.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
    print(f"golden canonical digests written to {FILE}")


if __name__ == "__main__":
    main()
