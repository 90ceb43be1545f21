"""Every command with small work prints the same with machine code and without: a cold cache changes no byte."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from antemill.engine.cache_root import preferred_root
from antemill.tournament.cli.app import app
from tests.tournament.cli.test_cli import commands
from tests.tournament.pool.pool_jobs import scored_pool

# Commands in the order in which they run: what one writes, others read.
SMALL = {
    "game rulebook": "game rulebook 9",
    "game show": "game show kuhn --json",
    "game check": "game check starter-1 --json",
    "game same": "game same kuhn leduc --json",
    "game disguise": "game disguise kuhn --json",
    "game playout": "game playout starter-2 --json",
    "game disassemble": "game disassemble starter-3",
    "game export": "game export kuhn --format efg",
    "game play": "game play kuhn --alice l1 --bob random --matches 4 --json",
    "solve": "solve kuhn -o kuhn.parquet",
    "game compare": "game compare kuhn --player l1 --against kuhn.parquet --aivat --json",
    "tournament run": "tournament run cup.toml --out cup --json",
    "tournament resume": "tournament resume cup --json",
    "tournament status": "tournament status cup --json",
    "tournament list": "tournament list cup --json",
    "tournament show": "tournament show cup kuhn:0:a:b",
    "tournament export": "tournament export cup",
    "tournament analyze": "tournament analyze cup --bootstrap 20 --json",
    "report": "report cup -o cup.html",
    "rate": "rate cup/slots.parquet --json",
    "pool select": "pool select pool --count 3 -o benchmark.parquet --json",
    "pool split": "pool split pool -o split.parquet --json",
    "pool stats": "pool stats pool --json",
}
NO_KERNELS = {
    *(f"{kind} {name}" for kind in ("duel", "skate") for name in ("run", "resume", "status", "list", "show", "export")),
    *("duel analyze", "skate analyze", "skate calibrate", "verify puzzle", "verify output"),
    *("models check", "init", "completion", "pool query", "doctor", "eval schema"),
}
COMPILE_BEFORE_THEY_BEGIN = {"pool build", "pool score", "pool verify", "run", "demo", "warm"}
MANY_SAMPLES = {"game exploitability"}  # a tree's size is estimated first, with the same effort for every game
SUITES = {  # of many games, which are solved first
    f"eval {name}" for name in ("run", "resume", "status", "list", "show", "export", "analyze", "compare")
}
SERVERS = {"view", "play"}
CUP = """
[tournament]
games = ["kuhn"]
matches_per_seat = 2
seed = 1
[players.a]
bot = "l1"
[players.b]
bot = "random"
[players.c]
policy = "kuhn.parquet"
"""
PROGRAM = """
import gc, json, sys
from contextlib import redirect_stdout
from io import StringIO
from antemill.engine import kernel_plain, wanted
from antemill.tournament.cli.entry import run
wanted._on_wanted.clear()
kernel_plain.LONGEST = 1e9
said = {}
for line in json.loads(sys.argv[1]):
    with redirect_stdout(StringIO()) as out:
        code = run(line.split())
    said[line] = [code, out.getvalue()]
compiled = [one.__name__ for one in gc.get_objects() if type(one).__name__ == "_Dispatcher" and one.signatures]
print(json.dumps([said, compiled]))
"""
TIMES = re.compile(r"""("(?:seconds|rate)": ?)[0-9.e-]+|[0-9.]+ s\b""")


def test_each_command_runs_both_ways_or_is_named_with_its_reason() -> None:
    for name, line in SMALL.items():
        assert line.startswith(f"{name} ")
    left_out = NO_KERNELS | COMPILE_BEFORE_THEY_BEGIN | MANY_SAMPLES | SUITES | SERVERS
    assert {*SMALL} | left_out == {*commands(app)}
    assert not {*SMALL} & left_out


def ran(folder: Path, cache: Path, at_once: str) -> tuple[dict[str, tuple[int, str]], set[str]]:
    """What all small commands print in a new folder, and the kernels that have machine code in their process."""
    shutil.copytree(scored_pool(), folder / "pool")
    (folder / "cup.toml").write_text(CUP)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([*SMALL.values()])],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"ANTEMILL_CACHE": str(cache), "ANTEMILL_COMPILE": at_once, "COLUMNS": "200"},
    )
    assert done.stderr == ""
    assert done.returncode == 0
    said, compiled = json.loads(done.stdout)
    return {line: (code, TIMES.sub(r"\1", text)) for line, (code, text) in said.items()}, set(compiled)


@pytest.mark.slow
def test_commands_print_the_same_with_and_without_machine_code(tmp_path: Path) -> None:
    folders = [tmp_path / name / "place" for name in ("compiled", "plain")]
    compiled, there = ran(folders[0], preferred_root(), "1")
    plain, none = ran(folders[1], tmp_path / "cache", "0")
    assert len(there) > 30
    assert none == set()
    for line, (code, text) in compiled.items():
        assert code == 0, line
        assert text, line
        assert plain[line] == (code, text), line
