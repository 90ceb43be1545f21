"""Whether models can be reached: what servers say, and what is made of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.llm import Budget, CallStore, Model, Prices, Reach, StoreError, check_models
from antemill.llm import reach as reaching
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
    "models",
    [
        listing("other"),
        httpx2.Response(200, text="<html>"),
        httpx2.Response(500),
        httpx2.Response(403),
        httpx2.Response(302),
    ],
)
def test_otherwise_one_short_question_decides_and_is_recorded(models: httpx2.Response) -> None:
    server = Server(models=models, chat_completions=said("OK"))
    with CallStore(":memory:") as store:
        found = check(server, store)
        assert found.reachable
        assert server.asked == ["models", "chat_completions"]
        assert [(call.purpose, call.text) for call in store.calls()] == [("check", "OK")]


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
    ("status", "reachable", "advice"),
    [
        (401, False, "key"),
        (402, False, "credit"),
        (404, False, "models.toml"),
        (409, True, ""),
        (425, True, ""),
        (503, False, "wait until its server works"),
    ],
)
def test_the_advice_fits_the_cause_and_what_a_run_retries_is_there(status: int, reachable: bool, advice: str) -> None:
    found = check(Server(chat_completions=httpx2.Response(status, json={"error": {"message": "no"}})))
    assert found.reachable == reachable
    assert advice in found.advice
    assert bool(found.advice) != reachable
    assert ("models.toml" in found.advice) == (status == 404)


def test_a_server_that_limits_the_rate_is_there() -> None:
    found = check(Server(chat_completions=httpx2.Response(429, json={"error": {"message": "slow down"}})))
    assert found.reachable
    assert "slow down" in found.reason


def test_servers_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "LISTING_SECONDS", 0.05)
    assert check(Server(models=httpx2.ConnectError("refused"))).reason == "no connection to host.test: refused"

    async def stalls(_request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(60)
        raise AssertionError

    found = check(stalls)  # type: ignore[arg-type]
    assert (found.reachable, found.reason) == (False, "no answer from host.test within 0.05 s")
    assert found.seconds < 5


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"ALL_PROXY": "socks5://127.0.0.1:9"}, "ALL_PROXY"),
        ({"https_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9"}, "https_proxy"),
        ({"HTTP_PROXY": "http://127.0.0.1:9"}, ""),  # not for https
        ({"ALL_PROXY": "http://127.0.0.1:9", "NO_PROXY": ".test"}, ""),
    ],
)
def test_a_proxy_that_does_not_answer_is_named(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], named: str
) -> None:
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = check(Server(models=httpx2.ConnectError("refused")))
    assert (f" (by way of the proxy in {named}): refused" if named else "host.test: refused") in found.reason
    assert found.advice.startswith(f"correct or unset {named}" if named else "start its server")


def test_a_proxy_that_wants_a_password_is_no_matter_of_the_key() -> None:
    refused = httpx2.Response(407, text="Proxy Authentication Required")
    found = check(Server(models=refused, chat_completions=refused))
    assert (found.reachable, found.advice) == (False, "correct the name and the password of the proxy")


def test_keys_are_checked_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(Server(), key_env="ANTEMILL_NO_SUCH_KEY").reason == (
        "the environment variable ANTEMILL_NO_SUCH_KEY with the key is not set; set it"
    )
    monkeypatch.setenv("ANTEMILL_TEST_KEY", KEY)
    server = Server(models=httpx2.ConnectError(f"refused {KEY}"))
    assert KEY not in check(server, key_env="ANTEMILL_TEST_KEY").reason
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_public_list_says_nothing_about_a_key() -> None:
    bad = httpx2.Response(401, json={"error": {"message": "no such user"}})
    server = Server(models=listing("m-1"), key=bad, chat_completions=bad)
    assert not check(server, dialect="openrouter").reachable
    assert check(Server(models=listing("m-1"), key=httpx2.Response(200, json={})), dialect="openrouter").reachable


@pytest.mark.parametrize("protocol", ["anthropic", "gemini"])
def test_providers_that_know_a_single_model(protocol: str) -> None:
    server = Server(models_m_1=httpx2.Response(200, json={"id": "m-1"}))
    assert check(server, protocol=protocol).reachable
    assert server.asked == ["models_m_1"]


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
    assert all(wait is None or wait >= reaching.LISTING_SECONDS for wait in waits[0].values())


def test_a_rate_limit_is_told_in_words() -> None:
    limited = httpx2.Response(429, json={"error": {"message": "slow down", "type": "tokens"}})
    found = check(Server(chat_completions=limited))
    reason = "it exists, but limits the rate at the moment (HTTP 429: slow down)"
    assert (found.reachable, found.reason) == (True, reason)


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
    assert "3 of 3 cannot be used (dead, keyed, gone); dead, gone: start its server, or correct its base_url; " in err
    assert err.endswith("; keyed: correct its key_env, or set it.\n")
