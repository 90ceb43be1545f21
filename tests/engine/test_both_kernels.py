"""Machine code computes what a kernel's Python function does, on random games: see `both_kernels`."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.seeds import seeds


def fuzz(*words: str) -> subprocess.CompletedProcess[str]:
    """What a new process prints, in which no kernel has machine code yet."""
    places = os.environ | {"ANTEMILL_COMPILE": "0"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=places)


def compared(seed: int) -> tuple[int, int]:
    """How many calls of how many kernels were compared."""
    done = fuzz("-m", "tests.engine.both_kernels", str(seed), str(seed + 1))
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    calls, kernels = re.fullmatch(r"([\d,]+) calls of (\d+) kernels\n", done.stdout).groups()  # type: ignore[union-attr]
    return int(calls.replace(",", "")), int(kernels)


def test_a_random_game_runs_the_same_both_ways() -> None:
    calls, kernels = compared(0)
    assert calls > 50
    assert kernels > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1, 31))
def test_random_games_run_the_same_both_ways(seed: int) -> None:
    compared(seed)
