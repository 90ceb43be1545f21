"""Hostile and odd replies: every reply is used or recorded as malformed, and what was paid stays on record."""

from __future__ import annotations

import asyncio
import gzip
import os
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable
from typing import Any
from unittest.mock import patch

import httpx2
import msgspec
import pytest

from antemill.llm import Backoff, Budget, CallError, CallStore, Client, MalformedReplyError, Request
from antemill.llm.protocols.wire import decode
from antemill.llm.redact import REDACTED, KeyRedactor
from tests.llm.clocks import QuickClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Say
from tests.llm.mutants import mutants
from tests.llm.stage import HTTP, KEY, KEY_ENV, REQUEST, entry
from tests.seeds import seeds

QUICK, MANY = 300, 25_000  # mutants for each protocol


class Pieces(httpx2.AsyncByteStream):
    """A body in pieces."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


async def ask_all(protocol: str, responses: list[httpx2.Response], store: CallStore) -> list[bool]:
    """Ask once for each response, without a second attempt: whether each was an answer. All of it must be on record."""
    left = iter(responses)

    def respond(_request: httpx2.Request) -> httpx2.Response:
        return next(left)

    model = entry(protocol, "http://provider.example/v1")
    budget, answered = Budget(1e9), list[bool]()
    options: dict[str, Any] = {"backoff": Backoff(base=1e9, cap=1e9), "clock": QuickClock(), "budget": budget}
    before = len(list(store.calls()))
    with patch.dict(os.environ, {KEY_ENV: KEY}):
        transport = httpx2.MockTransport(respond)
        async with Client({"m": model}, store, transport=transport, **options) as client:
            for i in range(len(responses)):
                answered.append(await ask_once(client, store, str(before + i)))
    assert next(left, None) is None
    assert store.sent_attempts() == []
    assert not any("cannot be read (" in attempt.message for attempt in store.failed_attempts())
    assert budget.reserved == 0
    assert budget.spent == pytest.approx(store.spent())
    return answered


async def ask_once(client: Client, store: CallStore, sample: str) -> bool:
    """Whether there was an answer; if not, the failure is on record."""
    request, failed = Request(messages=REQUEST.messages, sample=sample), None
    try:
        reply = await client.ask("m", request)
    except CallError as error:
        failed = error
    if failed is not None:
        call = store.call(failed.call)
        [attempt] = store.failed_attempts(failed.call)
        assert call.status == "failed"
        assert attempt.risk > 0 or not failed.billed
        return False
    found = store.find(store.call(reply.call).key)
    assert found is not None
    assert msgspec.structs.replace(found, stored=False) == reply
    assert reply.usage.cost > 0
    return True


def fuzz(protocol: str, seed: int, count: int) -> tuple[int, int]:
    """Answers, and what is none."""
    with CallStore(":memory:") as store:
        responses = [httpx2.Response(200, content=body) for body in mutants(protocol, seed, count)]
        answered = asyncio.run(ask_all(protocol, responses, store))
        totals = store.totals()["m"]
    assert (totals.calls, totals.failed, totals.failed_attempts) == (sum(answered), *[count - sum(answered)] * 2)
    return sum(answered), count - sum(answered)


@pytest.mark.parametrize("protocol", HTTP)
def test_mutated_replies_are_answers_or_on_record(protocol: str) -> None:
    answered, failed = fuzz(protocol, 1, QUICK)
    assert min(answered, failed) > QUICK / 10


@pytest.mark.slow
@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_ten_thousand_mutated_replies_are_too(protocol: str, seed: int) -> None:
    answered, failed = fuzz(protocol, seed, MANY // 10)
    assert min(answered, failed) > MANY / 100


def good(protocol: str, text: str = "bet") -> bytes:
    """A good body."""
    return DIALECTS[protocol].render(Say(text)).body.encode()


async def cut(data: bytes, length: int) -> AsyncIterator[bytes]:
    """The begin of it, byte by byte; then the connection breaks."""
    for i in range(length):
        yield data[i : i + 1]
    if length < len(data):
        raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("packed", [False, True])
def test_a_reply_that_is_cut_at_any_byte_is_on_record(protocol: str, packed: bool) -> None:
    data = gzip.compress(good(protocol)) if packed else good(protocol)
    headers = {"content-encoding": "gzip"} if packed else {}
    responses = [httpx2.Response(200, headers=headers, content=cut(data, length)) for length in range(len(data) + 1)]
    with CallStore(":memory:") as store:
        answered = asyncio.run(ask_all(protocol, responses, store))
        assert answered == [False] * len(data) + [True]
        assert {attempt.error for attempt in store.failed_attempts()} == {"DisconnectedError"}
        assert all(attempt.risk > 0 for attempt in store.failed_attempts())
        if not packed:
            assert [attempt.body for attempt in store.failed_attempts()] == [
                data[:length].decode() for length in range(len(data))
            ]


@pytest.mark.parametrize("protocol", HTTP)
def test_a_reply_that_ends_early_without_an_error_is_malformed(protocol: str) -> None:
    """As behind a proxy that closes the connection cleanly."""
    whole, packed = good(protocol), gzip.compress(good(protocol))
    responses = [httpx2.Response(200, content=whole[:length]) for length in range(0, len(whole), 7)]
    responses += [
        httpx2.Response(200, headers={"content-encoding": "gzip"}, content=cut(packed[:length], length))
        for length in range(0, len(packed), 7)
    ]
    with CallStore(":memory:") as store:
        answered = asyncio.run(ask_all(protocol, responses, store))
        assert not any(answered)
        assert {attempt.error for attempt in store.failed_attempts()} == {"MalformedReplyError"}


def one(protocol: str, response: httpx2.Response, store: CallStore) -> bool:
    """Whether it was an answer."""
    return asyncio.run(ask_all(protocol, [response], store))[0]


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "9" * 5000])
def test_a_number_that_is_none_spoils_nothing(protocol: str, number: str) -> None:
    body = good(protocol).decode()
    with CallStore(":memory:") as store:
        for text in (body[:-1] + f', "odd": {{"here": [{number}]}}}}', body.replace("120", number)):
            assert one(protocol, httpx2.Response(200, text=text), store)
        first, second = store.calls()
        assert (first.text, second.text) == ("bet", "bet")
        assert first.usage.cost_assumed is None
        if protocol != "anthropic":  # its prompt is counted in two parts, of which one is left
            assert second.usage.cost_assumed == second.usage.cost > first.usage.cost


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_a_byte_order_mark_is_no_part_of_the_json(protocol: str, encoding: str) -> None:
    with CallStore(":memory:") as store:
        assert one(protocol, httpx2.Response(200, content=good(protocol, "✓ bet").decode().encode(encoding)), store)
        [call] = store.calls()
        assert call.text == "✓ bet"


def test_what_is_nested_too_deep_is_malformed_and_a_key_that_comes_twice_counts_last() -> None:
    with pytest.raises(MalformedReplyError):
        decode('{"a":' * 150 + "1" + "}" * 150)
    assert decode('{"a": 1, "a": 2}') == {"a": 2}
    assert decode('{"a": 1, "b": NaN, "a": 2}') == {"a": 2, "b": None}


def bomb(megabytes: int) -> bytes:
    """So many zeros, packed; without their end, which the client does not read."""
    packer = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    first, other = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + (megabytes - 1) * other


def test_a_bomb_takes_no_memory() -> None:
    packed = bomb(600)
    assert len(packed) < 650_000
    response = httpx2.Response(200, headers={"content-encoding": "gzip"}, content=cut(packed, 0))
    response.stream = Pieces([packed])
    tracemalloc.start()
    with CallStore(":memory:") as store:
        assert not one("gemini", response, store)
        peak = tracemalloc.get_traced_memory()[1]
        [attempt] = store.failed_attempts()
    tracemalloc.stop()
    assert attempt.message == "the answer is longer than 16 MB (see body_limit)"
    assert attempt.risk > 0
    assert peak < 80 << 20


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd", "gzip; x"])
def test_an_encoding_that_was_not_asked_for_is_not_unpacked(encoding: str) -> None:
    response = httpx2.Response(200, headers={"content-encoding": encoding}, content=cut(b"", 0))
    response.stream = Pieces([gzip.compress(gzip.compress(good("gemini")))])
    with CallStore(":memory:") as store:
        assert not one("gemini", response, store)
        [attempt] = store.failed_attempts()
        assert "which was not asked for" in attempt.message


def test_an_answer_up_to_the_limit_is_read_packed_or_not() -> None:
    body = good("openai-chat", "x" * 300_000)
    with CallStore(":memory:") as store:
        for encoding, data in (("identity", body), ("gzip", gzip.compress(body)), ("deflate", zlib.compress(body))):
            response = httpx2.Response(200, headers={"content-encoding": encoding}, content=cut(b"", 0))
            response.stream = Pieces([data[i : i + 5000] for i in range(0, len(data), 5000)])
            assert one("openai-chat", response, store)
        assert [len(call.text) for call in store.calls()] == [300_000] * 3


# ------------------------------------------------------------------------------------------------ keys

ESCAPED = "".join(f"\\u{ord(character):04x}" for character in KEY)
ECHOES = (KEY, KEY.upper(), KEY.swapcase(), ESCAPED, ESCAPED.upper().replace("U", "u"), KEY.replace("/", "\\/"))
WITHIN = "".join(f"\\\\u{ord(character):04x}" for character in KEY)  # in JSON within JSON


@pytest.mark.parametrize("echo", [*ECHOES, WITHIN, KEY.replace("-", "%2D").replace("+", "&#43;")])
@pytest.mark.parametrize("protocol", HTTP)
def test_a_key_is_hidden_however_it_is_written(protocol: str, echo: str) -> None:
    """In the model's name, in the usage (as a key too), and in the text."""
    name = {"gemini": '"modelVersion": "', "anthropic": '"model":"'}.get(protocol, '"model":"')
    body = good(protocol).decode().replace('": "', '":"')
    usage = '"usageMetadata":{' if protocol == "gemini" else '"usage":{'
    for place in (name.replace(" ", ""), usage + '"x":{"', '"text":"', '"content":"'):
        start = place if place.startswith('"m') or place.endswith(':"') else usage
        end = f'{echo}":"{echo}"}},' if start == usage else f"{echo} "
        text = body.replace(start, place + end, 1)
        if text == body:
            continue
        with CallStore(":memory:") as store:
            one(protocol, httpx2.Response(200, text=text), store)
            kept = "".join(map(repr, [*store.calls(), *store.failed_attempts()]))
            assert REDACTED in kept
            for form in {KEY, KEY[3:], echo}:
                assert form.lower() not in kept.lower().replace("\\\\", "\\")


