"""Reading stays inside of its arrays and comes to an end, whatever is read (`tests.engine.rules.table.bounded`)."""

import subprocess
import sys


def test_spoilt_games_are_read_to_the_end() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.engine.rules.table.bounded"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout) == (0, "True\n"), run.stderr
