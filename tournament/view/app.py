"""The addresses of the server.

/                              the page
/report/{run}                  its figures and tables, as soon as they are made
/api/runs                      the runs, and how much of each is finished
/api/changes                   a token for each run, which differs after every change
/api/runs/{run}/report         whether the figures and tables are made or being made
/api/runs/{run}/items          a page of its list: sort, offset, limit, and f.COLUMN=VALUE as often as wanted
/api/runs/{run}/items/{item}   everything about an item
/api/boards                    the leaderboard over the runs of each kind
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from antemill.engine.errors import AntemillError, UsageError
from antemill.tournament.pages import assets
from antemill.tournament.view.guard import App, Guard, failed, refusal
from antemill.tournament.view.home import home
from antemill.tournament.view.service import AbsentError, Service

_Answer: TypeAlias = Callable[[Request], Awaitable[Response]]
_FILTER = "f."


def make_app(service: Service, host: str) -> App:
    """The whole server. host: where it listens."""

    async def page(_request: Request) -> Response:
        return HTMLResponse(home(service.runs()))

    async def report(request: Request) -> Response:
        return HTMLResponse(*await service.report(request.path_params["run"]))

    async def reported(request: Request) -> Response:
        return _json(service.reported(request.path_params["run"]))

    async def runs(_request: Request) -> Response:
        return _json(service.runs())

    async def changes(_request: Request) -> Response:
        return _json(service.changes())

    async def items(request: Request) -> Response:
        query = request.query_params
        filters: dict[str, list[str]] = {}
        for name, value in query.multi_items():
            if name.startswith(_FILTER) and name != _FILTER:
                filters.setdefault(name.removeprefix(_FILTER), []).extend([value] if value else [])
            elif name not in ("offset", "limit", "sort"):
                raise UsageError(f"a list has no '{name}': it has offset, limit, sort and {_FILTER}COLUMN.")
            elif len(query.getlist(name)) > 1:
                raise UsageError(f"{name} is given {len(query.getlist(name))} times: a list takes one.")
        offset, limit = (
            _number(query.get(name, default), name) for name, default in (("offset", "0"), ("limit", "100"))
        )
        return _json(service.listed(request.path_params["run"], filters, query.get("sort", ""), offset, limit))

    async def item(request: Request) -> Response:
        return _json(service.item(request.path_params["run"], request.path_params["item"]))

    async def boards(_request: Request) -> Response:
        return _json(await service.boards())

    routes: dict[str, _Answer] = {
        "/": page,
        "/report/{run}": report,
        "/api/runs": runs,
        "/api/changes": changes,
        "/api/runs/{run}/report": reported,
        "/api/runs/{run}/items": items,
        "/api/runs/{run}/items/{item:path}": item,
        "/api/boards": boards,
    }
    app = Starlette(
        routes=[
            Route(path, answer if answer in (page, report, items) else _plain(answer))
            for path, answer in routes.items()
        ],
        exception_handlers={AntemillError: _refused, 404: _absent, Exception: failed},
    )
    return Guard(app, host, assets.policy(live=True))


def _plain(answer: _Answer) -> _Answer:
    """The answer at an address that takes no query."""

    async def checked(request: Request) -> Response:
        for name in request.query_params:
            raise UsageError(f"{request.url.path} takes no '{name}'.")
        return await answer(request)

    return checked


def _number(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise UsageError(f"{name} is a whole number, not '{text}'.")
    return int(text)


def _refused(request: Request, error: Exception) -> Response:
    """One sentence for a request that is wrong, or a file that cannot be read."""
    found = {AbsentError: 404, UsageError: 400}
    status = next((code for kind, code in found.items() if isinstance(error, kind)), 503)
    return refusal(request, str(error), status)


def _absent(request: Request, _error: Exception) -> Response:
    return refusal(request, f"there is nothing at {request.url.path}.", 404)


def _json(document: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(document), status, media_type="application/json")
