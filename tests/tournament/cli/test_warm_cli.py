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
from tests.tournament.pool.test_warm import without

COMMANDS = (
    "game rulebook 9",
    "game show kuhn",
    "game show starter-3",
    "game playout starter-2",
    "game playout leduc --play-seed 3",
    "game export kuhn --format efg",
    "solve kuhn",
)
CALLED_FROM_PYTHON = (
    "antemill.solver.evaluation.streamed_walk",
    "antemill.solver.evaluation.aivat_tree",
    "antemill.engine.vector.play",
)
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
def test_what_is_missing_is_compiled_and_nothing_is_missing_then(tmp_path: Path) -> None:
    everything = warm(preferred_root())
    missing = without(tmp_path, *CALLED_FROM_PYTHON)
    assert missing
    found = warm(tmp_path)
    assert found["folder"].startswith(str(tmp_path))
    folders = [tmp_path / cache_dir().name / module_dir(module).name for module in CALLED_FROM_PYTHON]
    compiled = {path.name.partition("-")[0] for folder in folders for path in folder.glob("*.nbi")}
    assert {"walk", "induce", "_fill_estimates", "_fill_set_values", "deal_some", "step_all"} <= compiled <= missing
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
