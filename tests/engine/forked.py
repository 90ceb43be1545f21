"""Processes of Python that begin with numba loaded and its compiler warm: forks of one process that is never used.

A new process takes half a second to import numba and as long to compile its first function.
"""

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

PATIENCE = 300.0  # seconds, on a busy machine

# Reads requests, one a line; a child leaves the loop and runs the code as the main module, like `python -c`.
TEMPLATE = """
import json, os, sys
from numba import njit
njit(lambda x: x + 1)(1)
for line in sys.stdin:
    request = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    os._exit(0)
for number, path in enumerate((os.devnull, request["out"], request["err"])):
    os.dup2(os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY), number)
os.chdir(request["folder"])
os.environ.clear()
os.environ.update(request["environment"])
sys.path[:0] = request["environment"].get("PYTHONPATH", "").split(os.pathsep)
sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in os.environ
exec(compile(request["code"], "<string>", "exec"), {"__name__": "__main__"})
"""


class Ended(NamedTuple):
    """The end of a process."""

    code: int
    out: str
    err: str


def run_forked(code: str, folder: Path, environment: Mapping[str, str]) -> Ended:
    """Run code in a working folder. The environment must not change how numba or Python itself are set up."""
    template = _template()
    assert template.stdin is not None
    assert template.stdout is not None
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
        request = {"code": code, "folder": str(folder), "environment": {**environment}}
        request |= {"out": out.name, "err": err.name}
        print(json.dumps(request), file=template.stdin, flush=True)
        assert select.select([template.stdout], [], [], PATIENCE)[0], f"it does not end: {code}"
        return Ended(int(template.stdout.readline()), out.read(), err.read())


@cache
def _template() -> subprocess.Popen[str]:
    """It ends with the tests, since its standard input is closed then."""
    ours = ("NUMBA_", "ANTEMILL_", "PYTHONPATH")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return subprocess.Popen(
        [sys.executable, "-c", TEMPLATE], env=kept, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
