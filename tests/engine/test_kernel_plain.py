"""`antemill.engine.kernel_plain`: what a cold machine prints, and when it compiles."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from antemill.engine.execute import later
from tests.engine.test_kernel import Project

KERNELS = """
import numpy as np
from typing import NamedTuple
from antemill.engine.kernel import kernel

class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray

@kernel
def helper(x, by=2):
    return x * by

@kernel
def small(pair, x, flag=True):
    pair.first[0] += helper(x)
    return helper(pair.first[0], 3), pair.second[1] > 0.5, flag

@kernel
def step(values, i):
    values[i & 7] += 1
    return values[i & 7]

@kernel
def long(values, count):
    total = 0
    for i in range(count):
        total += step(values, i)
    return total

@kernel
def divided(values, x, y):
    values[0] += 1
    return x // y

@kernel
def deep(values, n):
    values[0] += 1
    return 0 if n == 0 else deep(values, n - 1) + 1

@kernel
def wrong(values):
    values[0] += 1
    if values[0] > 0:
        raise ValueError("too many")
    return 0
"""
USE = """
import numpy as np
from antemill.engine import a, kernel_plain
from antemill.engine.wanted import on_wanted

def compiled(*kernels):
    return [bool(kernel.signatures) for kernel in kernels]

def pair():
    return a.Pair(np.arange(3), np.linspace(0, 1, 3))
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    (project.engine / "a.py").write_text(KERNELS)
    return project


def plain(project: Project, code: str) -> list[str]:
    """What a process prints that may run kernels as Python."""
    return project.run(USE + code, ANTEMILL_COMPILE="0").splitlines()


def test_a_small_call_is_python_s_and_returns_what_machine_code_does(project: Project) -> None:
    code = "p = pair(); r = a.small(p, 4)\nprint(r, [type(x).__name__ for x in r], p.first)\nprint(compiled(a.small))"
    *values, plainly = plain(project, code)
    assert plainly == "[False]"
    assert values == ["(24, False, True) ['int', 'bool', 'bool'] [8 1 2]"]
    assert project.run(USE + code, ANTEMILL_COMPILE="1").splitlines() == [*values, "[True]"]


def test_a_call_that_takes_too_long_is_undone_and_compiled(project: Project) -> None:
    code = "kernel_plain.LONGEST = 0.2\nv = np.zeros(8, dtype=np.int64)\n"
    code += "print(a.long(v, 10**7), v)\nprint(compiled(a.long))"
    assert plain(project, code) == project.run(USE + code, ANTEMILL_COMPILE="1").splitlines()


def test_large_arguments_are_compiled_for(project: Project) -> None:
    code = "v = np.zeros(1 << 24, dtype=np.int64)\nprint(a.long(v, 3), *compiled(a.long))"
    assert plain(project, code) == ["3 True"]


def test_where_python_raises_machine_code_decides(project: Project) -> None:
    """A division by zero is 0 in a kernel, and the first attempt leaves nothing behind."""
    code = "v = np.zeros(2, dtype=np.int64)\nprint(a.divided(v, 7, 0), v, *compiled(a.divided))"
    assert plain(project, code) == ["0 [1 0] True"]


def test_a_kernel_calls_itself_more_deeply_than_python(project: Project) -> None:
    code = "v = np.zeros(2, dtype=np.int64)\nprint(a.deep(v, 5_000), v, *compiled(a.deep))"
    assert plain(project, code) == ["5000 [5001    0] True"]


@pytest.mark.slow
def test_what_ran_as_python_is_compiled_for_the_next_process(tmp_path: Path) -> None:
    """By a process that outlives the command. Until it is done, further commands wait for nothing."""
    places = os.environ | {"ANTEMILL_CACHE": str(tmp_path), "ANTEMILL_COMPILE": "0"}
    code = "import antemill as am; print(am.streams(3))"

    def run() -> str:
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=places
        ).stdout

    first = run()
    (folder,) = tmp_path.glob("kernels-*/wanted")
    waiting = time.monotonic() + 300
    while any(folder.iterdir()) and time.monotonic() < waiting:
        time.sleep(0.1)
    assert not any(folder.iterdir())
    assert any(tmp_path.glob("kernels-*/antemill.*/*.nbi"))
    before = sorted(tmp_path.rglob("*.nbi"))
    assert run() == first
    assert sorted(tmp_path.rglob("*.nbi")) == before
    assert not any(folder.iterdir())


def test_a_file_that_names_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(later, "cache_dir", lambda: tmp_path)
    (tmp_path / "wanted").mkdir()
    for number, data in enumerate([b"", b"no pickle", pickle.dumps(("antemill.nothing", "f", ())), pickle.dumps(7)]):
        (tmp_path / "wanted" / str(number)).write_bytes(data)
    later.main()
    assert not any((tmp_path / "wanted").iterdir())
