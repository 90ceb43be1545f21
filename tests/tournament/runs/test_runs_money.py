"""Money in runs, through the command line and servers that misbehave: what is charged in vain, what is in flight, what
is assumed, and that all that a run needs is asked for first.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import CallStore
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs.costs import headline
from tests.tournament.cards.tournament_runs import number_of
from tests.tournament.runs.http_server import completion, http_server, listing
from tests.tournament.runs.killing import started

ENTRY = """
[{name}]
structured = true
protocol = "openai-chat"
base_url = "{url}"
prices = {{ input = 1.0, output = 10.0 }}
max_output = 100
concurrency = 64
"""
CUP = """
[tournament]
games = ["kuhn"]
matches_per_seat = {matches}
[players.m]
model = "m"
[players.rnd]
bot = "random"
[limits]
in_flight = {in_flight}
"""


def write_cup(home: Path, url: str, matches: int = 4, in_flight: int = 1, rest: str = "") -> list[str]:
    """The command that runs a small tournament of a model on a server."""
    (home / "models.toml").write_text(ENTRY.format(name="m", url=url))
    (home / "cup.toml").write_text(CUP.format(matches=matches, in_flight=in_flight) + rest)
    return ["start", str(home / "cup.toml"), "--out", str(home / "cup")]


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What a command prints with --json."""
    capsys.readouterr()
    assert command([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def legal(body: Any) -> str:
    """A reply with the first legal action of a prompt."""
    text = body["messages"][-1]["content"]
    return f'{{"action": {text.split("- Legal actions: ")[1].splitlines()[0].split(", ")[0]}}}'


def answers(run: Path) -> int:
    """How many a run has stored."""
    with CallStore(run / "calls.sqlite", read_only=True) as calls:
        return sum(totals.calls for totals in calls.totals().values())


# ------------------------------------------------------------------------------------------------ charged in vain


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long waits between attempts."""
    monkeypatch.setattr("random.Random.uniform", lambda _self, low, high: low + (high - low) * 0.002)


def test_a_question_that_is_answered_with_no_reply_is_given_up_and_the_rest_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Counter[str]()

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        if path == "/models":
            return listing("m")
        text = body["messages"][-1]["content"]
        asked[text] += 1
        return (200, b"<html>oops</html>") if "Your hand: K" in text else completion(legal(body))

    with http_server(answer) as url:
        arguments = write_cup(tmp_path, url, matches=6)
        assert command(arguments) == 0
    found = document(capsys, "status", str(tmp_path / "cup"))
    kings = [count for text, count in asked.items() if "Your hand: K" in text]
    assert found["discarded"] > 0
    assert found["done"] + found["discarded"] == found["total"] == 12
    assert sum(kings) == 3 * found["discarded"]
    assert found["fallbacks"] == 0
    (model,) = found["models"]
    assert model["errors"] == {"malformed answer": sum(kings)}
    assert model["possible_attempts"] == sum(kings)


@pytest.mark.parametrize("in_flight", [1, pytest.param(64, marks=pytest.mark.slow)])
def test_a_server_that_is_replaced_by_another_stops_the_run_before_much_is_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], in_flight: int
) -> None:
    numbers, broken = itertools.count(), list[int]()

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        if path == "/models":
            return listing("m")
        if (number := next(numbers)) < 20:
            return completion(legal(body))
        broken.append(number)
        while answers(tmp_path / "cup") < 20:  # one that came late would reset the count of failed matches
            time.sleep(0.01)
        return 200, b"<html>Log in to the hotel's network</html>"

    with http_server(answer) as url:
        assert command(write_cup(tmp_path, url, matches=500, in_flight=in_flight)) == 3
    err = capsys.readouterr().err
    assert "8 items in a row got no answer" in err
    assert "`antemill start DIR` continues" in err
    assert len(broken) <= 3 * (in_flight + 7)  # those in flight when the eighth match fails, and the seven before it
    found = document(capsys, "status", str(tmp_path / "cup"))
    assert found["discarded"] == 0
    assert found["possible_attempts"] == len(broken)


# ------------------------------------------------------------------------------------------------ in flight, or lost


def test_status_tells_what_is_in_flight_from_what_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arrived, go = threading.Semaphore(0), threading.Event()

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        if path == "/models":
            return listing("m")
        arrived.release()
        go.wait(60)
        return completion(legal(body))

    def money() -> tuple[int, float, int, float]:
        found = document(capsys, "status", str(tmp_path / "cup"))
        (model,) = found["models"]
        assert (model["under_way"], model["possible"]) == (found["under_way"], found["possible"])
        return found["possible_attempts"], found["possible"], model["in_flight"], found["under_way"]

    with http_server(answer) as url:
        arguments = write_cup(tmp_path, url, matches=10, in_flight=4)
        first = started(command, arguments)
        for _ in range(4):
            assert arrived.acquire(timeout=60)
        attempts, possible, in_flight, under_way = money()
        assert (attempts, possible) == (0, 0.0)
        assert in_flight <= 4
        assert under_way > 0
        first.kill()
        first.join()
        attempts, possible, in_flight, nothing = money()
        assert (attempts, in_flight, nothing) == (4, 0, 0.0)
        assert possible == pytest.approx(under_way)
        second = threading.Thread(target=command, args=(arguments,))
        second.start()
        for _ in range(4):
            assert arrived.acquire(timeout=60)
        attempts, possible, _, again = money()
        assert attempts == 4
        assert possible == again == pytest.approx(under_way)
        go.set()
        second.join(60)
    attempts, possible, in_flight, nothing = money()
    assert (attempts, in_flight, nothing) == (4, 0, 0.0)
    assert possible == pytest.approx(under_way)
    assert document(capsys, "status", str(tmp_path / "cup"))["done"] == 20


# ------------------------------------------------------------------------------------------------ assumed


def test_every_table_and_page_marks_what_is_assumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(path: str, body: Any) -> tuple[int, bytes]:
        if path == "/models":
            return listing("m")
        return completion(legal(body), usage=number_of(body["messages"][-1]["content"]) % 2 == 0)

    with http_server(answer) as url:
        assert command(write_cup(tmp_path, url, matches=6, in_flight=8)) == 0
    cup = tmp_path / "cup"
    with CallStore(cup / "calls.sqlite", read_only=True) as calls:
        whole = calls.totals()["m"]
    assert 0 < whole.assumed < whole.calls
    said = f"{whole.assumed} answers without usable counts, charged the most that they can have cost"
    assert command(["analyze", str(cup)]) == 0
    assert command(["report", str(cup)]) == 0
    tables, page = (cup / "tables.md").read_text(), (cup / "report.html").read_text()
    assert said in tables
    assert page.count(said) == 2  # beside the fallbacks, and below the costs
    assert f"*${whole.assumed_cost:,.4f} of it assumed" in page
    assert f"${whole.cost:,.4f}*" in page
    rows = (cup / "tables" / "costs.csv").read_text().splitlines()
    named = dict(zip(rows[0].split(","), rows[1].split(","), strict=False))
    assert (named["purpose"], named["calls"], named["assumed"]) == ("moves", str(whole.calls), str(whole.assumed))
    assert float(named["assumed_dollars"]) == pytest.approx(whole.assumed_cost)
    capsys.readouterr()


# ------------------------------------------------------------------------------------------------ odd amounts


def test_a_reply_that_counts_absurdly_many_tokens_does_not_use_a_budget_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = itertools.count()

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        if path == "/models":
            return listing("m")
        status, said = completion(legal(body))
        found = json.loads(said)
        if next(numbers) == 1:
            found["usage"] = {"prompt_tokens": 10**12, "completion_tokens": 10**12}
        return status, json.dumps(found).encode()

    with http_server(answer) as url:
        assert command(write_cup(tmp_path, url, rest="[budget]\ndollars = 1\n")) == 0
    found = document(capsys, "status", str(tmp_path / "cup"))
    assert found["done"] == found["total"] == 8
    assert found["models"][0]["assumed"] == 1
    assert 0 < found["assumed_cost"] < found["cost"] < 1


def test_a_cost_says_that_it_is_without_answers_of_unknown_price(tmp_path: Path) -> None:
    """Their model has no prices and its server tells none: they cost something, and not nothing."""
    with http_server(lambda path, body: listing("m") if path == "/models" else completion(legal(body))) as url:
        line = write_cup(tmp_path, url)
        models = tmp_path / "models.toml"
        models.write_text(models.read_text().replace("prices", "# prices"))
        assert command(line) == 0
    with CallStore(tmp_path / "cup" / "calls.sqlite", read_only=True) as calls:
        [spent] = calls.totals().values()
    assert spent.unpriced == spent.calls > 1
    assert headline([spent]) == ("Cost", "$0", f"without {spent.calls} answers of unknown price")


# ------------------------------------------------------------------------------------------------ an embedder

# ------------------------------------------------------------------------------------------------ what people see
