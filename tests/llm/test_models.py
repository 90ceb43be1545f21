"""The list of models: what it may say, and one clear sentence for what it may not (D10)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx2
import pytest

from antemill import llm
from antemill.llm.client import body_of
from antemill.llm.estimate import worst_cost
from antemill.tournament.cli.entry import run as command

GOOD = """
[sonnet]
protocol = "anthropic"
model = "claude-sonnet-4-5-20250929"
key_env = "ANTHROPIC_API_KEY"
thinking_budget = 4096
max_output = 8192
prices = { input = 3, cached_input = 0.3, cache_write = 3.75, output = 15.0 }
concurrency = 8
requests_per_minute = 50
timeout = 120

["gpt-5.1"]
protocol = "openai-responses"
effort = "high"
sampling = false

[local]
protocol = "openai-chat"
base_url = "http://127.0.0.1:8080/v1/"
structured = true
[local.extra_body]
chat_template_kwargs = { enable_thinking = false }

[fake]
protocol = "scripted"
"""


def write(folder: Path, text: str) -> Path:
    """The file."""
    path = folder / "models.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_is_read_in_its_order(tmp_path: Path) -> None:
    models = llm.read_models(write(tmp_path, GOOD))
    assert list(models) == ["sonnet", "gpt-5.1", "local", "fake"]
    sonnet, gpt, local, fake = models.values()
    assert sonnet.prices == llm.Prices(input=3, cached_input=0.3, cache_write=3.75, output=15)
    assert (sonnet.remote, sonnet.gateway) == ("claude-sonnet-4-5-20250929", "api.anthropic.com")
    assert (gpt.remote, gpt.url, gpt.sampling) == ("gpt-5.1", "https://api.openai.com/v1", False)
    assert (local.url, local.gateway) == ("http://127.0.0.1:8080/v1", "127.0.0.1:8080")
    assert local.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    assert (fake.gateway, fake.url) == ("scripted", "")


@pytest.mark.parametrize(
    ("url", "limit"),
    [
        ("", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://me.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("https://notapi.openai.com.example/v1", "max_tokens"),
        ("https://openrouter.ai/api/v1", "max_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
    ],
)
def test_the_host_names_the_limit_of_an_answer_unless_the_entry_does(url: str, limit: str) -> None:
    request = llm.Request(messages=(llm.Message("user", "x"),), max_output=7)
    for named in (None, "num_predict"):
        model = llm.Model(name="m", protocol="openai-chat", base_url=url, limit=named)
        assert json.loads(body_of(model, request))[named or limit] == 7


def test_names_that_are_in_no_table_are_refused_where_a_model_is_made() -> None:
    with pytest.raises(ValueError, match=r'protocol = "open-chat" is none of .*; did you mean "openai-chat"\?'):
        llm.Model(name="m", protocol="open-chat")


CHAT = 'protocol = "openai-chat"\n'
CLAUDE = 'protocol = "anthropic"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[m]\n", "[m] Object missing required field `protocol`"),
        ("[gpt-5.1]\n" + CHAT, '[gpt-5] unknown key "1"'),
        ("m = 1\n", '"m" is no table of a model'),
        ('[m]\nprotocol = "openai"\n', '[m] protocol = "openai" is none of openai-chat,'),
        ("[m]\n" + CHAT + "temprature = 1\n", '[m] unknown key "temprature"; did you mean "temperature"?'),
        ("[m]\n" + CHAT + 'api_key = "sk-secret"\n', '[m] unknown key "api_key"'),
        ("[m]\n" + CHAT + 'name = "x"\n', "is no table of a model"),
        ("[m]\n" + CHAT + 'concurrency = "8"\n', '[m] "concurrency" is wrong: expected `int`, got `str`.'),
        ("[m]\n" + CHAT + "concurrency = 0\n", '"concurrency" is wrong: expected `int` >= 1'),
        ("[m]\n" + CHAT + "timeout = inf\n", '"timeout" is wrong'),
        ("[m]\n" + CHAT + "temperature = nan\n", '"temperature" is wrong'),
        ("[m]\n" + CHAT + "structured = 5\n", '"structured" is wrong'),
        ("[m]\n" + CHAT + "prices = { input = 1 }\n", '"prices" is wrong: object missing required field `output`'),
        ("[m]\n" + CHAT + "prices = { input = -1, output = 1 }\n", '"prices.input" is wrong'),
        ("[m]\n" + CHAT + "prices = { input = 1, outptu = 1 }\n", 'unknown key "outptu" in [prices]; did you mean'),
        ("[m]\n" + CHAT + 'prices = "cheap"\n', '"prices" is wrong'),
        ("[m]\n" + CHAT + 'key_env = "sk-proj-0123456789"\n', '"key_env" is wrong'),
        ("[m]\n" + CHAT + 'base_url = "localhost:8080"\n', '"base_url" is wrong: expected `str` matching'),
        ("[m]\n" + CHAT + 'base_url = "http://[::1/v1"\n', "Invalid IPv6 URL"),
        ("[m]\n" + CHAT + 'base_url = "https://h/v1?key=abc"\n', '"base_url" is wrong'),
        ("[m]\n" + CHAT + 'base_url = "https://user:abc@h/v1"\n', '"base_url" is wrong'),
        ("[m]\n" + CHAT + "thinking_budget = 9\n", 'has thinking_budget, which "openai-chat" does not know'),
        ("[m]\n" + CHAT + "extra_body = { max_tokens = 9 }\n", '"max_tokens" in extra_body'),
        ('[m]\nprotocol = "gemini"\nmin_p = 0.1\n', 'has min_p, which "gemini" does not know'),
        ("[m]\n" + CHAT + "prompt_cache = false\n", "has prompt_cache, which"),
        ("[m]\n" + CHAT + 'extra_headers = { x-api-key = "abc-0123456789" }\n', "name its variable with key_env"),
        ("[m\n", "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_file_table_and_key(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(llm.ModelFileError) as caught:
        llm.read_models(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert "abc" not in str(caught.value)
    assert "0123456789" not in str(caught.value)


def test_what_is_free_costs_nothing(tmp_path: Path) -> None:
    [model] = llm.read_models(write(tmp_path, "[m]\n" + CHAT + 'prices = "free"\n')).values()
    assert model.prices == llm.Prices(input=0, output=0)
    assert model.prices is not None
    assert model.prices.free
    assert worst_cost(model, 10**6, 10**6) == 0
    assert [llm.price_text(one) for one in (model.prices, None)] == ["free", "no prices"]
    dated = llm.Prices(input=4, output=20, cached_input=0.2, source="list", date="2026-03-01")
    assert llm.price_text(dated) == "$4 in, $0.2 cached, $20 out per million tokens (list, 2026-03-01)"
    assert not llm.Prices(input=0, output=0, cached_input=1).free


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (CLAUDE, 16_000),
        ('protocol = "gemini"\n', 16_000),
        (CHAT, 16_000),
        (CHAT + 'base_url = "http://127.0.0.1:8080/v1"\n', 4096),
        (CHAT + 'base_url = "http://127.0.0.1:8080/v1"\neffort = "low"\n', 16_000),
        (CLAUDE + 'base_url = "http://127.0.0.1:8080/v1"\n', 4096),
        (CLAUDE + 'base_url = "https://api.anthropic.com/v1"\n', 16_000),
        (CLAUDE + "max_output = 77\n", 77),
        ('protocol = "scripted"\n', 4096),
    ],
)
def test_what_thinks_by_default_has_room_for_it(tmp_path: Path, text: str, most: int) -> None:
    assert llm.read_models(write(tmp_path, "[m]\n" + text))["m"].max_output == most


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(llm.ModelFileError, match="cannot be read"):
        llm.read_models(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'[m]\nmodel = "\xff"\n')
    with pytest.raises(llm.ModelFileError, match="is not TOML"):
        llm.read_models(path)


def test_what_turns_an_option_off_is_allowed(tmp_path: Path) -> None:
    off = 'temperature = 0\ntop_k = -1\ntop_p = 1\nmin_p = 0\nextra_headers = { A = "", b-c = "x y" }\n'
    url = 'base_url = "http://127.0.0.1:8080/v1"\n'
    assert llm.read_models(write(tmp_path, f"[m]\n{CHAT}{url}{off}"))["m"].top_k == -1


@pytest.mark.parametrize("text", ["", "# later\n"])
def test_a_list_of_no_models_is_not_checked(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["models", "check", str(write(tmp_path, text))]) == 2
    said = capsys.readouterr()
    assert "names no model: add a table" in said.err
    assert not said.out


@pytest.mark.parametrize(
    "header",
    [
        'anthropic-beta = "context-1m-2026-08-07"',
        'HTTP-Referer = "https://example.org/keys"',
        'x-authors = "somebody else"',
        'Authorization = "none"',
        'cf-aig-authorization = "Bearer ${GATEWAY_TOKEN}"',
        'x-monkeys = "tokenizer-of-old"',
    ],
)
def test_a_header_that_holds_no_secret_is_taken(tmp_path: Path, header: str) -> None:
    [model] = llm.read_models(write(tmp_path, f"[m]\n{CHAT}extra_headers = {{ {header} }}\n")).values()
    assert len(model.extra_headers) == 1


async def _asked(headers: dict[str, str], seen: list[httpx2.Request]) -> llm.Reply:
    def respond(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        said = {"message": {"content": f"echo {request.headers.get('cf-aig-authorization')}"}, "finish_reason": "stop"}
        return httpx2.Response(200, json={"choices": [said]})

    model = llm.Model(name="m", protocol="openai-chat", base_url="http://127.0.0.1:9/v1", extra_headers=headers)
    with llm.CallStore(":memory:") as store:
        async with llm.Client({"m": model}, store, transport=httpx2.MockTransport(respond)) as client:
            return await client.ask("m", llm.Request(messages=(llm.Message("user", "?"),)))


def test_a_header_is_filled_in_from_the_environment_and_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    headers, seen = {"cf-aig-authorization": "Bearer ${GATEWAY_TOKEN}"}, list[httpx2.Request]()
    monkeypatch.setenv("GATEWAY_TOKEN", "abc-0123456789")
    reply = asyncio.run(_asked(headers, seen))
    assert seen[0].headers["cf-aig-authorization"] == "Bearer abc-0123456789"
    assert reply.text.startswith("echo ")
    assert "0123456789" not in reply.text
    monkeypatch.delenv("GATEWAY_TOKEN")
    with pytest.raises(llm.StopError, match="GATEWAY_TOKEN of its extra_headers is not set; set it"):
        asyncio.run(_asked(headers, seen))
    assert len(seen) == 1
