"""A built wheel, in environments that other projects share: what is in it, and what stays when it is gone."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.imports import PACKAGES, ROOT
from tests.packaging import environments

pytestmark = pytest.mark.slow

LEFT_OUT = "engine/execute/sandbox/guest/"  # what the sandbox's guests are built of

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

TYPED = """
import antemill as am
from antemill.tournament.runs import Status
from antemill.tournament.statistics import Interval

spec = am.generate(7, 0.1)
program = am.compile_spec(spec)
log = am.rollout(program, 100, am.streams(1))
chips: float = float(log.payoff.mean())
lines: list[str] = am.check(spec)
wrong: int = am.to_json(spec)  # planted
am.generate("7")  # planted
result = am.run("cup.toml", out="cup")
status: Status = result.status()


async def awaited() -> Status:
    return (await am.run({"tournament": {}}, "cup", progress=False)).status()
"""

NOTEBOOK = """
import json, sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="python3")
said = []
def note(message):
    kind, content = message["msg_type"], message["content"]
    if kind not in ("status", "execute_input"):
        said.append((kind, content.get("data", content)))
def cell(code):
    del said[:]
    reply = client.execute_interactive(code, output_hook=note, timeout=120)
    return {"status": reply["content"]["status"], "said": said[:]}
print(json.dumps([cell(code) for code in json.loads(sys.argv[1])]))
manager.shutdown_kernel(now=True)
"""
CUP = "config = {'tournament': {'games': ['kuhn'], 'matches_per_seat': 4}}\n"
CUP += "config['players'] = {'rnd': {'bot': 'random'}, 'l1': {'bot': 'l1'}}\n"
INTERRUPT = """
import signal
from antemill.tournament.runs.store import RunStore
finish = RunStore.finish
async def finish_and_interrupt(*args):
    RunStore.finish = finish
    await finish(*args)
    signal.raise_signal(signal.SIGINT)
RunStore.finish = finish_and_interrupt
config['limits'] = {'in_flight': 1}
await am.run(config, 'other', progress=False)
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
    wanted = {f"antemill/{name}" for name in files if not name.startswith(LEFT_OUT)}
    assert {"antemill/py.typed", "antemill/__init__.py", "antemill/__main__.py"} <= names
    assert {Path(name).suffix for name in wanted} >= {".py", ".css", ".js", ".toml", ".json", ".xz", ".csv"}
    assert wanted - names == set()
    assert {name for name in names if name.startswith("antemill/") and name.count("/") > 1} - wanted == set()


def test_the_wheel_of_the_source_distribution_is_the_same(built: environments.Built) -> None:
    with zipfile.ZipFile(built.wheel) as ours, zipfile.ZipFile(built.again) as again:
        assert ours.namelist() == again.namelist()
        assert [name for name in ours.namelist() if ours.read(name) != again.read(name)] == []


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


def test_antemill_first_and_llm_uninstalled(built: environments.Built, environment: environments.Environment) -> None:
    environment.install(built.wheel)
    before = environment.files()
    environment.install("llm")
    works(environment)
    llm_works(environment)
    environment.pip("uninstall", "--quiet", "--yes", "llm")
    assert before <= environment.files()
    works(environment)
    assert "No broken requirements found." in environment.pip("check")
    assert not [name for name in PACKAGES if [*environment.packages.glob(f"{name}*")]]


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


def test_types_are_checked_against_the_wheel_and_the_editable_installation(
    built: environments.Built, environment: environments.Environment, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(TYPED)
    planted = [i for i, line in enumerate(TYPED.split("\n"), 1) if line.endswith("# planted")]
    mypy = ["-m", "mypy", "--strict", "--no-error-summary", "--config-file", os.devnull, "script.py"]
    mypy += ["--cache-dir", str(tmp_path / "cache"), "--python-executable", str(environment.python)]
    for what in (built.wheel, ("--no-build-isolation", "--no-deps", "--editable", built.checkout)):
        environment.install(*(what if isinstance(what, tuple) else (what,)))
        errors = environments.run(sys.executable, *mypy, cwd=tmp_path, code=1).splitlines()
        assert [int(error.split(":")[1]) for error in errors if ": error: " in error] == planted, errors
    works(environment)


def test_a_notebook_awaits_a_run(built: environments.Built, environment: environments.Environment) -> None:
    environment.install(built.wheel, "ipykernel")
    cells = [
        f"import antemill as am\n{CUP}",
        "am.run(config, 'cup')",
        "result = await am.run(config, 'cup')\nresult",
        "result.leaderboard()",
        INTERRUPT,
        "(await am.run(config, 'other', progress=False)).slots().equals(result.slots())",
    ]
    printed = environment.command("python", "-c", NOTEBOOK, json.dumps(cells))
    _, forgotten, played, board, interrupted, again = json.loads(printed.splitlines()[-1])
    assert "an event loop is running, so `await` it" in forgotten["said"][0][1]["text/plain"]
    kinds = [kind for kind, _ in played["said"]]
    assert kinds[0] == "display_data"
    assert set(kinds[1:-1]) == {"update_display_data"}
    assert "8/8" in played["said"][-2][1]["text/plain"]
    assert played["said"][-1][1]["text/plain"] == "<Run of a tournament in cup: 8 of 8 done>"
    assert "<table" in board["said"][-1][1]["text/html"]
    assert interrupted["status"] == "error"
    assert interrupted["said"][-1][1]["ename"] == "CancelledError"
    assert "what was finished is kept" in interrupted["said"][-1][1]["evalue"]
    assert again["said"][-1][1]["text/plain"] == "True"


def test_the_readme_runs_in_a_fresh_environment(built: environments.Built, tmp_path: Path) -> None:
    """With all that it depends on, and what else a researcher has."""
    example = re.search(r"## From Python\n+```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert example is not None
    assert "import antemill as am" in example[1]
    for environment in environments.removed_afterwards(environments.fresh(tmp_path / "environment")):
        environment.install(built.wheel, "llm", "open-spiel", "gymnasium")
        assert "No broken requirements found." in environment.pip("check")
        (environment.work / "engine").mkdir()
        (environment.work / "engine" / "__init__.py").write_text(THEIRS)
        (environment.work / "readme.py").write_text(f"import engine, llm, pyspiel, gymnasium\n{example[1]}")
        printed = environment.command("python", "readme.py")
        assert "decision_type" in printed
        assert len(printed.splitlines()) == example[1].count("print(")
        llm_works(environment)
