"""One table of algorithms, each with a naive twin."""

from __future__ import annotations

from antemill.solver.algorithms import table
from tests.solver.naive_cfr import NAIVE


def test_the_choices_are_the_rows() -> None:
    """The names that scripts depend on are there, and each is where it can be used."""
    assert {"auto", "lp", "cfr+", "dcfr", "pcfr+", "pdcfr+", "hs-pdcfr+", "mccfr"} <= set(table.CHOICES)
    assert (table.AUTO, *table.ALGORITHMS) == table.CHOICES
    assert [name for name in (*table.CHOICES, "nonsense") if table.samples(name)] == ["mccfr"]
    assert set(table.CHOICES) - set(table.ON_TREES) == {"mccfr"}
    assert set(table.ON_ABSTRACTIONS) == {"auto", "cfr+", "mccfr"}
    assert set(table.RULES) == set(table.ON_TREES) - {"auto", "lp"}


def test_no_two_rules_are_the_same_and_each_has_a_naive_twin() -> None:
    assert len(set(table.RULES.values())) == len(table.RULES)
    assert set(NAIVE) == set(table.RULES)
    assert all(rule.averaging == 0.0 for rule in table.RULES.values() if rule.simultaneous)
