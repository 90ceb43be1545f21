"""What takes long is made once for a state, in a process beside the server, and never left behind for ever."""

import asyncio
import os
import time

import pytest

from engine.errors import StorageError, UsageError
from tournament.statistics.sheets import Column, Missing, Placed, Sheet
from tournament.view.work import Workshop, document


def slow(_seed: int, value: int) -> tuple[int, int]:
    time.sleep(0.1)
    return value, os.getpid()


def wrong(_seed: int) -> None:
    raise UsageError("there is nothing to report yet.")


def test_things_are_made_once_for_a_state_and_again_when_it_has_changed() -> None:
    async def asked(shop: Workshop) -> None:
        both = await asyncio.gather(*(shop.made("a", 1, slow, 1) for _ in range(3)))
        assert len(set(both)) == 1
        value, process = both[0]
        assert (value, process != os.getpid()) == (1, True)
        assert shop.is_fresh("a", 1)
        assert await shop.made("a", 1, slow, 7) == both[0]
        assert (await shop.made("a", 2, slow, 2))[0] == 1  # it was made a moment ago
        assert not shop.is_fresh("a", 2)
        await asyncio.sleep(1.5)
        assert (await shop.made("a", 2, slow, 2))[0] == 2
        assert shop.is_fresh("a", 2)

    with Workshop() as shop:
        asyncio.run(asked(shop))


def test_what_can_not_be_made_says_why() -> None:
    with Workshop() as shop, pytest.raises(StorageError, match="there is nothing to report yet"):
        asyncio.run(shop.made("a", 1, wrong))


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
