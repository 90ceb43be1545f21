"""Whether models can be reached: what servers say, and what is made of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.llm import (
    Budget,
    CallStore,
    Message,
    Model,
    Prices,
    Reach,
    Request,
    StoreError,
    ask_models,
    check_models,
)
from antemill.llm import check as checking
from antemill.tournament.cli.entry import run as command

KEY = "sk-live-0123456789abcdef"
Answer = Callable[[httpx2.Request], httpx2.Response]


def listing(*names: str) -> httpx2.Response:
    return httpx2.Response(200, json={"data": [{"id": name} for name in names]})


def said(text: str) -> httpx2.Response:
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return httpx2.Response(200, json={"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}})


class Server:
    """Answers by path, and remembers what it was asked."""

    def __init__(self, **answers: httpx2.Response | Exception) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.headers: list[httpx2.Headers] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        name = request.url.path.removeprefix("/v1/").replace("/", "_").replace("-", "_")
        self.asked.append(name)
        self.headers.append(request.headers)
        found = self.answers.get(name) or httpx2.Response(404, text="<html>no such page</html>")
        if isinstance(found, Exception):
            raise found
        return found


def check(server: Answer, store: CallStore | None = None, budget: Budget | None = None, **changes: Any) -> Reach:
    entry: dict[str, Any] = {"name": "m", "protocol": "openai-chat", "base_url": "https://host.test/v1", "model": "m-1"}

    async def main() -> list[Reach]:
        transport = httpx2.MockTransport(server)
        with CallStore(":memory:") as own:
            return await check_models([Model(**entry | changes)], store or own, budget=budget, transport=transport)

    return asyncio.run(main())[0]


def test_a_model_that_is_listed_costs_nothing() -> None:
    server = Server(models=listing("other", "m-1"))
    found = check(server)
    assert (found.reachable, found.reason) == (True, "host.test lists it")
    assert server.asked == ["models"]


@pytest.mark.parametrize(
    "models", [listing("other"), httpx2.Response(200, text="<html>"), httpx2.Response(500), httpx2.Response(302)]
)
def test_otherwise_one_question_of_eight_tokens_decides_and_is_recorded(models: httpx2.Response) -> None:
    server = Server(models=models, chat_completions=said("OK"))
    with CallStore(":memory:") as store:
        found = check(server, store)
        assert found.reachable
        assert server.asked == ["models", "chat_completions"]
        assert [(call.purpose, call.text) for call in store.calls()] == [("check", "OK")]
        assert json.loads(next(store.calls()).request)["max_tokens"] == 8


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (httpx2.Response(401, json={"error": {"message": "wrong key"}}), "HTTP 401: wrong key"),
        (httpx2.Response(404, json={"error": {"message": "no model m-1"}}), "HTTP 404: no model m-1"),
        (httpx2.Response(503, text="<html>tired</html>"), "HTTP 503"),
        (httpx2.Response(200, text="<html>"), "not a JSON object"),
        (httpx2.ReadError("reset"), "broke"),
    ],
)
def test_why_a_model_can_not_be_used_is_said_after_one_attempt(
    answer: httpx2.Response | Exception, reason: str
) -> None:
    server = Server(chat_completions=answer)
    found = check(server)
    assert not found.reachable
    assert reason in found.reason
    assert "The model" not in found.reason
    assert server.asked == ["models", "chat_completions"]


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "key"), (402, "credit"), (404, "models.toml"), (503, "wait until it works")]
)
def test_the_advice_fits_the_class(status: int, advice: str) -> None:
    found = check(Server(chat_completions=httpx2.Response(status, json={"error": {"message": "no"}})))
    assert not found.reachable
    assert advice in found.advice


def test_one_servers_models_are_asked_after_each_other_each_within_its_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "SLOW", 0.1)
    running, most = 0, 0

    async def server(request: httpx2.Request) -> httpx2.Response:
        nonlocal running, most
        if request.method == "GET":
            return httpx2.Response(404)
        running, most = running + 1, max(most, running + 1)
        await asyncio.sleep(0.15)
        running -= 1
        return said("OK")

    entries = [Model(name=name, protocol="openai-chat", base_url="https://h.test/v1", timeout=5.0) for name in "abc"]

    async def main() -> list[Reach]:
        with CallStore(":memory:") as store:
            return await check_models(entries, store, transport=httpx2.MockTransport(server))

    found = asyncio.run(main())
    assert most == 1
    assert [(one.name, one.reachable, bool(one.warning)) for one in found] == [(name, True, True) for name in "abc"]


def test_a_whole_question_shows_that_a_schema_is_ignored() -> None:
    request = Request(messages=(Message("user", "?"),), schema={"type": "object"})
    entry = Model(name="m", protocol="openai-chat", base_url="https://h.test/v1")

    async def main(text: str) -> Reach:
        with CallStore(":memory:") as store:
            transport = httpx2.MockTransport(lambda _request: said(text))
            return (await ask_models([entry], {"m": request}, store, transport=transport))[0]

    assert "schema ignored" in asyncio.run(main("I would bet.")).reason
    assert asyncio.run(main("{}")).reachable


def test_servers_that_are_not_there() -> None:
    assert check(Server(models=httpx2.ConnectError("refused"))).reason == "no connection to host.test: refused"


def test_keys_are_checked_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(Server(), key_env="ANTEMILL_NO_SUCH_KEY").reason == (
        "the environment variable ANTEMILL_NO_SUCH_KEY with the key is not set; set it"
    )
    monkeypatch.setenv("ANTEMILL_TEST_KEY", KEY)
    server = Server(models=httpx2.ConnectError(f"refused {KEY}"))
    assert KEY not in check(server, key_env="ANTEMILL_TEST_KEY").reason
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("protocol", "page"), [("anthropic", {"data": [{"id": "m-1"}]}), ("gemini", {"models": [{"name": "models/m-1"}]})]
)
def test_each_protocol_has_a_list(protocol: str, page: dict[str, Any]) -> None:
    server = Server(models=httpx2.Response(200, json=page))
    assert check(server, protocol=protocol).reachable
    assert server.asked == ["models"]


def test_a_budget_that_is_too_small_for_a_question_is_a_reason() -> None:
    server = Server(chat_completions=said("OK"))
    found = check(server, budget=Budget(0.0001), prices=Prices(input=1.0, output=10.0))
    assert not found.reachable
    assert "budget" in found.reason
    assert server.asked == ["models"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "models.toml"
    file.write_text(
        '[dead]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n[fake]\nprotocol = "scripted"\n'
    )
    assert command(["models", "check", str(file), "--json"]) == 2
    out, err = capsys.readouterr()
    assert [(one["name"], one["reachable"]) for one in json.loads(out)["models"]] == [("dead", False), ("fake", True)]
    assert "1 of 2 cannot be used (dead)" in err
    assert command(["models", "check", str(tmp_path / "none.toml")]) == 2


def test_a_list_may_take_as_long_as_the_check_says() -> None:
    waits: list[dict[str, float | None]] = []

    def server(request: httpx2.Request) -> httpx2.Response:
        waits.append(request.extensions["timeout"])
        return listing("m-1")

    assert check(server).reachable
    assert all(wait is None or wait >= checking.LISTING_SECONDS for wait in waits[0].values())


def test_a_disk_that_is_full_is_no_fault_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise StoreError("calls.sqlite cannot be written, the disk is full: free some space.")

    monkeypatch.setattr(CallStore, "add_attempt", full)
    with pytest.raises(StoreError, match="the disk is full"):
        check(Server(chat_completions=said("OK")))


def test_the_command_says_the_same_advice_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, entry = tmp_path / "models.toml", '[{}]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n'
    keyed = entry.format("keyed") + 'key_env = "ANTEMILL_NO_SUCH_KEY"\n'
    file.write_text(entry.format("dead") + keyed + entry.format("gone"))
    assert command(["models", "check", str(file)]) == 2
    err = capsys.readouterr().err
    assert "3 of 3 cannot be used (dead, keyed, gone); dead, gone: start its server, or wait until it works, " in err
    assert err.endswith("; keyed: correct its key or the proxy, or add credit to its account.\n")
