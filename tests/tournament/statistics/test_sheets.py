"""Figures as every form of a table shows them."""

import pytest

from antemill.tournament.statistics.sheets import (
    Column,
    Sheet,
    blank_of,
    number,
    shown,
    text,
    to_csv,
    to_html,
    to_markdown,
)


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


@pytest.mark.parametrize(
    ("value", "want"), [(0.0, "0.000"), (-0.0004, "0.000"), (0.0006, "+0.001"), (-20.0, "-20.000")]
)
def test_zero_has_no_sign(value: float, want: str) -> None:
    assert shown(value, Column("loss", "Loss", digits=3, signed=True)) == want.replace("-", "\N{MINUS SIGN}")


def test_names_are_names_in_every_form() -> None:
    names = [
        "=1+1",
        "-a",
        "a|b",
        "a\\|b",
        "[x]",
        "*",
        "__init__",
        "a_b <i>",
        "\N{GREATER-THAN OR EQUAL TO}",
        "\u6f22",
        "\x01",
    ]
    sheet = Sheet("names", "Names", [text("name", "a|b"), text("other", "[o]")], [[name, 1] for name in names])
    csv = [line.rsplit(",", 1)[0] for line in to_csv(sheet).splitlines()]
    assert csv[1:4] == ["'=1+1", "'-a", "a|b"]  # a spreadsheet computes nothing
    lines = to_markdown(sheet).splitlines()
    assert lines[2] == r"| a\|b | \[o] |"
    assert [line[2:-6] for line in lines[6:11]] == [r"a\|b", r"a\\\|b", r"\[x]", r"\*", r"\_\_init\_\_"]
    assert r"| a_b \<i> | 1 |" in lines


def test_two_columns_with_one_heading_are_told_apart_by_their_groups() -> None:
    columns = [Column("low", "low", group="These games"), Column("low_like", "low", group="Games like these")]
    sheet = Sheet("losses", "Loss", columns, [[0.1, 0.2]])
    for written in (to_markdown, to_html):
        assert "These games: low" in written(sheet)
        assert "Games like these: low" in written(sheet)
    twice = [Column(key, heading) for key, heading in (("n", "J"), ("a", "low"), ("p", "Without noise"), ("b", "low"))]
    for written in (to_markdown, to_html):
        assert "J: low" in written(Sheet("j", "J", twice, [[0.1, 0.2, 0.3, 0.4]]))
        assert "Without noise: low" in written(Sheet("j", "J", twice, [[0.1, 0.2, 0.3, 0.4]]))


def test_a_blank_is_a_dash_that_one_sentence_below_explains() -> None:
    columns = [text("name", "Name"), number("x", "X", 1), Column("n", "N", "count")]
    sheet = Sheet("s", "Title", columns, [["a|b", -0.25, 1234], ["c", None, None]], "A note.", frozenset({(0, 1)}))
    assert to_markdown(sheet).splitlines() == [
        *("## Title", "", "A note.", "", "| Name | X | N |", "| :-- | --: | --: |"),
        "| a\\|b | **−0.2** | 1,234 |",  # noqa: RUF001
        *("| c | – | – |", "", blank_of(sheet), ""),
    ]
    assert to_csv(sheet).splitlines() == ["name,x,n", "a|b,-0.25,1234", "c,,"]
    whole = Sheet("s", "Title", columns, sheet.rows[:1])
    assert blank_of(whole) == ""
    assert to_markdown(whole).endswith("1,234 |\n")
    assert sheet.column("n") == [1234, None]
    with pytest.raises(KeyError):
        sheet.column("y")
