"""The first command compiles the kernels with two processes, and every later one finds them all."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from antemill.engine.kernel_cache import module_dir
from antemill.tournament.pool import warm
from tests import seeds

WARM = """
import gc
from antemill.engine.execute import workers
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


def without(cache: Path, *modules: str) -> set[str]:
    """Fill a new cache with the machine code that these tests have, but for the kernels of these modules.

    Returns the names of the kernels that are missing.
    """
    left_out = [module_dir(module) for module in modules]
    used = left_out[0].parent
    for folder in used.iterdir():
        if folder.is_dir() and folder not in left_out:
            shutil.copytree(folder, cache / used.name / folder.name, copy_function=os.link)
    for marker in cache.rglob("compiled"):
        marker.unlink()
    return {path.name.partition("-")[0] for folder in left_out for path in folder.glob("*.nbi")}


@pytest.mark.slow
def test_two_processes_compile_and_no_later_one_does(tmp_path: Path) -> None:
    """The gate here and an axis there, and in `make test-all` everything: this process compiles a part.

    How much that is depends on when the other process begins.
    """
    warm.warm_kernels()
    missing = without(tmp_path, "antemill.engine.machine.gate", "antemill.axes.best_response")
    if seeds.fresh():
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
    compiled, found = run(tmp_path, "workers.default_workers = lambda: 2; warm.warm_kernels()")
    assert "_judge" in compiled
    assert found - compiled if seeds.fresh() else compiled < missing
    assert missing <= {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")}
    compiled, loaded = run(tmp_path, "warm.run_rules(); warm.run_kernels(); warm.run_axes()")
    assert compiled == set()
    assert {"advance", "walk"} <= loaded
