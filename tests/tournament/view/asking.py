"""What the server says, asked in this thread and without a port."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from antemill.tournament.view.app import make_app
from antemill.tournament.view.guard import App
from antemill.tournament.view.service import Service, opened

HOME = "http://127.0.0.1:8484"


class Asked:
    """A server over some folders."""

    def __init__(self, service: Service, host: str = "127.0.0.1") -> None:
        self.service = service
        self.app = make_app(service, host)

    def get(self, path: str, **headers: str) -> httpx2.Response:
        """The answer to a GET."""
        return request(self.app, "GET", path, headers)

    def json(self, path: str) -> Any:
        """The document of a good answer."""
        answer = self.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), answer.text
        return answer.json()

    def read(self) -> None:
        """Let everything be read that has changed."""
        for run in self.service._runs.values():
            while run.update():
                pass


def request(app: App, method: str, path: str, headers: Mapping[str, str] | None = None) -> httpx2.Response:
    """One request and its answer."""

    async def sent() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=HOME) as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(sent())


@contextmanager
def asked(*folders: Path) -> Iterator[Asked]:
    """The server over some folders, which has read them."""
    with opened(folders) as service:
        found = Asked(service)
        found.read()
        yield found
