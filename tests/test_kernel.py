"""`engine.kernel`: no stale machine code, one cache for many processes, and nobody else compiles."""

import ast
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from engine import kernel as kernel_module
from engine.kernel import SOURCE_PACKAGES, WITHOUT_KERNELS, cache_dir, kernel, prune, source_digest
from tests.imports import PACKAGES, Source, imports, project_sources

COMPILERS = {"jit", "njit", "vectorize", "guvectorize", "generated_jit", "cfunc", "jitclass", "stencil", "jit_module"}

HELPER = "from {module} import {name}\n\n@{decorator}\ndef helper(x):\n    return x + {number}\n"
CALLER = "from {module} import {name}\nfrom engine.b import helper\n\n@{decorator}\ndef f(x):\n    return helper(x)\n"
OURS = {"module": "engine.kernel", "name": "kernel", "decorator": "kernel"}
PLAIN = {"module": "numba", "name": "njit", "decorator": "njit(cache=True)"}
CALL = "from engine.a import f; print(f(1), sum(f.stats.cache_hits.values()))"
SLOW_SAVE = """
import time
from numba.core.caching import IndexDataCacheFile
save = IndexDataCacheFile._save_index
IndexDataCacheFile._save_index = lambda *args: (time.sleep(1), save(*args))
"""
CALL_BEYOND_THE_END = """
import numpy as np
from engine.a import f
try:
    f(np.zeros(4)[:3])  # the element after the end exists, so that reading it is harmless
    print("unchecked")
except IndexError:
    print("checked")
"""


