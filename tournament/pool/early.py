"""What workers of a pool load before their first job, and the server of workers that is begun before anything else.

Importing this module loads little: a command begins the server here, which then loads what workers need while the
command imports what it needs itself.
"""

from __future__ import annotations

from antemill.engine.execute.child import start_server
from antemill.engine.execute.pool import default_workers

_LIGHT = ("antemill.engine.storage.lean", "antemill.tournament.pool.work")
# There is one server of workers in a process, with what its first team needs: a process that builds and then scores
# takes the first of these for both.
TO_SCORE = (*_LIGHT, "antemill.tournament.pool.scoring", "antemill.tournament.pool.loaded")
TO_BUILD = (*_LIGHT, "antemill.tournament.pool.loaded_to_build")


def start_early(preload: tuple[str, ...], workers: int | None, executor: str) -> None:
    """Begin the server of workers, if the command will have some on this machine should there be work for them.

    For a command that is likely to have some: otherwise a processor loads for a second or two what nobody uses.
    """
    processes = default_workers() if workers is None else workers
    if executor == "local" and processes > 1:
        start_server(preload)
