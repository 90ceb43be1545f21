"""The house over HTTP, reachable from this machine only.

    /TOKEN/              the page
    /TOKEN/play.js, play.css
    /TOKEN/api/choices   the games and opponents to choose from
    /TOKEN/api/rulebook  ?game=NAME
    /TOKEN/api/state     ?after=VERSION: waits for a newer one
    /TOKEN/api/sit       POST {game, opponent, rule, leave}
    /TOKEN/api/choose    POST {turn, choice}
    /TOKEN/api/deal      POST {turn}
    /TOKEN/api/again     POST {}
    /TOKEN/api/leave     POST {leave}

The token is a secret of the folder of hands and part of the printed address. So a foreign page that gets past
`antemill.tournament.view.guard` does not know where to send a choice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from antemill.engine.errors import AntemillError, UsageError
from antemill.tournament.play import page
from antemill.tournament.play.asking import Asking
from antemill.tournament.play.games import GameList
from antemill.tournament.play.house import House, StaleError
from antemill.tournament.play.kept import Kept
from antemill.tournament.play.opponents import Opponents
from antemill.tournament.runs.interrupts import run_async
from antemill.tournament.view.guard import App, Guard, failed
from antemill.tournament.view.serve import address, listening, serve

T = TypeVar("T")
_Answer: TypeAlias = Callable[[Request], Awaitable[Response]]
HOST = "127.0.0.1"
PORT = 8585
SLOWEST = 10.0  # seconds that a request may take to arrive
WAIT = 20.0  # seconds that a page waits for a newer state, at most
_METHODS = ("GET", "HEAD", "POST")
_LONGEST = 10_000  # bytes of a request's body


class _Sit(Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    opponent: str
    rule: str = "turns"
    leave: bool = False


class _Choice(Struct, frozen=True, forbid_unknown_fields=True):
    turn: str
    choice: str | int


class _Deal(Struct, frozen=True, forbid_unknown_fields=True):
    turn: str


class _Leave(Struct, frozen=True, forbid_unknown_fields=True):
    leave: bool = False


class _Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


def play(
    kept: Kept,
    games: GameList,
    opponents: Opponents,
    person: str,
    make_asking: Callable[[], Asking],
    port: int,
    began: Callable[[str], None],
) -> None:
    """Serve the table until a signal stops it. began: called with the address. Raises UsageError, StorageError, and
    Interruption at a signal."""

    async def opened() -> None:
        async with make_asking() as asking:
            house = House(kept, games, opponents, person, asking)
            try:
                await house.open()
                began(f"{address(HOST, listener)}{token}/")
                await _until_cancelled(serve(make_app(house, token), listener), house)
            finally:
                await house.close()

    token = kept.secret
    with listening(HOST, port) as listener:
        run_async(opened())


async def _until_cancelled(serving: Coroutine[Any, Any, None], house: House) -> None:
    """Serve until cancelled; then answer the pages that wait for news, and stop."""
    task = asyncio.create_task(serving)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await house.say_goodbye()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        raise


def make_app(house: House, token: str) -> App:
    """The whole server. token: the first segment of every path."""

    async def document(_request: Request) -> Response:
        return HTMLResponse(page.document())

    async def script(_request: Request) -> Response:
        return Response(page.script(), media_type="text/javascript")

    async def style(_request: Request) -> Response:
        return Response(page.style(), media_type="text/css")

    async def choices(_request: Request) -> Response:
        return _json(house.choices())

    async def rulebook(request: Request) -> Response:
        return _json(house.rulebook(request.query_params.get("game", "")))

    async def state(request: Request) -> Response:
        if (after := request.query_params.get("after")) is not None:
            if not (after.isascii() and after.isdigit() and len(after) < 18):
                raise UsageError(f"after is the version of a state, a whole number, not '{after[:40]}'.")
            await house.newer(int(after), WAIT)
        return _json(house.state())

    async def sit(request: Request) -> Response:
        said = _body(request, _Sit)
        await house.sit(said.game, said.opponent, said.rule, said.leave)
        return _json(house.state())

    async def choose(request: Request) -> Response:
        said = _body(request, _Choice)
        await house.choose(said.turn, said.choice)
        return _json(house.state())

    async def deal(request: Request) -> Response:
        await house.deal(_body(request, _Deal).turn)
        return _json(house.state())

    async def again(request: Request) -> Response:
        _body(request, _Nothing)
        await house.again()
        return _json(house.state())

    async def leave(request: Request) -> Response:
        await house.stand_up(_body(request, _Leave).leave)
        return _json(house.state())

    lock = asyncio.Lock()
    shown = {"/": document, "/play.js": script, "/play.css": style}
    asked = {"/api/choices": choices, "/api/rulebook": rulebook, "/api/state": state}
    done = {"/api/sit": sit, "/api/choose": choose, "/api/deal": deal, "/api/again": again, "/api/leave": leave}
    routes = [Route(f"/{token}{path}", answer) for path, answer in (shown | asked).items()]
    routes += [Route(f"/{token}{path}", _in_turn(answer, lock), methods=["POST"]) for path, answer in done.items()]
    app = Starlette(routes=routes, exception_handlers={AntemillError: _refused, 404: _nothing_here, Exception: failed})
    return Guard(app, HOST, page.POLICY, _METHODS)


def _in_turn(answer: _Answer, lock: asyncio.Lock) -> _Answer:
    """One change after the other, even if several pages send some at once. A request that stalls holds up no other:
    its body is read before its turn comes.
    """

    async def answered(request: Request) -> Response:
        try:
            request.state.body = await asyncio.wait_for(_received(request), SLOWEST)
        except TimeoutError as error:
            raise UsageError(f"the request did not arrive within {SLOWEST:.0f} seconds.") from error
        async with lock:
            return await answer(request)

    return answered


async def _received(request: Request) -> bytes:
    """The body. Raises UsageError for one that is too long or no JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise UsageError("send JSON, as the page does.")
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LONGEST:
            raise UsageError(f"the request is too long: send at most {_LONGEST:,} bytes.")
    return data


def _body(request: Request, shape: type[T]) -> T:
    """The decoded body. Raises UsageError unless it has that shape."""
    try:
        return msgspec.json.decode(request.state.body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"the request is not what this address takes ({error}).") from error


def _refused(_request: Request, error: Exception) -> Response:
    """The error's sentence; the state is unchanged."""
    return _json({"error": str(error)}, 409 if isinstance(error, StaleError) else 400)


def _nothing_here(_request: Request, _error: Exception) -> Response:
    return Response(
        "There is nothing here: use the whole address that antemill has printed.\n", 404, media_type="text/plain"
    )


def _json(document: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(document), status, media_type="application/json")
