"""The first command compiles the kernels with two processes, and every later one finds them all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WARM = """
import gc
from engine.execute import processes
from tournament.pool import warm

def compiled():
    kernels = [each for each in gc.get_objects() if type(each).__name__ == "_Dispatcher"]
    return {each.__name__ for each in kernels if each.stats.cache_misses}

if __name__ == "__main__":
    CALL
    print(*sorted(compiled() & {"advance", "walk", "_gathered", "_costs", "_by_seat"}), ";", len(compiled()))
"""


def run(cache: Path, call: str) -> tuple[set[str], int]:
    """Which of some kernels this process compiles, and how many of all."""
    script = cache / "warm.py"
    script.write_text(WARM.replace("CALL", call))
    places = {"ANTEMILL_CACHE": str(cache), "PYTHONPATH": os.getcwd()}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=os.environ | places)
    names, number = done.stdout.split(";")
    return set(names.split()), int(number)


@pytest.mark.slow
def test_two_processes_compile_and_no_later_one_does(tmp_path: Path) -> None:
    """The machine here; what the axes read off a log there, where it is ready long before this process comes to it."""
    first, _ = run(tmp_path, "processes.default_workers = lambda: 2; warm.warm_kernels()")
    assert first == {"advance", "walk"}
    assert run(tmp_path, "warm.run_kernels(); warm.run_axes(0)") == (set(), 0)
