"""A protocol is its descriptor: one that is put into the table is read, refused, checked, asked and paid for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import msgspec
import pytest

from antemill.llm import CallStore, Client, Message, ModelFileError, Request, check_models, read_models
from antemill.llm.entry import Entry
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.wire import Json, count, objects, part, sampling, text_of, unanswered
from antemill.llm.types import Answer, Usage

LIST = 'prices = { input = 1.0, output = 2.0 }\nmodel = "e-1"\nprotocol = "echo"\n'


def body(entry: Entry, request: Request, schema: Json | None) -> Json:
    """A question in the words of no provider."""
    said = [{"by": message.role, "says": message.text} for message in request.messages]
    return {"who": entry.remote, "said": said, "shape": schema, **sampling(entry, request, {"temperature": "heat"})}


def answer(found: Json) -> Answer:
    """An answer in such words."""
    if "says" not in found:
        raise unanswered(found)
    tokens = part(found, "tokens")
    usage = Usage(input_uncached=count(tokens, "read"), output_visible=count(tokens, "written"), raw=tokens)
    return Answer(text_of(found, "says"), "stop", usage)


ECHO = HttpProtocol(
    base_url="https://echo.example/v1",
    path=lambda _entry: "/say",
    headers=lambda _key: {"x-echo": "1"},
    body=body,
    messages=lambda found: tuple(Message("user", text_of(turn, "says")) for turn in objects(found, "said")),
    answer=answer,
    options=("top_k",),
    reserved=("said",),
)


def respond(request: httpx2.Request) -> httpx2.Response:
    """Echo's server."""
    assert request.headers["x-echo"] == "1"
    if request.method == "GET":
        return httpx2.Response(200, json={"data": [{"id": "e-1"}]})
    assert str(request.url) == "https://echo.example/v1/say"
    sent = msgspec.json.decode(request.content)
    assert (sent["who"], sent["heat"], sent["shape"]) == ("e-1", 0.5, {"type": "string"})
    return httpx2.Response(200, json={"says": sent["said"][-1]["says"], "tokens": {"read": 1000, "written": 500}})


@pytest.fixture(autouse=True)
def _echo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, "echo", ECHO)


def test_a_new_protocol_is_checked_asked_and_paid_for(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(f"[e]\n{LIST}temperature = 0.5\nstructured = true\ntop_k = 3\n")
    models, transport = read_models(tmp_path / "models.toml"), httpx2.MockTransport(respond)
    assert models["e"].thinks  # at its own provider
    with CallStore(":memory:") as store:
        (reach,) = asyncio.run(check_models(models.values(), store, transport=transport))
        assert (reach.reachable, reach.reason) == (True, "echo.example lists it")

        async def ask() -> None:
            question = Request(messages=(Message("user", "Bet?"),), schema={"type": "string"})
            async with Client(models, store, transport=transport) as client:
                reply = await client.ask("e", question)
            assert (reply.text, reply.gateway) == ("Bet?", "echo.example")
            assert reply.usage.cost == pytest.approx(0.002)

        asyncio.run(ask())
        assert store.call(1).protocol == "echo"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("min_p = 0.1", "min_p, which"),
        ('limit = "n"', "limit, which"),
        ("thinking_budget = 100", "thinking_budget, which"),
        ('thinking = "adaptive"', "thinking, which"),
        ("prompt_cache = false", "prompt_cache, which"),
        ("extra_body = { said = 1 }", '"said" in extra_body, which'),
    ],
)
def test_what_a_new_protocol_has_no_place_for_is_refused(tmp_path: Path, line: str, sentence: str) -> None:
    (tmp_path / "models.toml").write_text(f"[e]\n{LIST}{line}\n")
    with pytest.raises(ModelFileError) as caught:
        read_models(tmp_path / "models.toml")
    assert sentence in str(caught.value)
