"""Figures as every form of a table shows them."""

import pytest

from antemill.tournament.statistics.sheets import Column, shown


@pytest.mark.parametrize(
    ("value", "tiny", "want"),
    [
        (2.13e-7, True, "2.13e-07"),
        (2.13e-7, False, "0.0000"),
        (9.87654e-5, True, "9.88e-05"),
        (0.0123456, True, "0.0123"),
        (0.0, True, "0.0000"),
        (6.6e-18, True, "0.0000"),  # a rounding error
        (-3e-9, True, "-3e-09"),
    ],
)
def test_a_small_exploitability_is_not_shown_as_nothing(value: float, tiny: bool, want: str) -> None:
    assert shown(value, Column("e", "Exploitability", digits=4, tiny=tiny)) == want.replace("-", "\N{MINUS SIGN}")
