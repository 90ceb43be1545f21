"""No bench rots: every `python -m benches.NAME` runs to its end on little work, here or in a test of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benches.performance import SOLVERS
from tests.imports import ROOT

ELSEWHERE = {  # commands with a test of their own
    "differences": "tests/test_differences.py",
    "pages": "tests/test_benches.py",
    "performance": "tests/test_performance.py",
    "training": "tests/test_training_page.py",
}
# The command with {folder} for a new folder, and what it prints.
QUICK = {
    "compare": ("--quick -k straight_line", "/now)"),
    "coverage": ("--store {folder}/store --worlds 2 --only", "| 3 players | 1"),
    "play_selection": ("", ""),
    "population": ("0:600", "600 seeds, "),
    "solver_algorithms": ("--seeds 0:40", "| `hs-pdcfr+` | "),
}


def command(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a bench. Its error output must not hold a traceback."""
    line = [sys.executable, "-m", f"benches.{name}", *arguments]
    # pytest-benchmark measures nothing in a process that seems to be a worker of these tests.
    environment = {key: value for key, value in os.environ.items() if key != "PYTEST_XDIST_WORKER"}
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_every_bench_that_is_a_command_is_run_by_a_test() -> None:
    folder = ROOT / "benches"
    commands = {path.stem for path in folder.glob("*.py") if "__main__" in path.read_text(encoding="utf-8")}
    commands |= {path.parent.name for path in folder.glob("*/__main__.py")}
    assert commands == {*QUICK, *ELSEWHERE}
    for name, test in ELSEWHERE.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert f"benches.{name}" in text or f'command("{name}"' in text


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_bench_runs_on_little_work(name: str, tmp_path: Path) -> None:
    words, want = QUICK[name]
    arguments = [word.format(folder=tmp_path) for word in words.split()]
    done = command(name, *arguments, *(["3 players"] if name == "coverage" else []))
    assert done.returncode in ({0, 1} if name == "population" else {0}), done.stderr  # 1: few seeds miss the targets
    assert want in done.stdout


@pytest.mark.slow
def test_the_summary_of_a_run_is_written(tmp_path: Path) -> None:
    page = tmp_path / "population.md"
    shutil.copy(ROOT / "docs" / "population.md", page)
    done = command("pages", "--quick", "--write", str(page))
    assert done.returncode == 0, done.stderr
    assert (
        "3 games"
        in page.read_text(encoding="utf-8").partition("<!-- run: begin -->")[2].partition("<!-- run: end -->")[0]
    )


def test_the_solvers_stand_on_their_own_page(tmp_path: Path) -> None:
    """The documents of two environments: a system that both have is taken from the first."""

    def document(python: str, *systems: tuple[str, float]) -> Path:
        results = [
            {"task": task, "system": system, "version": "1", "unit": "s", "value": value, "low": value, "high": value}
            | {"repeats": 5}
            for task in (SOLVERS, "compare-kuhn")
            for system, value in systems
        ]
        path = tmp_path / f"{python}.json"
        machine = {"processor": "a processor", "system": "a system"}
        found = {"comparison": {"results": results}, "machine": machine, "versions": {"python": python}}
        path.write_text(json.dumps(found), encoding="utf-8")
        return path

    for page in ("performance.md", "solver.md"):
        shutil.copy(ROOT / "docs" / page, tmp_path / page)
    files = [
        document("3.11", ("Antemill, DCFR", 2.0), ("a", 8.0)),
        document("3.12", ("Antemill, DCFR", 4.0), ("b", 8.0)),
    ]
    words = ["--write", str(tmp_path / "performance.md"), "--only-comparison", "--comparison", *map(str, files)]
    done = command("performance", *words)
    assert done.returncode == 0, done.stderr
    tables = {  # its first task, and how many times better ours is than the others
        "performance.md": ("**Random play of Kuhn poker**", "0.25", "0.50"),  # more decisions a second are better
        "solver.md": ("**Leduc to an exploitability of 1e-4**", "4.00", "2.00"),  # fewer seconds are better
    }
    for page, (title, beside_a, beside_b) in tables.items():
        text = (tmp_path / page).read_text(encoding="utf-8")
        table = text.partition("<!-- comparison: begin -->\n")[2].partition("<!-- comparison: end -->")[0]
        assert table.startswith(title)
        assert table.count("**") == 2
        assert [line.split(" | ")[0] + line.split(" | ")[-1] for line in table.splitlines()[4:7]] == [
            "| Antemill, DCFR1.00 |",
            f"| a{beside_a} |",
            f"| b{beside_b} |",
        ]
