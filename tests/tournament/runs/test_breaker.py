"""The breaker on fallbacks: a run whose replies cannot be used pauses, says so, and tries again when it is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.llm import Request
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import RunStalledError, open_run, start_run
from antemill.tournament.runs.breaker import Breaker
from antemill.tournament.runs.status import read_status
from antemill.tournament.skate.kind import skate_type
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config as write_duels
from tests.tournament.runs.run_kinds import TOY, write_models, write_toy
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate


def test_twenty_of_one_cause_in_a_row_are_too_many_for_their_model() -> None:
    breaker = Breaker()
    for _ in range(19):
        breaker.count("a", "unparsable")
        breaker.count("b", "")
    assert breaker.tripped() == ()
    breaker.count("a", "illegal")
    assert breaker.tripped() == ()
    for _ in range(20):
        breaker.count("a", "unparsable")
    (found,) = breaker.tripped()
    assert found == ("a", "unparsable", "the last 20 replies of a could not be used (unparsable)")
    breaker.count("a", "")
    assert breaker.tripped() == ()


def test_more_than_half_of_the_last_hundred_are_too_many() -> None:
    breaker = Breaker(1_000)
    for number in range(100):
        breaker.count("a", "illegal" if number % 2 else "")
    assert breaker.tripped() == ()
    breaker.count("a", "illegal")
    breaker.count("a", "empty")
    (found,) = breaker.tripped()
    assert found.sentence == "51 of the last 100 replies of a could not be used (most: illegal)"
    for _ in range(60):
        breaker.count("a", "")
    assert breaker.tripped() == ()


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
        pytest.raises(RunStalledError, match="last 20") as stopped,
    ):
        session.run(quiet=True, scripts={"echo": model})
    assert stopped.value.exit_code == 3
    assert len(asked) == 20
    warning = "the last 20 replies of echo could not be used (unparsable)."
    assert read_status("toy", tmp_path / "run").warnings == [warning]
    with open_run(TOY, tmp_path / "run") as session, pytest.raises(RunStalledError):
        session.run(quiet=True, scripts={"echo": model})
    assert len(asked) == 40
    bad = False
    with open_run(TOY, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"echo": model})
    found = read_status("toy", tmp_path / "run")
    assert (found.done, found.warnings) == (30, [])
    assert len(asked) == 60


def test_one_cause_is_one_whatever_a_player_is_asked(tmp_path: Path) -> None:
    """Puzzles and solutions, questions and answers: a reply without any of them is as useless in each role."""

    def junk(_request: Request) -> str:
        return "I would rather not say."

    (tmp_path / "duel").mkdir()
    config = write_duels(tmp_path / "duel", players=("ace", "dud"), extra='pairs = [["ace", "dud"]]\nturns = 8')
    config.write_text(config.read_text().replace("fallbacks = 0", "fallbacks = 20"))
    with (
        start_run(duel_type(lambda _config: TrustingJudge()), config, tmp_path / "duel" / "run") as session,
        pytest.raises(RunStalledError, match=r"the last \d\d replies of dud could not be used \(unparsable\)"),
    ):
        session.run(quiet=True, scripts={"ace": duelists.strong, "dud": junk})
    (tmp_path / "skate").mkdir()
    config = write_skate(tmp_path / "skate", {"ace": 0.9, "dud": 0.5}, rounds=5)
    with (
        start_run(skate_type(rules), config, tmp_path / "skate" / "run") as game,
        pytest.raises(RunStalledError, match=r"replies of dud could not be used \(unparsable\)"),
    ):
        game.run(quiet=True, scripts={"ace": skater("ace", 0.9), "dud": junk})
