"""A built wheel, in environments that other projects share: what is in it, and what stays when it is gone."""

from __future__ import annotations

import json
import os
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions, version
from pathlib import Path

import pytest

from tests.imports import PACKAGES, ROOT
from tests.packaging import environments

pytestmark = pytest.mark.slow

# A project with modules that are called like our packages.
NAMESAKE = "raise RuntimeError('this is another project')\n"
THEIRS = "name = 'a training script has an engine of its own'\n"
BESIDE = """
import engine
from antemill.engine import compile_spec, rollout, streams
from antemill.tournament.adapters import vector_env

print(engine.name)
print(len(rollout(compile_spec("kuhn"), 10, streams(1)).payoff))
print(vector_env("kuhn", 4).num_envs)
"""
BOTH_TOOLS = """
import antemill.llm, llm
from antemill.llm import CallStore, read_models
print(llm.get_models()[0].model_id, llm.ModelError.__module__, antemill.llm.LLMError.__module__)
"""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what all processes that run these tests use."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "packaging"


@pytest.fixture(scope="session")
def built(shared: Path) -> environments.Built:
    """The source distribution, the wheel, and that of the source distribution."""
    names = environments.made_once(shared / "built", _build)
    found = json.loads((names / "names.json").read_text())
    return environments.Built(*(names / found[name] for name in environments.Built.__dataclass_fields__))


def _build(folder: Path) -> None:
    found = environments.build(folder)
    names = {name: str(getattr(found, name).relative_to(folder)) for name in environments.Built.__dataclass_fields__}
    (folder / "names.json").write_text(json.dumps(names))


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[environments.Environment]:
    """A new environment that has what antemill needs, but not antemill."""
    yield from environments.removed_afterwards(environments.lent(tmp_path / "environment"))


def works(environment: environments.Environment) -> None:
    """antemill's commands and imports do."""
    number = f"antemill {version('antemill')}"
    assert environment.command("antemill", "--version").strip() in (number, version("antemill"))
    assert environment.command("python", "-m", "antemill", "--version").strip() in (number, version("antemill"))
    assert "kuhn" in environment.command("antemill", "game", "show", "kuhn").lower()
    config = environment.work / "models.toml"
    config.write_text('[m]\nprotocol = "scripted"\n')
    script = f"from antemill.llm import read_models; print(list(read_models('{config}')))"
    assert environment.command("python", "-c", script) == "['m']\n"


def llm_works(environment: environments.Environment) -> None:
    """The tool of that name does."""
    assert environment.command("llm", "--version").startswith("llm, version ")
    assert "gpt-4o" in environment.command("llm", "models", "list")


def test_the_wheel_holds_the_package_and_nothing_else(built: environments.Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = set(archive.namelist())
        (top,) = {name for name in archive.namelist() if name.endswith("top_level.txt")}
        assert archive.read(top) == b"antemill\n"
    assert {name.split("/")[0] for name in names} == {"antemill", f"antemill-{version('antemill')}.dist-info"}
    files = [name for name in environments.tracked() if name.startswith(tuple(f"{package}/" for package in PACKAGES))]
    wanted = {f"antemill/{name}" for name in files}
    assert {"antemill/py.typed", "antemill/__init__.py", "antemill/__main__.py"} <= names
    assert {Path(name).suffix for name in wanted} >= {".py", ".css", ".js", ".toml", ".json", ".xz", ".csv"}
    assert wanted - names == set()
    assert {name for name in names if name.startswith("antemill/") and name.count("/") > 1} - wanted == set()


def test_a_build_leaves_nothing_beside_the_package_that_is_imported(built: environments.Built) -> None:
    # Beside an editable installation it would be a second antemill, and Inspect's tasks would lose their prefix.
    assert (built.checkout / "build").exists() or [*built.checkout.rglob("*.egg-info")]
    beside = [str(built.checkout), str(built.checkout / "src")]
    assert [found.name for found in distributions(path=beside)] == []


@pytest.mark.extended
def test_llm_first_and_antemill_uninstalled(built: environments.Built, environment: environments.Environment) -> None:
    environment.install("llm")
    before = environment.files()
    environment.install(built.wheel)
    assert "No broken requirements found." in environment.pip("check")
    works(environment)
    llm_works(environment)
    environment.command("python", "-c", BOTH_TOOLS)
    environment.pip("uninstall", "--quiet", "--yes", "antemill")
    assert environment.files() == before
    assert not [*environment.packages.glob("*antemill*")]
    llm_works(environment)
    assert "No broken requirements found." in environment.pip("check")


def test_a_project_may_have_modules_of_the_same_names(
    built: environments.Built, environment: environments.Environment, tmp_path: Path
) -> None:
    environment.install(built.wheel)
    project = tmp_path / "project"
    (project / "engine").mkdir(parents=True)
    (project / "engine" / "__init__.py").write_text(THEIRS)
    for name in ("axes", "solver", "llm", "tournament"):
        (project / f"{name}.py").write_text(NAMESAKE)
    (project / "train.py").write_text(BESIDE)
    printed = environments.run(environment.python, "train.py", cwd=project)
    assert printed == "a training script has an engine of its own\n10\n4\n"
    assert environments.run(environment.python, "-m", "antemill", "--version", cwd=project)
    number = "import antemill; print(antemill.__version__, antemill.__file__)"
    shown, file = environments.run(environment.python, "-c", number, cwd=project).split()
    assert shown == version("antemill") == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert Path(file).is_relative_to(environment.folder)
