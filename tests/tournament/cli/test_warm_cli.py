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
REACHED_BY_ONE_COMMAND = (
    "antemill.solver.evaluation.streamed_walk",
    "antemill.solver.evaluation.aivat_tree",
    "antemill.engine.vector.state_observation",
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
    missing = without(tmp_path, *REACHED_BY_ONE_COMMAND)
    assert missing
    found = warm(tmp_path)
    assert found["folder"].startswith(str(tmp_path))
    assert found["compiled"] == len(missing)
    assert found["kernels"] <= everything["kernels"]
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, *COMMANDS, "solve leduc --algorithm mccfr --iterations 10"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"ANTEMILL_CACHE": str(tmp_path)},
    )
    *_, compiled, there = done.stdout.splitlines()
    assert compiled == "compiled:"
    assert len(there.split()) > 20
