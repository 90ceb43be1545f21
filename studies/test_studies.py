"""Every study still runs, on little work (`make test-all`)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benches.pages import ANTEMILL
from tests.imports import ROOT

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
# The arguments, with {folder} for a new folder and {page} for a copy of docs/performance.md; and what is printed.
QUICK = {
    "auto_choice": ("--generated 1 --dense 1 --outside 1", "| 1 of OpenSpiel's | 0 / 0 / 0 | "),
    "driver": ("20000", "| requests: put |"),
    "eval_coverage": ("--runs 1 --games kuhn", "| 100% | "),
    "eval_economy": ("--folder {folder}/runs --player random --matches 3", "| tournament for the ± of `eval` | "),
    "eval_policies": ("--runs 1", "| 100% | kuhn | 0.458 | "),
    "eval_stopping": ("--pairs 20 --runs 2 --games kuhn starter-1 --precisions 0.3", "| 10% | "),
    "exact_axes": ("--games 2", "| brittleness | all | 2 | "),
    "exact_costs": ("--games 2", "| neither of the first two | "),
    "growth": ("--quick --write {page}", ""),
    "jaggedness_estimates": ("--worlds 1", "inverted test, used"),
    "newcomer_duels": ("--worlds 1", "| 1 to 20 | all | "),
    "off_path": ("--games 2 --iterations 50", "| average, completed | "),
    "prompt_cache": ("--games 1 --matches 1", "| Gemini, "),
    "public_states": ("kuhn", "| kuhn | 58 | 12 | "),
    "recognised": ("--games kuhn --runs 1", "| kuhn | half knows it | "),
    "scale": ("--folder {folder}/scale --seeds 1500 --small 500", "| "),
    "simulate_schedule": ("--worlds 2", "| both differ: adaptive, "),
    "synthetic": ("{folder}/pool --seeds 5000", ""),
    "tree_memory": ("leduc --seconds 1", "| leduc | none | 1,939 |"),
}


def study(name: str, *arguments: str) -> str:
    """What a study prints."""
    line = [sys.executable, "-m", f"studies.{name}", *arguments]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_study_is_listed_and_run() -> None:
    folder = Path(__file__).parent
    commands = {path.stem for path in folder.glob("*.py") if "\ndef main(" in path.read_text(encoding="utf-8")}
    assert commands == {*QUICK, "solved_games"}
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"python -m studies.{name}" in text for name in commands)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=LINUX) if name in {"scale", "tree_memory"} else name for name in QUICK]
)
def test_a_study_runs_on_little_work(name: str, tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    shutil.copy(ROOT / "docs" / "performance.md", page)
    words, want = QUICK[name]
    assert want in study(name, *(word.format(folder=tmp_path, page=page) for word in words.split()))
    if name == "growth":
        assert (tmp_path / "growth.svg").read_text(encoding="utf-8").startswith("<?xml")
        assert page.read_text(encoding="utf-8").count("20 candidates take") == 1


def test_losses_are_drawn_from_the_cards_that_ship() -> None:
    assert "| 8 games | " in study("eval_coverage", "--drawn", "10")


def test_what_is_known_of_solved_games_is_read_from_a_benchmark(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for words in (
        ["run", "--seeds", "0:60", "--count", "3", "--out", str(out)],
        ["solve", str(out / "benchmark.parquet"), "-o", str(out / "policies"), "--seconds", "0.1", "--limit", "1000"],
    ):
        subprocess.run([ANTEMILL, *words], check=True, capture_output=True)
    printed = study("solved_games", str(out / "benchmark.parquet"))
    assert printed.startswith("Of the 3 games, ")
    assert len(printed.splitlines()) > 4  # some tree is above the limit
