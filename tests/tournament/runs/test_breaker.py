"""The breaker on fallbacks: a run whose replies cannot be used pauses, says so, and tries again when it is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.llm import Request
from antemill.tournament.runs import RunStalledError, open_run, start_run
from antemill.tournament.runs.breaker import Breaker
from antemill.tournament.runs.status import read_status
from tests.tournament.runs.run_kinds import TOY, write_models, write_toy


def test_all_of_the_first_eight_or_twenty_in_a_row_are_too_many() -> None:
    breaker = Breaker()
    for number in range(8):
        assert breaker.tripped() == ()
        breaker.count("a", "illegal" if number % 2 else "unparsable")
        breaker.count("b", "" if number == 7 else "empty")
    assert breaker.tripped() == (("a", "all 8 replies of a could not be used (the last: illegal)"),)
    breaker.count("a", "")
    for _ in range(20):
        assert breaker.tripped() == ()
        breaker.count("b", "empty")
    assert breaker.tripped() == (("b", "the last 20 replies of b could not be used (the last: empty)"),)


def test_another_number_or_none_can_be_set() -> None:
    for number, pauses, least in ((3, True, 3), (30, True, 30), (0, False, 20)):
        breaker = Breaker(number)
        assert breaker.pauses == pauses
        breaker.count("a", "")
        for _ in range(least - 1):
            breaker.count("a", "empty")
        assert not breaker.tripped()
        breaker.count("a", "empty")
        assert breaker.tripped()


def test_a_run_pauses_says_so_and_asks_again_when_it_is_resumed(tmp_path: Path) -> None:
    """What was paid for before is not held against the model: a `resume` asks, and ends if the replies are good."""
    write_models(tmp_path, "echo")
    config = write_toy(tmp_path, "questions = 30", "[limits]\nin_flight = 1")
    asked: list[str] = []
    bad = True

    def model(request: Request) -> str:
        asked.append(request.sample)
        return "failed: unparsable" if bad else "good"

    with (
        start_run(TOY, config, tmp_path / "run") as session,
        pytest.raises(RunStalledError, match="all 8 replies") as stopped,
    ):
        session.run(quiet=True, scripts={"echo": model})
    assert stopped.value.exit_code == 3
    assert len(asked) == 8
    with open_run(TOY, tmp_path / "run") as session, pytest.raises(RunStalledError):
        session.run(quiet=True, scripts={"echo": model})
    assert len(asked) == 16
    bad = False
    with open_run(TOY, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"echo": model})
    found = read_status("toy", tmp_path / "run")
    assert found.done == 30
    assert 16 < len(asked) <= 60


def test_without_a_limit_the_run_goes_on_and_is_warned_of_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_models(tmp_path, "echo")
    config = write_toy(tmp_path, "questions = 30", "[limits]\nfallbacks = 0")
    with start_run(TOY, config, tmp_path / "run") as session:
        session.run(scripts={"echo": lambda _: "failed: empty"})
    found = read_status("toy", tmp_path / "run")
    assert found.done == 30
    assert "could not be used (the last: empty)" in capsys.readouterr().err
