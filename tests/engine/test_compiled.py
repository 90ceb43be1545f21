"""`engine.compiled`: what is found as machine code, and when everything is plain Python.

In a miniature of the project, where Python files stand for machine code: the finder looks for files that end so.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import cache_root, compiled
from engine.digests import Sources

PLAIN = "said = 'source'\n"
MACHINE = "import antemill__mypyc\nsaid = antemill__mypyc.said\n"
LIBRARY = "said = 'machine code'\n"
AS_PYTHON = "import importlib.machinery\nimportlib.machinery.EXTENSION_SUFFIXES[0] = '.py'\n"
SAY = """
from engine.builder import drawing, names
from engine.rules import walk
print(drawing.said, names.said, walk.said)
"""
FOLDER = "from engine.compiled import folder; print(folder())"
COMPILED = ("engine/builder/drawing.py", "engine/builder/names.py", "engine/rules/walk.py")
ALL_PLAIN = "source source source\n"
ALL_MACHINE = "machine code machine code machine code\n"


class Project:
    """A miniature: three modules that are compiled, one that they could import, and one that they do not."""

    def __init__(self, root: Path) -> None:
        self.root, self.cache = root / "project", root / "cache"
        for module in (cache_root, compiled):
            self.write(f"engine/{Path(str(module.__file__)).name}", Path(str(module.__file__)).read_text())
        self.write("engine/__init__.py", "from engine.compiled import install\ninstall()\n")
        for package in ("builder", "rules", "match"):
            self.write(f"engine/{package}/__init__.py", "")
        for path in (*COMPILED, "engine/errors.py", "engine/match/view.py", "engine/builder/generate.py"):
            self.write(path, PLAIN)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, script: str, before: str = "", **environment: str) -> str:
        """What a process with the project prints, in which `before` is run first."""
        places = {"ANTEMILL_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", AS_PYTHON + before + "\n" + script]
        places |= environment
        done = subprocess.run(command, cwd=self.root, env=os.environ | places, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def compile(self, library: str = LIBRARY) -> Path:
        """Put down what stands for the machine code of the sources as they are."""
        folder = Path(self.run(FOLDER).strip())
        for path in COMPILED:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(MACHINE)
        (folder / f"{compiled.LIBRARY}.py").write_text(library)
        return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("ANTEMILL_INTERPRETED", raising=False)
    return Project(tmp_path)


def test_machine_code_is_found_where_it_is_and_nowhere_else(project: Project) -> None:
    assert project.run(SAY) == ALL_PLAIN
    folder = project.compile()
    assert project.run(SAY) == ALL_MACHINE
    assert project.run("from engine.builder import generate; print(generate.said)") == "source\n"
    assert project.run("from engine.compiled import in_use; print(in_use())") == "True\n"
    assert folder.parent == project.cache
    assert project.run(SAY, ANTEMILL_CACHE=str(project.cache / "other")) == ALL_PLAIN


@pytest.mark.parametrize("path", [*COMPILED, "engine/errors.py"])
def test_an_edited_source_is_what_runs_and_with_it_all_others(project: Project, path: str) -> None:
    """Also where only a comment is new: tracebacks tell lines."""
    project.compile()
    project.write(path, PLAIN + "# edited\n")
    assert project.run(SAY) == ALL_PLAIN
    project.write(path, PLAIN)
    assert project.run(SAY) == ALL_MACHINE


def test_a_new_module_is_no_machine_code(project: Project) -> None:
    project.compile()
    project.write("engine/builder/dice.py", PLAIN)
    assert project.run(SAY) == ALL_PLAIN


def test_an_edit_elsewhere_changes_nothing(project: Project) -> None:
    project.compile()
    project.write("engine/match/view.py", "said = 'edited'\n")
    assert project.run(SAY) == ALL_MACHINE


def test_the_name_tells_versions_apart(project: Project) -> None:
    """Of Python and of the platform: another one does not find what this one has made."""
    names = {project.run(FOLDER, before) for before in ("", "import sys; sys.version += '!'")}
    other = "import os, types; os.uname = lambda: types.SimpleNamespace(machine='pdp11')"
    names.add(project.run(FOLDER, other))
    assert len(names) == 3


@pytest.mark.parametrize(
    ("before", "environment", "said"),
    [
        ("", {"ANTEMILL_INTERPRETED": "1"}, ALL_PLAIN),
        ("", {"ANTEMILL_INTERPRETED": "0"}, ALL_MACHINE),
        ("import sys; sys.settrace(lambda *_: None)", {}, ALL_PLAIN),
    ],
)
def test_plain_python_on_request_and_under_a_debugger(
    project: Project, before: str, environment: dict[str, str], said: str
) -> None:
    project.compile()
    assert project.run(SAY, before, **environment) == said


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is new in Python 3.12")
@pytest.mark.parametrize("tool", ["DEBUGGER_ID", "COVERAGE_ID"])
def test_plain_python_where_a_tool_monitors(project: Project, tool: str) -> None:
    project.compile()
    assert project.run(SAY, f"import sys; sys.monitoring.use_tool_id(sys.monitoring.{tool}, 'tool')") == ALL_PLAIN


@pytest.mark.parametrize("library", ["raise ImportError('another libc')", None])
def test_machine_code_that_can_not_be_loaded_is_none(project: Project, library: str | None) -> None:
    folder = project.compile(library or "")
    if library is None:
        (folder / f"{compiled.LIBRARY}.py").unlink()
    assert project.run(SAY) == ALL_PLAIN
    assert project.run(f"{SAY}import sys; print('{compiled.LIBRARY}' in sys.modules)") == f"{ALL_PLAIN}False\n"


@pytest.mark.parametrize("which", ["the folder", "the root"])
def test_machine_code_that_another_user_may_have_made_is_none(project: Project, which: str) -> None:
    folder = project.compile()
    place = folder if which == "the folder" else project.cache
    place.chmod(0o1777)
    assert project.run(SAY) == ALL_PLAIN
    place.chmod(0o775)
    assert project.run(SAY) == ALL_MACHINE
    other = "import os; os.getuid = lambda: 12345"  # whose folder this is not
    assert project.run(SAY, other) == (ALL_MACHINE if os.getuid() == 0 else ALL_PLAIN)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("which", ["the folder", "the root"])
def test_machine_code_of_another_user_is_none(project: Project, which: str) -> None:
    folder = project.compile()
    place = folder if which == "the folder" else project.cache
    os.chown(place, 12345, -1)
    assert project.run(SAY) == ALL_PLAIN
    assert project.run(SAY, "import os; os.getuid = lambda: 12345") == ALL_MACHINE


def test_using_a_folder_marks_it_as_used(project: Project) -> None:
    """`engine.kernel_cache` removes those that nobody has used for a month."""
    folder = project.compile()
    os.utime(folder, (1e9, 1e9))
    project.run(SAY)
    assert folder.stat().st_mtime > 1e9


def test_the_name_stands_for_every_module_that_the_compiled_ones_import() -> None:
    """What a compiled module has of another (types, constants) is compiled in."""
    names = [path.removesuffix(".py").replace("/", ".") for path in compiled.compiled_sources()]
    assert {"engine.builder.assemble", "engine.compiler.phases", "engine.rules.walk"} <= set(names)
    read = {path.removesuffix(".py").removesuffix("/__init__") for path in compiled.read_sources()}
    assert {name.replace(".", "/") for name in Sources().reached(names)} <= read
    assert all(compiled.TOP.joinpath(path).is_file() for path in compiled.read_sources())
