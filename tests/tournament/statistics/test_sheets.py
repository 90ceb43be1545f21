"""Figures as every form of a table shows them."""

import pytest

from antemill.tournament.statistics.sheets import Column, Sheet, shown, to_html, to_latex, to_markdown


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


def test_two_columns_with_one_heading_are_told_apart_by_their_groups() -> None:
    columns = [Column("low", "low", group="These games"), Column("low_like", "low", group="Games like these")]
    sheet = Sheet("losses", "Loss", columns, [[0.1, 0.2]])
    for written in (to_markdown, to_latex, to_html):
        assert "These games: low" in written(sheet)
        assert "Games like these: low" in written(sheet)
