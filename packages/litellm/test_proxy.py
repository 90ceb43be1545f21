"""Runs through a real LiteLLM proxy, with its own simulated errors, in front of a test server that plays.

Run by `make test-libraries`. The proxy has an environment of its own (ANTEMILL_LITELLM names its command).
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.llm import CallStore
from antemill.tournament.runs import read_status
from tests.tournament.runs.http_server import http_server
from tests.tournament.runs.test_border import KINDS, Server, ended

COMMAND = os.environ.get("ANTEMILL_LITELLM", "litellm")
KEY = "sk-master-0123456789"
LIMITS = "[limits]\nretry_pause = 0.02\npatience = {patience}\nin_flight = 4\n[budget]\ndollars = 1000.0\n"
ENTRY = (
    '[m]\nprotocol = "openai-chat"\nbase_url = "{url}"\nmodel = "{model}"\nkey_env = "PROXY_KEY"\ntimeout = 30.0\n'
    "deadline = 20.0\nprices = {{ input = 100.0, output = 100.0 }}\nmax_output = 1000\n"
)
SIMULATED: dict[str, dict[str, Any]] = {  # errors that the proxy makes without asking the server
    "rate": {"mock_response": "litellm.RateLimitError"},
    "context": {"mock_response": "litellm.ContextWindowExceededError"},
    "internal": {"mock_response": "litellm.InternalServerError"},
    "timeout": {"mock_timeout": True, "timeout": 0.01},
}
DECIDED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # decisions of the proxy on each request
    "good": ({}, {}),
    "window": ({}, {"max_input_tokens": 2100}),  # tokens: Kuhn poker's rulebook fits, Leduc's does not
    "budget": ({"max_budget": 0.01, "budget_duration": "1d", "input_cost_per_token": 0.001}, {}),
    "requests": ({"rpm": 3}, {}),
    "guarded": ({"guardrails": ["words"]}, {}),
}


class Upstream:
    """The server behind the proxy, which each test replaces."""

    server: Server

    def __call__(self, path: str, body: Any) -> tuple[int, bytes]:
        return self.server(path, body) if path.endswith("/chat/completions") else (404, b"")


def config(url: str) -> str:
    """The proxy's configuration; JSON is YAML."""
    entries: list[tuple[str, dict[str, Any], dict[str, Any]]] = [("half", {}, {}), ("half", SIMULATED["internal"], {})]
    entries += [(name, given, {}) for name, given in SIMULATED.items()]
    entries += [(name, given, info) for name, (given, info) in DECIDED.items()]
    models = [
        {
            "model_name": name,
            "litellm_params": {"model": f"openai/{name}", "api_key": "none", "api_base": url, **given},
            "model_info": info,
        }
        for name, given, info in entries
    ]
    words = [{"keyword": "Leduc poker", "action": "BLOCK"}]  # its rulebook's title
    guard = {"guardrail": "litellm_content_filter", "mode": "pre_call", "blocked_words": words}
    return json.dumps(
        {
            "model_list": models,
            "guardrails": [{"guardrail_name": "words", "litellm_params": guard}],
            "router_settings": {
                "num_retries": 0,
                "disable_cooldowns": True,
                "enable_pre_call_checks": True,
                "optional_pre_call_checks": ["enforce_model_rate_limits"],
            },
            "general_settings": {"master_key": KEY},
        }
    )


@pytest.fixture(scope="module")
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture(scope="module")
def proxy(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a running proxy."""
    folder = tmp_path_factory.mktemp("proxy")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with http_server(upstream) as url, (folder / "log").open("wb") as log:
        (folder / "config.yaml").write_text(config(url))
        command = [COMMAND, "--config", str(folder / "config.yaml"), "--host", "127.0.0.1", "--port", str(port)]
        quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION", "NO_PROXY": "127.0.0.1"}
        process = subprocess.Popen(
            [*command, "--telemetry", "False"], env={**os.environ, **quiet}, cwd=folder, stdout=log, stderr=log
        )
        try:
            base = f"http://127.0.0.1:{port}"
            for _ in range(600):
                assert process.poll() is None, (folder / "log").read_text()[-3000:]
                try:
                    if httpx2.get(f"{base}/health/liveliness", timeout=5.0, trust_env=False).is_success:
                        break
                except httpx2.TransportError:
                    time.sleep(0.2)
            yield f"{base}/v1"
        finally:
            process.terminate()
            process.wait(30)


def played(
    proxy: str,
    upstream: Upstream,
    folder: Path,
    name: str,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
    key: str = KEY,
    patience: float = 3.0,
) -> tuple[int, Any]:
    """The exit code and the status of a run through the proxy, after the checks that hold for all runs."""
    monkeypatch.setenv("PROXY_KEY", key)
    upstream.server = Server([], KINDS[name][2], everything=False)
    code = ended(folder, name, ENTRY.format(url=proxy, model=model), upstream.server, LIMITS.format(patience=patience))
    with CallStore(folder / "run" / "calls.sqlite", read_only=True) as calls:
        attempts = Counter(attempt.key for attempt in calls.failed_attempts())
    assert max(attempts.values(), default=0) <= 12
    return code, read_status(name, folder / "run")


@pytest.mark.parametrize(
    ("model", "code", "says"),
    [
        ("rate", 3, "mock rate limit error"),
        ("context", 0, "mock context window exceeded"),
        ("internal", 3, "mock internal server error"),
        ("budget", 3, "crossed budget"),
        ("requests", 3, "No deployments available"),
        ("no-such-model", 3, "Invalid model name"),
    ],
)
def test_what_the_proxy_says_of_all_prompts_ends_a_run_as_the_rule_says(
    proxy: str, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, code: int, says: str
) -> None:
    found, status = played(proxy, upstream, tmp_path, "tournament", model, monkeypatch)
    assert found == code
    assert says in status.models[0].last_error
    assert status.discarded == (status.total if code == 0 else 0)


def test_a_time_out_of_the_proxy_is_one(
    proxy: str, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _code, status = played(proxy, upstream, tmp_path, "tournament", "timeout", monkeypatch)
    assert set(status.models[0].errors) == {"timed out"}


def test_a_key_that_the_proxy_does_not_know_stops_the_run(
    proxy: str, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, status = played(proxy, upstream, tmp_path, "tournament", "good", monkeypatch, key="sk-unknown-9876543210")
    assert code == 3
    assert status.done == 0


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("model", ["good", "half"])
def test_runs_of_every_kind_through_a_proxy_are_whole(
    proxy: str, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, model: str
) -> None:
    code, status = played(proxy, upstream, tmp_path, name, model, monkeypatch, patience=60.0)
    assert code == 0
    assert (status.done, status.discarded) == (status.total, 0)
    assert status.cost > 0


def test_prompts_beyond_the_window_are_discarded_and_the_others_played(
    proxy: str, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, status = played(proxy, upstream, tmp_path, "tournament", "window", monkeypatch)
    assert code == 0
    assert (status.done, status.discarded) == (4, 4)
    assert "Context Window exceeded" in status.models[0].last_error


def test_what_a_guardrail_blocks_is_a_refusal(
    proxy: str, upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, status = played(proxy, upstream, tmp_path, "tournament", "guarded", monkeypatch)
    assert code == 0
    assert (status.done, status.discarded) == (status.total, 0)
    assert status.fallbacks > 0
