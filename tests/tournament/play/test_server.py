"""The door of the table: who may ask, and what a request must be like."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx2
import pytest

from antemill.tournament.play.house import House
from antemill.tournament.play.server import make_app
from tests.tournament.play.house_of import house_in, until

HOME = "http://127.0.0.1:8585"
Visit = Callable[[httpx2.AsyncClient, House], Awaitable[None]]


def visiting(folder: Path, visit: Visit) -> None:
    """Do something with a client of a server that serves a house."""

    async def during() -> None:
        async with house_in(folder) as house:
            transport = httpx2.ASGITransport(make_app(house, "token"))
            async with httpx2.AsyncClient(transport=transport, base_url=HOME) as client:
                await visit(client, house)

    asyncio.run(during())


def test_a_hand_over_http(tmp_path: Path) -> None:
    async def visit(client: httpx2.AsyncClient, house: House) -> None:
        page = await client.get("/token/")
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert "script-src 'self';" in page.headers["content-security-policy"]
        choices = (await client.get("/token/api/choices")).json()
        assert {one["name"] for one in choices["opponents"]} >= {"random", "l1", "cfr"}
        assert "# Kuhn" in (await client.get("/token/api/rulebook", params={"game": "kuhn"})).json()["markdown"]
        said = {"game": "kuhn", "opponent": "passive", "rule": "alice"}
        assert (await client.post("/token/api/sit", json=said)).json()["stage"] == "preparing"
        turn = (await until(house, "yours"))["table"]["hand"]["turn"]
        for status, choice in ((400, "raise"), (200, "check"), (409, "check")):
            answer = await client.post("/token/api/choose", json={"turn": turn, "choice": choice})
            assert answer.status_code == status, answer.text
            assert ("error" in answer.json()) == (status != 200)
        state = await until(house, "over")
        assert (await client.get("/token/api/state")).json()["table"]["hand"] == state["table"]["hand"]
        next_hand = {"turn": state["table"]["hand"]["turn"]}
        assert (await client.post("/token/api/deal", json=next_hand)).status_code == 200
        await until(house, "yours")
        assert (await client.post("/token/api/deal", json=next_hand)).status_code == 409

    visiting(tmp_path / "hands", visit)


@pytest.mark.parametrize("after", ["x", "", "-1", "1.5", "9" * 18])
def test_a_state_is_newer_than_a_number(tmp_path: Path, after: str) -> None:
    async def visit(client: httpx2.AsyncClient, _house: House) -> None:
        answer = await client.get("/token/api/state", params={"after": after})
        assert answer.status_code == 400
        assert answer.json()["error"] == f"after is the version of a state, a whole number, not '{after}'."

    visiting(tmp_path / "hands", visit)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/token/api/sit", {}, 200),
        ("/api/sit", {}, 404),
        ("/other/api/sit", {}, 404),
        ("/token/api/sit", {"host": "stranger.example"}, 421),
        ("/token/api/sit", {"origin": "http://stranger.example"}, 403),
        ("/token/api/sit", {"origin": "http://127.0.0.1:9999"}, 403),
        ("/token/api/sit", {"origin": "null"}, 403),
        ("/token/api/sit", {"sec-fetch-site": "cross-site"}, 403),
        ("/token/api/sit", {"content-type": "text/plain"}, 400),
    ],
)
def test_nobody_but_the_page_can_play(tmp_path: Path, path: str, headers: dict[str, str], status: int) -> None:
    async def visit(client: httpx2.AsyncClient, house: House) -> None:
        said = b'{"game": "kuhn", "opponent": "passive"}'
        answer = await client.post(path, content=said, headers={"content-type": "application/json", **headers})
        assert answer.status_code == status
        assert (house.stage == "lobby") == (status != 200)

    visiting(tmp_path / "hands", visit)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b"\xff", b"[" * 9_000),
        *(b'{"game": 7, "opponent": "l1"}', b'{"game": "kuhn"}', b'{"game": "kuhn", "opponent": "l1", "more": 1}'),
        b'{"game": "%s", "opponent": "l1"}' % (b"7" * 20_000),
    ],
)
def test_what_is_no_request_gets_one_sentence(tmp_path: Path, body: bytes) -> None:
    async def visit(client: httpx2.AsyncClient, house: House) -> None:
        answer = await client.post("/token/api/sit", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["error"].endswith(".")
        assert house.stage == "lobby"

    visiting(tmp_path / "hands", visit)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    async def visit(client: httpx2.AsyncClient, house: House) -> None:
        before = house.version
        for path in ("sit", "choose", "deal", "again", "leave"):
            assert (await client.get(f"/token/api/{path}")).status_code == 405
        assert house.version == before

    visiting(tmp_path / "hands", visit)


def test_a_request_that_stalls_holds_up_no_other(tmp_path: Path) -> None:
    async def visit(client: httpx2.AsyncClient, house: House) -> None:
        ended, begun = asyncio.Event(), asyncio.Event()

        async def stalled() -> AsyncIterator[bytes]:
            begun.set()
            yield b'{"game": "kuhn", '
            await ended.wait()
            yield b'"opponent": "passive"}'

        headers = {"content-type": "application/json"}
        slow = asyncio.create_task(client.post("/token/api/sit", content=stalled(), headers=headers))
        await begun.wait()
        said = {"game": "leduc", "opponent": "passive"}
        assert (await client.post("/token/api/sit", json=said)).status_code == 200
        ended.set()
        await slow
        assert house.stage != "lobby"

    visiting(tmp_path / "hands", visit)
