"""One table of algorithms: what the command line, the documentation and `auto` say comes from it."""

from __future__ import annotations

from antemill.solver.algorithms import table
from tests.imports import ROOT
from tests.solver.naive_cfr import NAIVE


def test_the_choices_are_the_rows() -> None:
    """The names that scripts depend on are there, and each is where it can be used."""
    assert {"auto", "lp", "cfr+", "dcfr", "pcfr+", "pdcfr+", "hs-pdcfr+", "mccfr"} <= set(table.CHOICES)
    assert (table.AUTO, *table.ALGORITHMS) == table.CHOICES
    assert [name for name in (*table.CHOICES, "nonsense") if table.samples(name)] == ["mccfr"]
    assert set(table.CHOICES) - set(table.ON_TREES) == {"mccfr"}
    assert set(table.ON_ABSTRACTIONS) == {"auto", "cfr+", "mccfr"}
    assert set(table.RULES) == set(table.ON_TREES) - {"auto", "lp"}


def test_the_help_names_every_choice() -> None:
    said = table.choices_help()
    assert said.startswith("auto, lp (exact), cfr, cfr+, ")
    assert said.endswith(", or mccfr (samples, without a tree).")
    assert all(f"{name}" in said.replace(".", "").replace(",", "").split() for name in table.CHOICES)


def test_no_two_rules_are_the_same_and_each_has_a_naive_twin() -> None:
    assert len(set(table.RULES.values())) == len(table.RULES)
    assert set(NAIVE) == set(table.RULES)
    assert all(rule.averaging == 0.0 for rule in table.RULES.values() if rule.simultaneous)


def test_the_documentation_has_the_same_table() -> None:
    lines = (ROOT / "docs" / "solver.md").read_text().splitlines()
    rows = [f"| `{row.name}` | {row.help} | {row.when} |".replace("  ", " ") for row in table.ALGORITHMS.values()]
    first = lines.index("| algorithm | what | when |") + 2
    assert lines[first : lines.index("", first)] == rows


def test_no_other_module_of_the_product_names_an_algorithm() -> None:
    """But for the bot `cfr`, a player's name, and the benchmarks, which compare the same few over the years."""
    names = {f'"{name}"' for name in (*table.ALGORITHMS, table.AUTO) if name not in (table.AUTO, "cfr")}
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("solver", "tournament")
        for path in (ROOT / folder).rglob("*.py")
        if any(name in path.read_text() for name in names)
    }
    assert found == {"solver/algorithms/table.py", "tournament/bench/solving.py"}
