"""What a second Python runs of the tests of the sandbox."""

import os
import subprocess
import sys
from pathlib import Path

from tests.engine.execute.sandbox.backends import HERE
from tests.engine.execute.sandbox.conftest import SMOKE
from tests.imports import ROOT

CASES = Path(__file__).with_name("test_solutions.py").relative_to(ROOT)


def collected(**environment: str) -> list[str]:
    """The ids of the tests of a file with many cases."""
    command = [sys.executable, "-m", "pytest", "-p", "no:benchmark", "--collect-only", "-q", str(CASES)]
    plain = {name: value for name, value in os.environ.items() if name != SMOKE}
    done = subprocess.run(command, env=plain | environment, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_a_second_python_runs_one_case_of_each_test_in_the_guest_and_all_others() -> None:
    everything, smoke = collected(), collected(**{SMOKE: "1"})
    guests = [name for name in smoke if "[wasm" in name]
    names = {name.partition("[")[0] for name in everything if "[wasm" in name}
    assert sorted(name.partition("[")[0] for name in guests) == sorted(names)
    assert 5 < len(guests) < len(everything) // (10 * len(HERE))
    assert {name for name in everything if "[wasm" not in name} <= set(smoke)
