"""Whose fault a failure is, the prompt's or the model's, by what becomes of others; none is asked but a few times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from antemill import llm
from antemill.tournament.runs import open_run, read_status
from antemill.tournament.runs.stops import RunStalledError
from tests.tournament.runs.hasty import hasty
from tests.tournament.runs.run_kinds import TOY, run_toy, table_of, write_models, write_toy

LIMITS = "[limits]\n"
Asked = Counter[str]


def refused() -> llm.CallError:
    """What no table knows."""
    return llm.ItemError("HTTP 400: quantum decoherence", status=400)


class Poisoned:
    """Fails at some prompts, and answers all others."""

    def __init__(self, error: Callable[[], llm.CallError], poison: Callable[[str], bool]) -> None:
        self.error, self.poison = error, poison
        self.asked: Asked = Counter()

    def __call__(self, request: llm.Request) -> str:
        text = request.messages[0].text
        self.asked[request.sample] += 1
        if self.poison(text):
            raise self.error()
        return text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_models(tmp_path, "echo")
    return tmp_path


def number(text: str) -> int:
    """Of a question."""
    return int(text.split()[1])


@pytest.mark.parametrize("in_flight", [1, 3, 16])
@pytest.mark.parametrize("poison", [{0}, {11}, {23}, {22, 23}, {0, 1}, {3, 9, 15, 21}, set(range(0, 24, 4))])
def test_a_prompt_that_is_refused_while_others_are_answered_is_discarded(
    home: Path, in_flight: int, poison: set[int]
) -> None:
    model = Poisoned(refused, lambda text: number(text) in poison)
    run_toy(write_toy(home, "questions = 24", LIMITS + f"in_flight = {in_flight}"), home / "run", {"echo": model})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (24 - len(poison), len(poison))
    assert set(model.asked.values()) == {1}


@pytest.mark.parametrize("status", [401, 402, 407])
def test_an_account_stops_each_session_and_loses_nothing(home: Path, status: int) -> None:
    config = write_toy(home, "questions = 24", LIMITS + "in_flight = 1")
    empty = True
    model = Poisoned(lambda: llm.StopError("no credit", status=status), lambda text: empty and number(text) >= 12)
    with pytest.raises(RunStalledError, match="no credit"):
        run_toy(config, home / "run", {"echo": model})
    assert [resume(home, model) for _ in range(2)] == [3, 3]
    empty = False
    assert resume(home, model) == 0
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (24, 0)


def resume(home: Path, model: Poisoned) -> int:
    """Continue the run; its exit code."""
    try:
        with open_run(TOY, home / "run") as session:
            session.run(quiet=True, scripts={"echo": model})
    except RunStalledError as stopped:
        return stopped.exit_code
    return 0


@pytest.mark.parametrize("in_flight", [1, 16])
@pytest.mark.parametrize("questions", [1, 2, 40])
def test_a_model_that_takes_no_prompt_stops_the_run_and_nothing_is_discarded(
    home: Path, in_flight: int, questions: int
) -> None:
    model = Poisoned(refused, lambda _text: True)
    config = write_toy(home, f"questions = {questions}", LIMITS + f"in_flight = {in_flight}")
    with pytest.raises(RunStalledError, match=r"quantum decoherence.*kept"):
        run_toy(config, home / "run", {"echo": model})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (0, 0)
    assert sum(model.asked.values()) <= 8 + in_flight
    with open_run(TOY, home / "run") as session:
        session.run(quiet=True, scripts={"echo": lambda request: request.messages[0].text})
    assert read_status("toy", home / "run").done == questions


def test_a_model_that_breaks_in_the_middle_stops_the_run_and_nothing_is_discarded(home: Path) -> None:
    answered: list[str] = []

    def model(request: llm.Request) -> str:
        if len(answered) >= 20:
            raise refused()
        answered.append(request.sample)
        return request.messages[0].text

    config = write_toy(home, "questions = 40", LIMITS + "in_flight = 4")
    with pytest.raises(RunStalledError, match=r"8 items in a row got no answer.*quantum decoherence"):
        run_toy(config, home / "run", {"echo": model})
    assert read_status("toy", home / "run").discarded == 0
    run_toy(config, home / "run", {"echo": lambda request: request.messages[0].text})
    run_toy(config, home / "whole", {"echo": lambda request: request.messages[0].text})
    assert table_of(home / "run") == table_of(home / "whole")


def test_calls_that_may_be_charged_without_an_answer_stop_the_run_after_eight_items(home: Path) -> None:
    model = Poisoned(lambda: llm.AgainError("not JSON", kind="malformed answer", billed=True), lambda _text: True)
    config = write_toy(home, "questions = 40\ncalls = 1", LIMITS + "in_flight = 4")
    with hasty(), pytest.raises(RunStalledError, match=r"8 items in a row got no answer.*not JSON"):
        run_toy(config, home / "run", {"echo": model})
    assert max(model.asked.values()) == 3
    assert sum(model.asked.values()) <= 3 * (8 + 3)
    assert read_status("toy", home / "run").discarded == 0


@pytest.mark.parametrize("in_flight", [1, 4, 16])
def test_a_prompt_that_is_too_long_after_answers_is_discarded_and_the_run_goes_on(home: Path, in_flight: int) -> None:
    """As in a game whose log outgrows a model's window: each match has its answers, and then none. Many at a time fail
    together, without an answer between their failures; the next item's answer shows that the model works."""
    too_long = Poisoned(lambda: llm.ItemError("HTTP 400: context too long", status=400), lambda _text: False)

    def model(request: llm.Request) -> str:
        if request.sample.endswith("/1") and int(request.sample.partition(".")[2].partition("/")[0]) >= 4:
            raise too_long.error()
        return too_long(request)

    run_toy(write_toy(home, "questions = 40", LIMITS + f"in_flight = {in_flight}"), home / "run", {"echo": model})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (4, 36)


