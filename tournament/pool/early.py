"""Preloading for workers of a pool, and the early start of the server from which workers are forked.

Importing this module loads little: a command starts the server here, which loads what workers need while the command
does its own imports.
"""

from __future__ import annotations

from antemill.engine.execute.workers import default_workers, start_server

PRELOAD = ("antemill.engine.storage.lean", "antemill.tournament.pool.work", "antemill.tournament.pool.loaded")


def start_early(workers: int | None, executor: str) -> None:
    """Start the server of workers, if the command may use workers on this machine. Call it only if work is likely:
    otherwise a processor spends a second or two on imports that are not used.
    """
    processes = default_workers() if workers is None else workers
    if executor == "local" and processes > 1:
        start_server(PRELOAD)
