"""No legal game writes beside the regions of the machine's state (`tests.engine.machine.guarded`)."""

from __future__ import annotations

import subprocess
import sys


def guarded(*arguments: str) -> str:
    command = [sys.executable, "-m", "tests.engine.machine.guarded", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def test_extreme_games_leave_every_guard_word_alone() -> None:
    assert guarded() == "14 games, 60 guard words\n"
