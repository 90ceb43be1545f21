"""`antemill.engine.kernel` and its cache: no stale machine code, none compiled twice, and no other module compiles."""

import ast
import importlib
import importlib.util
import operator
import os
import py_compile
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import tomllib
from enum import IntEnum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numba
import numpy as np
import pytest
from numba.core.compiler import Flags
from numba.core.types import BaseFunction

from antemill.engine import cache_root, digests, kernel_cache, kernel_forms, kernel_links, kernel_plain, wanted
from antemill.engine import kernel as kernel_module
from antemill.engine.digests import Sources, modules_below, within
from antemill.engine.kernel import kernel
from antemill.engine.kernel_cache import SOURCE_PACKAGES, cache_dir, prune
from antemill.engine.kernel_plain import compiled_at_once
from tests.engine.forked import run_forked
from tests.imports import PACKAGES, ROOT, Source, imports, project_sources

COMPILERS = {"jit", "njit", "vectorize", "guvectorize", "generated_jit", "cfunc", "jitclass", "stencil", "jit_module"}
COMPILERS |= {"CPUDispatcher"}  # which `antemill.engine.kernel` extends

HELPER = "from {module} import {name}\n\n@{decorator}\ndef helper(x):\n    return x + {number}\n"
CALLER = (
    "from {module} import {name}\nfrom antemill.engine.b import helper\n\n"
    "@{decorator}\ndef f(x):\n    return helper(x)\n"
)
OURS = {"module": "antemill.engine.kernel", "name": "kernel", "decorator": "kernel"}
PLAIN = {"module": "numba", "name": "njit", "decorator": "njit(cache=True)"}
CALL = "from antemill.engine.a import f; print(f(1), sum(f.stats.cache_hits.values()))"
SLOW_SAVE = """
import time
from numba.core.caching import IndexDataCacheFile
save = IndexDataCacheFile._save_index
IndexDataCacheFile._save_index = lambda *args: (time.sleep(1), save(*args))
"""
STOPPED_WHILE_COMPILING = """
import os, signal
from antemill.engine.a import f
compile = f._compiler.compile
def stop(*args):
    print("compiling", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    return compile(*args)
f._compiler.compile = stop
"""
WAITS_WHILE_COMPILING = """
import pathlib, time
from antemill.engine.a import f
compile = f._compiler.compile
def wait(*args):
    print("compiling", flush=True)
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    return compile(*args)
f._compiler.compile = wait
"""
SAME_NAME = """
from antemill.engine.kernel import kernel
@kernel
def f(x):
    return x + 1
first = f
@kernel
def f(x):
    return 10 * first(x)
"""
NO_LOCKS = """
import errno, fcntl
flock = fcntl.flock
def refuse(file, how):
    if how & getattr(fcntl, REFUSED) and "kernels-" in file.name and file.name.endswith(".lock"):
        raise OSError(errno.ENOLCK, "No locks available")
    flock(file, how)
fcntl.flock = refuse
"""
ARRAYS = """
import numpy as np
from antemill.engine.kernel import kernel
@kernel(allocates=True)
def inner(x):
    return np.full(x, x)
@kernel(allocates=True)
def outer(x):
    return inner(x).sum()
"""
READ_ONLY = """
import os, pathlib
mkdir, open_file = pathlib.Path.mkdir, pathlib.Path.open
def refuse(self, *args, **options):
    raise PermissionError(13, "Read-only file system", str(self))
def read(self, mode="r", *args, **options):
    return open_file(self, mode, *args, **options) if "r" in mode else refuse(self)
pathlib.Path.mkdir, pathlib.Path.open, os.utime = refuse, read, refuse
"""
CALL_BEYOND_THE_END = """
import numpy as np
from antemill.engine.a import f
try:
    f(np.zeros(4)[:3])  # the element after the end exists, so that reading it is harmless
    print("unchecked")
except IndexError:
    print("checked")
"""


def bytecode(path: Path) -> bytes:
    """Of a module, for as long as its content is the same, however soon after it is edited."""
    return _bytecode(path.name, path.read_bytes())


