"""What takes long is made once for a state, in a process beside the server, and never left behind for ever."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.sheets import Column, Missing, Placed, Sheet
from antemill.tournament.view import workshop
from antemill.tournament.view.workshop import Order, Workshop, document


def slow(value: int, seconds: float = 0.1) -> tuple[int, int]:
    time.sleep(seconds)
    return value, os.getpid()


def held(go: Path, value: int) -> tuple[int, int]:
    """Made when there is this file, which it takes away. Who waits for it in vain is not left hanging."""
    end = time.monotonic() + 60.0
    while not go.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    go.unlink()
    return value, os.getpid()


def early() -> None:
    raise UsageError("there is nothing to report yet.")


def wrong() -> float:
    return 1 / 0


def die() -> None:
    os.abort()


def order(state: int, function: Callable[..., Any], *arguments: object) -> Order:
    return Order("a", state, function, arguments)


def test_things_are_made_once_for_a_state_and_again_when_it_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked(shop: Workshop) -> None:
        both = await asyncio.gather(*(shop.made(order(1, slow, 1)) for _ in range(3)))
        assert len({made.word for made in both}) == 1
        value, process = both[0].value
        assert (value, both[0].state, process != os.getpid()) == (1, 1, True)
        assert await shop.made(order(1, slow, 7)) == both[0]
        monkeypatch.setattr(workshop, "_GOOD", 1e9)
        assert await shop.made(order(2, slow, 2)) == both[0]
        monkeypatch.setattr(workshop, "_GOOD", 0.0)
        assert (await shop.made(order(2, slow, 2))).value[0] == 2

    with Workshop() as shop:
        asyncio.run(asked(shop))


def test_what_is_not_there_soon_is_made_meanwhile_and_the_last_one_shown(tmp_path: Path) -> None:
    go = tmp_path / "go"

    async def asked(shop: Workshop) -> None:
        await shop.made(Order("b", 1, slow, (0, 0.0)))  # the worker is up
        begin = time.monotonic()
        both = [shop.soon(order(1, held, go, 1), 0.2) for _ in range(2)]
        assert await asyncio.gather(*both) == [None, None]
        assert 0.1 < (shop.since("a") or 0.0) <= time.monotonic() - begin
        go.touch()
        first = await shop.soon(order(1, slow, 7), 20.0)
        assert first is not None
        assert (first.value[0], shop.since("a")) == (1, None)
        assert await shop.soon(order(1, slow, 7), 20.0) == first
        assert await shop.soon(order(2, held, go, 2), 0.1) == first  # an earlier one, but at once
        go.touch()
        second = await shop.soon(order(2, slow, 7), 20.0)
        assert second == shop.last("a")
        assert second is not None
        assert (second.value[0], second.state) == (2, 2)
        assert second.word != first.word

    with Workshop() as shop:
        asyncio.run(asked(shop))


def test_what_can_not_be_made_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    with Workshop() as shop:
        made = asyncio.run(shop.made(order(1, early)))
    assert (made.problem, made.failed) == ("there is nothing to report yet.", False)
    assert capfd.readouterr().err == ""


def test_a_mistake_is_a_sentence_and_a_trace_in_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with Workshop() as shop:
        made = asyncio.run(shop.made(order(1, wrong)))
        assert made.failed
        assert made.problem == (
            "The server could not make this (ZeroDivisionError: division by zero): the terminal in which it runs says "
            "where it failed."
        )
        said = capfd.readouterr().err
        assert said.startswith("Traceback")
        assert "return 1 / 0" in said
        died = asyncio.run(shop.made(Order("b", 1, die, ())))
        assert died.failed
        assert died.problem.startswith("The server could not make this (a worker process died: it was killed, ")
        assert asyncio.run(shop.made(Order("c", 1, slow, (3,)))).value[0] == 3


def test_a_table_is_a_document_with_the_figures_of_all_pages() -> None:
    columns = [Column("player", "Player", "text"), Column("x", "Strength", signed=True, group="g"), Column("y", "Y")]
    sheet = Sheet("s", "Title", columns, [["a", -1.25, Missing("why")], ["b", 0.5, Placed("∞ above a")]], "note")
    found = document(sheet)
    assert (found["title"], found["note"]) == ("Title", "note")
    assert found["columns"][:2] == [
        {"heading": "Player", "group": "", "text": True},
        {"heading": "Strength", "group": "g", "text": False},
    ]
    shown = [[(cell["shown"], cell["why"]) for cell in row] for row in found["rows"]]
    assert shown == [
        [("a", ""), ("\N{MINUS SIGN}1.25", ""), ("–", "why")],
        [("b", ""), ("+0.50", ""), ("∞ above a", "")],
    ]
