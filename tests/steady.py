"""Runs pytest, and once more, alone, what failed of the tests that drive processes, servers or a browser.

    python -m tests.steady ARGUMENTS OF PYTEST

Such a test can fail because the machine was busy. What passes the second time is printed as unsteady, below the logs of
both runs, and does not fail the run; more than `MOST` of them do. All other failures count at once. A test drives
something if its module, or a module of the tests that it imports, imports one of `DRIVING`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.imports import ROOT, Source, imports

MOST = 3
DRIVING = (
    *("asyncio", "multiprocessing", "playwright", "pytest_httpserver", "signal", "socket", "subprocess", "threading"),
    *("antemill.engine.execute", "antemill.tournament.runs", "antemill.tournament.verify", "antemill.tournament.view"),
)
_REPORT = "ANTEMILL_FAILED_TESTS"  # the file in which a run notes what failed
_ONCE = {"-n", "--dist", "-m", "-k"}  # options with a value that say what the first run plays, and with what


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a failure. With xdist the process that prints gets all reports; a worker notes nothing."""
    if report.failed and _REPORT in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(os.environ[_REPORT], "a", encoding="utf-8") as file:
            file.write(report.nodeid + "\n")


@cache
def drives(file: str) -> bool:
    """Whether the tests of a file, named from the project's root, drive something. A missing file drives nothing."""
    seen: set[str] = set()
    waiting = [file.removesuffix(".py").replace("/", ".")]
    while waiting:
        name = waiting.pop()
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        for found in imports(Source(name, path.read_text(encoding="utf-8"))):
            if f"{found.target}.".startswith(tuple(f"{driving}." for driving in DRIVING)):
                return True
            if found.module.partition(".")[0] == "tests":
                waiting += [found.module, found.target]
    return False


def again(failed: Iterable[str]) -> list[str]:
    """The tests that are run once more: all that failed, or none if one of them drives nothing or they are many."""
    tests = list(dict.fromkeys(failed))
    steady = [test for test in tests if not drives(test.partition("::")[0])]
    return [] if steady or len(tests) > MOST else tests


def alone(arguments: Sequence[str], tests: Sequence[str]) -> list[str]:
    """The arguments of a second run: the options of the first, without its paths, markers and processes.

    What the tests print is shown even if they pass.
    """
    kept: list[str] = []
    skipping = False
    for one in arguments:
        if skipping:
            skipping = False
        elif one in _ONCE:
            skipping = True
        elif one.startswith("-") or (kept and kept[-1] == "-p"):
            kept.append(one)
    return [*kept, "-rA", "-n", "0", *tests]


def main(arguments: Sequence[str]) -> int:
    """Run pytest with these arguments; returns the exit code of the whole."""
    pytest_ = [sys.executable, "-m", "pytest", "-p", "tests.steady"]
    ours = {
        key: value for key, value in os.environ.items() if not key.startswith("PYTEST_XDIST_")
    }  # of a run around this
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "failed")
        code = subprocess.run([*pytest_, *arguments], env=ours | {_REPORT: str(report)}, check=False).returncode
        tests = again(report.read_text(encoding="utf-8").splitlines()) if code == 1 and report.exists() else []
    if not tests:
        return code
    print(f"\nOnce more, alone: {', '.join(tests)}", flush=True)
    code = subprocess.run([*pytest_, *alone(arguments, tests)], env=ours, check=False).returncode
    if code == 0:
        print("\n".join(f"unsteady: {test} failed beside other tests and passed alone" for test in tests), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
