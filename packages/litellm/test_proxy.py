"""A tournament through a real LiteLLM proxy, in front of a server that plays (`make test-libraries`)."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.runs import read_status, start_run
from antemill.tournament.runs.stops import RunStoppedError
from tests.llm.instant import instant_server

KEY = "sk-master-0123456789"
CONFIG = (
    '[tournament]\ngames = ["kuhn"]\nmatches_per_seat = 2\n[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n'
)
ENTRY = '[m]\nprotocol = "openai-chat"\nbase_url = "{url}"\nmodel = "{model}"\nkey_env = "PROXY_KEY"\nprices = "free"\n'


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a running proxy."""
    folder = tmp_path_factory.mktemp("proxy")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with instant_server() as url, (folder / "log").open("wb") as log:
        params: dict[str, Any] = {"model": "openai/good", "api_key": "none", "api_base": url}
        models = [{"model_name": "good", "litellm_params": params}]
        settings = {"model_list": models, "general_settings": {"master_key": KEY}}
        (folder / "config.yaml").write_text(json.dumps(settings))  # JSON is YAML
        command = [str(Path(sys.executable).parent / "litellm"), "--config", str(folder / "config.yaml")]
        command += ["--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            for _ in range(600):
                assert process.poll() is None, (folder / "log").read_text()[-3000:]
                try:
                    if httpx2.get(f"http://127.0.0.1:{port}/health/liveliness", timeout=5.0).is_success:
                        break
                except httpx2.TransportError:
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.parametrize("model", ["good", "no-such-model"])
def test_a_tournament_is_played_or_stopped(proxy: str, tmp_path: Path, monkeypatch: Any, model: str) -> None:
    monkeypatch.setenv("PROXY_KEY", KEY)
    (tmp_path / "cup.toml").write_text(CONFIG)
    (tmp_path / "models.toml").write_text(ENTRY.format(url=proxy, model=model))
    with start_run(TOURNAMENT, tmp_path / "cup.toml", tmp_path / "run") as session:
        if model == "good":
            session.run(quiet=True)
        else:
            with pytest.raises(RunStoppedError):
                session.run(quiet=True)
    status = read_status("tournament", tmp_path / "run")
    assert status.done == (status.total if model == "good" else 0)
    assert status.fallbacks == 0
