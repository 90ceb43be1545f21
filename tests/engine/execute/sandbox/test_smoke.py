"""What a second Python runs of the tests of the sandbox."""

import os
import subprocess
import sys
from pathlib import Path

from tests.engine.execute.sandbox.backends import HERE, NATIVE
from tests.engine.execute.sandbox.conftest import SMOKE, spared
from tests.imports import ROOT

CASES = str(Path(__file__).with_name("test_solutions.py").relative_to(ROOT))


def collected(**environment: str) -> list[str]:
    """The ids of the quick tests of a file with many cases."""
    command = [sys.executable, "-m", "pytest", "-p", "no:benchmark", "--collect-only", "-q", "-m", "not slow", CASES]
    plain = {name: value for name, value in os.environ.items() if name != SMOKE}
    done = subprocess.run(command, env=plain | environment, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_a_second_python_runs_one_case_of_each_file_in_the_guest() -> None:
    cases = [(f"{file}::{test}[{guest}]", guest == "wasm") for file in "ab" for test in "xy" for guest in HERE]
    left = {"a::x[wasm]", "b::x[wasm]"}
    assert spared(cases) == {name for name, guest in cases if guest} - left


def test_a_second_python_runs_all_cases_outside_of_the_guest() -> None:
    smoke = collected(**{SMOKE: "1"})
    assert len([name for name in smoke if "[wasm" in name]) == 1
    assert not NATIVE or len([name for name in smoke if "[native" in name]) > 100
