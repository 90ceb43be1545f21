"""Preloading for workers of a pool, and the early start of the server from which workers are forked.

Importing this module loads little: a command starts the server here, which loads what workers need while the command
does its own imports.
"""

from __future__ import annotations

from antemill.engine.execute.workers import default_workers, start_server

_LIGHT = ("antemill.engine.storage.lean", "antemill.tournament.pool.work")
# A process has one server of workers, with what its first team needs: a process that builds and then scores uses the
# first of these for both.
TO_SCORE = (*_LIGHT, "antemill.tournament.pool.loaded")
TO_BUILD = (*_LIGHT, "antemill.tournament.pool.loaded_to_build")


def start_early(preload: tuple[str, ...], workers: int | None, executor: str) -> None:
    """Start the server of workers, if the command may use workers on this machine. Call it only if work is likely:
    otherwise a processor spends a second or two on imports that are not used.
    """
    processes = default_workers() if workers is None else workers
    if executor == "local" and processes > 1:
        start_server(preload)
