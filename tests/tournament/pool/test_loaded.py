"""Workers begin with the kernels loaded, and share what the server has that they are forked from."""

import gc
from typing import Any, cast

from engine.execute import Job
from engine.machine.vm import advance
from tournament.pool.jobs import perform, team


def ready(_seed: int) -> tuple[int, int]:
    """In a worker: how many objects garbage collection leaves alone, and for how many types the machine is loaded."""
    return gc.get_freeze_count(), len(cast(Any, advance).signatures)


def test_workers_begin_with_kernels_loaded_and_modules_frozen() -> None:
    with team(2, "local") as crew:
        ((_, (frozen, loaded)),) = perform([Job("ready", 0, ready)], crew)
    assert frozen > 10_000
    assert loaded > 0
