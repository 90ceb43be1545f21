"""`antemill view` in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def viewing(*arguments: object, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The command while it runs, and the document that it prints: `url` and `runs`."""
    command = [sys.executable, "-m", "antemill.tournament.cli", "view", *map(str, arguments)]
    command += ["--port", str(port), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            while not lines or lines[-1] not in ("}\n", ""):
                lines.append(process.stdout.readline())
            yield process, json.loads("".join(lines) or "{}")
        finally:
            process.kill()