def test_a_first_prompt_that_is_too_long_for_a_model_stops_its_run_at_the_eighth_item(home: Path) -> None:
    model = Poisoned(lambda: llm.ItemError("HTTP 400: context too long", status=400), lambda text: number(text) >= 4)
    with pytest.raises(RunStalledError, match=r"8 items in a row got no answer.*context too long"):
        run_toy(write_toy(home, "questions = 40", LIMITS + "in_flight = 1"), home / "run", {"echo": model})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (4, 0)


def test_two_models_are_judged_apart(home: Path) -> None:
    write_models(home, "good", "bad")
    config = write_toy(home, 'questions = 12\nmodels = ["good", "bad"]', LIMITS + "in_flight = 2")
    good, bad = Poisoned(refused, lambda _text: False), Poisoned(refused, lambda _text: True)
    with pytest.raises(RunStalledError, match="bad"):
        run_toy(config, home / "run", {"good": good, "bad": bad})
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (6, 0)
    assert sum(bad.asked.values()) <= 8


def test_an_item_that_a_server_fails_at_until_the_deadline_is_discarded_while_others_are_answered(home: Path) -> None:
    broken = Poisoned(lambda: llm.AgainError("HTTP 500: oops", status=500), lambda text: number(text) == 2)
    config = write_toy(home, "questions = 24\ncalls = 1", LIMITS + "in_flight = 1")
    with hasty():
        run_toy(config, home / "run", {"echo": broken})
    assert broken.asked["0.2/0"] > 1
    found = read_status("toy", home / "run")
    assert (found.done, found.discarded) == (23, 1)


def test_a_model_that_is_swapped_behind_its_address_is_told_of(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_toy(home, "questions = 6\ncalls = 1", LIMITS + "in_flight = 1")
    asked: list[str] = []

    def model(request: llm.Request) -> llm.Answer:
        asked.append(request.sample)
        if len(asked) == 4:
            raise llm.StopError("out of money", status=402)
        return llm.Answer(request.messages[0].text, "stop", llm.Usage(), "new" if len(asked) > 2 else "old")

    sentence = "echo was not one model throughout: its answers came from old at scripted, then new at scripted."
    with pytest.raises(RunStalledError):
        run_toy(config, home / "run", {"echo": model})
    assert read_status("toy", home / "run").warnings == [sentence]
    with open_run(TOY, home / "run") as session:
        session.run(scripts={"echo": model})
    assert sentence in capsys.readouterr().err
    assert read_status("toy", home / "run").warnings == [sentence]
