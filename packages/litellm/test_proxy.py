"""A tournament through a real LiteLLM proxy, in front of a server that plays (`make test-libraries`)."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.runs import read_status, start_run
from antemill.tournament.runs.stops import RunStoppedError
from tests.llm.instant import instant_server

KEY = "sk-master-0123456789"
CONFIG = '[tournament]\ngames = ["kuhn"]\nmatches_per_seat = 2\n[players]\nm.model = "m"\nrnd.bot = "random"\n'
ENTRY = (
    '[m]\nprotocol = "openai-chat"\nbase_url = "{url}/v1"\nmodel = "{model}"\nkey_env = "PROXY_KEY"\nprices = "free"\n'
)


def test_a_tournament_is_played_or_stopped(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PROXY_KEY", KEY)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "cup.toml").write_text(CONFIG)
    with instant_server() as served, (tmp_path / "log").open("wb") as log:
        models = {"model": "openai/good", "api_key": "none", "api_base": served}
        known = {"model_list": [{"model_name": "good", "litellm_params": models}]}
        (tmp_path / "config.json").write_text(json.dumps({**known, "general_settings": {"master_key": KEY}}))
        command = [str(Path(sys.executable).with_name("litellm")), "--config", "config.json", "--telemetry", "False"]
        command += ["--host", "127.0.0.1", "--port", str(port)]
        with subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log) as process:
            try:
                _play(f"http://127.0.0.1:{port}", tmp_path)
            finally:
                process.terminate()


def _play(url: str, folder: Path) -> None:
    """Two tournaments through the proxy, when it answers: with the model that it has, and with one that it has not."""
    for _ in range(600):
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/health/liveliness", timeout=5.0).is_success:
                break
        time.sleep(0.2)
    for model, ending in (("good", nullcontext()), ("no-such-model", pytest.raises(RunStoppedError))):
        (folder / "models.toml").write_text(ENTRY.format(url=url, model=model))
        with start_run(TOURNAMENT, folder / "cup.toml", folder / model) as session, ending:
            session.run(quiet=True)
        status = read_status("tournament", folder / model)
        assert (status.done, status.fallbacks) == (status.total if model == "good" else 0, 0)
