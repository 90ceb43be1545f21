"""The first command compiles the kernels with two processes, and every later one finds them all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WARM = """
import gc
from antemill.engine.execute import processes
from antemill.tournament.pool import warm

def kernels(what):
    found = [each for each in gc.get_objects() if type(each).__name__ == "_Dispatcher"]
    return {each.__name__ for each in found if getattr(each.stats, what)}

if __name__ == "__main__":
    CALL
    print(*kernels("cache_misses"), ";", *kernels("cache_hits"))
"""


def run(cache: Path, call: str) -> tuple[set[str], set[str]]:
    """Which kernels this process compiles, and which it loads."""
    script = cache / "warm.py"
    script.write_text(WARM.replace("CALL", call))
    places = {"ANTEMILL_CACHE": str(cache), "PYTHONPATH": os.getcwd()}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=os.environ | places)
    compiled, loaded = done.stdout.split(";")
    return set(compiled.split()), set(loaded.split())


@pytest.mark.slow
def test_two_processes_compile_and_no_later_one_does(tmp_path: Path) -> None:
    """The machine here, and something there, for in a cache that was empty this process finds what it did not compile.

    How much that is depends on when the other process begins.
    """
    compiled, loaded = run(tmp_path, "processes.default_workers = lambda: 2; warm.warm_kernels()")
    assert {"advance", "walk"} <= compiled
    assert loaded - compiled
    compiled, loaded = run(tmp_path, "warm.run_rules(); warm.run_kernels(); warm.run_axes()")
    assert compiled == set()
    assert {"advance", "walk"} <= loaded
