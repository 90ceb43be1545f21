"""Chips are a free unit: a game in tiny or huge ones, or with a constant beside, has the same equilibria."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from antemill.engine.errors import UsageError
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.solve import solve
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.outside import Outside
from antemill.solver.trees.sequence_form import sides
from tests.solver.games import KUHN

UNITS = [Fraction(10) ** power for power in (-30, -7, 0, 12)]
DEALS = [(mine, theirs) for mine in range(3) for theirs in range(3) if mine != theirs]


def kuhn(unit: Fraction, total: Fraction = Fraction(0)) -> ExtensiveForm:
    """Kuhn poker in chips of this size, in which both players together get `total` besides."""
    builder = Outside("Kuhn", ("Ann", "Ben"))

    def end(chips: int) -> None:
        builder.end((chips * unit + total / 2, total / 2 - chips * unit))

    builder.chance([Fraction(1, 6)] * 6)
    for mine, theirs in DEALS:
        win = 1 if mine > theirs else -1
        builder.decision(0, (mine, "first"), f"{mine} first", ("check", "bet"))
        builder.decision(1, (theirs, "checked"), f"{theirs} checked", ("check", "bet"))
        end(win)
        builder.decision(0, (mine, "bet at"), f"{mine} bet at", ("fold", "call"))
        end(-1)
        end(2 * win)
        builder.decision(1, (theirs, "bet at"), f"{theirs} bet at", ("fold", "call"))
        end(1)
        end(2 * win)
    return builder.tree()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{float(unit):g}")
def test_every_unit_has_the_same_solution(unit: Fraction) -> None:
    exact = solve_exactly(sides(kuhn(unit)))
    assert exact.value / float(unit) == pytest.approx(KUHN, abs=1e-9)
    assert 0 <= exact.exploitability <= 1e-9 * float(unit)
    one, again = solve(kuhn(Fraction(1)), "dcfr", "0.1%"), solve(kuhn(unit), "dcfr", "0.1%")
    assert again.iterations == one.iterations
    assert again.stopped == "target"
    assert again.target == pytest.approx(0.004 * float(unit))
    assert again.exploitability == pytest.approx(one.exploitability * float(unit), rel=1e-6)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{float(unit):g}")
@pytest.mark.parametrize("algorithm", ["auto", "lp"])
def test_a_tiny_target_is_not_reached_by_uniform_play(algorithm: str, unit: Fraction) -> None:
    run = solve(kuhn(unit), algorithm, 1e-14 * float(unit))
    assert run.stopped == ("target" if run.exploitability <= 1e-14 * float(unit) else "precision")
    assert run.value / float(unit) == pytest.approx(KUHN, abs=1e-9)
    assert run.exploitability <= 1e-9 * float(unit)


def test_a_run_that_can_not_become_better_says_so() -> None:
    """Payoffs of a billion chips that differ by four leave about a millionth of a chip to rounding."""
    run = solve(kuhn(Fraction(1), Fraction(2 * 10**9)), "cfr+", 0.0, seconds=60.0)
    assert (run.stopped, run.exploitability <= 1e-5) == ("precision", True)


def test_parts_of_the_range_as_targets() -> None:
    tree = kuhn(Fraction(1))
    assert solve(tree, "lp", "1%").target == pytest.approx(0.04)
    for wrong in ("much", "0.5", "-1%", "1%%", "nan%", "inf%", ""):
        with pytest.raises(UsageError, match="target"):
            solve(tree, "lp", wrong)
    with pytest.raises(UsageError, match="give the target in chips"):
        solve(sides(tree), "lp", "1%")
    for endless in (math.inf, -math.inf, math.nan):
        with pytest.raises(UsageError, match=f"the target is {endless}: give a finite number of chips"):
            solve(tree, "lp", endless)
