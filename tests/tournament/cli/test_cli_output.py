"""What commands print for people: no name and no number is broken at any width, and what is nothing prints as 0."""

import pytest

from antemill.engine.errors import UsageError
from antemill.llm.protocols.wire import excerpt
from antemill.tournament.cli import output
from antemill.tournament.cli.entry import run
from antemill.tournament.plain import plain

NAMES = ("claude-sonnet-4-5-20250929-high", "x", "[bold]", "a model with spaces in its name")
HEADER = ("a long name of model", "strength with its interval", "low", "high", "matches", "something of great width")
NUMBERS = ("+0.123456", "-1,000.000", "22", "1.19e-08", "–")


def shown(width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(output, "_WIDTH", width)
    output.print_table("A table", HEADER, [(name, *NUMBERS) for name in NAMES])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", [50, 60, 80, 100, 120])
def test_no_name_and_no_number_is_broken(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(width, capsys, monkeypatch)
    assert max(map(len, lines)) <= width
    for name in NAMES:
        rows = [line for line in lines if line.strip().startswith(name + " ")]
        assert rows
        assert "".join(row.strip().removeprefix(name) for row in rows).split() == list(NUMBERS)


def test_further_tables_say_which_row_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By all texts at the left that half of the width holds."""
    monkeypatch.setattr(output, "_WIDTH", 60)
    rows = [("m", bot, *NUMBERS) for bot in ("passive", "l1")]
    output.print_table("", ("player", "opponent", *HEADER[1:]), rows, texts=2)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    for _, bot, *numbers in rows:
        parts = [line[2:] for line in lines if line[:2] == ["m", bot]]
        assert len(parts) == 2
        assert [cell for part in parts for cell in part] == numbers


def test_a_wide_table_is_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(200, capsys, monkeypatch)
    assert sum(line.strip().startswith("x ") for line in lines) == 1
    assert any(" ".join(line.split()) == " ".join(HEADER) for line in lines)


@pytest.mark.parametrize("width", [80, 120])
def test_figures_stand_beside_a_name_of_270_letters(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_WIDTH", width)
    name = "".join(chr(ord("a") + i % 26) for i in range(270))
    output.print_table("", HEADER[:4], [(name, *NUMBERS[:3]), ("short", *NUMBERS[:3])])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert any(line[1:] == [*NUMBERS[:3]] and name.startswith(line[0]) and len(line[0]) >= 40 for line in lines if line)
    assert ["short", *NUMBERS[:3]] in lines
    assert "".join(line[0] for line in lines if line and line[0] in name)[1:] == name  # the heading's "a" is first


def test_texts_are_broken_at_their_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"word{i}" for i in range(60)]
    output.print_table("", ("", ""), [("what", " ".join(words))], texts=2)
    assert capsys.readouterr().out.split() == ["what", *words]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-1e-17, "0.000000"),
        (-5e-10, "-5e-10"),
        (4.4e-7, "4.4e-07"),
        (6e-7, "0.000001"),
        (-0.0556, "-0.055600"),
        (None, "–"),
    ],
)
def test_chips_have_six_decimals_or_what_says_more(value: float | None, text: str) -> None:
    assert output.chips(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(-1.19e-08, "0"), (4e-7, "0"), (0.00012345, "0.000123"), (-0.0556, "-0.0556"), (None, "–")]
)
def test_rounding_prints_as_nothing(value: float | None, text: str) -> None:
    assert output.small(value) == text


@pytest.mark.parametrize(("value", "text"), [(-0.0001, "0"), (-0.5, "-0.5"), (2.0, "2"), (None, "–")])
def test_nothing_has_no_sign(value: float | None, text: str) -> None:
    assert output.number(value) == text


def test_the_next_command_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_next("antemill", "analyze", "my duels/it's")
    assert capsys.readouterr().out == """Next: antemill analyze 'my duels/it'"'"'s'\n"""


HOSTILE = "\x1b]0;mine\x07\x1b[2Jred\r\x9b31m\u202elast\x00\ud800"


def test_text_of_others_commands_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UsageError(f"the server said {HOSTILE}.")

    output.print_table("", ("player",), [(HOSTILE,)])
    monkeypatch.setattr("antemill.tournament.cli.health.check_run", refuse)
    assert run(["doctor", "anything"]) == 2
    shown = "".join(capsys.readouterr())
    assert shown.count("\\x1b]0;mine\\x07\\x1b[2Jred") == 2
    assert not set(shown) & set(HOSTILE) - set("0;mine]2J[redlast31")
    assert excerpt(HOSTILE) == "]0;mine [2Jred 31m last"


def test_plain_text_stays_what_it_is() -> None:
    text = "Zoë\t’says’ 你好 👩‍👩‍👧 שלום\nand more"
    assert plain(text) == text


@pytest.mark.parametrize(
    ("count", "words"), [(113.0, "about 110"), (7.0, "about 7"), (2.04e10, "about 20,000,000,000")]
)
def test_an_estimate_has_two_digits(count: float, words: str) -> None:
    assert output.about(count) == words
