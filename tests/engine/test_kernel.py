"""`antemill.engine.kernel` and its cache: no stale machine code, none compiled twice, and no other module compiles."""

import ast
import importlib
import importlib.util
import os
import py_compile
import re
import shutil
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

from antemill.engine import cache_root, digests, kernel_cache, kernel_forms, kernel_links, kernel_plain, wanted
from antemill.engine import kernel as kernel_module
from antemill.engine.digests import Sources, modules_below, within
from antemill.engine.kernel import kernel
from antemill.engine.kernel_cache import SOURCE_PACKAGES, cache_dir, prune
from tests.engine.forked import run_forked
from tests.imports import PACKAGES, ROOT, Source, imports, project_sources

COMPILERS = {"jit", "njit", "vectorize", "guvectorize", "generated_jit", "cfunc", "jitclass", "stencil", "jit_module"}
COMPILERS |= {"CPUDispatcher"}  # which `antemill.engine.kernel` extends

HELPER = "from antemill.engine.kernel import kernel\n\n@kernel\ndef helper(x):\n    return x + {number}\n"
CALLER = (
    "from antemill.engine.kernel import kernel\nfrom antemill.engine.b import helper\n\n"
    "@kernel\ndef f(x):\n    return helper(x)\n"
)
CALL = "from antemill.engine.a import f; print(f(1), sum(f.stats.cache_hits.values()))"
SLOW_SAVE = """
import time
from numba.core.caching import IndexDataCacheFile
save = IndexDataCacheFile._save_index
IndexDataCacheFile._save_index = lambda *args: (time.sleep(3), save(*args))
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

    def __init__(self, root: Path) -> None:
        self.root = root
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
        (self.engine / "a.py").write_text(CALLER)
        self.set_number(1)

    def set_number(self, number: int) -> None:
        (self.engine / "b.py").write_text(HELPER.format(number=number))

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
    return Project(tmp_path)


@pytest.mark.slow
def test_an_edited_helper_in_another_file_takes_effect_and_unchanged_code_is_loaded(project: Project) -> None:
    assert project.run() == "2 0"
    assert project.run() == "2 1"
    project.set_number(10)
    assert project.run() == "11 0"
    assert project.run() == "11 1"
    assert (len(project.folders()), len(project.of_module("antemill.engine.a"))) == (1, 2)


@pytest.mark.slow
def test_processes_that_need_the_same_kernels_at_once_compile_each_once(project: Project) -> None:
    """Both want `f` and its helper; the one that comes second waits. Saving takes seconds, so that it always comes."""
    both = (
        "from antemill.engine.b import helper; "
        + CALL
        + "; print(*[sum(k.stats.cache_misses.values()) for k in (f, helper)])"
    )
    running = [project.start(SLOW_SAVE + both) for _ in range(2)]
    outputs = sorted(process.communicate(timeout=120)[0].split() for process in running)
    assert outputs == [["2", "0", "1", "1"], ["2", "1", "0", "0"]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_made_anew(project: Project, kind: str) -> None:
    """Cut off, empty, or of zeros where it was never written."""
    project.run()
    (folder,) = project.of_module("antemill.engine.a")
    whole = {path: path.read_bytes() for path in folder.glob(f"*.{kind}")}
    for damage in (lambda data: data[: len(data) // 2], lambda _: b"", lambda data: bytes(len(data))):
        for path, data in whole.items():
            path.write_bytes(damage(data))
        assert project.run() == "2 0"
    assert project.run() == "2 1"


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
