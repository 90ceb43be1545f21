"""Generated games that fit other people's tools."""

from __future__ import annotations

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.text.efg import count_nodes

COMPLEXITY = 0.1


def small_games(count: int, least: int, most: int) -> list[str]:
    """The first `count` generated games with a tree of `least` to `most` nodes."""
    found: list[str] = []
    seed = 0
    while len(found) < count:
        name = f"{seed}@{COMPLEXITY}"
        if least <= count_nodes(compile_spec(resolve(name)), most) <= most:
            found.append(name)
        seed += 1
    return found
