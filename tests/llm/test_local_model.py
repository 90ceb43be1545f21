"""A real model through the three dialects that llama.cpp's server speaks (Gemini's is tested against a fake only)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from antemill.llm import AgainError, Backoff, CallStore, Client, ItemError, Message, Reply, Request
from tests.local_model import PATIENCE, local_entry, local_model, started, stopped

pytestmark = pytest.mark.extended

PROTOCOLS = ("openai-chat", "openai-responses", "anthropic")
ACTIONS = ["bet", "check", "fold"]
SCHEMA = {
    "type": "object",
    "properties": {"action": {"type": "string", "enum": ACTIONS}},
    "required": ["action"],
    "additionalProperties": False,
}
PROMPT = (
    Message(
        "system", 'You play poker. Answer with JSON: {"action": "bet"}, {"action": "check"} or {"action": "fold"}.'
    ),
    Message("user", "Your card is the King. Your JSON:"),
)
COUNT = (Message("user", "Count from 1 to 100, with commas between the numbers. Write nothing else."),)
LONG = Request(messages=(Message("user", "card " * 3000),))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The local model's server."""
    with local_model(context=2048) as found:
        yield found


def ask(url: str, requests: list[Request], **fields: object) -> list[Reply]:
    """The model's replies, one after the other."""

    async def main() -> list[Reply]:
        with CallStore(":memory:") as store:
            models = {"m": local_entry("m", url, **fields)}
            async with Client(models, store, backoff=Backoff(base=0.1)) as client:
                return [await client.ask("m", request) for request in requests]

    return asyncio.run(main())


def test_a_schema_is_enforced(url: str) -> None:
    requests = [Request(messages=PROMPT, schema=SCHEMA, sample=str(i)) for i in range(4)]
    for reply in ask(url, requests, max_output=200):
        assert reply.finish == "stop"
        assert msgspec.json.decode(reply.text)["action"] in ACTIONS


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_dialect_is_answered_counted_and_told_apart_when_truncated(url: str, protocol: str) -> None:
    """Greedily, since a model that draws its words may end its answer before it is cut."""
    first, second = ask(
        url,
        [Request(messages=COUNT, sample=str(i), max_output=8) for i in range(2)],
        protocol=protocol,
        temperature=0.0,
    )
    for reply in (first, second):
        assert reply.text
        # This server's responses say "completed" although the answer was cut.
        assert reply.finish == ("stop" if protocol == "openai-responses" else "length")
        assert reply.usage.output == 8
        assert reply.usage.input == first.usage.input > 20
    assert second.usage.input_cached > 0.5 * second.usage.input  # the prompt was not read twice


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
def test_the_extra_body_constrains_too(url: str, protocol: str) -> None:
    """Here with llama.cpp's own grammar; its Anthropic dialect passes on neither a grammar nor a schema."""
    grammar = {"grammar": 'root ::= "{\\"action\\": \\"fold\\"}"'}
    [reply] = ask(url, [Request(messages=PROMPT)], protocol=protocol, extra_body=grammar)
    assert msgspec.json.decode(reply.text) == {"action": "fold"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_prompt_that_is_too_long_is_a_permanent_error(url: str, protocol: str) -> None:
    with pytest.raises(ItemError, match="exceeds the available context size"):
        ask(url, [LONG], protocol=protocol)


def test_a_real_time_out(url: str) -> None:
    with pytest.raises(AgainError):
        ask(url, [Request(messages=PROMPT, max_output=1000)], timeout=0.2, deadline=0.3, structured=False)


def test_the_server_ends_with_its_standard_input() -> None:
    """Also when the tests are killed: the pipe is closed then."""
    process, address = started(context=256)
    assert address.startswith("http://127.0.0.1:")
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    stopped(process)


def test_a_server_that_ends_before_it_is_ready_is_started_again(tmp_path: Path) -> None:
    """The first two find the file too short, and end; the third is ready."""
    counter = tmp_path / "starts"
    server = f"""
import pathlib, sys
counter = pathlib.Path({str(counter)!r})
with counter.open("a") as file: file.write("x")
if counter.stat().st_size < 3: sys.exit("the port is taken")
print("READY http://127.0.0.1:1", flush=True)
sys.stdin.read()
"""
    process, address = started(256, [sys.executable, "-c", server])
    stopped(process)
    assert (process.returncode, address, counter.read_text()) == (0, "http://127.0.0.1:1", "xxx")


def test_a_server_that_never_starts_is_reported_with_its_errors() -> None:
    with pytest.raises(RuntimeError) as failed:
        started(256, [sys.executable, "-c", "import sys; sys.exit('the port is taken')"])
    assert str(failed.value).count("ended with 1 before it was ready, and wrote:\nthe port is taken") == 3
