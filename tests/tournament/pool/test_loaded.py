"""Workers begin with the kernels loaded, and share what the server has that they are forked from."""

import ast
import gc
import importlib.util
import subprocess
import sys
from typing import Any, cast

import pyarrow as pa
import pytest

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


def scipy_loaded(_seed: int) -> bool:
    """In a worker: whether it has what only scoring needs."""
    return "scipy.stats" in sys.modules


BUILDING = """
from engine.execute import Job
from tests.tournament.pool.test_loaded import ready, scipy_loaded
from tournament.pool.jobs import TO_BUILD, perform, team
with team(2, "local", TO_BUILD) as crew:
    print([value for _, value in perform([Job(0, 0, scipy_loaded), Job(1, 0, ready)], crew)])
"""


def test_workers_that_only_build_load_nothing_to_score() -> None:
    """In a process of its own, since there is one server of workers for each."""
    done = subprocess.run([sys.executable, "-c", BUILDING], capture_output=True, text=True, check=True)
    scipy, (frozen, loaded) = ast.literal_eval(done.stdout)
    assert not scipy
    assert frozen > 10_000
    assert loaded > 0


ARRAYS = """
import sys
from engine.storage.lean import without_pandas
without_pandas()
import pyarrow as pa
table = pa.table({"seed": [1, 2]})
print(pa.default_memory_pool().backend_name, "pandas" in sys.modules, len(table.to_pandas()))
"""


def lean(_seed: int) -> tuple[str, bool]:
    """In a worker: Arrow's allocator, and whether pandas was loaded when it made an array."""
    pa.array(["a", None])
    return pa.default_memory_pool().backend_name, "pandas" in sys.modules


def test_arrow_takes_no_more_memory_than_it_needs_in_a_worker() -> None:
    with team(2, "local") as crew:
        ((_, found),) = perform([Job("lean", 0, lean)], crew)
    assert found == ("system", False)


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="there is no pandas to be found")
def test_whoever_wants_a_table_of_pandas_still_gets_one() -> None:
    done = subprocess.run([sys.executable, "-c", ARRAYS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["system", "False", "2"]
