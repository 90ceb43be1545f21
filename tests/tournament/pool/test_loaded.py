"""Workers begin with the kernels loaded, and share what the server has that they are forked from."""

import ast
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from antemill.axes import opponent_modeling
from antemill.engine.machine.vm import advance
from antemill.tournament.pool.warm import warm_kernels


def ready(_seed: int) -> tuple[int, int]:
    """In a worker: how many objects garbage collection leaves alone, and for how many types the machine is loaded."""
    return gc.get_freeze_count(), len(cast(Any, advance).signatures)


def axes_loaded(_seed: int) -> tuple[int, bool]:
    """In a worker: for how many types it has loaded what only scoring needs, and whether it has what no pool needs."""
    return len(cast(Any, opponent_modeling)._measured.signatures), bool(
        {"scipy.stats", "scipy.linalg"} & set(sys.modules)
    )


SERVER = """
from antemill.engine.execute import Job
from tests.tournament.pool.test_loaded import axes_loaded, ready
from antemill.tournament.pool.early import start_early
start_early(2, 'local')
from antemill.tournament.pool.jobs import perform
print([value for _, value in perform([Job(0, 0, axes_loaded), Job(1, 0, ready)], 2)])
"""


def test_workers_have_what_their_server_was_begun_with() -> None:
    """In a process of its own, since there is one server of workers for each.

    What begins before the kernels are compiled loads none, and this may be the first test with this cache.
    """
    warm_kernels()
    done = subprocess.run([sys.executable, "-c", SERVER], capture_output=True, text=True, check=True)
    (axes, unneeded), (frozen, loaded) = ast.literal_eval(done.stdout)
    assert axes
    assert not unneeded
    assert frozen > 10_000
    assert loaded > 0


COLD = """
import gc
import antemill.tournament.pool.loaded
from antemill.engine.kernel_cache import kept_kernels
from antemill.engine.machine.vm import advance
print(kept_kernels(), len(advance.signatures), gc.get_freeze_count() > 10_000)
"""


@pytest.mark.slow
def test_the_server_compiles_nothing(tmp_path: Path) -> None:
    """Kernels that are not kept yet are compiled by the command, which says so, and can be stopped."""
    env = os.environ | {"ANTEMILL_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["0", "0", "True"]
