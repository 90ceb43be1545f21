"""An interrupt at the worst moment."""

from __future__ import annotations

import pytest

from antemill.solver.algorithms import solve as algorithms
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import exploitability
from tests.solver.games import game


def test_an_interrupt_while_the_best_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of the profile that is left is true of that profile."""
    kept, calls = algorithms._kept, []

    def torn(before: algorithms._Found | None, found: algorithms._Found) -> algorithms._Found:
        calls.append(found)
        if len(calls) == 3:
            assert isinstance(before, algorithms._Average)
            assert isinstance(found, algorithms._Average)
            before.totals[0][:] = found.totals[0]
            raise KeyboardInterrupt
        return kept(before, found)

    monkeypatch.setattr(algorithms, "_kept", torn)
    both = game("leduc", True)
    run = solve(both, "cfr+", target=1e-9)
    assert run.stopped == "interrupted"
    assert run.exploitability == exploitability(both, run.profile) != run.trace[-1].measure
