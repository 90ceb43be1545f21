"""`tests.steady`: what is run a second time, and what fails a run at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT
from tests.steady import MOST, again, alone, drives

DRIVING = "tests/browser/test_view.py"
PLAIN = "tests/axes/test_logs.py"
FLAKY = """
import subprocess
from pathlib import Path

import pytest

@pytest.mark.parametrize("number", range({number}))
def test_passes_the_second_time(number):
    mark = Path(f"{mark}{{number}}")
    seen = mark.exists()
    mark.touch()
    print("the second run" if seen else "the first run")
    assert seen

def test_passes():
    pass
"""


def test_a_test_drives_something_if_its_module_or_one_that_it_imports_does() -> None:
    assert drives(DRIVING)
    assert drives("tests/tournament/test_verify.py")
    assert drives("tests/engine/test_kernel_links.py")  # by test_kernel.py, whose helper starts processes
    assert not drives(PLAIN)
    assert not drives("tests/axes/no_such_file.py")


def test_a_failure_that_drives_nothing_fails_the_run_at_once() -> None:
    assert again([f"{DRIVING}::test_a", f"{DRIVING}::test_a", f"{DRIVING}::test_b"]) == [
        f"{DRIVING}::test_a",
        f"{DRIVING}::test_b",
    ]
    assert again([f"{DRIVING}::test_a", f"{PLAIN}::test_b"]) == []
    assert again([f"{DRIVING}::test_{number}" for number in range(MOST)]) != []
    assert again([f"{DRIVING}::test_{number}" for number in range(MOST + 1)]) == []


def test_a_second_run_has_the_options_of_the_first_and_one_process() -> None:
    first = ["-p", "no:benchmark", "-n", "3", "--dist", "worksteal", "-m", "not slow", "-q", "tests/axes"]
    assert alone(first, ["a::b"]) == ["-p", "no:benchmark", "-q", "-rA", "-n", "0", "a::b"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(MOST, 0), (MOST + 1, 1)])
def test_what_passes_alone_is_unsteady_if_it_is_little(number: int, code: int, tmp_path: Path) -> None:
    """The file stands below the project, as the rule reads it there, under a name that no run collects."""
    file = ROOT / "tests" / f"flaky_{tmp_path.name}.py"
    file.write_text(FLAKY.format(number=number, mark=tmp_path / "mark"))
    try:
        command = [sys.executable, "-m", "tests.steady", "-p", "no:benchmark", "-p", "no:cacheprovider", "-q"]
        done = subprocess.run(
            [*command, "-n", "2", str(file.relative_to(ROOT))], cwd=ROOT, capture_output=True, text=True, check=False
        )
    finally:
        file.unlink()
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.count("unsteady: ") == (number if code == 0 else 0)
    assert "\nthe first run\n" in done.stdout
    assert ("\nthe second run\n" in done.stdout) == (code == 0)  # the logs of both
