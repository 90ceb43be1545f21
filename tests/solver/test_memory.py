"""What a solve takes for each node, as a user has it: from the rules of a game to the file of its policy."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest

import antemill.engine.storage.lean  # noqa: F401 (before Arrow)
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.solver.policies.file import write_policy
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees import build
from antemill.solver.trees.build import BYTES_A_NODE, build_tree


@pytest.mark.slow
def test_a_game_of_many_sequences_stays_below_the_bytes_that_are_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly every node of this one has a sequence of its own, which is what takes the most. What a refusal says of a
    node is what it takes."""
    program = compile_spec(generate(11934))
    path = tmp_path / "policy.parquet"
    tree = build_tree(program)
    nodes = tree.nodes
    assert nodes > 250_000
    assert sum(mine.sequences for mine in tree.sets) > 0.85 * nodes
    del tree
    write_policy(path, solve_game(program, Settings(iterations=1)).saved)  # all is loaded and compiled by now
    tracemalloc.start()
    try:
        solved = solve_game(program, Settings())
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        write_policy(path, solved.saved)
        written = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert solved.saved.solution.stopped == "target"
    assert 10 * nodes < held < peak < BYTES_A_NODE * nodes
    assert held < written < BYTES_A_NODE * nodes

    monkeypatch.setattr(build, "free_memory", lambda: 2_000)
    with pytest.raises(UsageError, match="first 262,144 take") as caught:
        build_tree(program)
    said = re.search(r"take (\d+) bytes each", str(caught.value))
    assert said is not None
    assert 0.9 < float(said[1]) / (peak / nodes) < 1.4
