"""What a Python that nothing guards prints, on two machines.

A plain Python imports the library, and forks for every program while it starts. So each fork is a process of Python's
own that runs `PROGRAM` from its beginning to its end, and is made in a few milliseconds.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MACHINES = (  # what differs between them, and the names of the script
    ({"PYTHONHASHSEED": "1", "TZ": "UTC0", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}, "program.py"),
    ({"PYTHONHASHSEED": "77", "TZ": "EST5EDT,M3.2.0,M11.1.0", "COLUMNS": "40", "LC_ALL": "POSIX"}, "another_name.py"),
)
_STARTING = """
def fork():
    import json, os, signal, sys
    with open("programs.json") as file:
        programs = json.load(file)
    import abc, ast, asyncio, bisect, calendar, contextlib, copy, csv, dataclasses, datetime, decimal, enum, fractions
    import functools, heapq, io, itertools, math, operator, pprint, random, re, statistics, string, textwrap, typing
    found = []
    for program in programs:
        with open(os.environ["SCRIPT"], "w", encoding="utf-8") as file:
            file.write(program)
        with open("printed", "wb+") as printed, open("said", "wb+") as said:
            pid = os.fork()
            if not pid:
                signal.alarm(20)
                os.dup2(printed.fileno(), 1)
                os.dup2(said.fileno(), 2)
                return
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            printed.seek(0)
            said.seek(0)
            fails = code < 0 or (code == 1 and b"Traceback (most recent call last)" in said.read())
            found.append((printed.read().decode(errors="replace"), fails))
    with open("found.json", "w") as file:
        json.dump(found, file)
    os._exit(0)
fork()
"""


class Printed(NamedTuple):
    """What a program printed, and whether an exception ended it."""

    stdout: str
    fails: bool


def printed(programs: Sequence[str], machine: int) -> list[Printed]:
    """What each program prints on a machine."""
    settings, script = MACHINES[machine]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "programs.json").write_text(json.dumps(programs))
        (place / "sitecustomize.py").write_text(_STARTING)
        (place / script).touch()
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        environment = {**kept, **settings, "PYTHONUTF8": "1", "PYTHONPATH": folder, "SCRIPT": script}
        nothing = subprocess.DEVNULL
        subprocess.run(
            [sys.executable, script], cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing
        )
        return [Printed(*each) for each in json.loads((place / "found.json").read_text())]
