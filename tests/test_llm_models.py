"""The list of models: what it may say, and one clear sentence for what it may not (D10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm import Model, ModelFileError, Prices, read_models

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
    models = read_models(write(tmp_path, GOOD))
    assert list(models) == ["sonnet", "gpt-5.1", "local", "fake"]
    sonnet, gpt, local, fake = models.values()
    assert sonnet.prices == Prices(input=3, cached_input=0.3, cache_write=3.75, output=15)
    assert (sonnet.remote, sonnet.gateway) == ("claude-sonnet-4-5-20250929", "api.anthropic.com")
    assert (gpt.remote, gpt.url, gpt.sampling) == ("gpt-5.1", "https://api.openai.com/v1", False)
    assert (local.url, local.gateway) == ("http://127.0.0.1:8080/v1", "127.0.0.1:8080")
    assert local.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    assert (fake.gateway, fake.url) == ("scripted", "")


@pytest.mark.parametrize(
    ("url", "dialect"),
    [
        ("", "openai"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://api.together.xyz/v1", "compatible"),
        ("http://localhost:11434/v1", "compatible"),
    ],
)
def test_the_host_says_how_chat_is_spoken(url: str, dialect: str) -> None:
    assert Model(name="m", protocol="openai-chat", base_url=url).chat_dialect == dialect
    assert Model(name="m", protocol="openai-chat", base_url=url, dialect="openai").chat_dialect == "openai"


CHAT = 'protocol = "openai-chat"\n'
CLAUDE = 'protocol = "anthropic"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[m]\n", '[m] lacks the key "protocol".'),
        ("[gpt-5.1]\n" + CHAT, '[gpt-5.1] is a table within a table; quote the name: ["gpt-5.1"].'),
        ("m = 1\n", '"m" stands outside a table; models are tables such as [m].'),
        ('[m]\nprotocol = "openai"\n', "[m] has a wrong value for \"protocol\": invalid enum value 'openai'."),
        ("[m]\n" + CHAT + "temprature = 1\n", '[m] has the unknown key "temprature".'),
        ("[m]\n" + CHAT + 'api_key = "sk-secret"\n', "name the variable that holds it with key_env"),
        ("[m]\n" + CHAT + 'name = "x"\n', "the table's name is the model's"),
        ("[m]\n" + CHAT + 'concurrency = "8"\n', '[m] has a wrong value for "concurrency": expected `int`, got `str`.'),
        ("[m]\n" + CHAT + "concurrency = 0\n", "concurrency = 0, which must be positive"),
        ("[m]\n" + CHAT + "timeout = inf\n", "timeout = inf, which must be positive"),
        ("[m]\n" + CHAT + "prices = { input = 1 }\n", '[m] lacks the key "output" in prices.'),
        ("[m]\n" + CHAT + "prices = { input = -1, output = 1 }\n", "a price that is not a positive number"),
        ("[m]\n" + CHAT + 'key_env = "sk-proj-0123456789"\n', "it names the environment variable, it is not the key"),
        ("[m]\n" + CHAT + 'base_url = "localhost:8080"\n', "must begin with http:// or https://"),
        ("[m]\n" + CHAT + 'base_url = "https://h/v1?key=abc"\n', "keys come from the environment"),
        ("[m]\n" + CHAT + 'base_url = "https://user:abc@h/v1"\n', "keys come from the environment"),
        ("[m]\n" + CHAT + "thinking_budget = 9\n", "does not know; use effort"),
        ("[m]\n" + CHAT + 'thinking = "adaptive"\n', 'only "anthropic" knows'),
        ("[m]\n" + CHAT + "extra_body = { max_tokens = 9 }\n", '"max_tokens" in extra_body'),
        ("[m]\n" + CLAUDE + "thinking_budget = 1023\n", "must be at least 1024 and less than max_output"),
        ("[m]\n" + CLAUDE + "thinking_budget = 4096\n", "must be at least 1024 and less than max_output"),
        ("[m]\n" + CLAUDE + 'thinking = "adaptive"\nthinking_budget = 2000\n', "both thinking and thinking_budget"),
        ("[m]\n" + CLAUDE + 'dialect = "openai"\n', "has a dialect"),
        ('[m]\nprotocol = "gemini"\neffort = "low"\nthinking_budget = 9\n', "both effort and thinking_budget"),
        ("[m\n", "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_file_table_and_key(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ModelFileError) as caught:
        read_models(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert "abc" not in str(caught.value)
    assert "0123456789" not in str(caught.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="can not be read"):
        read_models(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'[m]\nmodel = "\xff"\n')
    with pytest.raises(ModelFileError, match="is not TOML"):
        read_models(path)
