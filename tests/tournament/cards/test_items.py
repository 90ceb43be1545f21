"""A tournament as pages show it: rows for its matches, and each of them with what was sent and received."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import CallStore, Request
from antemill.tournament.cards.play import read_match
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import RunStore
from antemill.tournament.runs.browse import opened
from tests.tournament.cards.tournament_runs import records_of, run_cup, write_cup

PLAYERS = """
[players.wild]
model = "wild"
[players.rnd]
bot = "random"
"""
HOSTILE = '<script>alert(1)</script>\x1b[31m\u202eevil\u2066 **bold** {"action": "check"}'


def wild(request: Request) -> str:
    """By turns: prose with an action, an illegal one, nothing."""
    return (HOSTILE, '{"action": "nothing"}', "")[len(request.sample) % 3]


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cup")
    run_cup(write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 3', PLAYERS), home / "run", {"wild": wild})
    return home / "run"


def decisions(detail: dict[str, Any]) -> list[dict[str, Any]]:
    return [frame["decision"] for frame in detail["frames"] if frame["decision"] is not None]


def test_rows_say_what_the_records_say(cup: Path) -> None:
    with opened(cup) as run:
        rows = [run.row(record) for record in run.store.each_record()]
        about = run.about({name for row in rows for name in row["players"]})
    records = records_of(cup)
    assert [row["item"] for row in rows] == [record.item.key for record in records]
    assert (about.kind, about.done, about.total, about.finished) == ("tournament", len(rows), len(rows), True)
    assert about.players == ["rnd", "wild"]
    for row, record in zip(rows, records, strict=True):
        assert (row["alice"], row["bob"]) == tuple(row["players"])
        assert row["payoff"] == record.row["payoff"]
        assert row["won"] == abs(row["payoff"])
        assert row["winner"] == {True: "Alice", False: "Bob"}[row["payoff"] > 0] if row["payoff"] else "draw"
        assert row["fallbacks"] == record.fallbacks == sum(row["causes"].values())
        assert set(row["causes"]) <= set(CAUSES)
        assert row["swing"] >= row["won"]
        assert row["regret"] >= 0  # both games are small enough to be solved on the spot
    assert sum(row["fallbacks"] for row in rows) > 0


def test_a_decision_has_what_was_sent_and_received_to_the_letter(cup: Path) -> None:
    with opened(cup) as run, CallStore(cup / "calls.sqlite", read_only=True) as calls, store(cup) as records:
        asked = 0
        for record in records.records():
            match, detail = read_match(records.transcript(record.item.key)), run.item(record.item.key)
            assert len(decisions(detail)) == len(match.moves)
            assert detail["payoffs"] == match.transcript.payoffs
            for number, (decision, move) in enumerate(zip(decisions(detail), match.moves, strict=True)):
                assert decision["number"] == number
                assert decision["player"] == match.transcript.seats[move.seat]
                assert decision["fallback"] == move.cause
                assert len(decision["solver"]["mix"]) == len(decision["options"])
                if move.call is None:
                    assert decision["call"] is None
                    continue
                asked += 1
                call, body = decision["call"], json.loads(calls.call(move.call).request)
                assert [message["text"] for message in call["messages"]] == [m["content"] for m in body["messages"]]
                assert call["reply"] == calls.call(move.call).text
                assert call["input_tokens"] > 0
        assert asked > 10


def store(folder: Path) -> RunStore:
    return RunStore(folder / "run.sqlite", read_only=True)


def test_without_calls_the_reply_is_the_one_on_record(cup: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("run.sqlite", "config.toml", "models.toml"):
        (copy / name).write_bytes((cup / name).read_bytes())
    with opened(copy) as run:
        details = [run.item(row["item"]) for row in map(run.row, run.store.each_record())]
    replies = [one["reply"] for detail in details for one in decisions(detail) if one["player"] == "wild"]
    assert HOSTILE in replies
    assert all(one["call"] is None for detail in details for one in decisions(detail))
