"""A run's report as the server shows it: at once what is known, soon the rest, which is made once."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.pages.run import RunOverview
from antemill.tournament.view import service, workshop
from tests.tournament.analysed import overview_of
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.view.asking import HOME, Asked, asked

Client = httpx2.AsyncClient


BOTS = '[players.rnd]\nbot = "random"\n[players."<l1>"]\nbot = "l1"\n'


@pytest.fixture(scope="module", name="cup")
def _cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    run_cup(write_cup(home, 'games = ["kuhn"]\nmatches_per_seat = 5', BOTS), home / "cup")
    return home / "cup"


def within(server: Asked, work_: Callable[[Client], Awaitable[None]]) -> None:
    """Ask in one event loop, in which things are made meanwhile."""

    async def all_of_it() -> None:
        async with Client(transport=httpx2.ASGITransport(server.app), base_url=HOME) as client:
            await work_(client)

    asyncio.run(all_of_it())


async def news(client: Client, name: str = "cup") -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(f"/api/runs/{name}/report")).json()
    return found


async def made(client: Client, name: str = "cup") -> str:
    """Wait until the report is made; the word for it."""
    end = time.monotonic() + 120.0
    while not (now := await news(client, name))["made"] or now["making"] is not None:
        assert time.monotonic() < end
        await asyncio.sleep(0.05)
    return str(now["made"])


def word_of(page: httpx2.Response) -> str:
    [found] = re.findall(r'data-made="([^"]*)"', page.text)
    return str(found)


def broken(_kind: str, _folder: str) -> RunOverview:
    raise ZeroDivisionError("<b>mistake</b>")


def refused(_kind: str, _folder: str) -> RunOverview:
    raise UsageError("there is nothing to <report> yet.")


@pytest.mark.slow
def test_the_report_is_that_of_the_file_without_its_matches(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PATIENCE", 60.0)
    wanted = overview_of(cup)

    async def look(client: Client) -> None:
        page = await client.get("/report/cup")
        assert page.status_code == 200
        assert "\n".join(wanted.body) in page.text
        assert 'id="pack-' not in page.text
        assert 'name="antemill-live" content="cup"' in page.text
        assert word_of(page) == (await news(client))["made"]

    with asked(cup) as server:
        within(server, look)


@pytest.mark.parametrize(
    ("function", "status", "words", "traced"),
    [
        (broken, 500, "The server could not make this (ZeroDivisionError: &lt;b&gt;mistake&lt;/b&gt;)", True),
        (refused, 503, "there is nothing to &lt;report&gt; yet.", False),
    ],
)
def test_what_goes_wrong_is_one_sentence_in_the_page(
    cup: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    function: Callable[..., Any],
    status: int,
    words: str,
    traced: bool,
) -> None:
    monkeypatch.setattr(workshop, "overview", function)
    monkeypatch.setattr(service, "PATIENCE", 60.0)

    async def look(client: Client) -> None:
        page = await client.get("/report/cup")
        assert page.status_code == status
        assert page.text.count('role="alert"') == 1
        assert words in page.text
        assert "Traceback" not in page.text

    with asked(cup) as server:
        within(server, look)
    said = capfd.readouterr().err
    assert ("raise ZeroDivisionError" in said) == traced
    assert bool(said) == traced


def test_nobody_can_ask_for_the_report_of_another_run(cup: Path) -> None:
    with asked(cup) as server:
        for path in ("/report/cub", "/api/runs/cub/report"):
            answer = server.get(path)
            assert (answer.status_code, "there is no run 'cub' here" in answer.text) == (404, True)
