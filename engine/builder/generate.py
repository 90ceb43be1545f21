"""Drawing a game from its seed (GENSTRAT section 3 and appendix A).

    game = generate(4643)                        a game of the benchmark's distribution
    game = generate(4643, complexity=0.2)        the same seed nearer to Kuhn poker
    game = generate(4643, 1.8, caps)             beyond the benchmark, with caps that allow it

A game is a function of (seed, complexity, caps) and the builder's code; `builder_hash` names the latter, so a stored
seed with the same hash gives the same game on any machine. The parts are in `engine.builder`; every knob is in
its `dial` module.
"""

from __future__ import annotations

from functools import cache

from engine.builder.assemble import assemble
from engine.builder.caps import BENCHMARK_CAPS, Caps
from engine.digests import Sources
from engine.rules.spec import GameSpec
from engine.seeding import Domain, Stream

__all__ = ["BENCHMARK_CAPS", "Caps", "builder_hash", "default_complexity", "generate"]


def generate(seed: int, complexity: float | None = None, caps: Caps = BENCHMARK_CAPS) -> GameSpec:
    """The game of a seed (0 to 2^63 - 1), by default at the seed's own complexity.

    Raises ValueError for a seed out of range or a complexity outside 0..caps.complexity.
    """
    if not 0 <= seed < 1 << 63:
        raise ValueError(f"The seed {seed} is out of range: give a whole number from 0 to 2^63 - 1.")
    own = default_complexity(seed)
    if complexity is None:
        complexity = own
    elif not 0.0 <= complexity <= caps.complexity:
        raise ValueError(f"The complexity {complexity} is out of range: give a number from 0 to {caps.complexity:g}.")
    name = f"Game {seed}" if complexity == own else f"Game {seed}@{complexity:g}"
    return assemble(seed, complexity, name, caps)


def default_complexity(seed: int) -> float:
    """The complexity of a seed for which none is given: the larger of two uniform draws from [0, 1)."""
    stream = Stream(seed, Domain.COMPLEXITY)
    return max(stream.uniform(), stream.uniform())


@cache
def builder_hash() -> str:
    """16 hexadecimal digits that change with the code that generation runs; not with its docstrings, comments, layout.

    The same on every supported Python.
    """
    return Sources().digest([__name__])