class Project:
    """A miniature of this project: `engine.a` has a kernel `f` that calls `helper`, a kernel of `engine.b`."""

    def __init__(self, root: Path, decorator: dict[str, str]) -> None:
        self.root = root
        self.decorator = decorator
        self.engine = root / "engine"
        self.engine.mkdir()
        shutil.copy(kernel_module.__file__, self.engine)
        (self.engine / "__init__.py").touch()
        (self.engine / "a.py").write_text(CALLER.format(**decorator))
        self.set_number(1)

    def set_number(self, number: int) -> None:
        (self.engine / "b.py").write_text(HELPER.format(number=number, **self.decorator))

    def start(self, code: str = CALL, **environment: str) -> subprocess.Popen[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "ANTEMILL_"))}
        places = {"PYTHONPATH": str(self.root), "ANTEMILL_CACHE": str(self.root / "cache")}
        return subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=self.root,
            env=kept | places | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str = CALL, **environment: str) -> str:
        process = self.start(code, **environment)
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert errors == ""
        return output.strip()

    def folders(self) -> list[Path]:
        return sorted((self.root / "cache").glob("kernels-*"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, OURS)


def test_an_edited_helper_in_another_file_takes_effect_and_unchanged_code_is_loaded(project: Project) -> None:
    assert project.run() == "2 0"
    assert project.run() == "2 1"
    project.set_number(10)
    assert project.run() == "11 0"
    assert project.run() == "11 1"
    assert len(project.folders()) == 2


def test_numba_alone_runs_the_old_helper(tmp_path: Path) -> None:
    """Why `@kernel` exists (numba #1833). The day this fails, the digest may go."""
    project = Project(tmp_path, PLAIN)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    assert project.run(**cache) == "2 0"
    project.set_number(10)
    assert project.run(**cache) == "2 1"


def test_a_folder_in_use_is_kept_however_old_its_files_are(project: Project) -> None:
    project.run()
    (folder,) = project.folders()
    os.utime(folder, (0, 0))
    assert project.run() == "2 1"
    assert time.time() - folder.stat().st_mtime < 600


def test_index_checks_are_switched_by_the_environment_and_cached_apart(project: Project) -> None:
    (project.engine / "b.py").write_text(
        "from engine.kernel import kernel\n\n@kernel\ndef helper(x):\n    return x[len(x)]\n"
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


def test_other_packages_keep_their_own_numba_cache() -> None:
    from numba.core import config

    assert not str(vars(config)["CACHE_DIR"]).startswith(str(cache_dir()))


# ------------------------------------------------------------------------------------------------ the cache folder


def test_the_digest_depends_on_names_and_contents_of_python_files_only(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.py").write_text("x = 1\n")
    first = source_digest([tmp_path])
    os.utime(tmp_path / "p" / "a.py", (0, 0))
    (tmp_path / "p" / "notes.txt").write_text("not code")
    assert source_digest([tmp_path]) == first
    assert source_digest([tmp_path, tmp_path / "missing"]) == first
    (tmp_path / "p" / "a.py").write_text("x = 2\n")
    second = source_digest([tmp_path])
    (tmp_path / "p" / "a.py").rename(tmp_path / "p" / "b.py")
    assert len({first, second, source_digest([tmp_path])}) == 3


def test_only_unused_kernel_folders_are_removed(tmp_path: Path) -> None:
    old, young, foreign = (tmp_path / name for name in ("kernels-" + "0" * 32, "kernels-" + "1" * 32, "letters"))
    for folder in (old, young, foreign):
        folder.mkdir()
        (folder / "file").touch()
    for folder, days in ((old, 31), (young, 29), (foreign, 400)):
        used = time.time() - days * 86_400
        os.utime(folder, (used, used))
    prune(tmp_path)
    assert sorted(tmp_path.iterdir()) == [young, foreign]


@pytest.fixture
def no_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place for temporary files of a user whose cache folder can not be made; `cache_dir` starts afresh."""
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("ANTEMILL_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(kernel_module, "cache_dir", cache_dir.__wrapped__)
    return tmp_path / "tmp"


def test_without_a_writable_folder_a_private_temporary_one_is_shared(no_cache_folder: Path) -> None:
    folder = kernel_module.cache_dir()
    assert folder.parent.parent == no_cache_folder
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert kernel_module.cache_dir() == folder


@pytest.mark.usefixtures("no_cache_folder")
def test_a_temporary_folder_that_others_may_write_is_not_trusted() -> None:
    shared = kernel_module.cache_dir().parent
    shared.chmod(0o777)
    own = kernel_module.cache_dir().parent
    assert own != shared
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


# ------------------------------------------------------------------------------------------------ nobody else compiles


def compiles_on_its_own(source: Source) -> list[str]:
    """Uses of numba's own decorators: imported by name, or as an attribute of anything imported from numba."""
    from_numba = [found for found in imports(source) if found.module.partition(".")[0] == "numba"]
    named = [f"{source.module}:{found.line}" for found in from_numba if found.name in COMPILERS | {"*"}]
    aliases = {found.alias for found in from_numba}
    return named + [
        f"{source.module}:{node.lineno}"
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.Attribute) and node.attr in COMPILERS and ast.unparse(node).partition(".")[0] in aliases
    ]


def makes_kernels(source: Source) -> bool:
    """Whether the module can use `@kernel`: it imports it, or the whole of `engine.kernel`."""
    return any(
        found.target in ("engine.kernel", "engine.kernel.kernel", "engine.kernel.*") for found in imports(source)
    )


def test_only_the_kernel_module_uses_numbas_decorators() -> None:
    modules = project_sources()
    assert [
        line for source in modules if source.module != "engine.kernel" for line in compiles_on_its_own(source)
    ] == []
    assert [source.module for source in modules if compiles_on_its_own(source)] == ["engine.kernel"]


def test_kernels_live_only_where_the_digest_looks() -> None:
    assert {*SOURCE_PACKAGES} < {*PACKAGES}
    outside = [source for source in project_sources() if source.module.partition(".")[0] not in SOURCE_PACKAGES]
    assert [source.module for source in outside if makes_kernels(source)] == []


def skipped(module: str) -> bool:
    """Whether the digest passes the module over."""
    parts = module.split(".")
    return len(parts) > 1 and parts[0] in SOURCE_PACKAGES and parts[1] in WITHOUT_KERNELS


def reached_from(starts: Iterable[str], modules: Mapping[str, Source]) -> set[str]:
    """The project's modules that importing `starts` imports, themselves included."""
    found, waiting = set(), list(starts)
    while waiting:
        module = waiting.pop()
        while module and module not in modules:  # an imported name may be a thing inside a module
            module = module.rpartition(".")[0]
        if module and module not in found:
            found.add(module)
            waiting += [each.target for each in imports(modules[module]) if not each.for_typing]
    return found


def test_no_kernel_reaches_what_the_digest_skips() -> None:
    modules = {source.module: source for source in project_sources()}
    kernels = [name for name, source in modules.items() if name != "engine.kernel" and makes_kernels(source)]
    assert len(kernels) > 10
    assert [name for name in reached_from(kernels, modules) if skipped(name)] == []
    assert skipped("engine.builder.dial")
    assert "engine.builder.dial" in reached_from(["engine.generate"], modules)


def test_the_digest_skips_folders(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / "root" / folder).mkdir(parents=True)
        (tmp_path / "root" / folder / "x.py").write_text("1")
    before = source_digest([tmp_path / "root"], frozenset({"b"}))
    (tmp_path / "root" / "b" / "x.py").write_text("2")
    assert source_digest([tmp_path / "root"], frozenset({"b"})) == before
    (tmp_path / "root" / "a" / "x.py").write_text("2")
    assert source_digest([tmp_path / "root"], frozenset({"b"})) != before


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
    assert len(compiles_on_its_own(Source("engine.vm", text))) == 1


def test_other_uses_of_numba_are_no_second_place() -> None:
    text = "import numba\nfrom numba import prange, types\nprint(numba.__version__)\nmine.jit()"
    assert compiles_on_its_own(Source("engine.vm", text)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from engine.kernel import kernel", True),
        ("from engine import kernel", True),
        ("import engine.kernel", True),
        ("def f():\n    from engine.kernel import *", True),
        ("from engine.kernel import cache_dir", False),
    ],
)
def test_a_kernel_outside_the_digest_is_found(text: str, found: bool) -> None:
    assert makes_kernels(Source("tournament.cli", text)) is found
