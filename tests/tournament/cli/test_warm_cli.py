"""`antemill warm` compiles everything: what is missing in a cache, and all that commands need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.cache_root import preferred_root
from antemill.engine.kernel_cache import cache_dir, module_dir
from tests.tournament.cli.called_kernels import called_kernels
from tests.tournament.pool.test_warm import without

COMMANDS = (
    "game rulebook 9",
    "game show kuhn",
    "game show starter-3",
    "game show leduc --play-seed 3",
    "game export kuhn",
    "solve kuhn",
)
CALLED_FROM_PYTHON = (
    "antemill.solver.evaluation.sampled_response",
    "antemill.solver.evaluation.aivat_tree",
    "antemill.engine.vector.play",
)
CALLED = """
import gc
from antemill.engine.kernel import _Dispatcher
from antemill.tournament.cli import warm
from antemill.tournament.pool import warm as pools
with warm._folder():
    for call in (pools.run_kernels, pools.run_rules, pools.run_axes):
        call()
    warm._compile(warm._works())
kernels = [one for one in gc.get_objects() if isinstance(one, _Dispatcher) and one._entries]
print(*[f"{one.py_func.__module__}.{one.__name__}" for one in kernels])
"""
COMPILED = """
import gc, sys
from antemill.tournament.cli.entry import run
for command in sys.argv[1:]:
    assert run(command.split()) == 0, command
kernels = [one for one in gc.get_objects() if type(one).__name__ == "_Dispatcher"]
print("compiled:", *[one.__name__ for one in kernels if one.stats.cache_misses])
print("there:", *[one.__name__ for one in kernels if one.signatures])
"""


def warm(cache: Path) -> dict[str, Any]:
    places = os.environ | {"ANTEMILL_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", "antemill", "warm", "--json"], capture_output=True, text=True, check=False, env=places
    )
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


@pytest.mark.slow
def test_python_calls_no_kernel_that_is_not_warmed() -> None:
    """By the sources: whatever code outside of kernels names is among what `warm` calls in one process."""
    named = called_kernels()
    assert {"antemill.engine.machine.lanes._deal_all", "antemill.solver.evaluation.sampled_response._induce"} <= named
    done = subprocess.run([sys.executable, "-c", CALLED], capture_output=True, text=True, check=True)
    assert named - set(done.stdout.split()) == set()


@pytest.mark.slow
def test_what_is_missing_is_compiled_and_nothing_is_missing_then(tmp_path: Path) -> None:
    everything = warm(preferred_root())
    missing = without(tmp_path, *CALLED_FROM_PYTHON)
    assert missing
    found = warm(tmp_path)
    assert found["folder"].startswith(str(tmp_path))
    folders = [tmp_path / cache_dir().name / module_dir(module).name for module in CALLED_FROM_PYTHON]
    compiled = {path.name.partition("-")[0] for folder in folders for path in folder.glob("*.nbi")}
    assert {"_play", "_induce", "_fill_estimates", "_fill_set_values", "deal_some", "step_all"} <= compiled <= missing
    assert found["compiled"] == len(compiled)
    assert found["kernels"] <= everything["kernels"]
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, *COMMANDS, "solve leduc --algorithm mccfr --iterations 10"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"ANTEMILL_CACHE": str(tmp_path)},
    )
    *_, compiled_by_commands, there = done.stdout.splitlines()
    assert compiled_by_commands == "compiled:"
    assert len(there.split()) > 20