def test_harmless_text_is_left_as_it_is() -> None:
    redactor = KeyRedactor()
    redactor.add(KEY)
    for text in ("", "\\u0041 100% &amp; c:\\\\x", '{"a": "\\"b\\""}', "sk-live-", KEY[:-1], "\u017f" * 50):
        assert redactor.hide(text) == text


@pytest.mark.parametrize("text", ["\\\\", "&#0", "&", "%", "\\\\u00", KEY[:20], "&#x00"])
def test_hiding_takes_no_longer_than_reading(text: str) -> None:
    """Texts that nearly match over and over: a second for a whole reply, not hours."""
    redactor = KeyRedactor()
    redactor.add(KEY)
    redactor.add("&" * 20)
    redactor.add("\\\\" * 20)
    long = text * (500_000 // len(text))
    began = time.process_time()
    redactor.hide(long)
    assert time.process_time() - began < 20


# ------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("protocol", HTTP)
def test_mutated_errors_are_errors(protocol: str) -> None:
    """Of any status, with any Retry-After."""
    waits = [
        "",
        "1e9",
        "inf",
        "-5",
        "99999999999999999999",
        "Mon, 99 Foo 9999 99:99:99 GMT",
        "2026-11-22T00:00:00Z",
        "NaN",
    ]
    waits += [
        "Fri, 31 Dec 99999 23:59:59 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "5, 7",
        "\xff",
    ]
    waits += ["Thu, 01 Jan 1970 00:00:00 +9999999999", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]
    responses = []
    for i, body in enumerate(mutants(protocol, 99, 400)):
        status = (400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 498, 500, 503, 529, 599)[i % 16]
        headers = [(b"retry-after", waits[i % len(waits)].encode("latin-1"))]
        responses.append(httpx2.Response(status, headers=headers, content=body))
    with CallStore(":memory:") as store:
        model_errors = asyncio.run(errors_of(protocol, responses, store))
    assert model_errors > 300


async def errors_of(protocol: str, responses: list[httpx2.Response], store: CallStore) -> int:
    """How many are errors; each from a client of its own, whose limits do not know the others."""
    found = 0
    for i, response in enumerate(responses):
        model = entry(protocol, "http://provider.example/v1")
        transport = httpx2.MockTransport(lambda _request, response=response: response)
        with patch.dict(os.environ, {KEY_ENV: KEY}):
            async with Client({"m": model}, store, transport=transport, backoff=Backoff(base=1e9, cap=1e9)) as client:
                try:
                    await client.ask("m", Request(messages=REQUEST.messages, sample=str(i)))
                except CallError:
                    found += 1
    return found
