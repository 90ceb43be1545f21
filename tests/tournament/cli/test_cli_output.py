"""What commands print for people: no name and no number is broken, and text of others commands no terminal."""

import pytest

from antemill.engine.errors import UsageError
from antemill.llm.protocols.wire import excerpt
from antemill.tournament.cli import output
from antemill.tournament.cli.entry import run

NAMES = ("claude-sonnet-4-5-20250929-high", "x", "[bold]", "a model with spaces in its name", "名前")
HEADER = ("a long name of model", "strength with its interval", "low", "high", "matches", "something of great width")
NUMBERS = ("+0.123456", "-1,000.000", "22", "1.19e-08", "–")


def test_no_name_and_no_number_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    """Headings are broken at their spaces, names are text at the left, numbers stand at the right of their columns."""
    output.print_table("A table", HEADER, [(name, *NUMBERS) for name in NAMES])
    lines = capsys.readouterr().out.splitlines()
    for name in NAMES:
        (row,) = [line for line in lines if line.strip().startswith(f"{name} ")]
        assert row.strip().removeprefix(name).split() == list(NUMBERS)
    assert max(map(len, lines)) < 100
    output.print_table("", ("what", "n"), [("a", 1), ("b", 1_000)])
    assert capsys.readouterr().out == "\n  what      n\n  ───────────\n  a         1\n  b      1000\n\n"


@pytest.mark.parametrize(
    ("value", "text"), [(-1e-17, "0.000000"), (5e-10, "5e-10"), (-0.0556, "-0.055600"), (None, "–")]
)
def test_rounding_prints_as_nothing(value: float | None, text: str) -> None:
    assert output.chips(value) == text


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
    output.say(HOSTILE)
    monkeypatch.setattr("antemill.tournament.cli.doctor.check_run", refuse)
    assert run(["doctor", "anything"]) == 2
    shown = "".join(capsys.readouterr())
    assert shown.count("\\x1b]0;mine\\x07\\x1b[2Jred") == 3
    assert not set(shown) & set(HOSTILE) - set("0;mine]2J[redlast31")
    assert excerpt(HOSTILE) == "]0;mine [2Jred 31m last"