@cache
def _bytecode(name: str, source: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path, checked = Path(folder, name), py_compile.PycInvalidationMode.CHECKED_HASH
        path.write_bytes(source)
        return Path(py_compile.compile(str(path), doraise=True, invalidation_mode=checked) or "").read_bytes()


class Project:
    """A miniature of this project: `engine/a.py` has a kernel `f` that calls `helper`, a kernel of `engine/b.py`."""

    def __init__(self, root: Path, decorator: dict[str, str]) -> None:
        self.root = root
        self.decorator = decorator
        self.engine = root / "antemill" / "engine"
        self.engine.mkdir(parents=True)
        (root / "antemill" / "__init__.py").touch()
        beside = (kernel_cache, kernel_forms, kernel_links, kernel_plain, wanted, cache_root, digests)
        for module in (kernel_module, *beside):
            copied = Path(shutil.copy(str(module.__file__), self.engine))
            made = Path(importlib.util.cache_from_source(str(copied)))
            made.parent.mkdir(exist_ok=True)
            made.write_bytes(bytecode(copied))
        (self.engine / "__init__.py").touch()
        (self.engine / "a.py").write_text(CALLER.format(**decorator))
        self.set_number(1)

    def set_number(self, number: int) -> None:
        (self.engine / "b.py").write_text(HELPER.format(number=number, **self.decorator))

    def start(self, code: str = CALL, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=self.root,
            env=self.environment(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str = CALL, **environment: str) -> str:
        if any(name.startswith("NUMBA_") for name in environment):
            process = self.start(code, **environment)
            output, errors = process.communicate(timeout=120)
            status = process.returncode
        else:
            status, output, errors = run_forked(code, self.root, self.environment(environment))
        assert status == 0, errors
        assert errors.removeprefix(f"{cache_root.COMPILING}\n") == ""
        return output.strip()

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "ANTEMILL_"))}
        places = {
            "PYTHONPATH": str(self.root),
            "ANTEMILL_CACHE": str(self.root / "cache"),
            "ANTEMILL_COMPILE": "1",
            # Bytecode is told apart by a file's size and second only: too little for tests that edit at once.
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return kept | places | more

    def folders(self) -> list[Path]:
        """For versions and settings; those of modules lie inside."""
        return sorted((self.root / "cache").glob("kernels-*"))

    def of_module(self, module: str) -> list[Path]:
        return sorted((self.root / "cache").glob(f"kernels-*/{module}-*"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, OURS)


@pytest.mark.slow
def test_an_edited_helper_in_another_file_takes_effect_and_unchanged_code_is_loaded(project: Project) -> None:
    assert project.run() == "2 0"
    assert project.run() == "2 1"
    project.set_number(10)
    assert project.run() == "11 0"
    assert project.run() == "11 1"
    assert (len(project.folders()), len(project.of_module("antemill.engine.a"))) == (1, 2)


@pytest.mark.slow
def test_numba_alone_runs_the_old_helper(tmp_path: Path) -> None:
    """Why `@kernel` exists (numba #1833). The day this fails, the digest may go."""
    project = Project(tmp_path, PLAIN)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    assert project.run(**cache) == "2 0"
    project.set_number(10)
    assert project.run(**cache) == "2 1"


def test_a_folder_in_use_is_kept_however_old_its_files_are(project: Project) -> None:
    project.run()
    folders = [*project.of_module("antemill.engine.a"), *project.folders()]
    for folder in folders:
        os.utime(folder, (0, 0))
    assert project.run() == "2 1"
    assert [time.time() - folder.stat().st_mtime < 600 for folder in folders] == [True, True]


def test_index_checks_are_switched_by_the_environment_and_cached_apart(project: Project) -> None:
    (project.engine / "b.py").write_text(
        "from antemill.engine.kernel import kernel\n\n@kernel\ndef helper(x):\n    return x[len(x)]\n"
    )
    assert project.run(CALL_BEYOND_THE_END) == "unchecked"
    assert project.run(CALL_BEYOND_THE_END, ANTEMILL_BOUNDSCHECK="1") == "checked"
    assert project.run(CALL_BEYOND_THE_END) == "unchecked"
    assert len(project.folders()) == 2


@pytest.mark.slow
def test_processes_that_compile_different_signatures_at_once_leave_a_sound_cache(project: Project) -> None:
    running = {value: project.start(SLOW_SAVE + CALL.replace("1", value, 1)) for value in ("1", "1.0")}
    first = {value: process.communicate(timeout=120)[0].strip() for value, process in running.items()}
    assert first == {"1": "2 0", "1.0": "2.0 0"}
    again = {value: project.run(CALL.replace("1", value, 1)) for value in running}
    assert again == {"1": "2 1", "1.0": "2.0 1"}


@pytest.mark.slow
def test_processes_that_need_the_same_kernels_at_once_compile_each_once(project: Project) -> None:
    """Both want `f` and its helper; the one that comes second waits. Saving takes seconds, so that it always comes."""
    both = (
        "from antemill.engine.b import helper; "
        + CALL
        + "; print(*[sum(k.stats.cache_misses.values()) for k in (f, helper)])"
    )
    running = [project.start(SLOW_SAVE.replace("sleep(1)", "sleep(3)") + both) for _ in range(2)]
    outputs = sorted(process.communicate(timeout=120)[0].split() for process in running)
    assert outputs == [["2", "0", "1", "1"], ["2", "1", "0", "0"]]


@pytest.mark.slow
def test_a_kernel_that_can_not_be_compiled_keeps_nobody_waiting(project: Project) -> None:
    (project.engine / "b.py").write_text(HELPER.format(number="''", **OURS))
    fails = (
        "from antemill.engine.a import f\ntry:\n    f(1)\nexcept Exception as error:\n    print(type(error).__name__)\n"
    )
    waits = "import subprocess, sys\n" + fails + f"print(subprocess.check_output([sys.executable, '-c', {fails!r}]))"
    assert project.run(waits) == "TypingError\nb'TypingError\\n'"


@pytest.mark.slow
@pytest.mark.parametrize("seen", [True, False] if Path("/proc/self/stat").exists() else [False])
def test_a_stopped_compiler_holds_others_up_for_a_bounded_time(project: Project, seen: bool) -> None:
    """It is stopped while it compiles `f`; the other one sees that, or waits for two seconds and not for minutes."""
    (project.engine / "slow.py").write_text(STOPPED_WHILE_COMPILING)
    stopped = project.start("import antemill.engine.slow\n" + CALL)
    unseen = (
        "from antemill.engine import cache_root as root; root._is_stopped = lambda _: False; root.LONGEST_WAIT = 2.0\n"
    )
    try:
        assert stopped.stdout is not None
        assert stopped.stdout.readline() == "compiling\n"
        began = time.monotonic()
        assert project.run(("" if seen else unseen) + CALL) == "2 0"
        assert seen or time.monotonic() - began >= 2
    finally:
        stopped.send_signal(signal.SIGCONT)
        output, _ = stopped.communicate(timeout=120)
    assert output == "2 0\n"
    assert project.run() == "2 1"


@pytest.mark.slow
def test_a_compiler_of_low_priority_is_not_waited_for(project: Project) -> None:
    """It compiles nothing before the other one is done."""
    (project.engine / "slow.py").write_text(WAITS_WHILE_COMPILING)
    polite = project.start("import os; os.nice(1)\nimport antemill.engine.slow\n" + CALL)
    try:
        assert polite.stdout is not None
        assert polite.stdout.readline() == "compiling\n"
        hurried = "from antemill.engine import cache_root; cache_root.PATIENCE = 0.1\n"
        assert project.run(hurried + CALL) == "2 0"
    finally:
        (project.root / "go").touch()
        output, _ = polite.communicate(timeout=120)
    assert output == "2 0\n"
    assert project.run() == "2 1"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("module", ["a", "b"])
def test_a_damaged_file_is_made_anew(project: Project, kind: str, module: str) -> None:
    """Cut off, empty, or of zeros where it was never written; `f` holds a copy of its small helper."""
    project.run("from antemill.engine.b import helper; helper(1)\n" + CALL)
    (folder,) = project.of_module(f"antemill.engine.{module}")
    whole = {path: path.read_bytes() for path in folder.glob(f"*.{kind}")}
    call = CALL if module == "a" else CALL.replace("a import f", "b import helper as f")
    for damage in (lambda data: data[: len(data) // 2], lambda _: b"", lambda data: bytes(len(data))):
        for path, data in whole.items():
            path.write_bytes(damage(data))
        assert project.run(call) == "2 0"
    assert project.run(call) == "2 1"
    assert len([*folder.glob("*.nb[ci]")]) == 3  # the index, the code for other kernels, what Python calls


def test_a_kernel_may_call_another_of_its_name(project: Project) -> None:
    (project.engine / "a.py").write_text(SAME_NAME)
    assert project.run() == "20 0"
    assert project.run() == "20 1"


@pytest.mark.parametrize("refused", ["LOCK_EX", "LOCK_UN"])
def test_where_files_can_not_be_locked_kernels_are_compiled(project: Project, refused: str) -> None:
    """As on some network file systems. The cache's own folder can be locked, a kernel's file cannot."""
    assert project.run(f"REFUSED = {refused!r}\n" + NO_LOCKS + CALL) == "2 0"


def test_loaded_kernels_make_the_values_that_compiled_ones_do(project: Project) -> None:
    """The type of an array's elements belongs to what Python calls, also where the code for kernels is loaded first."""
    (project.engine / "a.py").write_text(ARRAYS)
    code = "from antemill.engine.a import inner, outer; "
    assert project.run(code + "print(inner(2))") == "[2 2]"
    assert project.run(code + "print(outer(3), inner(2))") == "9 [2 2]"


def test_a_cache_that_can_only_be_read_is_used(project: Project) -> None:
    """As in an image that runs under another user, or on a read-only disk."""
    assert project.run() == "2 0"
    before = sorted(project.root.joinpath("cache").rglob("*"))
    assert project.run(READ_ONLY + CALL) == "2 1"
    assert sorted(project.root.joinpath("cache").rglob("*")) == before


# ------------------------------------------------------------------------------------------------ which are compiled

FILES = {
    "antemill/engine/values.py": "NUMBER = 1",
    "antemill/engine/inlined.py": "{K}@kernel(inline='always')\ndef inlined(x):\n    return x + 1\n",
    "antemill/engine/called.py": "{K}@kernel\ndef called(x):\n    return x + 1\n",
    "antemill/engine/f.py": "{K}from antemill.engine.called import called\n"
    "from antemill.engine.inlined import inlined\nfrom antemill.engine.values import NUMBER\n"
    "@kernel\ndef f(x):\n    'Three at once.'\n    return 100 * called(x) + 10 * inlined(x) + NUMBER\n",
    "antemill/engine/given.py": "{K}@kernel\ndef given(g, x):\n    return g(x)\n",
    "antemill/engine/made.py": "{K}def make(g):\n    @kernel\n    def made(x):\n        return g(x)\n    return made\n",
    "antemill/engine/twice.py": "{K}import os\nif 'SECOND' in os.environ:\n"
    "    @kernel\n    def f(x):\n        return 2\nelse:\n    @kernel\n    def f(x):\n        return 1\n",
    "antemill/axes/alone.py": "{K}@kernel\ndef alone(x):\n    return x\n",
    "antemill/solver/rule.py": "{K}@kernel\ndef rule(x):\n    return x + 1\n",
    "antemill/solver/step.py": "{K}from antemill.engine.f import f\nfrom antemill.solver.rule import rule\n"
    "@kernel\ndef step(x):\n    return 1000 * rule(x) + f(x)\n",
}
CALL_ALL = """
from antemill.axes.alone import alone
from antemill.engine.f import f
from antemill.engine.given import given
from antemill.engine.made import make
from antemill.solver.rule import rule
from antemill.solver.step import step
kernels = {"alone": alone, "f": f, "step": step, "made": make(rule)}
for name, function in kernels.items():
    print(name, function(1), "kept" if sum(function.stats.cache_hits.values()) else "compiled")
print("given", given(rule, 1), "kept" if sum(given.stats.cache_hits.values()) else "compiled")
"""
AS_WRITTEN = {"alone": "1", "f": "221", "step": "2221", "made": "2", "given": "2"}
NEVER_KEPT = {"made", "given"}


@pytest.fixture
def packages(project: Project) -> Project:
    """Three packages whose kernels call, inline, take and close over those of others."""
    for name, text in FILES.items():
        (project.root / name).parent.mkdir(exist_ok=True)
        (project.root / name).with_name("__init__.py").touch()
        (project.root / name).write_text(text.replace("{K}", "from antemill.engine.kernel import kernel\n"))
    return project


def edit(project: Project, name: str, old: str, new: str) -> None:
    path = project.root / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def called(project: Project, **environment: str) -> tuple[dict[str, str], set[str]]:
    """The results by kernel, and which were compiled again."""
    lines = [line.split() for line in project.run(CALL_ALL, **environment).splitlines()]
    assert len(lines) == len(AS_WRITTEN)
    return {name: result for name, result, _ in lines}, {name for name, _, how in lines if how == "compiled"}


@pytest.mark.slow
def test_an_edit_compiles_what_it_reaches_and_nothing_else(packages: Project) -> None:
    results = dict(AS_WRITTEN)
    assert called(packages) == (results, set(results))
    assert called(packages) == (results, NEVER_KEPT)
    for path in [packages.root / name for name in FILES]:  # words: everywhere
        path.write_text('"""A docstring."""\n# A comment.\n\n' + path.read_text())
    edit(packages, "antemill/engine/f.py", "'Three at once.'", "'Other words.'\n\n")
    edit(packages, "antemill/solver/rule.py", "def rule(x):\n", "def rule(x):\n    'A new docstring.'\n")
    assert called(packages) == (results, NEVER_KEPT)
    for name, old, new, changed in (
        ("antemill/solver/rule.py", "x + 1", "x + 2", {"step": "3221", "made": "3", "given": "3"}),
        ("antemill/engine/inlined.py", "x + 1", "x + 2", {"f": "231", "step": "3231"}),
        ("antemill/engine/called.py", "x + 1", "x + 2", {"f": "331", "step": "3331"}),
        ("antemill/engine/values.py", "NUMBER = 1", "NUMBER = 2", {"f": "332", "step": "3332"}),
    ):
        edit(packages, name, old, new)
        results |= changed
        assert called(packages) == (results, NEVER_KEPT | set(changed))
    edit(
        packages, "antemill/engine/values.py", "NUMBER = 2", "NUMBER = 1"
    )  # back: what was compiled then is still there
    assert called(packages)[1] == NEVER_KEPT


def test_kernels_that_are_not_kept_leave_nothing_behind(packages: Project) -> None:
    called(packages)
    assert [list(folder.iterdir()) for folder in packages.of_module("antemill.engine.given")] == [[]]
    assert packages.of_module("antemill.engine.made") == []


@pytest.mark.slow
def test_a_name_that_is_defined_in_two_ways_is_kept_in_two_ways(packages: Project) -> None:
    call = CALL.replace("antemill.engine.a", "antemill.engine.twice")
    for hits in ("0", "1"):
        assert packages.run(call) == f"1 {hits}"
        assert packages.run(call, SECOND="") == f"2 {hits}"


@pytest.mark.slow
def test_a_copy_of_the_sources_elsewhere_compiles_nothing_anew(packages: Project) -> None:
    called(packages)
    copy = packages.root / "elsewhere"
    shutil.copytree(packages.root / "antemill", copy / "antemill")
    assert called(packages, PYTHONPATH=str(copy)) == (AS_WRITTEN, NEVER_KEPT)


@pytest.mark.slow
def test_what_a_process_compiles_from_sources_that_were_edited_meanwhile_is_not_kept(packages: Project) -> None:
    """It has the old helper in memory: kept under the digest of the new one, that would be stale for every process."""
    long = """
import pathlib
from antemill.solver.rule import rule
path = pathlib.Path("antemill/solver/rule.py")
path.write_text(path.read_text().replace("x + 1", "x + 7"))
from antemill.axes.alone import alone
from antemill.solver.step import step
print(step(1), alone(1))
"""
    assert packages.run(long) == "2221 1"
    results, compiled = called(packages)
    assert results == AS_WRITTEN | {"step": "8221", "made": "8", "given": "8"}
    assert compiled == NEVER_KEPT | {"step"}


@pytest.mark.slow
def test_a_damaged_list_of_meanings_is_made_anew(project: Project) -> None:
    project.run()
    known = project.root / "cache" / "meanings.json"
    content = known.read_bytes()
    for damaged in (b'{"a": 1}', content[:-9]):
        known.write_bytes(damaged)
        assert project.run() == "2 1"
        assert sorted(known.read_bytes()) == sorted(content)


# ------------------------------------------------------------------------------------------------ the decorator


@kernel
def _ratio(values: np.ndarray[tuple[int], np.dtype[np.float64]], divisor: float = 2.0) -> float:
    return float(_first(values) / divisor)


@kernel(inline="always")
def _first(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(values[0])


@kernel(error_model="python")
def _strict_ratio(x: float, y: float) -> float:
    return x / y


def test_a_kernel_behaves_like_its_python_function() -> None:
    values = np.array([3.0, 4.0])
    assert _ratio(values) == _ratio.py_func(values) == 1.5
    assert _ratio(values, 0.0) == np.inf
    with pytest.raises(ZeroDivisionError):
        _strict_ratio(1.0, 0.0)


class _Colour(IntEnum):
    RED = 1


@kernel
def _twice(number: float) -> float:
    return 2 * number


@kernel
def _of_all_kinds(words: np.ndarray[tuple[int], np.dtype[np.int32]], x: float) -> float:
    """Calls one kernel with constants, a member of an enumeration, numbers of 32 and of 64 bits, and with a float."""
    whole = _twice(3) + _twice(5) + _twice(_Colour.RED) + _twice(words[0]) + _twice(words.size)
    return whole + _twice(x)


def test_all_kinds_of_whole_numbers_share_one_machine_code() -> None:
    words = np.array([2**31 - 1, 7], np.int32)  # twice the first takes more than 32 bits
    assert _of_all_kinds(words, 0.25) == 6 + 10 + 2 + 2 * (2**31 - 1) + 4 + 0.5
    assert sorted(str(kinds) for kinds in cast(Any, _twice).signatures) == ["(float64,)", "(int64,)"]


@kernel
def _descent(x: int, step: int = 1) -> int:
    """Calls itself with its default, with a constant by name, and with a member of an enumeration."""
    if x <= 0:
        return 0
    if x > 20:
        return 100 + _descent(x - 10, step=3)
    if x > 10:
        return 10 + _descent(x - 5, _Colour.RED)
    return 1 + _descent(x - step)


def test_a_kernel_calls_itself_with_constants() -> None:
    assert _descent(31, 1) == 100 + 100 + 10 + 6
    kinds = sorted(str(kinds) for kinds in cast(Any, _descent).signatures)
    assert kinds == ["(int64, int64)", "(int64, omitted(default=1))"]


def test_a_kernel_s_error_about_a_slice_names_no_shapes() -> None:
    """Numba's would compile how numbers are written, for every kernel that assigns to a slice."""

    def assign(target: Any, source: Any) -> None:
        target[1:] = source

    with pytest.raises(ValueError, match=r"^cannot assign slice from input of different size$"):
        kernel(allocates=True)(assign)(np.zeros(4), np.ones(2))
    with pytest.raises(ValueError, match=r"of shape \(3,\) from input of shape \(2,\)$"):
        numba.njit(assign)(np.zeros(4), np.ones(2))


def test_a_call_of_numba_s_functions_is_resolved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[tuple[object, ...]] = []
    own = kernel_module._resolve

    def resolve(function: Any, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        if function.typing_key is operator.floordiv:
            resolved.append(args)
        return own(function, context, args, kws)

    def halved(number: int, times: int) -> int:
        for _ in range(times):
            number = number // times + number // times
        return number

    def twice(number: int, times: int) -> int:
        return -(number // times)

    monkeypatch.setattr(kernel_module, "_resolve", resolve)
    monkeypatch.setattr(kernel_module, "_resolved", {})
    with compiled_at_once():
        assert kernel(halved)(20, 3) == halved(20, 3)
        assert kernel(twice)(-20, 3) == twice(-20, 3)
    assert len(resolved) == len(set(resolved)) == 1
    assert cast(Any, BaseFunction).get_call_type is own


def test_flags_of_kernels_are_equal_to_flags_alone() -> None:
    numbas, made = cast(Any, Flags), cast(Any, kernel_module)._Flags
    plain, ours = numbas(), made()
    assert ours == made(ours) == plain == ours
    assert hash(ours) == hash(plain)
    assert ours not in (None, 1, ())
    ours.boundscheck = True
    assert ours.copy() == ours != made()
    assert hash(ours.copy()) == hash(ours)


def test_other_packages_keep_their_own_numba_cache() -> None:
    from numba.core import config

    assert not str(vars(config)["CACHE_DIR"]).startswith(str(cache_dir()))


# ------------------------------------------------------------------------------------------------ the cache folder


def test_only_unused_kernel_folders_are_removed(tmp_path: Path) -> None:
    old, young, foreign = (tmp_path / name for name in ("kernels-" + "0" * 32, "kernels-" + "1" * 32, "letters"))
    inside = [
        young / name for name in ("antemill.engine.machine.vm-" + "0" * 16, "antemill.axes.risk-" + "1" * 16, "letters")
    ]
    for folder in (old, young, foreign, *inside):
        folder.mkdir()
        (folder / "file").touch()
    for folder, days in zip((*inside, old, young, foreign), (60, 58, 400, 31, 29, 400), strict=True):
        used = time.time() - days * 86_400
        os.utime(folder, (used, used))
    prune(tmp_path)
    assert sorted(tmp_path.iterdir()) == [young, foreign]
    assert sorted(young.iterdir()) == sorted([young / "file", *inside[1:]])


@pytest.fixture
def no_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place for temporary files of a user whose cache folder cannot be made; `cache_dir` starts afresh."""
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("ANTEMILL_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(kernel_cache, "cache_dir", cache_dir.__wrapped__)
    return tmp_path / "tmp"


def test_without_a_writable_folder_a_private_temporary_one_is_shared(no_cache_folder: Path) -> None:
    folder = kernel_cache.cache_dir()
    assert folder.parent.parent == no_cache_folder
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert kernel_cache.cache_dir() == folder


@pytest.mark.usefixtures("no_cache_folder")
def test_a_temporary_folder_that_others_may_write_is_not_trusted() -> None:
    shared = kernel_cache.cache_dir().parent
    shared.chmod(0o777)
    own = kernel_cache.cache_dir().parent
    assert own != shared
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


@pytest.mark.parametrize("whose", ["of all users", "of another user"])
def test_a_named_folder_that_others_may_write_is_not_used(
    no_cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    named = tmp_path / "named"
    named.mkdir()
    monkeypatch.setenv("ANTEMILL_CACHE", str(named))
    assert kernel_cache.cache_dir().parent == named
    shutil.rmtree(named)
    named.mkdir()
    if whose == "of all users":
        named.chmod(0o1777)
    elif os.getuid() == 0:
        os.chown(named, 12345, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert kernel_cache.cache_dir().parent.parent == no_cache_folder
    assert list(named.iterdir()) == []


# --------------------------------------------------------------------------------------- no other module compiles


def compiles_on_its_own(source: Source) -> list[str]:
    """Uses of numba's own decorators: imported by name, or as an attribute of anything imported from numba."""
    if "numba" not in source.text:
        return []
    from_numba = [found for found in imports(source) if found.module.partition(".")[0] == "numba"]
    named = [f"{source.module}:{found.line}" for found in from_numba if found.name in COMPILERS | {"*"}]
    aliases = {found.alias for found in from_numba}
    return named + [
        f"{source.module}:{node.lineno}"
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.Attribute) and node.attr in COMPILERS and ast.unparse(node).partition(".")[0] in aliases
    ]


def makes_kernels(source: Source) -> bool:
    """Whether the module can use `@kernel`: it imports it, or the whole of `antemill.engine.kernel`."""
    return any(
        found.target in ("antemill.engine.kernel", "antemill.engine.kernel.kernel", "antemill.engine.kernel.*")
        for found in imports(source)
    )


def test_only_the_kernel_module_uses_numbas_decorators() -> None:
    modules = project_sources()
    assert [
        line for source in modules if source.module != "antemill.engine.kernel" for line in compiles_on_its_own(source)
    ] == []
    assert [source.module for source in modules if compiles_on_its_own(source)] == ["antemill.engine.kernel"]


def test_kernels_live_only_where_they_are_kept() -> None:
    assert {*SOURCE_PACKAGES} < {*PACKAGES}
    outside = [source for source in project_sources() if source.module.split(".")[1] not in SOURCE_PACKAGES]
    assert [source.module for source in outside if makes_kernels(source)] == []


def test_no_two_kernels_of_a_module_have_one_name() -> None:
    """Processes may give them one symbol, and who loads both from what two processes kept would run one for both."""
    twice = []
    for source in [source for source in project_sources() if makes_kernels(source)]:
        functions = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.FunctionDef)]
        kernels = [each.name for each in functions if any("kernel" in ast.unparse(d) for d in each.decorator_list)]
        twice += [f"{source.module}.{name}" for name in {*kernels} if kernels.count(name) > 1]
    assert twice == []


def used_by(function: object) -> set[str]:
    """The modules of ours to which the kernels and modules belong that a kernel's code names."""
    python = function.py_func  # type: ignore[attr-defined]
    found, codes = set(), [python.__code__]
    while codes:
        code = codes.pop()
        codes += [value for value in code.co_consts if hasattr(value, "co_names")]
        for name in code.co_names:
            value = python.__globals__.get(name)
            module = value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", ""))
            found.add(getattr(module, "__name__", ""))
    return {name for name in found if name.startswith("antemill.")}


def test_the_digest_of_a_module_covers_what_its_kernels_use_when_they_run() -> None:
    sources, uses = Sources(), 0
    for name in [name for package in SOURCE_PACKAGES for name in modules_below(package)]:
        if "engine.kernel:kernel" in getattr(sources.get(name), "imports", ()):
            module = importlib.import_module(f"antemill.{name}")
            for function in [each for each in vars(module).values() if hasattr(each, "py_func")]:
                used = {within(each) for each in used_by(function)}
                assert used <= set(sources.reached([name])), f"{name}.{function}"
                uses += len(used - {name})
    assert uses > 100


@pytest.mark.parametrize(
    "text",
    [
        "from numba import njit",
        "from numba import njit as fast",
        "from numba import *",
        "from numba.core.decorators import jit",
        "def f():\n    from numba import vectorize",
        "import numba\n@numba.njit(cache=True)\ndef f(): pass",
        "import numba as nb\nf = nb.jit(len)",
        "import numba.experimental\n@numba.experimental.jitclass\nclass A: pass",
        "from numba import cuda\nf = cuda.jit(len)",
    ],
)
def test_a_second_place_that_compiles_is_found(text: str) -> None:
    assert len(compiles_on_its_own(Source("antemill.engine.machine.vm", text))) == 1


def test_other_uses_of_numba_are_no_second_place() -> None:
    text = "import numba\nfrom numba import prange, types\nprint(numba.__version__)\nmine.jit()"
    assert compiles_on_its_own(Source("antemill.engine.machine.vm", text)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from antemill.engine.kernel import kernel", True),
        ("from antemill.engine import kernel", True),
        ("import antemill.engine.kernel", True),
        ("def f():\n    from antemill.engine.kernel import *", True),
        ("from antemill.engine.kernel import cache_dir", False),
    ],
)
def test_a_kernel_outside_the_digest_is_found(text: str, found: bool) -> None:
    assert makes_kernels(Source("tournament.cli", text)) is found


def test_a_numba_that_is_newer_than_the_tested_ones_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTEMILL_NUMBA_SAID", "")
    for tested in ("0.62.1", "0.68.1", "0.68.99rc1"):
        kernel_cache.warn_of_untested(tested)
    sentence = r"numba 0.70.1 is newer than 0.68, the newest that antemill is tested with: .*`pip install .numba<0.69.`"
    with pytest.warns(kernel_cache.UntestedNumbaWarning, match=sentence):
        kernel_cache.warn_of_untested("0.70.1")
    kernel_cache.warn_of_untested("0.70.1")
    with pytest.warns(kernel_cache.UntestedNumbaWarning, match="numba 1.0 is newer"):
        kernel_cache.warn_of_untested("1.0")


def test_the_bound_of_the_package_is_that_of_the_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    specifiers = [re.findall(r"<(\d+)\.(\d+)", line) for line in project["dependencies"] if line.startswith("numba")]
    bounds = [[(int(major), int(minor) - 1) for major, minor in each] for each in specifiers]
    assert all(len(each) == 1 for each in bounds), "a numba without an upper bound"
    assert max(bounds)[0] == kernel_cache.NUMBA_TESTED
    assert tuple(map(int, numba.__version__.split(".")[:2])) <= kernel_cache.NUMBA_TESTED


@pytest.mark.slow
def test_a_command_says_in_one_line_that_numba_is_newer(tmp_path: Path) -> None:
    script = (
        "import sys, numba; numba.__version__ = '0.70.1'; sys.argv = ['antemill', 'doctor', '--json']\n"
        "from antemill.tournament.cli.entry import main; main()"
    )
    clean = {name: value for name, value in os.environ.items() if name != "ANTEMILL_NUMBA_SAID"}
    environment = clean | {"ANTEMILL_CACHE": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith("antemill: numba 0.70.1 is newer than 0.68, the newest that antemill is tested with")
    assert ended.stderr.count("\n") == 1
